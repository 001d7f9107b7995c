"""Writers of the export formats, named in the table `exporting/formats.py`.

The module of a writer is imported only when it is needed: its packages may be missing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studio.engine.arrays import Pixels
from studio.engine.compute.exporters.source import ExportSource
from studio.engine.exporting.formats import FORMATS, Precision
from studio.engine.inference.models import ModelCard

Writer = Callable[[ExportSource, Path, Precision], None]


Describer = Callable[[Path, ModelCard, Pixels], None]
"""Takes the folder of an export, its card and its example, shape (height, width, channels)."""


def writer_of(format_name: str) -> Writer:
    """Return the writer of a format whose packages are installed."""
    write: Writer = _function(FORMATS[format_name].writer)
    return write


def describer_of(format_name: str) -> Describer | None:
    """Return what describes the folder of a format; None if nothing does."""
    name = FORMATS[format_name].describer
    describe: Describer | None = _function(name) if name else None
    return describe


def _function(name: str) -> Any:  # noqa: ANN401 - any function
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)
