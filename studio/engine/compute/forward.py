"""Runs a model layer by layer, also those of models in it; each can be seen or changed."""

from __future__ import annotations

import math
import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import keras
import numpy as np

from studio.engine.arrays import Pixels
from studio.engine.compute.backends import keras_internals
from studio.engine.compute.graph import functional, source_operation
from studio.engine.errors import StudioError
from studio.engine.inference.requests import LayerOutline, Outline, OutlineRequest

if TYPE_CHECKING:
    from studio.engine.compute.warm_models import WarmModel, WarmModels

Visit = Callable[["Passed"], Any]


@dataclass(frozen=True, slots=True)
class Passed:
    """One layer that was just run.

    Attributes:
        path: Its name after those of the models that it lies in, with slashes; a layer that runs
            again has a number behind it.
        layer: The layer, or an operation of Keras that is not a layer.
        inputs: The tensors that went in.
        output: The output; a tensor, or several.
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
            on; its result is what the model continues with.
        raw: Leave out a softmax at the end, which gives scores that no other class has a part in.
        known: Outputs of layers by their paths, from an earlier run of the same images: only
            layers that depend on the changes by `visit` run again.

    Returns:
        The tensor that comes out.

    Raises:
        StudioError: The model is a custom class, whose layers only its code knows.
    """
    tensor = keras.ops.convert_to_tensor(images) if isinstance(images, np.ndarray) else images
    end = _end_of(model) if raw else None
    (output,) = _Run(visit, end, known or {}).through(model, [tensor], "")
    return output


def paths_of(model: keras.Model, pixels: Pixels) -> list[Passed]:
    """Return every layer with its output for one image; all outputs are in memory at once.

    Args:
        model: The network.
        pixels: The image, shape (height, width, channels).
    """
    found: list[Passed] = []

    def noted(passed: Passed) -> Any:  # noqa: ANN401
        found.append(passed)
        return passed.output

    forward(model, pixels, noted)
    return found


def with_layer(model: keras.Model, path: str) -> tuple[Any, Any, Any]:
    """Return an input, the output of a layer for it, and the output of the model.

    Args:
        model: The model.
        path: Path of the layer, see `Passed`.

    Raises:
        StudioError: There is no such layer.
    """
    images = keras.Input(model.input_shape[1:], dtype=model.inputs[0].dtype)
    found: list[Any] = []

    def visited(passed: Passed) -> Any:  # noqa: ANN401 - a tensor
        if passed.path == path:
            found.append(keras.tree.flatten(passed.output)[0])
        return passed.output

    outputs = forward(model, images, visited)
    if not found:
        raise StudioError(
            'The model has no layer "{layer}".', "Choose one of its layers.", "layer", layer=path
        )
    return images, found[0], outputs


def pooled(values: Any) -> Any:  # noqa: ANN401 - tensors
    """Average maps over their positions; returns a tensor of shape (n, channels)."""
    if len(values.shape) < 3:
        return values
    return keras.ops.mean(values, axis=tuple(range(1, len(values.shape) - 1)))


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
            _as_type(tensor, requested.dtype)
            for tensor, requested in zip(tensors, graph.inputs, strict=True)
        ]
        outputs = keras_internals.run_graph(
            graph, taken, lambda operation: partial(self._call, prefix, operation)
        )
        found: list[Any] = keras.tree.flatten(outputs)
        return found

    def _call(self, prefix: str, operation: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        path = f"{prefix}{operation.name}"
        tensors = tuple(each for each in keras.tree.flatten((args, kwargs)) if _is_tensor(each))
        if isinstance(operation, keras.Model) and _is_open(operation):
            outputs = self.through(operation, list(tensors), f"{path}/")
            return outputs[0] if len(outputs) == 1 else outputs
        if keras_internals.takes_training(operation):
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
    """Return True if the layers of a nested model are known."""
    try:
        functional(model)
    except StudioError:
        return False
    return True


def _end_of(model: keras.Model) -> Any:  # noqa: ANN401 - a layer or an operation
    """Return the output layer of a model, inside nested models at its end."""
    operation = source_operation(functional(model).outputs[0])
    while isinstance(operation, keras.Model) and _is_open(operation):
        operation = source_operation(functional(operation).outputs[0])
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


class Outliner:
    """Outlines models, each once while it is warm.

    Args:
        models: Cache of loaded models.
    """

    def __init__(self, models: WarmModels) -> None:
        self._models = models
        self._known: weakref.WeakKeyDictionary[keras.Model, Outline] = weakref.WeakKeyDictionary()

    def answer(self, request: OutlineRequest) -> Outline:
        """Return the layers of a model.

        Raises:
            BadDataError: The model cannot be opened.
            StudioError: It is a custom class, whose layers only its code knows.
        """
        return self.of(self._models.get(request.model))

    def of(self, loaded: WarmModel) -> Outline:
        """Return the same for a model that is open."""
        if loaded.model not in self._known:
            self._known[loaded.model] = outline(loaded.model)
        return self._known[loaded.model]


@dataclass(frozen=True, slots=True)
class _Step:
    """A layer with what came out of it, and where what went in came from."""

    passed: Passed
    sources: tuple[str, ...]
    shape: tuple[int, ...]


def outline(model: keras.Model) -> Outline:
    """Return the layers of a model, found by running a black picture through it.

    Raises:
        StudioError: It is a custom class, whose layers only its code knows.
    """
    steps = _steps(model)
    return Outline(
        layers=tuple(
            LayerOutline(
                path=step.passed.path,
                kind=type(step.passed.layer).__name__,
                shape=step.shape,
                parameters=_parameters(step.passed.layer),
                has_map=_has_map(step),
            )
            for step in steps
        ),
        parameters=model.count_params(),
        explained=_explained(steps),
        features=_features(steps),
    )


def _steps(model: keras.Model) -> list[_Step]:
    blank = np.zeros((1, *model.input_shape[1:]), np.uint8)
    steps: list[_Step] = []
    made_by: dict[int, str] = {}
    # All tensors stay until the end, so that no two of them have the same id.
    every = paths_of(model, blank)
    for passed in every:
        outputs = keras.tree.flatten(passed.output)
        sources = tuple(made_by[id(each)] for each in passed.inputs if id(each) in made_by)
        made_by.update({id(each): passed.path for each in outputs})
        shape = tuple(int(side) for side in outputs[0].shape[1:]) if outputs else ()
        steps.append(_Step(passed, sources, shape))
    return steps


def _parameters(layer: Any) -> int:  # noqa: ANN401 - a layer, or an operation, which has none
    return sum(math.prod(weight.shape) for weight in getattr(layer, "weights", ()))


def _has_map(step: _Step) -> bool:
    return len(step.shape) == 3 and _positions(step) > 1


def _positions(step: _Step) -> int:
    order = getattr(step.passed.layer, "data_format", None) or keras.config.image_data_format()
    return math.prod(step.shape[1:] if order == "channels_first" else step.shape[:2])


def _explained(steps: list[_Step]) -> str:
    """Return the last layer whose maps have the size of the last convolution's, or the smallest.

    After a convolution come its normalization, its activation and the sum with what went around
    it; the head sees only what all of these make of it. For masks it is the layer from which the
    classes of pixels are computed: the gradients of small maps spread far beyond a region.
    """
    if _has_map(steps[-1]):
        return _before_head(steps)
    convolutions = [
        at
        for at, step in enumerate(steps)
        if "Conv" in type(step.passed.layer).__name__ and _has_map(step)
    ]
    if not convolutions:
        return ""
    last = steps[convolutions[-1]]
    after = [
        step
        for step in steps[convolutions[-1] :]
        if _has_map(step) and _positions(step) == _positions(last)
    ]
    return after[-1].passed.path


def _features(steps: list[_Step]) -> str:
    """Return the path of the layer whose output describes an image.

    For masks it is the last layer with the smallest maps: it sees most of the image.
    """
    if not _has_map(steps[-1]):
        return _before_head(steps)
    fewest = min(_positions(step) for step in steps if _has_map(step))
    small = [step for step in steps if _has_map(step) and _positions(step) == fewest]
    return small[-1].passed.path


def _before_head(steps: list[_Step]) -> str:
    """Return the path of the input of the last layer with weights, or of that layer itself."""
    learning = [step for step in steps if getattr(step.passed.layer, "weights", None)]
    if not learning:
        return steps[-1].passed.path
    return learning[-1].sources[0] if learning[-1].sources else learning[-1].passed.path
