"""An export format: the weights of a chain of dense layers, which NumPy alone can run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.exporting.formats import ExportFormat, Precision

if TYPE_CHECKING:
    # The writer runs in a process with Keras; the table is read in others, too.
    from studio.engine.compute.exporters.source import ExportSource

_WITHOUT_WEIGHTS = ("InputLayer", "Rescaling", "Flatten", "Dropout", "Activation")


def write(source: ExportSource, path: Path, _precision: Precision) -> None:
    """Write the kernels, biases and scales of a network.

    Args:
        source: Model to export.
        path: File to write.
        _precision: Not used; always float32.

    Raises:
        StudioError: The network has other layers.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for index, layer in enumerate(source.model.layers):
        kind = type(layer).__name__
        if kind == "Rescaling":
            arrays[f"{index:03} scale"] = np.array([layer.scale, layer.offset], np.float32)
        elif kind == "Dense":
            arrays[f"{index:03} kernel"], arrays[f"{index:03} bias"] = layer.get_weights()
            arrays[f"{index:03} activation"] = np.array(layer.activation.__name__)
        elif kind not in _WITHOUT_WEIGHTS:
            raise StudioError(f"The format NumPy has no layer {kind}.", "Choose another format.")
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


FORMAT = ExportFormat(
    name="numpy",
    label="NumPy",
    summary="One file of arrays for chains of dense layers; needs NumPy alone.",
    writer="scanner_plug_ins.numpy_format:write",
    file="model.npz",
    runtime=str(Path(__file__).with_name("numpy_runtime.py")),
    needs="pip install numpy pillow",
    predicts=True,
)
