"""Number format of the pixels of a dataset: their type, their channels and the range of values.

Pixels are stored as they are in the files: 8 or 16 bit integers or floating-point numbers, with
any number of channels. The range of each channel is fixed for the whole dataset. A network
receives pixels on the scale from 0 to 255, with fractions: its first layer scales them, so that
exported models accept the same files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, Self

from pydantic import BaseModel, Field, model_validator

from studio.engine.messages import message

# Recipes import this module, and the window starts with them: NumPy is imported where it is used.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.arrays import BytePixels, Pixels

PixelType = Literal["uint8", "uint16", "float32"]
_VALUE_BYTES: Final = {"uint8": 1, "uint16": 2, "float32": 4}
MAX_CHANNELS: Final = 64
"""Channels of an image at most."""
NETWORK_RANGE: Final = (0.0, 255.0)
"""Lowest and highest value of a pixel behind the first layer of a network."""


class PixelFormat(BaseModel, frozen=True, extra="forbid"):
    """Number format of the pixels of a dataset.

    Examples:
        The images of a 12 bit camera, with two fluorescent dyes:

        >>> PixelFormat.uniform("uint16", 2, low=0, high=4095, names=("DAPI", "GFP")).high
        (4095.0, 4095.0)

    Attributes:
        dtype: NumPy's name of the type of a value.
        channels: Number of channels, 1 to 64.
        low: Value of each channel that becomes the lowest one, shape (channels,).
        high: Value of each channel that becomes the highest one, shape (channels,).
        names: Display names of the channels; empty for gray and for red, green and blue.
        per_image: True if each image is scaled by its own range in place of `low` and `high`.
    """

    dtype: PixelType = "uint8"
    channels: int = Field(default=3, ge=1, le=MAX_CHANNELS)
    low: tuple[float, ...] = (0.0, 0.0, 0.0)
    high: tuple[float, ...] = (255.0, 255.0, 255.0)
    names: tuple[str, ...] = ()
    per_image: bool = False

    @model_validator(mode="after")
    def _check_channels(self) -> Self:
        lengths = {len(self.low), len(self.high)} | ({len(self.names)} if self.names else set())
        if lengths != {self.channels}:
            raise ValueError(
                message(
                    "{channels} channels need as many values and names; received {received}",
                    channels=self.channels,
                    received=", ".join(str(each) for each in sorted(lengths)),
                )
            )
        if not all(map(math.isfinite, [*self.low, *self.high])):
            raise ValueError(message("the range of values must be finite"))
        for low, high in zip(self.low, self.high, strict=True):
            if low >= high:
                raise ValueError(
                    message(
                        "the lowest value must be below the highest one; received {low:g} and "
                        "{high:g}",
                        low=low,
                        high=high,
                    )
                )
        return self

    @classmethod
    def uniform(
        cls, dtype: PixelType, channels: int, low: float, high: float, names: Sequence[str] = ()
    ) -> Self:
        """Return a format whose channels all have the same range.

        Args:
            dtype: NumPy's name of the type of a value.
            channels: Number of channels.
            low: Value that becomes the lowest one.
            high: Value that becomes the highest one.
            names: Display names of the channels.
        """
        lows, highs = (low,) * channels, (high,) * channels
        return cls(dtype=dtype, channels=channels, low=lows, high=highs, names=tuple(names))

    @classmethod
    def bytes_of(cls, channels: int) -> Self:
        """Return the format of 8 bit images that use all 256 levels.

        Args:
            channels: 1 for gray, 3 for color.
        """
        return cls.uniform("uint8", channels, *NETWORK_RANGE)

    @property
    def numpy_dtype(self) -> np.dtype[np.uint8 | np.uint16 | np.float32]:
        """The type of a value."""
        import numpy as np  # noqa: PLC0415 - see above

        return np.dtype(self.dtype)

    @property
    def is_gray(self) -> bool:
        """True for one channel."""
        return self.channels == 1

    @property
    def is_rgb(self) -> bool:
        """True for red, green and blue."""
        return self.channels == 3 and not self.names

    @property
    def is_standard(self) -> bool:
        """True for gray or color of 8 bits, which networks receive as it is."""
        return (
            self.dtype == "uint8"
            and not self.per_image
            and (self.is_gray or self.is_rgb)
            and all(each == NETWORK_RANGE for each in zip(self.low, self.high, strict=True))
        )

    def is_compatible(self, other: PixelFormat) -> bool:
        """Return True if a network for images of this format can use those of another one.

        8 bit gray and color are converted to each other. The network scales by its own range:
        that of the other format does not matter.

        Args:
            other: The other format.
        """
        if self.is_standard and other.is_standard:
            return True
        decisive = {"dtype", "channels", "per_image"}
        return self.model_dump(include=decisive) == other.model_dump(include=decisive)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """A name for each channel: the given one, or red, green and blue, or a number from 1."""
        if self.names:
            return self.names
        if self.is_rgb:
            return ("red", "green", "blue")
        return tuple(str(number) for number in range(1, self.channels + 1))

    def scale_and_offset(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the factor and the addend of each channel that bring values to 0 to 255."""
        full = NETWORK_RANGE[1]
        ranges = list(zip(self.low, self.high, strict=True))
        scale = tuple(full / (high - low) for low, high in ranges)
        offset = tuple(-low * full / (high - low) for low, high in ranges)
        return scale, offset

    def network_values(self, pixels: Pixels) -> NDArray[np.float32]:
        """Return the pixels of one or several images as networks receive them.

        Values outside of the range stay outside of 0 to 255.

        Args:
            pixels: Shape (..., height, width, channels).
        """
        return _scaled_by_own_range(pixels) if self.per_image else self.levels(pixels)

    def levels(self, pixels: Pixels) -> NDArray[np.float32]:
        """Return pixels on the scale from 0 to 255, by `low` and `high` in any case.

        Args:
            pixels: Shape (..., height, width, channels).
        """
        import numpy as np  # noqa: PLC0415 - see above

        scale, offset = (np.array(each, np.float64) for each in self.scale_and_offset())
        scaled = pixels * scale
        scaled += offset
        return scaled.astype(np.float32)

    def from_levels(self, levels: NDArray[np.float32]) -> Pixels:
        """Return the pixels of some `levels`, rounded and cut off as the type requires.

        Args:
            levels: Shape (..., height, width, channels).
        """
        import numpy as np  # noqa: PLC0415 - see above

        scale, offset = (np.array(each, np.float64) for each in self.scale_and_offset())
        values = (levels - offset) / scale
        if self.dtype == "float32":
            return values.astype(np.float32)
        limits = np.iinfo(self.dtype)
        pixels: Pixels = np.clip(np.rint(values), limits.min, limits.max).astype(self.numpy_dtype)
        return pixels

    def to_bytes(self, pixels: Pixels) -> BytePixels:
        """Return pixels as networks receive them, rounded to 8 bits.

        Args:
            pixels: Shape (..., height, width, channels).
        """
        import numpy as np  # noqa: PLC0415 - see above

        if self.is_standard:
            return pixels.astype(np.uint8, copy=False)
        return np.rint(np.clip(self.network_values(pixels), *NETWORK_RANGE)).astype(np.uint8)

    @property
    def text(self) -> str:
        """The format in a few words, for messages."""
        return message(
            "{channels} channels of {dtype}, {low:g} to {high:g}",
            one="one channel of {dtype}, {low:g} to {high:g}",
            count=self.channels,
            channels=self.channels,
            dtype=self.dtype,
            low=min(self.low),
            high=max(self.high),
        )

    def image_bytes(self, height: int, width: int) -> int:
        """Return the size of an uncompressed image.

        Args:
            height: Height in pixels.
            width: Width in pixels.
        """
        return height * width * self.channels * _VALUE_BYTES[self.dtype]


def _scaled_by_own_range(pixels: Pixels) -> NDArray[np.float32]:
    """Bring each channel of each image to 0 to 255; a channel of one value becomes 0."""
    import numpy as np  # noqa: PLC0415 - see above

    values = pixels.astype(np.float32)
    low = values.min(axis=(-3, -2), keepdims=True)
    span = values.max(axis=(-3, -2), keepdims=True) - low
    full = np.full_like(span, NETWORK_RANGE[1])
    scale = np.divide(full, span, out=np.zeros_like(span), where=span > 0)
    scaled: NDArray[np.float32] = (values - low) * scale
    return scaled
