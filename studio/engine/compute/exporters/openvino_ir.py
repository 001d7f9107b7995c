"""Writes an OpenVINO IR: a folder with `model.xml` and `model.bin`."""

from __future__ import annotations

import sys
from pathlib import Path

# OpenVINO reports imports and conversions to its maker unless this package cannot be imported.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]  # None bars the import

import openvino  # noqa: E402 - after its telemetry is off
from openvino import frontend, opset13  # noqa: E402

from studio.engine.compute.exporters.source import (  # noqa: E402
    ExportSource,
    UnitScaling,
    in_use,
    not_expressible,
)
from studio.engine.exporting.formats import Precision  # noqa: E402
from studio.engine.inference.models import OPENVINO_FILE  # noqa: E402
from studio.engine.messages import message  # noqa: E402

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
        precision: Precision of the weights.

    Raises:
        StudioError: It holds an operation that OpenVINO does not have.
    """
    path.mkdir()
    target = path / OPENVINO_FILE
    _, model, scaling = source.parts(precision)
    try:
        in_use(model).export(str(target), format="openvino", verbose=False)
        if precision == "float16":
            openvino.save_model(_read(target), target, compress_to_fp16=True)
        if scaling is not None:
            scaled = _scaled(_read(target), scaling)
            openvino.save_model(scaled, target, compress_to_fp16=False)
    except _REFUSED as error:
        raise not_expressible(
            message("OpenVINO IR {precision}", precision=precision), error
        ) from error


def _read(target: Path) -> openvino.Model:
    """Read a model from bytes: a file that is mapped into memory cannot be replaced on Windows."""
    return openvino.Core().read_model(target.read_bytes(), target.with_suffix(".bin").read_bytes())


def _scaled(model: openvino.Model, scaling: UnitScaling) -> openvino.Model:
    """Return the model with the scaling of its outputs, in float32."""
    output = model.output(0).get_node().input_value(0)
    multiplied = opset13.multiply(output, opset13.constant(scaling.scale))
    added = opset13.add(multiplied, opset13.constant(scaling.offset))
    return openvino.Model([added], model.get_parameters(), model.get_friendly_name())
