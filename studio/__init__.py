"""Studio: train image models in a window, on a command line, or from Python.

`studio.open(folder)` opens a workspace in Python, see `studio.api`. Types are in `__init__.pyi`.
"""

from __future__ import annotations

import importlib

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the Python interface when it is first used: other entries must start fast."""
    if name == "open":
        # By name, because the engine imports this package for its version.
        return importlib.import_module("studio.api").open_workspace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
