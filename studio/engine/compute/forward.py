"""Runs a model layer by layer, also those of models in it; each can be seen or changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.graph import functional
from studio.engine.errors import StudioError

Visit = Callable[["Passed"], Any]


@dataclass(frozen=True, slots=True)
class Passed:
    """One layer that was just run.

    Attributes:
        path: Its name after those of the models that it lies in, with slashes; a layer that runs
            again has a number behind it.
        layer: The layer, or an operation of Keras that is none.
        inputs: The tensors that went in.
        output: What came out; a tensor, or several.
    """

    path: str
    layer: Any
    inputs: tuple[Any, ...]
    output: Any


def forward(
    model: keras.Model,
    images: Any,  # noqa: ANN401 - tensors
    visit: Visit,
    *,
    raw: bool = False,
    known: Mapping[str, Any] | None = None,
) -> Any:  # noqa: ANN401 - tensors
    """Run a model as in use, not as in training, one layer after another.

    Args:
        model: Functional or sequential, of one input and one output.
        images: An array or tensor of shape (n, height, width, channels); or a `keras.Input`, with
            which another model of the same layers comes out, without any models inside of it.
        visit: Called after every layer, in an order in which each comes after those it depends
            on; what it gives is what the model goes on with.
        raw: Leave out a softmax at the end, which gives scores that no other class has a part in.
        known: What came out of layers, by their paths, when the same images ran before: only what
            follows from what `visit` changes is run again.

    Returns:
        The tensor that comes out.

    Raises:
        StudioError: The model is a class of its own, whose layers only its code knows.
    """
    tensor = keras.ops.convert_to_tensor(images) if isinstance(images, np.ndarray) else images
    end = _end_of(model) if raw else None
    (output,) = _Run(visit, end, known or {}).through(model, [tensor], "")
    return output


def paths_of(model: keras.Model, pixels: NDArray[np.uint8]) -> list[Passed]:
    """Every layer with what came out for one image; all of it is in memory at once."""
    found: list[Passed] = []

    def noted(passed: Passed) -> Any:  # noqa: ANN401
        found.append(passed)
        return passed.output

    forward(model, pixels, noted)
    return found


class _Run:
    def __init__(self, visit: Visit, end: Any, known: Mapping[str, Any]) -> None:  # noqa: ANN401 - an operation, or None
        self._visit = visit
        self._end = end
        self._known = known
        self._times: Counter[str] = Counter()
        # The tensors themselves, too: what is gone may share its id with what comes.
        self._changed: dict[int, Any] = {}

    def through(self, model: keras.Model, tensors: list[Any], prefix: str) -> list[Any]:
        graph = functional(model)
        taken = [
            _as_type(tensor, wanted.dtype)
            for tensor, wanted in zip(tensors, graph.inputs, strict=True)
        ]
        outputs = graph._run_through_graph(  # noqa: SLF001 - Keras has no public way
            taken, operation_fn=lambda operation: partial(self._call, prefix, operation)
        )
        found: list[Any] = keras.tree.flatten(outputs)
        return found

    def _call(self, prefix: str, operation: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        path = f"{prefix}{operation.name}"
        tensors = tuple(each for each in keras.tree.flatten((args, kwargs)) if _is_tensor(each))
        if isinstance(operation, keras.Model) and _is_open(operation):
            outputs = self.through(operation, list(tensors), f"{path}/")
            return outputs[0] if len(outputs) == 1 else outputs
        if "training" in getattr(operation, "_call_context_args", {}):
            kwargs["training"] = False
        self._times[path] += 1
        if self._times[path] > 1:
            path = f"{path} ({self._times[path]})"
        is_changed = any(id(tensor) in self._changed for tensor in tensors)
        if path in self._known and not is_changed:
            output = self._known[path]
        elif operation is self._end:
            output = _without_softmax(operation, *args, **kwargs)
        else:
            output = operation(*args, **kwargs)
        result = self._visit(Passed(path, operation, tensors, output))
        if is_changed or result is not output:
            self._changed.update({id(each): each for each in keras.tree.flatten(result)})
        return result


def _is_tensor(value: object) -> bool:
    return isinstance(value, keras.KerasTensor) or bool(keras.ops.is_tensor(value))


def _as_type(tensor: Any, dtype: str) -> Any:  # noqa: ANN401
    is_there = keras.backend.standardize_dtype(tensor.dtype) == dtype
    return tensor if is_there else keras.ops.cast(tensor, dtype)


def _is_open(model: keras.Model) -> bool:
    """Whether the layers of a model inside another are known."""
    try:
        functional(model)
    except StudioError:
        return False
    return True


def _end_of(model: keras.Model) -> Any:  # noqa: ANN401 - a layer or an operation
    """What gives the output of a model, inside of models that stand at its end."""
    operation = functional(model).outputs[0]._keras_history.operation  # noqa: SLF001 - no public way
    while isinstance(operation, keras.Model) and _is_open(operation):
        operation = functional(operation).outputs[0]._keras_history.operation  # noqa: SLF001
    return operation


def _without_softmax(operation: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
    if type(operation).__name__ == "Softmax":  # a layer, or the bare operation
        return args[0]
    if getattr(operation, "activation", None) is not keras.activations.softmax:
        return operation(*args, **kwargs)
    # Nothing else runs in this process meanwhile, and nothing is traced that would be kept.
    operation.activation = keras.activations.linear
    try:
        return operation(*args, **kwargs)
    finally:
        operation.activation = keras.activations.softmax
