"""Walks through the layers of a Keras model, and of models inside it, along its tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import keras

from studio.engine.errors import StudioError

IMAGES = -1
"""Stands for what comes into the model."""


@dataclass(frozen=True, slots=True)
class Call:
    """One layer put on one or several tensors.

    Attributes:
        layer: The layer, or an operation of Keras that is none.
        path: Its name; after the names of the models that it lies in, each with a slash.
        sources: For each incoming tensor, the place in the list of the call that it comes from,
            or `IMAGES`.
        tensor: What comes out.
        arguments: What it was called with besides tensors.
        still: Whether it was called as in use, also in training (`training=False`).
    """

    layer: Any
    path: str
    sources: tuple[int, ...]
    tensor: keras.KerasTensor
    arguments: Mapping[str, object] = field(default_factory=dict)
    still: bool = False


def calls_of(
    inputs: list[keras.KerasTensor], outputs: list[keras.KerasTensor]
) -> tuple[list[Call], list[int]]:
    """The calls that lead from one tensor to others, every call after those it depends on.

    Branches follow one after another, each whole, in the order in which they come in.

    Args:
        inputs: Tensors that stand for `IMAGES`.
        outputs: Where to end.

    Returns:
        The calls, and for each output the place of its call.

    Raises:
        StudioError: A layer gives several tensors, or takes what is no tensor of this model.
    """
    walk = _Walk()
    places = walk.follow(outputs, {id(tensor): IMAGES for tensor in inputs}, "", still=False)
    return walk.calls, places


class _Walk:
    def __init__(self) -> None:
        self.calls: list[Call] = []

    def follow(
        self,
        outputs: list[keras.KerasTensor],
        known: dict[int, int],
        prefix: str,
        *,
        still: bool,
    ) -> list[int]:
        """Add the calls that lead to some tensors of one model; gives their places.

        Args:
            outputs: Tensors of the model.
            known: Places of its tensors by their `id`; what is found is added.
            prefix: Path of the model.
            still: Whether the model was called as in use.
        """
        # Not recursive along the layers: the deepest published networks have over 1,000 in a row.
        waiting = list(reversed(outputs))
        while waiting:
            tensor = waiting[-1]
            if id(tensor) in known:
                waiting.pop()
                continue
            node = _node_of(tensor)
            missing = [each for each in node.arguments.keras_tensors if id(each) not in known]
            if missing:
                waiting.extend(reversed(missing))
                continue
            self._call(node, known, prefix, still=still)
            waiting.pop()
        return [known[id(tensor)] for tensor in outputs]

    def _call(self, node: Any, known: dict[int, int], prefix: str, *, still: bool) -> None:  # noqa: ANN401 - a private class of Keras
        operation = node.operation
        path = f"{prefix}{operation.name}"
        sources = [known[id(tensor)] for tensor in node.arguments.keras_tensors]
        kwargs = {k: v for k, v in node.arguments.kwargs.items() if v is not None}
        # Layers such as dropout note their own default here, which says nothing.
        stilled = kwargs.pop("training", None) is False
        if isinstance(operation, keras.Model | keras.layers.BatchNormalization):
            still = still or stilled
        if isinstance(operation, keras.Model):
            inner = functional(operation)
            bound = {id(t): place for t, place in zip(inner.inputs, sources, strict=True)}
            places = self.follow(list(inner.outputs), bound, f"{path}/", still=still)
            for tensor, place in zip(node.output_tensors, places, strict=True):
                known[id(tensor)] = place
            return
        if len(node.output_tensors) != 1:
            raise StudioError(
                f'The layer "{path}" gives {len(node.output_tensors)} tensors; one is understood.'
            )
        known[id(node.output_tensors[0])] = len(self.calls)
        arguments = _besides_tensors(node.arguments.args, kwargs)
        self.calls.append(
            Call(operation, path, tuple(sources), node.output_tensors[0], arguments, still)
        )


def _node_of(tensor: keras.KerasTensor) -> Any:  # noqa: ANN401 - a private class of Keras
    history = getattr(tensor, "_keras_history", None)
    if history is None:
        raise StudioError("A tensor of the model comes from nowhere.")
    node = history.operation._inbound_nodes[history.node_index]  # noqa: SLF001 - no public way
    if node.is_input:
        raise StudioError(
            "The model takes several inputs; one image at a time is understood.",
            "Make a model of one input.",
        )
    return node


def functional(model: keras.Model) -> keras.Model:
    """The functional model that a model is, or that a sequential one holds.

    Raises:
        StudioError: It is a class of its own, whose layers only its code knows.
    """
    if isinstance(model, keras.Sequential):
        inner = getattr(model, "_functional", None)
        if inner is None:
            raise StudioError(
                f'The sequential model "{model.name}" has no input size, so its layers have none.',
                "Build it with an input size and save it again.",
            )
        return inner
    if getattr(model, "inputs", None) is None or not hasattr(model, "operations"):
        raise StudioError(
            f'The model "{model.name}" is a class of its own, whose wires only its code knows.',
            "Save it as a functional or sequential model.",
        )
    return model


def _besides_tensors(args: tuple[Any, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
    """What a layer was called with besides one tensor, or one list of tensors."""
    named = {f"argument {at}": value for at, value in enumerate(args)} | dict(kwargs)
    tensors = [name for name, value in named.items() if _holds_tensors(value)]
    return {
        name: value
        for name, value in named.items()
        if name not in tensors[:1] and value is not None and value is not False
    }


def _holds_tensors(value: object) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(each, keras.KerasTensor) for each in value)
    return isinstance(value, keras.KerasTensor)
