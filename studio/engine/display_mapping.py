"""Colors in which people see pixels of any format: channels, their colors and contrast windows.

Pictures on the screen have 8 bits and at most three channels. A display mapping says how values of
16 bits, floating-point numbers or many channels become such a picture. It never changes what is
stored or what networks receive.
"""

from __future__ import annotations

import re
from typing import Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, model_validator

from studio.engine.arrays import BytePixels, Floats, Pixels
from studio.engine.messages import message
from studio.engine.pixel_format import NETWORK_RANGE, PixelFormat

WHITE: Final = "#ffffff"
RGB: Final = ("#ff0000", "#00ff00", "#0000ff")
FALSE_COLORS: Final = (
    *("#0000ff", "#00ff00", "#ff0000", "#ffffff"),
    *("#00ffff", "#ff00ff", "#ffff00"),
)
"""Color of each channel by default. The first three are blue, green and red: satellites number
their bands in this order, and microscopes show nuclei in blue."""
_PERCENTILES: Final = (0.2, 99.8)
_SAMPLED: Final = 250_000
"""Pixels of a picture that `auto` looks at, about."""
_BINS: Final = 128
_LEVELS: Final = 256


class DisplayMapping(BaseModel, frozen=True, extra="forbid"):
    """Colors and contrast windows of the channels of a dataset.

    Attributes:
        shown: Numbers of the channels that are shown, from 0, ascending.
        colors: Color of each channel at the upper end of its window, as #rrggbb; the colors of
            the channels are added.
        low: Value of each channel that becomes black, shape (channels,).
        high: Value of each channel that becomes its color, shape (channels,).
    """

    shown: tuple[int, ...]
    colors: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @model_validator(mode="after")
    def _check(self) -> Self:
        channels = len(self.colors)
        if {len(self.low), len(self.high)} != {channels}:
            raise ValueError(message("each channel needs a color and a contrast window"))
        if not self.shown or not set(self.shown) <= set(range(channels)):
            raise ValueError(message("at least one of the channels must be shown"))
        if not all(re.fullmatch("#[0-9a-f]{6}", color) for color in self.colors):
            raise ValueError(message("a color must have the form #rrggbb"))
        if not all(np.isfinite([*self.low, *self.high])) or any(
            low >= high for low, high in zip(self.low, self.high, strict=True)
        ):
            raise ValueError(message("a contrast window must begin below its end"))
        return self

    @classmethod
    def of(cls, pixels: PixelFormat) -> Self:
        """Return the default: gray, red, green and blue, or false colors, in the full range."""
        channels = pixels.channels
        if pixels.is_gray:
            colors: tuple[str, ...] = (WHITE,)
        elif pixels.is_rgb:
            colors = RGB
        else:
            colors = tuple(FALSE_COLORS[at % len(FALSE_COLORS)] for at in range(channels))
        shown = tuple(range(min(channels, len(FALSE_COLORS))))
        return cls(shown=shown, colors=colors, low=pixels.low, high=pixels.high)

    def fits(self, pixels: PixelFormat) -> bool:
        """Return True if the mapping has as many channels as a format."""
        return self.channels == pixels.channels

    @property
    def channels(self) -> int:
        """Number of channels, shown or not."""
        return len(self.colors)

    @property
    def is_identity(self) -> bool:
        """True if 8 bit gray or color is shown as it is."""
        return (
            self.colors in ((WHITE,), RGB)
            and len(self.shown) == self.channels
            and all(each == NETWORK_RANGE for each in zip(self.low, self.high, strict=True))
        )

    def auto(self, pixels: Pixels) -> Self:
        """Return the mapping with the contrast windows that suit some pixels.

        Args:
            pixels: Shape (..., height, width, channels).
        """
        values = sampled(pixels)
        low, high = list(self.low), list(self.high)
        for at, channel in enumerate(values.T):
            finite = channel[np.isfinite(channel)]
            if len(finite):
                low[at], high[at] = _window(finite, is_integer=pixels.dtype.kind == "u")
        return self.model_copy(update={"low": tuple(low), "high": tuple(high)})

    def with_window(self, channel: int, low: float, high: float) -> Self:
        """Return the mapping with another contrast window of a channel.

        Args:
            channel: Number of the channel, from 0.
            low: Value that becomes black.
            high: Value that becomes the color of the channel.
        """
        lows, highs = list(self.low), list(self.high)
        lows[channel], highs[channel] = low, high
        return type(self)(shown=self.shown, colors=self.colors, low=tuple(lows), high=tuple(highs))

    def to_rgb(self, pixels: Pixels) -> BytePixels:
        """Return pixels as they are shown.

        Args:
            pixels: Shape (..., height, width, channels).

        Returns:
            Shape (..., height, width, 3), or (..., height, width, 1) if all is gray. 8 bit gray
            and color in the full range are returned as they are, without a copy.
        """
        if pixels.dtype == np.uint8 and self.is_identity:
            whole: BytePixels = pixels.astype(np.uint8, copy=False)
            return whole
        *around, width, _ = pixels.shape
        flat = pixels.reshape((-1, width, pixels.shape[-1]))
        planes = self._gray(flat) if self._is_gray else self._colored(flat)
        return planes.reshape((*around, width, planes.shape[-1]))

    @property
    def _is_gray(self) -> bool:
        return len(self.shown) == 1 and self.colors[self.shown[0]] == WHITE

    def _gray(self, pixels: Pixels) -> BytePixels:
        return self._component(pixels, self.shown[0], _LEVELS - 1)[..., np.newaxis]

    def _colored(self, pixels: Pixels) -> BytePixels:
        """Add the colors of the channels; sums above 255 are cut off."""
        planes: list[BytePixels | None] = [None, None, None]
        for channel in self.shown:
            made: dict[int, BytePixels] = {}
            for at, strength in enumerate(bytes.fromhex(self.colors[channel][1:])):
                if not strength:
                    continue
                if strength not in made:
                    made[strength] = self._component(pixels, channel, strength)
                below = planes[at]
                planes[at] = made[strength] if below is None else _added(below, made[strength])
        black = np.zeros(pixels.shape[:-1], np.uint8)
        return np.stack([black if plane is None else plane for plane in planes], axis=-1)

    def _component(self, pixels: Pixels, channel: int, strength: int) -> BytePixels:
        """Return the values of a channel as 0 to `strength`, shape (height, width)."""
        plane = np.ascontiguousarray(pixels[..., channel])
        low, high = self.low[channel], self.high[channel]
        if plane.dtype == np.float32:
            return _scaled(plane.astype(np.float32, copy=False), low, high, strength)
        values = np.arange(256**plane.itemsize, dtype=np.float64)
        return np.asarray(cv2.LUT(plane, _scaled(values, low, high, strength)), np.uint8)


def _scaled(
    values: NDArray[np.float32] | Floats, low: float, high: float, strength: int
) -> BytePixels:
    """Return values as 0 to `strength`; NaN becomes 0."""
    offset, factor = values.dtype.type(low), values.dtype.type(strength / (high - low))
    scaled = np.clip((values - offset) * factor, 0, strength)
    scaled = np.rint(np.nan_to_num(scaled, copy=False))
    return scaled.astype(np.uint8)


def _added(one: BytePixels, other: BytePixels) -> BytePixels:
    return np.asarray(cv2.add(one, other), np.uint8)


def _window(values: Floats, *, is_integer: bool) -> tuple[float, float]:
    """Return the ends of a contrast window; they differ also if all values are equal."""
    low, high = (float(end) for end in np.percentile(values, _PERCENTILES))
    if is_integer:
        low, high = float(np.floor(low)), float(np.ceil(high))
    if high > low:
        return low, high
    return low, low + (1.0 if is_integer else max(1e-6, abs(low) * 1e-3))


def reduced(pixels: Pixels, side: int) -> Pixels:
    """Return every n-th pixel, so that at least twice as many remain as a thumbnail has.

    Args:
        pixels: Shape (height, width, channels).
        side: Longest side of the thumbnail; 0 for all pixels.
    """
    step = max(1, max(pixels.shape[:2]) // (2 * side)) if side else 1
    return pixels[::step, ::step]


def sampled(pixels: Pixels) -> Floats:
    """Return evenly spaced pixels of a picture, shape (n, channels).

    Args:
        pixels: Shape (..., height, width, channels).
    """
    flat = pixels.reshape((-1, pixels.shape[-1]))
    step = max(1, len(flat) // _SAMPLED)
    step += 1 - step % 2  # an odd step does not always meet the same columns
    return flat[::step].astype(np.float64)


def histograms(pixels: Pixels, low: float, high: float) -> list[NDArray[np.int64]]:
    """Return how often values occur in each channel, in equal bins between two values.

    Args:
        pixels: Shape (..., height, width, channels).
        low: Lower end of the first bin.
        high: Upper end of the last bin.
    """
    values = sampled(pixels)
    return [
        np.histogram(channel[np.isfinite(channel)], _BINS, (low, high))[0].astype(np.int64)
        for channel in values.T
    ]
