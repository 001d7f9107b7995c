"""Determines how the output of a model from anywhere gives probabilities of classes.

`networks inspect`, training, prediction and evaluation all ask here, so that each accepts or
rejects a model for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import keras

from studio.engine.compute.graph import functional
from studio.engine.errors import StudioError

Shape = tuple[int | None, ...]

_PASSING = ("Identity", "Dropout", "AlphaDropout", "GaussianDropout", "GaussianNoise", "Flatten")
_REGRESSION = ("mse", "mae", "mape", "msle", "huber", "squared_error", "absolute")
_COLORS = (1, 3)


class Ending(StrEnum):
    """What the numbers of the output are."""

    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    ONE_PROBABILITY = "one-probability"
    ONE_LOGIT = "one-logit"
    FEATURES = "features"


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
        return Ending.FEATURES
    if len(shape) != 1 or shape[0] is None:
        raise StudioError(
            f"The model gives {size_text(shape)}; one score per class is understood.",
            "Choose a model that classifies images.",
            "model",
        )
    kind = _kind_of(output)
    if kind == "sigmoid":
        if shape[0] == 1:
            return Ending.ONE_PROBABILITY
        raise StudioError(
            f"The model ends in {shape[0]} sigmoids, which give one probability for each of "
            "several labels; one class per image is understood.",
            "Let it end in a softmax, and train it again.",
            "model",
        )
    if kind == "linear":
        if shape[0] > 1:
            return Ending.LOGITS
        if not any(name in loss.lower() for name in _REGRESSION):
            return Ending.ONE_LOGIT
    if shape[0] == 1:
        raise StudioError(
            "The model ends in one number that is no probability of a class.",
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
            f"The model gives features, {size_text(tuple(output.shape[1:]))}, and no "
            "probabilities of classes.",
            "Train a head on it: studio train --network FILE --dataset NAME.",
            "model",
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
    if len(shapes) != 1:
        raise StudioError(
            f"The model takes {len(shapes)} inputs; one image at a time is understood.",
            "Make a model of one input.",
            "model",
        )
    (shape,) = shapes
    if len(shape) != 3:
        raise StudioError(
            f"The model takes {size_text(shape)}, which is no image of height x width x channels.",
            "Choose a model that classifies images.",
            "model",
        )
    if _is_channels_first(flat, shape):
        raise StudioError(
            f"The model takes images with the channels first, {size_text(shape)}; in Studio they "
            "come last.",
            "Make it again with data_format channels_last.",
            "model",
        )
    height, width, channels = shape
    if channels not in _COLORS:
        raise StudioError(
            f"The model takes images of {channels or 'any number of'} channels; images have 1 "
            "(gray) or 3 (color).",
            "Choose a model of gray or color images.",
            "model",
        )
    return height, width, int(channels)


def size_text(shape: Shape) -> str:
    """A shape as people write it: 28x28x6."""
    return "x".join("?" if side is None else str(side) for side in shape) or "single numbers"


def _is_channels_first(model: keras.Model, shape: Shape) -> bool:
    if any(getattr(layer, "data_format", "") == "channels_first" for layer in _layers_of(model)):
        return True
    return shape[0] in _COLORS and shape[2] not in (*_COLORS, 2, 4)


def _layers_of(model: keras.Model) -> Iterator[keras.Layer]:
    for layer in model.layers:
        yield layer
        if isinstance(layer, keras.Model):
            yield from _layers_of(layer)


def _kind_of(tensor: keras.KerasTensor) -> str:
    """The function that gives a tensor: softmax, sigmoid, linear, or anything else."""
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


def _source(tensor: keras.KerasTensor) -> tuple[Any, Any]:
    """The operation that gives a tensor, and its node."""
    history = tensor._keras_history  # noqa: SLF001 - Keras has no public way
    return history.operation, history.operation._inbound_nodes[history.node_index]  # noqa: SLF001
