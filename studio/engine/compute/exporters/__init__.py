"""Writers of the export formats, named in the table `exporting/formats.py`.

The module of a writer is imported only when it is needed: its packages may be missing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from studio.engine.compute.exporters.source import ExportSource
from studio.engine.exporting.formats import FORMATS, Precision

Writer = Callable[[ExportSource, Path, Precision], None]


def writer_of(format_name: str) -> Writer:
    """Return the writer of a format whose packages are installed."""
    module, _, function = FORMATS[format_name].writer.partition(":")
    write: Writer = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return write
