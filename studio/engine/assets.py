"""Location of the files of `assets/`: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

import studio


def asset(name: str) -> Path:
    """Return the path of a file in `assets/`.

    Args:
        name: Path below `assets/`, with forward slashes.

    Raises:
        FileNotFoundError: Studio was installed without it, which is our bug.
    """
    package = Path(studio.__file__).resolve().parent
    for folder in (package / "assets", package.parent / "assets"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"assets/{name} is missing from this installation")
