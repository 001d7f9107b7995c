"""Writes a `.keras` file."""

from __future__ import annotations

from pathlib import Path

from studio.engine.compute.exporters.source import ExportSource
from studio.engine.exporting.formats import Precision


def write(source: ExportSource, path: Path, precision: Precision) -> None:  # noqa: ARG001 - one
    """Write the model."""
    source.model.save(path)
