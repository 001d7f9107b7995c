"""Arithmetic in a Keras model, such as `x / 255`, as layers that do the same."""

from __future__ import annotations

from studio.engine.compute.graph import Call
from studio.engine.errors import StudioError
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import JsonValue

_JOINS = {
    "Add": "add",
    "Subtract": "subtract",
    "Multiply": "multiply",
    "Maximum": "maximum",
    "Minimum": "minimum",
}
_FUNCTIONS = {
    "Relu": "relu",
    "Relu6": "relu6",
    "Elu": "elu",
    "Selu": "selu",
    "Silu": "silu",
    "HardSilu": "hard_silu",
    "Sigmoid": "sigmoid",
    "HardSigmoid": "hard_sigmoid",
    "Softplus": "softplus",
    "Tanh": "tanh",
}


def as_layer(call: Call) -> tuple[str, dict[str, JsonValue]]:
    """The name of a layer and its parameters that do what an operation does.

    Raises:
        StudioError: No layer does that.
    """
    kind = type(call.layer).__name__
    scale_and_offset = _scale_and_offset(kind, call)
    if scale_and_offset is not None:
        scale, offset = scale_and_offset
        return "rescaling", {"scale": scale, "offset": offset}
    if kind in _FUNCTIONS and not call.arguments:
        return "activation", {"activation": _FUNCTIONS[kind]}
    if kind in _JOINS and len(call.sources) == 2:
        return _JOINS[kind], LAYERS[_JOINS[kind]].parameters.parse({}).model_dump()
    raise StudioError(
        f'The model computes "{call.path}" ({kind}) outside of a layer.',
        "Put a layer of Keras in its place.",
        call.path,
    )


def _scale_and_offset(kind: str, call: Call) -> tuple[float, float] | None:
    """Factor and addend of an operation on one tensor and one number; None for any other."""
    if kind == "Negative" and not call.arguments:
        return -1.0, 0.0
    if len(call.sources) != 1 or len(call.arguments) != 1:
        return None
    ((place, number),) = call.arguments.items()
    if not isinstance(number, int | float):
        return None
    value = float(number)
    first = place == "argument 0"
    if kind in ("Divide", "TrueDivide"):
        return None if first or not value else (1 / value, 0.0)
    return {
        "Add": (1.0, value),
        "Multiply": (value, 0.0),
        "Subtract": (-1.0, value) if first else (1.0, -value),
    }.get(kind)
