"""Layers that read a sequence step by step, for example the rows of an image.

What comes in has the shape (batch, steps, values); `reshape` makes it of an image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from studio.engine.networks.layers.layer import Layer
from studio.engine.plans import Plan, expert_field, plan_field


class RecurrentParameters(Plan):
    """Parameters of all recurrent layers."""

    units: int = plan_field(
        64,
        label="Units",
        help="Number of units.",
        why="More units remember more but take longer; 32 to 256 is usual.",
        ge=1,
        scale="log",
    )
    return_sequences: bool = plan_field(
        False,
        label="Every step",
        help="Return the output of every step, not only the last.",
        why="A recurrent layer on top of this one needs it.",
    )
    go_backwards: bool = expert_field(
        False,
        label="Backwards",
        help="Read the sequence from its end.",
        why="Use if the end of the sequence matters most.",
    )
    dropout: float = expert_field(
        0.0,
        label="Dropout",
        help="Fraction of the inputs set to zero in training.",
        why="0.1 to 0.5 reduces overfitting.",
        right_open=(0, 1),
    )
    recurrent_dropout: float = expert_field(
        0.0,
        label="Recurrent dropout",
        help="Fraction of the recurrent state set to zero in training.",
        why="0.1 to 0.3 reduces overfitting, but slows training on a GPU considerably.",
        right_open=(0, 1),
    )


Cell = Literal["lstm", "gru", "simple_rnn"]


class BidirectionalParameters(RecurrentParameters):
    """Parameters of `bidirectional`."""

    cell: Cell = plan_field(
        "lstm",
        label="Kind",
        help="The layer that reads in both directions.",
        why="LSTM remembers longest; GRU is smaller and almost as good.",
        labels={"lstm": "LSTM", "gru": "GRU", "simple_rnn": "Simple recurrent"},
    )
    merge_mode: Literal["concat", "sum", "mul", "ave"] = expert_field(
        "concat",
        label="Joined by",
        help="Combination of the outputs of the two directions.",
        why="Concat keeps both and doubles the outputs; sum and ave keep their number.",
        labels={"concat": "Side by side", "sum": "Sum", "mul": "Product", "ave": "Mean"},
    )


def _recurrent(name: str, label: str, keras_class: str, summary: str) -> Layer:
    return Layer(
        name=name,
        label=label,
        summary=summary,
        keras_class=keras_class,
        parameters=RecurrentParameters,
    )


LSTM = _recurrent(
    "lstm", "LSTM", "LSTM", "A recurrent layer that learns what to remember and what to forget."
)
GRU = _recurrent("gru", "GRU", "GRU", "Like LSTM, with fewer weights.")
SIMPLE_RNN = _recurrent(
    "simple_rnn",
    "Simple recurrent",
    "SimpleRNN",
    "The simplest recurrent layer; has a short memory.",
)


@dataclass(frozen=True, slots=True)
class _Bidirectional(Layer):
    def keras_arguments(self, parameters: Plan) -> dict[str, object]:
        """Return a description of the inner layer, and the merge mode of its two directions."""
        if not isinstance(parameters, BidirectionalParameters):
            raise TypeError(f"bidirectional received {type(parameters).__name__}.")
        inner = _CELLS[parameters.cell]
        values = parameters.model_dump(include=set(RecurrentParameters.model_fields))
        arguments = inner.keras_arguments(inner.parameters.parse(values))
        layer = {
            "module": "keras.layers",
            "class_name": inner.keras_class,
            "config": arguments,
            "registered_name": None,
        }
        return {"layer": layer, "merge_mode": parameters.merge_mode}

    def values_from(self, config: Mapping[str, object]) -> dict[str, object]:
        """Return the parameters of the inner layer, its kind, and the merge mode."""
        layer = config["layer"]
        if not isinstance(layer, Mapping):
            raise TypeError(f"The inner layer is described by {type(layer).__name__}.")
        kinds: dict[object, Cell] = {inner.keras_class: cell for cell, inner in _CELLS.items()}
        kind = kinds.get(layer["class_name"])
        if kind is None:
            raise TypeError(f"{layer['class_name']} cannot read in both directions here.")
        values = _CELLS[kind].values_from(layer["config"])
        return values | {"cell": kind, "merge_mode": config["merge_mode"]}


_CELLS: dict[Cell, Layer] = {"lstm": LSTM, "gru": GRU, "simple_rnn": SIMPLE_RNN}

RECURRENT = (
    LSTM,
    GRU,
    SIMPLE_RNN,
    _Bidirectional(
        name="bidirectional",
        label="Both directions",
        summary="A recurrent layer that reads a sequence forwards and backwards.",
        keras_class="Bidirectional",
        parameters=BidirectionalParameters,
        renamed={
            "layer": ("cell", *RecurrentParameters.model_fields),
            "merge_mode": ("merge_mode",),
        },
    ),
)
