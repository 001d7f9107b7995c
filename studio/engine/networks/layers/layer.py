"""How a layer is declared, and how its parameters become the arguments of a Keras layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from studio.engine.plans import Plan

Family = Literal["core", "convolution", "pooling", "normalization", "backbone"]

Activation = Literal["linear", "relu", "elu", "gelu", "sigmoid", "softmax", "swish", "tanh"]
ACTIVATION_LABELS = {
    "linear": "None",
    "relu": "ReLU",
    "elu": "ELU",
    "gelu": "GELU",
    "sigmoid": "Sigmoid",
    "softmax": "Softmax",
    "swish": "Swish (SiLU)",
    "tanh": "Tanh",
}

Initializer = Literal[
    "glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_normal", "lecun_uniform"
]
INITIALIZER_LABELS = {
    "glorot_uniform": "Glorot, uniform",
    "glorot_normal": "Glorot, normal",
    "he_uniform": "He, uniform",
    "he_normal": "He, normal",
    "lecun_normal": "LeCun, normal",
    "lecun_uniform": "LeCun, uniform",
}

Padding = Literal["valid", "same"]
PADDING_LABELS = {"valid": "None (valid)", "same": "Keep the size (same)"}


@dataclass(frozen=True, slots=True)
class Layer:
    """A kind of layer.

    Attributes:
        name: Stable name, as in files.
        label: Shown name.
        family: Group in the palette.
        summary: One line: what it does.
        keras_class: Name of a class of `keras.layers`; for a backbone, empty.
        parameters: Plan of its parameters.
        arguments: Keras argument by the parameters that make it up. One parameter gives its
            value. Several give a tuple, in which a parameter that is None repeats the first.
        joins: True where it takes two or more inputs as a list, False where it takes one.
    """

    name: str
    label: str
    family: Family
    summary: str
    keras_class: str
    parameters: type[Plan]
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joins: bool = False

    def keras_arguments(self, parameters: Plan) -> dict[str, object]:
        """The arguments of the Keras layer for some values of the parameters."""
        return {
            argument: _argument([getattr(parameters, name) for name in names])
            for argument, names in self.arguments.items()
        }


def same_names(parameters: type[Plan], *but: str) -> dict[str, tuple[str, ...]]:
    """Arguments for the parameters that are called in Keras as they are here.

    Args:
        parameters: The layer's parameter plan.
        *but: Parameters to leave out, because they make up arguments of other names.
    """
    return {name: (name,) for name in parameters.model_fields if name not in but}


def _argument(values: list[object]) -> object:
    if len(values) == 1:
        return values[0]
    return tuple(values[0] if value is None else value for value in values)
