"""Writes a LiteRT file, and the Keras model beside it."""

from __future__ import annotations

from pathlib import Path

from studio.engine.compute.exporters import keras_file, tflite
from studio.engine.compute.exporters.source import ExportSource
from studio.engine.exporting.formats import Precision
from studio.engine.networks.exported import KERAS_MODEL


def write(source: ExportSource, path: Path, precision: Precision) -> None:
    """Write both; the Keras model stays in float32.

    Raises:
        StudioError: The network holds an operation that LiteRT does not have.
    """
    tflite.write(source, path, precision)
    keras_file.write(source, path.with_name(KERAS_MODEL), "float32")
