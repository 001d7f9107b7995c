"""Writes the weights, and the network that they belong to as plain Keras code."""

from __future__ import annotations

from pathlib import Path

from studio.engine.compute.exporters.source import ExportSource
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Precision
from studio.engine.networks.code import keras_code

CODE = "network.py"


def write(source: ExportSource, path: Path, precision: Precision) -> None:  # noqa: ARG001 - one
    """Write the weights, and `network.py` beside them.

    Raises:
        StudioError: The run does not hold the description of its network.
    """
    if source.spec is None:
        raise StudioError(
            "The run does not hold the description of its network.",
            "Export it as Keras: that file holds both.",
            "format",
        )
    path.with_name(CODE).write_text(keras_code(source.spec), encoding="utf-8")
    source.model.save_weights(path)
