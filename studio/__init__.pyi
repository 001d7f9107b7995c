from studio.api import Dataset as Dataset
from studio.api import Evaluation as Evaluation
from studio.api import Export as Export
from studio.api import Model as Model
from studio.api import Run as Run
from studio.api import Sweep as Sweep
from studio.api import Workspace as Workspace
from studio.api import open_workspace
from studio.api.remote import connect as connect
from studio.engine.errors import JobFailedError as JobFailedError
from studio.engine.errors import StudioError as StudioError

open = open_workspace  # noqa: A001 - `studio.open` reads well

__version__: str
__all__ = [
    "Dataset",
    "Evaluation",
    "Export",
    "JobFailedError",
    "Model",
    "Run",
    "StudioError",
    "Sweep",
    "Workspace",
    "__version__",
    "connect",
    "open",
]
