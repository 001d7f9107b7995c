"""Opens classifiers of other programs in ONNX, OpenVINO and LiteRT files.

Their runtimes do not show layers, so that size, layout and type of the images come from the input
of the file, and the meaning of the scores from the last operation and from sample images.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.compute.exported_models import ExportedModel, runtime_errors
from studio.engine.compute.image_shapes import USUAL_SIDE
from studio.engine.compute.runtimes import ImageLayout, Network, open_network
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.inference.foreign_models import (
    CONVERTED,
    UNSEEN_SCALE,
    PixelScaling,
    Preprocessing,
    affine_of,
    require_color,
)
from studio.engine.inference.models import ModelSource
from studio.engine.messages import Text
from studio.engine.networks.heads.head import size_text

_Values = NDArray[np.float32]
_CHANNELS_FIRST: Final = ("onnx", "openvino")
"""Formats whose images usually have channels first."""
_KNOWN_RANGES: Final = ((0.0, 255.0), (0.0, 1.0), (-1.0, 1.0))
"""Ranges of a quantized input for which bytes of pixels are the numbers that it takes."""
_TOLERANCE: Final = 0.02
"""Distance of the sum of probabilities from 1; quantized ones have steps of 1/256."""


def open_foreign(source: ModelSource, path: Path) -> tuple[ExportedModel, tuple[Text, ...]]:
    """Open a classifier, which gives one probability for each class.

    Args:
        source: Its format, and the preprocessing that its user named.
        path: The file.

    Returns:
        The model, which takes raw pixels, and what a reader of its predictions should know.

    Raises:
        BadDataError: It is damaged.
        StudioError: Its runtime is not installed, or it is no classifier of images.
    """
    form = FORMATS[source.format]
    with runtime_errors(form, path, "Choose an intact file, or a Keras model."):
        network = open_network(form.name, path)
        layout = ImageLayout.of(network, channels_first=form.name in _CHANNELS_FIRST)
        shape = (layout.height or USUAL_SIDE, layout.width or USUAL_SIDE, layout.channels)
        prepare = _preparation(network, layout, source.preprocessing)
        run = _batched(network, prepare, shape)
        samples = run(_samples(shape))
        convert = _conversion(samples, network.ending)
    warnings: tuple[Text, ...] = (
        () if _is_scale_known(network, source.preprocessing) else (UNSEEN_SCALE,)
    )
    if convert is _softmax:
        warnings += (CONVERTED,)
    outputs = convert(samples).shape[1:]
    return ExportedModel(
        lambda pixels: convert(run(pixels)), (None, *shape), (None, *outputs)
    ), warnings


def _samples(shape: tuple[int, int, int]) -> Pixels:
    """Return black, white and random images, which show the range of the scores."""
    random = np.random.default_rng(0).integers(0, 256, (2, *shape), np.uint8)
    ends = np.stack([np.zeros(shape, np.uint8), np.full(shape, 255, np.uint8)])
    return np.concatenate([ends, random])


@dataclass(frozen=True, slots=True)
class _Preparation:
    """Conversion of raw pixels to the numbers and the layout that a network takes."""

    network: Network
    layout: ImageLayout
    scaling: PixelScaling | None
    is_chosen: bool

    def __call__(self, pixels: Pixels) -> NDArray[Any]:
        values = self._numbers(pixels)
        ordered = np.moveaxis(values, -1, 1) if self.layout.is_channels_first else values
        return np.ascontiguousarray(ordered)

    def _numbers(self, pixels: Pixels) -> NDArray[Any]:
        dtype, quantization = self.network.dtype, self.network.quantization
        if quantization is None:
            return self._scaled(pixels).astype(dtype)
        limits = np.iinfo(dtype)
        if self.is_chosen:
            steps = self._scaled(pixels) / np.float32(quantization.scale)
            numbers = np.rint(steps) + quantization.zero
        else:
            numbers = pixels.astype(np.int32) + limits.min
        clipped: NDArray[Any] = np.clip(numbers, limits.min, limits.max).astype(dtype)
        return clipped

    def _scaled(self, pixels: Pixels) -> _Values:
        values = pixels.astype(np.float32)
        if self.scaling is None:
            return values
        ordered = values[..., ::-1] if self.scaling.is_bgr else values
        scaled: _Values = ordered * np.asarray(self.scaling.scale, np.float32)
        return scaled + np.asarray(self.scaling.offset, np.float32)


def _preparation(
    network: Network, layout: ImageLayout, preprocessing: Preprocessing | None
) -> _Preparation:
    """Return the conversion of pixels for a network.

    Raises:
        StudioError: The preprocessing does not fit the input, or its type is not supported.
    """
    scaling = None if preprocessing is None else affine_of(preprocessing)
    require_color(preprocessing, layout.channels)
    is_whole = network.dtype.kind in "iu"
    if network.dtype.kind not in "iuf" or (is_whole and network.dtype.itemsize > 1):
        raise StudioError(
            "The model takes numbers of type {type}; images are converted to float16, float32, "
            "float64, int8 and uint8.",
            "Choose a model that classifies images.",
            "model",
            type=str(network.dtype),
        )
    is_raw = is_whole and network.quantization is None
    if is_raw and (scaling is not None or network.dtype != np.uint8):
        raise StudioError(
            "The model takes raw pixels as whole numbers, which cannot be scaled first.",
            'Choose the preprocessing "none".',
            "preprocessing",
        )
    return _Preparation(network, layout, scaling, preprocessing is not None)


def _is_scale_known(network: Network, preprocessing: Preprocessing | None) -> bool:
    if preprocessing is not None or (network.dtype == np.uint8 and network.quantization is None):
        return True
    if network.quantization is None:
        return False
    limits, quantization = np.iinfo(network.dtype), network.quantization
    ends = [quantization.scale * (end - quantization.zero) for end in (limits.min, limits.max)]
    span = ends[1] - ends[0]
    return any(np.allclose(ends, known, atol=0.02 * span) for known in _KNOWN_RANGES)


def _batched(
    network: Network,
    prepare: Callable[[Pixels], NDArray[Any]],
    shape: tuple[int, int, int],
) -> Callable[[Pixels], _Values]:
    """Return a function for any number of images, which may run them in groups.

    Files with a batch of one are common, also where the shape of the input does not say it.
    """
    at_once = network.shape[0] or 0
    if not at_once:
        at_once = _tried(network, prepare(np.zeros((2, *shape), np.uint8)))

    def run(pixels: Pixels) -> _Values:
        size = at_once or len(pixels)
        return np.concatenate(
            [_group(pixels[start : start + size], size) for start in range(0, len(pixels), size)]
        )

    def _group(pixels: Pixels, size: int) -> _Values:
        missing = size - len(pixels)
        whole = np.pad(pixels, ((0, missing), *((0, 0),) * 3)) if missing else pixels
        return _scores(network.run(prepare(whole)), size)[: len(pixels)]

    return run


def _tried(network: Network, pair: NDArray[Any]) -> int:
    """Return 0 if a network takes two images at once, otherwise 1."""
    try:
        return 0 if len(network.run(pair)) == len(pair) else 1
    except Exception:  # noqa: BLE001 - each runtime has its own classes; one image is tried next
        return 1


def _scores(outputs: _Values, count: int) -> _Values:
    """Return outputs of shape (n, 1, ..., classes) or (n, classes, 1, ...) as (n, classes).

    Raises:
        StudioError: They are no scores of classes.
    """
    sides = [side for side in outputs.shape[1:] if side != 1]
    if outputs.ndim < 2 or outputs.shape[0] != count or len(sides) > 1:
        raise StudioError(
            "The model outputs {shape}; one score per class is expected.",
            "Choose a model that classifies images.",
            "model",
            shape=size_text(outputs.shape[1:]),
        )
    return outputs.reshape(count, -1)


def _conversion(scores: _Values, ending: str) -> Callable[[_Values], _Values]:
    """Return the function that makes probabilities of scores, shape (n, classes).

    Args:
        scores: Scores of sample images.
        ending: See `Network`.

    Raises:
        StudioError: They are probabilities of labels that do not exclude each other.
    """
    is_fraction = bool(((scores >= -_TOLERANCE) & (scores <= 1 + _TOLERANCE)).all())
    if scores.shape[1] == 1:
        return _pair if ending == "sigmoid" or (is_fraction and not ending) else _softmax
    if ending == "sigmoid":
        raise StudioError(
            "The model ends in {count} sigmoids, one probability per label; only one class "
            "per image is supported.",
            "End it in a softmax and train it again.",
            "model",
            count=scores.shape[1],
        )
    sums = scores.sum(axis=1)
    is_sum_one = is_fraction and bool((np.abs(sums - 1) <= _TOLERANCE).all())
    return _unchanged if ending == "softmax" or is_sum_one else _softmax


def _unchanged(scores: _Values) -> _Values:
    return scores


def _pair(scores: _Values) -> _Values:
    return np.concatenate([1 - scores, scores], axis=1)


def _softmax(scores: _Values) -> _Values:
    both = scores if scores.shape[1] > 1 else np.concatenate([0 * scores, scores], axis=1)
    powers = np.exp(both - both.max(axis=1, keepdims=True))
    total: _Values = powers / powers.sum(axis=1, keepdims=True)
    return total
