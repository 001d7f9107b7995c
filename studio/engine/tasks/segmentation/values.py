"""Classes of the pixel values of mask files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.picture_files import upright
from studio.engine.tasks.annotations import IGNORE, Mask, require_size
from studio.engine.tasks.segmentation.levels import RADIUS, distances, scale_of
from studio.engine.tasks.segmentation.mask_statistics import (
    MAX_NUMBER,
    Codes,
    alpha_in,
    colors_in,
    numbers_in,
    opened_mask,
)

Coding = Literal["index", "color", "binary"]
_OPAQUE = 255
_MAX_FAR = 0.5
"""Fraction of the pixels of a mask that may be far from the values of all classes."""
_CHUNK = 2**14
"""Values whose distances from the classes are computed at once."""


def code_of(color: str) -> int:
    """Return a color "#rrggbb" as a number 0xrrggbb."""
    return int(color.removeprefix("#"), 16)


def color_of(code: int) -> str:
    """Return a number 0xrrggbb as "#rrggbb"."""
    return f"#{code:06x}"


@dataclass(frozen=True)
class ValueTable:
    """Classes of the values of mask files.

    Attributes:
        coding: Coding of classes: numbers, colors, or dark and bright pixels.
        codes: Value of each class, K; numbers, or colors as 0xrrggbb.
        ignored: Value of pixels that do not count; None if all count.
        is_nearest: True if other values belong to the class of the nearest value.
        is_alpha: True if the numbers are the alpha of the pixels.
    """

    coding: Coding
    codes: tuple[int, ...]
    ignored: int | None = None
    is_nearest: bool = False
    is_alpha: bool = False

    def mask(self, data: bytes, size: tuple[int, int], orientation: int = 1) -> Mask:
        """Return the classes of the pixels of a mask file, shape (height, width).

        Args:
            data: The bytes of the file.
            size: Width and height of the picture that it belongs to.
            orientation: EXIF orientation by which the mask must be turned as its picture is.

        Raises:
            BadDataError: It is damaged, of another size, or has other values.
        """
        with opened_mask(data) as stored:
            image = upright(stored, orientation)
            require_size(image.size, size)
            codes = self._codes(image)
        if self.coding == "binary":
            return (codes >= sum(self.codes) / 2).astype(np.uint8)
        return self._nearest(codes) if self.is_nearest else self._exact(codes)

    def _codes(self, image: Image.Image) -> Codes:
        if self.is_alpha:
            alpha = alpha_in(image)
            return np.full(image.size[::-1], _OPAQUE, np.uint8) if alpha is None else alpha
        if self.coding == "color":
            return colors_in(image)
        return brightness_in(image) if self.coding == "binary" else numbers_in(image)

    def _exact(self, codes: Codes) -> Mask:
        """Return the class of each pixel; each must have the value of one."""
        values, groups = distinct(codes)
        labels = np.zeros(len(values), np.uint8)
        place = np.searchsorted(self._sorted, values).clip(max=len(self._sorted) - 1)
        is_known = self._sorted[place] == values
        if not is_known.all():
            pixels = np.bincount(groups.ravel(), minlength=len(values))
            raise _unknown(values[~is_known], pixels[~is_known], codes.size, self.coding)
        labels[:] = self._labels[place]
        found: Mask = labels[groups]
        return found

    def _nearest(self, codes: Codes) -> Mask:
        """Return the class whose value is the nearest to that of each pixel."""
        values, groups = distinct(codes)
        is_color = self.coding == "color"
        scale = 1 if is_color else scale_of(self.codes)
        labels = np.zeros(len(values), np.uint8)
        is_far = np.zeros(len(values), np.bool_)
        for start in range(0, len(values), _CHUNK):
            part = slice(start, start + _CHUNK)
            apart = distances(values[part], self._sorted, is_color=is_color)
            # The last of equal ones, so that the middle of black and white is white.
            nearest = apart.shape[1] - 1 - apart[:, ::-1].argmin(axis=1)
            labels[part] = self._labels[nearest]
            is_far[part] = apart.min(axis=1) > RADIUS * scale
        found: Mask = labels[groups]
        far = int(is_far[groups].sum())
        if far > _MAX_FAR * codes.size:
            raise BadDataError(
                "{far:,} of its {total:,} pixels are far from the values of all classes, so "
                "it looks like a photo",
                far=far,
                total=codes.size,
            )
        return found

    @cached_property
    def _order(self) -> list[tuple[int, int]]:
        pairs = {code: label for label, code in enumerate(self.codes)}
        if self.ignored is not None:
            pairs[self.ignored] = IGNORE
        return sorted(pairs.items())

    @cached_property
    def _sorted(self) -> NDArray[np.int64]:
        """Values of the classes, and the ignored one, in ascending order."""
        return np.array([code for code, _ in self._order], np.int64)

    @cached_property
    def _labels(self) -> Mask:
        """Classes of these values."""
        return np.array([label for _, label in self._order], np.uint8)


def brightness_in(image: Image.Image) -> Codes:
    """Return the brightness of the pixels: from 0 to 255, or larger numbers as they are."""
    is_large = image.mode.startswith(("I", "F"))
    return numbers_in(image) if is_large else np.asarray(image.convert("L"))


def distinct(codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the values of pixels in ascending order, and the index of each pixel's value.

    Args:
        codes: Shape (height, width).

    Returns:
        The values, shape (n,), and the indices, shape (height, width).
    """
    if codes.dtype.itemsize <= 2:
        values = np.flatnonzero(np.bincount(codes.ravel()))
        table = np.zeros(MAX_NUMBER + 1, np.intp)
        table[values] = np.arange(len(values))
        return values, table[codes]
    # Runs of equal pixels are far fewer than pixels.
    flat = codes.ravel()
    starts = np.concatenate([[0], np.flatnonzero(flat[1:] != flat[:-1]) + 1])
    values, groups = np.unique(flat[starts], return_inverse=True)
    lengths = np.diff(np.append(starts, flat.size))
    return values.astype(np.int64), np.repeat(groups, lengths).reshape(codes.shape)


def _unknown(
    values: NDArray[np.int64], pixels: NDArray[np.int64], total: int, coding: Coding
) -> BadDataError:
    """Return the reason to refuse a mask with values of no class.

    Args:
        values: These values, (n,).
        pixels: Pixels of each, (n,).
        total: Pixels of the mask.
        coding: Coding of the classes.
    """
    facts: dict[str, Any] = {"pixels": int(pixels.sum()), "total": total}
    shown = [color_of(value) if coding == "color" else str(value) for value in values.tolist()]
    if len(shown) > 1:
        return BadDataError(
            message(
                "{pixels:,} of its {total:,} pixels have {values} values of no class, such as "
                "{value}",
                values=len(shown),
                value=shown[int(pixels.argmax())],
                **facts,
            )
        )
    if coding == "color":
        return BadDataError(
            message(
                "the color {color} belongs to no class ({pixels:,} of its {total:,} pixels)",
                color=shown[0],
                **facts,
            )
        )
    return BadDataError(
        message(
            "the value {value} belongs to no class ({pixels:,} of its {total:,} pixels)",
            value=shown[0],
            **facts,
        )
    )


def text_of(codes: Sequence[int], coding: Coding) -> str:
    """Return values as a list for a message.

    Args:
        codes: The values.
        coding: Their coding.
    """
    shown = [color_of(code) if coding == "color" else str(code) for code in codes[:_MAX_SHOWN]]
    return ", ".join(shown) + (", …" if len(codes) > _MAX_SHOWN else "")


_MAX_SHOWN = 12
