"""Files with a number for each pixel: pictures, arrays, and `_seg.npy` of Cellpose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError
from studio.engine.picture_files import upright
from studio.engine.tasks.annotations import require_size
from studio.engine.tasks.instances.cellpose_files import cellpose_masks, is_cellpose
from studio.engine.tasks.segmentation.array_masks import as_numbers
from studio.engine.tasks.segmentation.mask_statistics import (
    LOSSY,
    colors_in,
    has_numbers,
    is_lossy_webp,
    opened_mask,
)

Numbers = NDArray[Any]
"""Number of the object of each pixel as its file has it; 0 for none. Shape (height, width)."""
_MANY: Final = 64
_LEAST_ALIKE: Final = 0.5
"""A file with many values has at least this fraction of pixels like their neighbor, or is a photo.
"""


_BYTE: Final = 255
"""Largest number in a file of 8 bits."""


@dataclass(frozen=True, slots=True)
class LabelFacts:
    """Contents of a file.

    Attributes:
        size: Width and height in pixels.
        objects: Number of different values other than 0.
        only: That value where there is a single one; 0 otherwise.
        covering: Value of more than half of the pixels, if no pixel is 0; 0 otherwise.
        is_full: True if all numbers that 8 bits can hold are objects, and no larger ones.
    """

    size: tuple[int, int]
    objects: int
    only: int
    covering: int = 0
    is_full: bool = False


def inspect_labels(data: bytes) -> LabelFacts:
    """Return the facts about a file.

    Raises:
        BadDataError: It is no label image; the message is a short reason.
    """
    with opened_labels(data) as image:
        numbers = _numbers(image)
        values = _values(numbers)
        only = int(values[0]) if len(values) == 1 else 0
        is_full = len(values) == _BYTE and int(values[-1]) == _BYTE
        return LabelFacts(image.size, len(values), only, _covering(numbers), is_full)


def label_values(data: bytes) -> NDArray[np.int64]:
    """Return the different values of a file other than 0, ascending.

    Raises:
        BadDataError: It is no label image; the message is a short reason.
    """
    with opened_labels(data) as image:
        return _values(_numbers(image))


def read_labels(data: bytes, size: tuple[int, int], orientation: int = 1) -> Numbers:
    """Return the numbers of the objects of a file, shape (height, width).

    Args:
        data: The file.
        size: Width and height of its picture.
        orientation: EXIF orientation by which they must be turned as the picture is.

    Raises:
        BadDataError: It is damaged, of another size, or no label image.
    """
    with opened_labels(data) as stored:
        image = upright(stored, orientation)
        require_size(image.size, size)
        return _numbers(image)


@contextmanager
def opened_labels(data: bytes) -> Iterator[Image.Image]:
    """Open a file, upright.

    Raises:
        BadDataError: It is damaged or stored with losses; the message is a short reason.
    """
    if is_cellpose(data):
        yield Image.fromarray(as_numbers(cellpose_masks(data), is_wide=True))
        return
    if is_lossy_webp(data):
        raise _lossy()
    with opened_mask(data, is_wide=True) as image:
        if image.format in LOSSY:
            raise _lossy()
        yield image


def _lossy() -> BadDataError:
    return BadDataError(
        "it is stored with losses (JPEG or WebP), which change the numbers of objects"
    )


def _numbers(image: Image.Image) -> Numbers:
    """Return the numbers of the pixels; of a colored file those of its colors, black is 0."""
    if not has_numbers(image):
        return _checked(colors_in(image))
    if image.mode in {"1", "LA", "La"}:
        image = image.convert("L")
    pixels = np.asarray(image)
    if pixels.dtype.kind == "f":
        whole = np.nan_to_num(pixels).astype(np.int64)
        if (whole != pixels).any():
            raise BadDataError("its pixel values are not integers")
        pixels = as_numbers(whole, is_wide=True)
    return _checked(pixels)


def _checked(numbers: Numbers) -> Numbers:
    """Refuse a photo: many values, of which neighbors have different ones.

    Raises:
        BadDataError: It is one.
    """
    if numbers.shape[1] < 2:
        return numbers
    alike = float((numbers[:, 1:] == numbers[:, :-1]).mean())
    if alike < _LEAST_ALIKE and len(_values(numbers)) > _MANY:
        raise BadDataError(
            "it looks like a photo: only {share:.0%} of its pixels have the value of their "
            "neighbor",
            share=alike,
        )
    return numbers


def _covering(numbers: Numbers) -> int:
    """Return the value of more than half of the pixels, if no pixel is 0; 0 otherwise."""
    if not numbers.all():
        return 0
    # A value of more than half of the pixels is their median.
    middle = int(np.partition(numbers, numbers.size // 2, axis=None)[numbers.size // 2])
    return middle if 2 * int((numbers == middle).sum()) > numbers.size else 0


def _values(numbers: Numbers) -> NDArray[np.int64]:
    """Return the numbers of the objects, ascending."""
    if numbers.dtype.itemsize <= 2 and numbers.dtype.kind == "u":
        values = np.flatnonzero(np.bincount(numbers.ravel()))
    else:
        values = np.unique(numbers)
    found: NDArray[np.int64] = values[values != 0].astype(np.int64)
    return found
