from studio.api import open_workspace

open = open_workspace  # noqa: A001 - `studio.open` reads well

__version__: str
