"""Libraries that Studio does not need itself, imported when a notebook asks for them."""

from __future__ import annotations

import importlib
from typing import Any

from studio.engine.errors import StudioError
from studio.engine.installation import package_command


def library(name: str, what: str) -> Any:  # noqa: ANN401 - a module
    """Import a library that Studio does not need itself.

    Args:
        name: Name of its package.
        what: What it is needed for, such as "to_pandas".

    Raises:
        StudioError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise StudioError(
            f"{what} needs {name}, which is not installed.", f"Run {package_command(name)}."
        ) from error
