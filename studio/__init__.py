"""Studio: train image models in a window, on a command line, or from Python.

`studio.open(folder)` opens a workspace in Python, `studio.connect(url, token)` that of a server,
see `studio.api`. Types are in `__init__.pyi`.
"""

from __future__ import annotations

import importlib

__version__ = "0.1.0"

_PLACES = {
    "open": ("studio.api", "open_workspace"),
    "connect": ("studio.api.remote", "connect"),
    "Dataset": ("studio.api", "Dataset"),
    "Evaluation": ("studio.api", "Evaluation"),
    "Export": ("studio.api", "Export"),
    "Model": ("studio.api", "Model"),
    "Run": ("studio.api", "Run"),
    "Sweep": ("studio.api", "Sweep"),
    "Workspace": ("studio.api", "Workspace"),
    "StudioError": ("studio.engine.errors", "StudioError"),
    "JobFailedError": ("studio.engine.errors", "JobFailedError"),
}
"""Module and name of what the Python interface consists of."""
__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 - all of them are texts


def __getattr__(name: str) -> object:
    """Load the Python interface when it is first used: other entries must start fast."""
    if name in _PLACES:
        module, there = _PLACES[name]
        # By name, because the engine imports this package for its version.
        return getattr(importlib.import_module(module), there)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
