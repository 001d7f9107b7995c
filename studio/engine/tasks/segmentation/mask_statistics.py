"""Statistics of mask files: how often each pixel value occurs, and whether it forms areas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError
from studio.engine.picture_files import opened_picture, upright
from studio.engine.tasks.segmentation.array_masks import array_image, is_array

Codes: TypeAlias = NDArray[Any]
"""Value of each pixel: a number, or a color as 0xrrggbb; shape (height, width)."""

MAX_NUMBER: Final = 2**16 - 1
_SOLID_RANGE = 4
"""Largest difference inside an area of a JPEG, in gray levels of 255."""
_MAX_VALUES = 1024
"""Number of values per file of which counts are kept."""
_PHOTO_VALUES, _PHOTO_TOP, _PHOTO_SHARE = 64, 16, 0.5
"""A file with more values, of which the most frequent ones cover less, is a photo."""
LOSSY = frozenset({"JPEG", "MPO"})
"""Formats of Pillow whose values are not those that were saved."""
_MAX_CHUNKS = 32
"""Chunks of a WebP before that of its picture."""


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """Pixels of each value of a file, the most frequent first.

    Attributes:
        values: Numbers, or colors as 0xrrggbb, shape (n,).
        pixels: Pixels of each value, shape (n,).
        solid: Those of them in blocks of 2x2 equal pixels, shape (n,).
        nearly_solid: The same, but for a JPEG in blocks of pixels that differ by its noise, (n,).
        others: Pixels of rarer values.
    """

    values: NDArray[np.int64]
    pixels: NDArray[np.int64]
    solid: NDArray[np.int64]
    nearly_solid: NDArray[np.int64]
    others: int = 0

    @property
    def total(self) -> int:
        """Number of pixels."""
        return int(self.pixels.sum()) + self.others


@dataclass(frozen=True, slots=True)
class MaskStatistics:
    """Contents of one mask file.

    Attributes:
        size: Width and height in pixels.
        is_rgb: True if its pixels are stored as colors.
        has_colors: True if not all of these colors are gray.
        is_lossy: True if it is a JPEG or a lossy WebP, whose values are not those that were saved.
        counts: Its numbers, or colors; of gray colors one channel, of a palette the numbers.
        alpha: Its alpha levels, where it has alpha.
        opaque: Values of the pixels that are at least half as opaque as others, with alpha.
        hidden: Values of the transparent pixels, with alpha.
        palette: Colors of the numbers as 0xrrggbb, where it has a palette.
        bright: Fractions of bright pixels at the border of the image and in all of it; None for
            colors, and for a mask of one value.
    """

    size: tuple[int, int]
    is_rgb: bool
    has_colors: bool
    is_lossy: bool
    counts: ValueCounts
    alpha: ValueCounts | None = None
    opaque: frozenset[int] = frozenset()
    hidden: frozenset[int] = frozenset()
    palette: dict[int, int] = field(default_factory=dict)
    bright: tuple[float, float] | None = None


def inspect(data: bytes) -> MaskStatistics:
    """Return the statistics of a mask file.

    Raises:
        BadDataError: It is not a mask; the message is a short reason.
    """
    with opened_mask(data) as image:
        is_rgb = not has_numbers(image)
        codes = colors_in(image) if is_rgb else numbers_in(image)
        has_colors = is_rgb and bool((codes != (codes & 0xFF) * 0x010101).any())
        shown = codes & 0xFF if is_rgb and not has_colors else codes
        alpha = alpha_in(image)
        is_lossy = image.format in LOSSY or is_lossy_webp(data)
        counts = counted(shown, is_color=has_colors, is_lossy=is_lossy)
        if alpha is None or len(np.unique(alpha)) == 1:  # a photo may be cut out by its alpha
            require_no_photo(counts, codes.size)
        opaque, hidden = frozenset[int](), frozenset[int]()
        if alpha is not None:
            opaque = _distinct(codes[alpha > alpha.max() // 2])
            hidden = _distinct(codes[alpha == 0])
        return MaskStatistics(
            size=image.size,
            is_rgb=is_rgb,
            has_colors=has_colors,
            is_lossy=is_lossy,
            counts=counts,
            alpha=None if alpha is None else counted(alpha),
            opaque=opaque,
            hidden=hidden,
            palette=_palette(image),
            bright=None if has_colors else _bright(shown),
        )


def _bright(codes: Codes) -> tuple[float, float] | None:
    """Return the fractions of bright pixels at the border and in all; None for one value."""
    low, high = int(codes.min()), int(codes.max())
    if low == high:
        return None
    is_bright = codes > (low + high) // 2
    border = np.concatenate([*is_bright[[0, -1]], *is_bright[:, [0, -1]].T])
    return float(border.mean()), float(is_bright.mean())


def is_lossy_webp(data: bytes) -> bool:
    """Return True for a WebP file whose picture is in a chunk of the lossy kind."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return False
    place = 12
    for _ in range(_MAX_CHUNKS):
        kind, size = data[place : place + 4], data[place + 4 : place + 8]
        if kind in {b"VP8 ", b"VP8L"} or len(size) < 4:
            return kind == b"VP8 "
        place += 8 + int.from_bytes(size, "little") + size[0] % 2
    return False


@contextmanager
def opened_mask(data: bytes, *, is_wide: bool = False) -> Iterator[Image.Image]:
    """Open a mask file, a picture or an array, upright.

    Args:
        data: The file.
        is_wide: True if values may have 32 bits, see `array_image`.

    Raises:
        BadDataError: It is damaged, or has several frames; the message is a short reason.
    """
    if is_array(data):
        yield array_image(data, is_wide=is_wide)
        return
    with opened_picture(BytesIO(data)) as image:
        if getattr(image, "is_animated", False):
            raise BadDataError(
                "it has {frames} frames, but a mask is a single image",
                frames=getattr(image, "n_frames", 2),
            )
        image.load()
        turned = upright(image)
        turned.format = image.format
        yield turned


def has_numbers(image: Image.Image) -> bool:
    """Return True if pixels are numbers: gray levels or indexes of a palette."""
    return image.mode in {"P", "L", "1", "LA", "La"} or image.mode.startswith(("I", "F"))


def numbers_in(image: Image.Image) -> Codes:
    """Return the pixels of a mask with numbers; those of RGB must be gray.

    Raises:
        BadDataError: It has colors, or values that are no integers.
    """
    if image.mode in {"1", "LA", "La"}:
        return np.asarray(image.convert("L"))
    if image.mode.startswith(("I", "F")):
        return _whole(np.asarray(image))
    if image.mode in {"P", "L"}:
        return np.asarray(image)
    pixels = np.asarray(image.convert("RGB"))
    if (pixels[:, :, 1:] != pixels[:, :, :1]).any():
        raise BadDataError("it is colored, but the other masks are grayscale")
    return pixels[:, :, 0]


def _whole(values: NDArray[np.generic]) -> Codes:
    if not (values.min() >= 0 and values.max() <= MAX_NUMBER):  # also of NaN
        raise BadDataError("its pixel values are not integers from 0 to {limit}", limit=MAX_NUMBER)
    whole = values.astype(np.uint16)
    if (whole != values).any():
        raise BadDataError("its pixel values are not integers")
    return whole


def colors_in(image: Image.Image) -> Codes:
    """Return the colors of the pixels as 0xrrggbb."""
    flat = image.convert("RGBA") if image.mode in {"PA", "RGBa"} else image
    pixels = np.asarray(flat.convert("RGB"), np.uint32)
    return pixels[:, :, 0] << 16 | pixels[:, :, 1] << 8 | pixels[:, :, 2]


def alpha_in(image: Image.Image) -> Codes | None:
    """Return the alpha of the pixels; None for a file without, or with a palette."""
    if image.mode not in {"LA", "La", "RGBA", "RGBa"}:
        return None
    return np.asarray(image.getchannel("A" if image.mode in {"LA", "RGBA"} else "a"))


def counted(codes: Codes, *, is_color: bool = False, is_lossy: bool = False) -> ValueCounts:
    """Return how often each value occurs, and how many pixels of it lie in areas.

    Args:
        codes: The pixels, shape (height, width).
        is_color: True if they are colors.
        is_lossy: True if areas have noise.
    """
    values, pixels = _histogram(codes)
    solid = _pixels_of(values, codes[_areas(codes, 0, is_color=is_color)])
    nearly = solid
    if is_lossy:
        inside = _areas(codes, _SOLID_RANGE, is_color=is_color)
        nearly = _pixels_of(values, codes[inside])
    order = np.argsort(-pixels, kind="stable")[:_MAX_VALUES]
    others = int(codes.size - pixels[order].sum())
    return ValueCounts(values[order], pixels[order], solid[order], nearly[order], others)


def require_no_photo(counts: ValueCounts, pixels: int) -> None:
    """Refuse a file with many values of which none is frequent and few form areas.

    Args:
        counts: Its values.
        pixels: Number of its pixels.

    Raises:
        BadDataError: It is such a file.
    """
    is_full = len(counts.values) > _PHOTO_VALUES
    values = counts.values
    if is_full and values.max() > MAX_NUMBER:  # colors: noise changes three channels
        groups = np.unique(values >> 3 & 0x1F1F1F, return_inverse=True)[1]
        frequent = np.sort(np.bincount(groups, counts.pixels))[::-1]
    else:
        frequent = counts.pixels.astype(np.float64)
    is_flat = counts.solid.sum() > _PHOTO_SHARE * pixels
    if is_full and not is_flat and frequent[:_PHOTO_TOP].sum() < _PHOTO_SHARE * pixels:
        raise BadDataError(
            "it has {values} different pixel values and none is frequent, so it looks like a "
            "photo",
            values=len(values),
        )


def _histogram(codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the values in ascending order, and the pixels of each."""
    flat = codes.ravel()
    if codes.dtype.itemsize <= 2:
        pixels = np.bincount(flat)
        values = np.flatnonzero(pixels)
        return values, pixels[values]
    # Runs of equal pixels are far fewer than pixels.
    starts = np.concatenate([[0], np.flatnonzero(flat[1:] != flat[:-1]) + 1])[: flat.size]
    lengths = np.diff(np.append(starts, flat.size))
    values, groups = np.unique(flat[starts], return_inverse=True)
    pixels = np.bincount(groups, lengths, len(values)).astype(np.int64)
    return values.astype(np.int64), pixels


def _pixels_of(values: NDArray[np.int64], codes: Codes) -> NDArray[np.int64]:
    """Return the pixels of each value among some pixels; (n,).

    Args:
        values: In ascending order, (n,).
        codes: Pixels, each of one of the values.
    """
    found = np.zeros(len(values), np.int64)
    if codes.size:
        present, pixels = _histogram(codes)
        found[np.searchsorted(values, present)] = pixels
    return found


def _areas(codes: Codes, span: int, *, is_color: bool) -> NDArray[np.bool_]:
    """Return the pixels that are in a block of 2x2 alike pixels; shape (height, width)."""
    inside = np.zeros(codes.shape, np.bool_)
    if min(codes.shape) < 2:
        return inside
    across = _alike(codes[:, 1:], codes[:, :-1], span, is_color=is_color)
    down = _alike(codes[1:], codes[:-1], span, is_color=is_color)
    blocks = across[1:] & across[:-1] & down[:, 1:] & down[:, :-1]
    for part in (inside[:-1, :-1], inside[:-1, 1:], inside[1:, :-1], inside[1:, 1:]):
        np.logical_or(part, blocks, out=part)  # a view: a block marks its four pixels
    return inside


def _alike(one: Codes, other: Codes, span: int, *, is_color: bool) -> NDArray[np.bool_]:
    if not span:
        same: NDArray[np.bool_] = one == other
        return same
    if not is_color:
        close: NDArray[np.bool_] = np.abs(one.astype(np.int32) - other) <= span
        return close
    alike = np.ones(one.shape, np.bool_)
    for shift in (0, 8, 16):
        first = (one >> shift & 0xFF).astype(np.int16)
        alike &= np.abs(first - (other >> shift & 0xFF).astype(np.int16)) <= span
    return alike


def _distinct(codes: Codes) -> frozenset[int]:
    return frozenset(np.unique(codes)[:_MAX_VALUES].tolist())


def _palette(image: Image.Image) -> dict[int, int]:
    if image.mode != "P":
        return {}
    colors = np.array(image.getpalette("RGB") or [], np.int64).reshape(-1, 3)
    codes = colors @ np.array([1 << 16, 1 << 8, 1])
    return dict(enumerate(codes.tolist()))
