"""Detection of models that scale raw pixels themselves, from the numbers of their first layers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import keras
import numpy as np

from studio.engine.arrays import Floats
from studio.engine.compute.graph import IMAGES, Call

_LARGEST_SPAN: Final = 64.0
"""Span of scaled values at most: ImageNet's deviations give 5, a small variance ten times that."""
_FEW: Final = 4
"""Constants of an operation at most: one number, or one for each channel."""


@dataclass(frozen=True, slots=True)
class PixelRange:
    """Values of pixels at one position of a model.

    Attributes:
        low: Smallest value.
        high: Largest value.
        is_scaled: True behind a layer that scales.
    """

    low: float = 0.0
    high: float = 255.0
    is_scaled: bool = False

    def after(self, scale: Floats, offset: Floats) -> PixelRange:
        """Return the range behind `out = in * scale + offset`.

        Args:
            scale: Factors, of any shape.
            offset: Addends, of the same shape.
        """
        ends = np.stack([self.low * scale + offset, self.high * scale + offset])
        # Each channel is centered by itself: the widest one decides.
        return PixelRange(float(ends.min()), float(ends.max()), is_scaled=True)

    @property
    def fits_networks(self) -> bool:
        """True if raw pixels were brought to a range that networks are trained on."""
        span = self.high - self.low
        if not self.is_scaled or not math.isfinite(span):
            return False
        is_centered = abs(self.low + self.high) <= span / 2
        return span <= _LARGEST_SPAN or (is_centered and span <= 2 * 255)


_FITTING: Final = PixelRange(-1.0, 1.0, is_scaled=True)
"""Range behind a layer that scales by what it measures, or whose numbers are not known."""


def scales_pixels(calls: list[Call]) -> bool:
    """Return True if raw pixels, 0 to 255, are scaled on their way to the first weights.

    One branch is enough. Numbers count, not names: a layer that expects pixels from 0 to 1, such
    as `Rescaling(2, -1)` or a `Normalization` with a mean of 0.485, does not scale raw pixels.

    Args:
        calls: All calls of a model, of models inside as well, each after those it depends on.
    """
    ranges = {IMAGES: PixelRange()}
    reached: list[PixelRange] = []
    for at, call in enumerate(calls):
        sources = [ranges[source] for source in call.sources if source in ranges]
        if not sources:
            continue
        incoming = next((each for each in sources if each.is_scaled), sources[0])
        outgoing = _after(call, incoming)
        if outgoing is not None:
            ranges[at] = outgoing
        elif getattr(call.layer, "weights", None):
            reached.append(incoming)
        else:
            ranges[at] = incoming
    return any(each.fits_networks for each in reached or ranges.values())


def _after(call: Call, incoming: PixelRange) -> PixelRange | None:
    """Return the range behind a layer that scales; None for any other."""
    layer = call.layer
    if isinstance(layer, keras.layers.LayerNormalization):
        return _FITTING
    if isinstance(layer, keras.layers.BatchNormalization | keras.layers.Normalization):
        return _normalized(layer, incoming)
    if isinstance(layer, keras.layers.Rescaling):
        return _affine(layer.scale, layer.offset, incoming)
    return None if isinstance(layer, keras.Layer) else _computed(call, incoming)


def _affine(scale: object, offset: object, incoming: PixelRange) -> PixelRange | None:
    factors, addends = _numbers(scale), _numbers(offset)
    if factors is None or addends is None:
        return _FITTING
    both = np.broadcast_arrays(factors, addends)
    return incoming if _is_identity(*both) else incoming.after(*both)


def _is_identity(scale: Floats, offset: Floats) -> bool:
    return bool((scale == 1).all() and (offset == 0).all())


def _normalized(layer: Any, incoming: PixelRange) -> PixelRange | None:  # noqa: ANN401 - of Keras
    is_batch = isinstance(layer, keras.layers.BatchNormalization)
    mean = _numbers(layer.moving_mean if is_batch else layer.mean)
    variance = _numbers(layer.moving_variance if is_batch else layer.variance)
    if mean is None or variance is None or _is_identity(variance, mean):
        return _FITTING
    scale = 1 / np.sqrt(np.maximum(variance, 1e-12))
    if getattr(layer, "invert", False):
        scale, mean = 1 / scale, -mean / scale
    return incoming.after(*np.broadcast_arrays(scale, -mean * scale))


def _computed(call: Call, incoming: PixelRange) -> PixelRange | None:
    """Return the range behind arithmetic with constants, such as `x / 255`."""
    kind = type(call.layer).__name__
    if kind == "Negative":
        return incoming.after(np.array(-1.0), np.array(0.0))
    if len(call.sources) != 1 or len(call.arguments) != 1:
        return None
    ((position, constant),) = call.arguments.items()
    value = _numbers(constant)
    if value is None or value.size > _FEW:
        return None
    one, none = np.ones_like(value), np.zeros_like(value)
    if kind in ("Divide", "TrueDivide"):
        is_divisor = position != "argument 0" and value.all()
        return incoming.after(1 / value, none) if is_divisor else None
    is_minuend = position == "argument 0"
    scale_and_offset = {
        "Add": (one, value),
        "Multiply": (value, none),
        "Subtract": (-one, value) if is_minuend else (one, -value),
    }.get(kind)
    return None if scale_and_offset is None else incoming.after(*scale_and_offset)


def _numbers(value: object) -> Floats | None:
    """Return finite numbers as an array; None for symbols, missing values and anything else."""
    if value is None or isinstance(value, bool | str):
        return None
    try:
        known = value.value if isinstance(value, keras.Variable) else value
        found = np.asarray(keras.ops.convert_to_numpy(known), np.float64)
    except (TypeError, ValueError, AttributeError, NotImplementedError):
        return None
    return found if found.size and np.isfinite(found).all() else None
