"""Declaration of layers, and conversion of their parameters to arguments of Keras layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from studio.engine.messages import message
from studio.engine.plans import Plan, expert_field, plan_field

Family = Literal[
    "core",
    "convolution",
    "pooling",
    "activation",
    "normalization",
    "regularization",
    "merging",
    "shape",
    "recurrent",
    "preprocessing",
    "backbone",
]
FAMILY_LABELS: dict[Family, str] = {
    "core": "Basic",
    "convolution": "Convolution",
    "pooling": "Pooling",
    "activation": "Activation",
    "normalization": "Normalization",
    "regularization": "Against overfitting",
    "merging": "Joining branches",
    "shape": "Shape",
    "recurrent": "Recurrent",
    "preprocessing": "Pixels",
    "backbone": "Ready-made",
}
"""Families in the order of the palette, with the names that it shows."""

Activation = Literal[
    "linear",
    "relu",
    "relu6",
    "elu",
    "selu",
    "gelu",
    "silu",
    "hard_silu",
    "sigmoid",
    "hard_sigmoid",
    "softmax",
    "softplus",
    "tanh",
]
ACTIVATION_LABELS = {
    "linear": "None",
    "relu": "ReLU",
    "relu6": "ReLU up to 6",
    "elu": "ELU",
    "selu": "SELU",
    "gelu": "GELU",
    "silu": "Swish (SiLU)",
    "hard_silu": "Hard swish",
    "sigmoid": "Sigmoid",
    "hard_sigmoid": "Hard sigmoid",
    "softmax": "Softmax",
    "softplus": "Softplus",
    "tanh": "Tanh",
}

Initializer = Literal[
    "glorot_uniform",
    "glorot_normal",
    "he_uniform",
    "he_normal",
    "lecun_normal",
    "lecun_uniform",
    "orthogonal",
    "random_uniform",
    "zeros",
]
INITIALIZER_LABELS = {
    "glorot_uniform": "Glorot, uniform",
    "glorot_normal": "Glorot, normal",
    "he_uniform": "He, uniform",
    "he_normal": "He, normal",
    "lecun_normal": "LeCun, normal",
    "lecun_uniform": "LeCun, uniform",
    "orthogonal": "Orthogonal",
    "random_uniform": "Small, uniform",
    "zeros": "Zeros",
}

INITIALIZERS = "keras.initializers"
"""Module of Keras with the start values of weights."""

Padding = Literal["valid", "same"]
PADDING_LABELS = {"valid": "None (valid)", "same": "Keep the size (same)"}


class NoParameters(Plan):
    """For layers that have nothing to set."""


class WeightsParameters(Plan):
    """Parameters of layers with weights."""

    activation: Activation = plan_field(
        "linear",
        label="Activation",
        help="Function applied to every output.",
        why="ReLU between layers is a good default; softmax in the last one; "
        "linear where normalization follows.",
        labels=ACTIVATION_LABELS,
    )
    use_bias: bool = expert_field(
        True,
        label="Bias",
        help="Add a constant to every output.",
        why="Switch it off before batch normalization, which has its own.",
    )
    kernel_initializer: Initializer = expert_field(
        "glorot_uniform",
        label="Start values",
        help="Initialization of the weights.",
        why="He suits ReLU; Glorot and LeCun suit tanh and softmax.",
        labels=INITIALIZER_LABELS,
    )


Names = tuple[str | tuple[str, ...], ...]
"""Parameters that make up one argument of Keras; a group of them makes up a tuple inside it."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A kind of layer.

    Attributes:
        name: Stable name, as in files.
        label: Shown name.
        summary: One line: what it does.
        keras_class: Name of a class of `keras.layers`; empty if there is no single one.
        parameters: Plan of its parameters.
        renamed: See `arguments`; None where the parameters are called as in Keras.
        joins: True where it takes two or more inputs as a list, False where it takes one.
        any_inputs: True where it takes one input, or several as a list.
        numbers: Parameters that are text for a person to edit, `"28, -1"`, and numbers for Keras:
            the kind of number of each.
        call_arguments: Arguments of its call besides the inputs.
        family: Group in the palette; the registry puts it in.
    """

    name: str
    label: str
    summary: str
    keras_class: str
    parameters: type[Plan]
    renamed: Mapping[str, Names] | None = None
    joins: bool = False
    any_inputs: bool = False
    numbers: Mapping[str, type[int | float]] = field(default_factory=dict)
    call_arguments: Mapping[str, bool] = field(default_factory=dict)
    family: Family = "core"

    @property
    def arguments(self) -> Mapping[str, Names]:
        """Keras argument by the parameters that make it up.

        One parameter gives its value. Several give a tuple, in which a parameter that is None
        repeats the first.
        """
        return same_names(self.parameters) if self.renamed is None else self.renamed

    def keras_arguments(self, parameters: Plan) -> dict[str, object]:
        """Return the arguments of the Keras layer for some values of the parameters.

        A value that is a dictionary describes an inner layer or an initializer, as Keras writes
        them down.
        """
        values: dict[str, object] = {
            name: numbers_in(str(value), self.numbers[name]) if name in self.numbers else value
            for name, value in dict(parameters).items()
        }
        return {argument: _argument(names, values) for argument, names in self.arguments.items()}

    def values_from(self, config: Mapping[str, object]) -> dict[str, object]:
        """Return the values of the parameters for the arguments of a Keras layer.

        The reverse of `keras_arguments`, as far as it goes: what Keras can say and the
        parameters cannot is left out, so compare the arguments afterwards.

        Args:
            config: Result of `get_config` of the Keras layer.
        """
        values: dict[str, object] = {}
        for argument, names in self.arguments.items():
            if argument in config:
                values |= self._values(names, config[argument])
        return values

    def _values(self, names: Names, value: object) -> dict[str, object]:
        """Convert an argument of Keras to the parameters that it consists of."""
        parts = list(value) if isinstance(value, list | tuple) else [value]
        first = names[0]
        if len(names) == 1 and isinstance(first, str):
            if first in self.numbers:
                return {first: ", ".join(str(part) for part in parts)}
            alike = len(parts) > 0 and all(part == parts[0] for part in parts)
            return {first: parts[0] if alike else value}
        found: dict[str, object] = {}
        for at, name in enumerate(names):
            part = parts[at] if at < len(parts) else parts[-1]
            if not isinstance(name, str):
                found |= self._values(name, part)
            elif at == 0 or part != parts[0] or not self._repeats(name):
                found[name] = part
        return found

    def _repeats(self, name: str) -> bool:
        return self.parameters.model_fields[name].default is None


def numbers_in(text: str, kind: type[int | float]) -> list[int | float]:
    """Parse a text such as `"28, -1"` to numbers.

    Args:
        text: Numbers separated by commas.
        kind: `int` or `float`.

    Raises:
        ValueError: A part is not such a number.
    """
    parts = [part.strip() for part in text.split(",")]
    try:
        return [kind(part) for part in parts]
    except ValueError:
        raise ValueError(
            message(
                'whole numbers separated by commas are needed; received "{text}"'
                if kind is int
                else 'numbers separated by commas are needed; received "{text}"',
                text=text,
            )
        ) from None


def same_names(parameters: type[Plan], *but: str) -> dict[str, Names]:
    """Return arguments for the parameters that are called in Keras as they are here.

    Args:
        parameters: The layer's parameter plan.
        *but: Parameters to leave out, because they make up arguments of other names.
    """
    return {name: (name,) for name in parameters.model_fields if name not in but}


def _argument(names: Names, values: Mapping[str, object]) -> object:
    parts = [values[name] if isinstance(name, str) else _argument(name, values) for name in names]
    if len(parts) == 1:
        return parts[0]
    return tuple(parts[0] if part is None else part for part in parts)
