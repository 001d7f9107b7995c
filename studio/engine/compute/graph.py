"""Layers of a Keras model along its tensors, their cost, and the probabilities of its output."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import keras

from studio.engine.compute.backends import keras_internals
from studio.engine.compute.image_shapes import COLORS, Shape, require_colors, single_image
from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.networks.heads.head import size_text

IMAGES = -1
"""Stands for what comes into the model."""


@dataclass(frozen=True, slots=True)
class Call:
    """One layer put on one or several tensors.

    Attributes:
        layer: The layer, or an operation of Keras that is not a layer.
        path: Its name; after the names of the models that it lies in, each with a slash.
        sources: For each incoming tensor, the place in the list of the call that it comes from,
            or `IMAGES`.
        tensor: The output.
        arguments: Arguments of the call other than tensors.
        still: True if it was called as in use, also in training (`training=False`).
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
    """Return the calls that lead from one tensor to others, every call after those it depends on.

    Branches are returned one after another, in the order of the inputs.

    Args:
        inputs: Tensors that represent `IMAGES`.
        outputs: The outputs.

    Returns:
        The calls, and for each output the index of its call.

    Raises:
        StudioError: A layer returns several tensors, or takes something other than tensors of
            this model.
    """
    walk = _Walk()
    ends = walk.follow(outputs, {id(tensor): IMAGES for tensor in inputs}, "", still=False)
    return walk.calls, ends


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
            still: True if the model was called as in use.
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
            bound = {id(t): end for t, end in zip(inner.inputs, sources, strict=True)}
            ends = self.follow(list(inner.outputs), bound, f"{path}/", still=still)
            for tensor, end in zip(node.output_tensors, ends, strict=True):
                known[id(tensor)] = end
            return
        if len(node.output_tensors) != 1:
            raise StudioError(
                'The layer "{layer}" returns {count} tensors; only one is supported.',
                layer=path,
                count=len(node.output_tensors),
            )
        known[id(node.output_tensors[0])] = len(self.calls)
        arguments = _besides_tensors(node.arguments.args, kwargs)
        self.calls.append(
            Call(operation, path, tuple(sources), node.output_tensors[0], arguments, still)
        )


def _node_of(tensor: keras.KerasTensor) -> Any:  # noqa: ANN401 - a private class of Keras
    _, node = _source(tensor)
    if node.is_input:
        raise StudioError(
            "The model has several inputs; only one image is supported.",
            "Build a model with one input.",
        )
    return node


def functional(model: keras.Model) -> keras.Model:
    """Return the functional model that a model is, or that a sequential one holds.

    Raises:
        StudioError: It is a custom class, whose layers only its code knows.
    """
    if isinstance(model, keras.Sequential):
        inner = getattr(model, "_functional", None)
        if inner is None:
            raise StudioError(
                'The sequential model "{model}" has no input size.',
                "Build it with an input size and save it again.",
                model=model.name,
            )
        return inner
    if getattr(model, "inputs", None) is None or not hasattr(model, "operations"):
        raise StudioError(
            'The model "{model}" is a custom class; its connections are known to its code only.',
            "Save it as a functional or sequential model.",
            model=model.name,
        )
    return model


def _besides_tensors(args: tuple[Any, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of a layer's call other than one tensor or one list of tensors."""
    named = {
        message("argument {number}", number=at): value for at, value in enumerate(args)
    } | dict(kwargs)
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


_PASSING = ("Identity", "Dropout", "AlphaDropout", "GaussianDropout", "GaussianNoise", "Flatten")
_REGRESSION = ("mse", "mae", "mape", "msle", "huber", "squared_error", "absolute")


class Ending(StrEnum):
    """Meaning of the output values."""

    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    ONE_PROBABILITY = "one-probability"
    ONE_LOGIT = "one-logit"
    FEATURES = "features"
    MASKS = "masks"
    BOXES = "boxes"
    OBJECT_MASKS = "object-masks"


def ending_of(output: keras.KerasTensor, loss: str = "") -> Ending:
    """Determine what an output of shape (batch, n) or (batch, height, width, channels) is.

    Args:
        output: An output of a functional model.
        loss: Name of the loss that the model was trained with; empty if unknown.

    Raises:
        StudioError: It is no output of a classifier of exclusive classes; says why.
    """
    shape: Shape = tuple(output.shape[1:])
    if len(shape) == 3:
        return Ending.MASKS if _kind_of(output) == "softmax" else Ending.FEATURES
    if len(shape) != 1 or shape[0] is None:
        raise StudioError(
            "The model outputs {shape}; one score per class is expected.",
            "Choose a model that classifies images.",
            "model",
            shape=size_text(shape),
        )
    kind = _kind_of(output)
    if kind == "sigmoid":
        if shape[0] == 1:
            return Ending.ONE_PROBABILITY
        raise StudioError(
            "The model ends in {count} sigmoids, one probability per label; only one class "
            "per image is supported.",
            "End it in a softmax and train it again.",
            "model",
            count=shape[0],
        )
    if kind == "linear":
        if shape[0] > 1:
            return Ending.LOGITS
        if not any(name in loss.lower() for name in _REGRESSION):
            return Ending.ONE_LOGIT
    if shape[0] == 1:
        raise StudioError(
            "The model ends in one number that is not the probability of a class.",
            "Choose a model that classifies images.",
            "model",
        )
    return Ending.PROBABILITIES if kind == "softmax" else Ending.FEATURES


def with_probabilities(model: keras.Model, loss: str = "") -> keras.Model:
    """Return a model that gives one probability for each class, which add up to 1.

    Args:
        model: Functional or sequential; the first of its outputs counts.
        loss: Name of the loss that it was trained with; empty if unknown.

    Raises:
        StudioError: It is no classifier of images; says why.
    """
    flat = functional(model)
    output = flat.outputs[0]
    ending = ending_of(output, loss)
    if ending == Ending.FEATURES:
        raise StudioError(
            "The model outputs features, {shape}, not probabilities of classes.",
            "Train a head on it: studio train --network FILE --dataset NAME.",
            "model",
            shape=size_text(tuple(output.shape[1:])),
        )
    if ending == Ending.MASKS:
        raise StudioError(
            "The model predicts masks of shape {shape}, but its class names are unknown.",
            "Choose the folder of a Studio export, which contains the class names.",
            "model",
            shape=size_text(tuple(output.shape[1:])),
        )
    if ending == Ending.PROBABILITIES:
        return model if len(flat.outputs) == 1 else keras.Model(flat.inputs, output)
    if ending == Ending.ONE_PROBABILITY:
        output = keras.layers.Concatenate()([1 - output, output])
    else:
        if ending == Ending.ONE_LOGIT:
            output = keras.layers.Concatenate()([0 * output, output])
        output = keras.layers.Softmax(dtype="float32")(output)
    return keras.Model(flat.inputs, output)


def image_shape(model: keras.Model) -> tuple[int | None, int | None, int]:
    """Height and width in pixels of the images that a model takes, None for any; and channels.

    Raises:
        StudioError: It takes something else; says what.
    """
    flat = functional(model)
    shapes = [tuple(tensor.shape[1:]) for tensor in flat.inputs]
    shape = single_image(shapes)
    if _is_channels_first(flat, shape):
        raise StudioError(
            "The model expects channels first, {shape}; Studio supports only channels last.",
            "Build it again with data_format channels_last.",
            "model",
            shape=size_text(shape),
        )
    height, width, channels = shape
    return height, width, require_colors(channels)


def _is_channels_first(model: keras.Model, shape: Shape) -> bool:
    if any(getattr(layer, "data_format", "") == "channels_first" for layer in _layers_of(model)):
        return True
    return shape[0] in COLORS and shape[2] not in (*COLORS, 2, 4)


def _layers_of(model: keras.Model) -> Iterator[keras.Layer]:
    for layer in model.layers:
        yield layer
        if isinstance(layer, keras.Model):
            yield from _layers_of(layer)


def _kind_of(tensor: keras.KerasTensor) -> str:
    """Return the function that computes a tensor: softmax, sigmoid, linear, or another."""
    operation, node = _source(tensor)
    kind = type(operation).__name__
    if isinstance(operation, keras.Model):
        return _kind_of(functional(operation).outputs[0])
    sources = node.arguments.keras_tensors
    activation = getattr(operation, "activation", None)
    function = str(getattr(activation, "__name__", ""))
    is_passing = kind in _PASSING or (kind == "Activation" and function == "linear")
    if is_passing or kind == "Average":  # of several models
        kinds = {_kind_of(source) for source in sources}
        return kinds.pop() if len(kinds) == 1 else kind
    if kind in ("Softmax", "Sigmoid"):  # a layer, or the bare operation
        return kind.lower()
    if function == "linear" and kind != "Dense":
        return kind  # features of a convolution
    return "linear" if function == "log_softmax" else function or kind


def source_operation(tensor: keras.KerasTensor) -> Any:  # noqa: ANN401 - a layer or an operation
    """Return the operation that computes a tensor of a model."""
    return _source(tensor)[0]


def _source(tensor: keras.KerasTensor) -> tuple[Any, Any]:
    """Return the operation that computes a tensor of a model, and its node."""
    source = keras_internals.source_of(tensor)
    if source is None:
        raise StudioError("A tensor of the model has no source.")
    return source


MAX_STEPS = 16
"""Steps of one call at most: a stop is noticed many times a second."""

POINTS = 20
"""Calls per epoch at least, so that the curve of a small dataset has a shape, too."""

BUSY = 400_000_000
"""Multiply-adds that keep a machine busy for long beside the millisecond that a call costs."""

_ONE_PER_INPUT = ("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
_STEP_BY_STEP = (keras.layers.RNN, keras.layers.Bidirectional, keras.layers.TimeDistributed)


def multiply_adds(model: keras.Model) -> int:
    """Multiply-adds of one image through a network."""
    return sum(layer_multiply_adds(layer) for layer in model.layers)


def layer_multiply_adds(layer: keras.Layer) -> int:
    """Multiply-adds of one image through a layer: its kernels, times the places they work at.

    The usual count of papers (such as Howard et al., MobileNets, 2017, section 3): one kernel of
    k x k x c x f at h x w places of the output is k*k*c*f*h*w. A transposed convolution works at
    the places of its input, a recurrent kernel at every time step. Additions of biases,
    activations, normalizations and pooling are left out.

    Args:
        layer: A layer that was called, on symbols at least.
    """
    kernels = sum(math.prod(w.shape) for w in layer.weights if w.name.endswith("kernel"))
    return int(kernels) * _positions(layer) if kernels else 0


def _positions(layer: keras.Layer) -> int:
    if isinstance(layer, _STEP_BY_STEP):
        received, given = layer.input.shape, layer.output.shape
        every_step = len(given) == len(received)
        positions = math.prod(side for side in given[2 if every_step else 1 : -1] if side)
        return int((received[1] or 1) * positions)
    seen = layer.input if type(layer).__name__ in _ONE_PER_INPUT else layer.output
    return int(math.prod(side for side in seen.shape[1:-1] if side))


def steps_per_call(model: keras.Model, batch_size: int, steps_per_epoch: int) -> int:
    """Return the number of training steps per call of Keras (`steps_per_execution`).

    Between two calls come Python, the journal and the wait for the next batch; for the smallest
    networks that is half of the time (measured on two CPU cores with LeNet and batches of 64: 1.17
    times the images per second with 16 steps per call). Larger networks get 1, so that the loss of
    every single step is known.

    Args:
        model: The network.
        batch_size: Images per step.
        steps_per_epoch: Steps per epoch.
    """
    desired = BUSY // max(1, multiply_adds(model) * batch_size)
    return max(1, min(desired, MAX_STEPS, steps_per_epoch // POINTS))
