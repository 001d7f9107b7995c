"""Writers of the export formats, one file each; declared in `engine/exporting/formats`.

To add a writer: 1. `<name>.py` with a function `write(source, path, precision)`; 2. one line
below. A writer is imported only when it is asked for: it may need a package that is not there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from studio.engine.compute.exporters.source import ExportSource
from studio.engine.exporting.formats import Precision

Writer = Callable[[ExportSource, Path, Precision], None]

WRITERS = {
    "keras": "keras_file",
    "savedmodel": "saved_model",
    "tflite": "tflite",
    "onnx": "onnx_file",
    "openvino": "openvino_ir",
    "torch": "torch_program",
    "weights": "weights_file",
    "bundle": "bundle",
    "script": "script",
}
"""Module of each format's writer."""


def writer_of(format_name: str) -> Writer:
    """The writer of a format whose packages are installed."""
    module = importlib.import_module(f"{__name__}.{WRITERS[format_name]}")
    write: Writer = module.write
    return write
