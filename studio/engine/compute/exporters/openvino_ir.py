"""Writes an OpenVINO IR: a folder with `model.xml` and `model.bin`."""

from __future__ import annotations

import sys
from pathlib import Path

# OpenVINO reports imports and conversions to its maker unless this package cannot be imported.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]  # None bars the import

import openvino  # noqa: E402 - after its telemetry is off
from openvino import frontend  # noqa: E402

from studio.engine.compute.exporters.source import ExportSource, not_expressible  # noqa: E402
from studio.engine.exporting.formats import Precision  # noqa: E402

MODEL = "model.xml"
_REFUSED = (
    frontend.GeneralFailure,
    frontend.InitializationFailure,
    frontend.NotImplementedFailure,
    frontend.OpConversionFailure,
    frontend.OpValidationFailure,
    KeyError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


def write(source: ExportSource, path: Path, precision: Precision) -> None:
    """Convert the model; `float16` stores weights in 16 bits and computes in 32.

    Args:
        source: The trained model.
        path: The folder, which is made.
        precision: That of the weights.

    Raises:
        StudioError: It holds an operation that OpenVINO does not have.
    """
    path.mkdir()
    target = path / MODEL
    try:
        source.model.export(str(target), format="openvino", verbose=False)
        if precision == "float16":
            # From bytes: a file that is mapped into memory cannot be replaced on Windows.
            parts = target.read_bytes(), target.with_suffix(".bin").read_bytes()
            whole = openvino.Core().read_model(*parts)
            openvino.save_model(whole, target, compress_to_fp16=True)
    except _REFUSED as error:
        raise not_expressible(f"OpenVINO IR {precision}", error) from error
