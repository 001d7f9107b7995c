"""Writes a SavedModel, a folder that TensorFlow reads without Keras."""

from __future__ import annotations

from pathlib import Path

from studio.engine.compute.exporters.source import ExportSource
from studio.engine.exporting.formats import Precision


def write(source: ExportSource, path: Path, precision: Precision) -> None:  # noqa: ARG001 - one
    """Write the model; its endpoint is called `serve`."""
    source.model.export(str(path), verbose=False)
