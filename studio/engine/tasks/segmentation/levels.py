"""Levels of noisy masks: the values that are classes, among those of soft borders or of JPEG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.segmentation.mask_statistics import ValueCounts

RADIUS: Final = 24
"""Gray levels of 255 within which values are noise of the same level."""
_MIN_GAP: Final = 32
"""Gray levels of 255 between two levels with noise."""
_MIN_AREA, _MIN_FRACTION = 4, 0.001
"""Pixels of areas, and fraction of the pixels, in one mask from which on a value is a level."""
_FIRM, _LOOSE = 0.3, 0.2
"""Fraction of the pixels of a value in areas: that of a level at least, of a border at most."""
_MIN_LOOSE = 3
"""Number of values of borders that noise has at least, beyond single pixels."""
_MAX_STRAY = 0.01
"""Fraction of the pixels up to which one or two values are single pixels rather than a class."""
_MAX_FAR = 0.25
"""Fraction of the pixels that may be far from all levels."""
_MINOR, _MINOR_JPEG = 0.1, 0.7
"""Fraction of the pixels of a level up to which a value with areas beside it is its noise."""
_MIN_JPEG_VALUES = 24
"""Number of values without areas of masks that were JPEG files before."""
_MAX_POOL = 2**16


@dataclass(slots=True)
class ValuePool:
    """Values of many masks.

    Attributes:
        pixels: Pixels of each value.
        solid: Those of them in areas.
        area: Pixels in areas of a value in one mask, of those that have areas at all.
        masks: Number of masks with each value.
        first: Path of the first of them.
        others: Pixels of values that are not listed.
        is_lossy: True if one of the masks is a JPEG.
        depths: Highest values of masks that have every value from 0 on; None if one has not.
        mixes_scales: True if one mask has the values 1 and 255.
    """

    pixels: Counter[int] = field(default_factory=Counter)
    solid: Counter[int] = field(default_factory=Counter)
    area: Counter[int] = field(default_factory=Counter)
    masks: Counter[int] = field(default_factory=Counter)
    first: dict[int, str] = field(default_factory=dict)
    others: int = 0
    is_lossy: bool = False
    depths: set[int] | None = field(default_factory=set)
    mixes_scales: bool = False

    def add(self, path: str, counts: ValueCounts, *, is_lossy: bool) -> None:
        """Add the values of a mask.

        Args:
            path: Path of the mask.
            counts: Its values.
            is_lossy: True if it is a JPEG.
        """
        self.is_lossy |= is_lossy
        self.others += counts.others
        self._add_depth(counts.values)
        self.mixes_scales |= bool(np.isin((1, IGNORE), counts.values).all())
        least = max(_MIN_AREA, _MIN_FRACTION * counts.total)
        columns = (counts.values, counts.pixels, counts.solid, counts.nearly_solid)
        for value, pixels, solid, nearly in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            self.pixels[value] += pixels
            self.solid[value] += solid
            self.masks[value] += 1
            self.first.setdefault(value, path)
            if nearly >= max(least, _FIRM * pixels):
                self.area[value] = max(self.area[value], nearly)
        if len(self.pixels) > 2 * _MAX_POOL:
            self._prune()

    def _add_depth(self, values: NDArray[np.int64]) -> None:
        ordered = np.sort(values)
        if not np.array_equal(ordered, np.arange(len(ordered))):
            self.depths = None
        elif self.depths is not None:
            self.depths.add(len(ordered) - 1)

    def _prune(self) -> None:
        for value, pixels in self.pixels.most_common()[_MAX_POOL:]:
            self.others += pixels
            for counter in (self.pixels, self.solid, self.area, self.masks, self.first):
                counter.pop(value, None)

    @property
    def total(self) -> int:
        """Number of pixels."""
        return self.pixels.total() + self.others

    def loose(self) -> list[int]:
        """Return the values that form no areas, as those of borders and single pixels."""
        return [
            value for value, pixels in self.pixels.items() if self.solid[value] < _LOOSE * pixels
        ]


def levels_of(pool: ValuePool, *, is_color: bool) -> tuple[int, ...]:
    """Return the values that are classes in noisy masks.

    Noise are values that form no areas, between levels that are far apart.

    Args:
        pool: Values of the masks.
        is_color: True if they are colors.

    Returns:
        In ascending order; empty if the masks are not noisy, or their levels are unclear.
    """
    loose = set(pool.loose())
    if not loose and not (pool.is_lossy and len(pool.pixels) > 2):
        return ()
    scale = 1 if is_color else scale_of(pool.pixels)
    levels = _centers(pool, scale, is_color=is_color)
    if len(levels) < 2 or not _are_clear(pool, levels, scale, is_color=is_color):
        return ()
    is_border = is_undecided(pool) or pool.is_lossy
    is_stray = loose == pool.pixels.keys() - set(levels) and is_noise(pool, [*loose])
    return tuple(sorted(levels)) if is_border or is_stray else ()


def is_noise(pool: ValuePool, values: Sequence[int]) -> bool:
    """Return True if values without areas are too many or too rare to be classes of lines.

    Args:
        pool: Values of the masks.
        values: The values.
    """
    pixels = sum(pool.pixels[value] for value in values) + pool.others
    if not 0 < pixels <= _MAX_FAR * pool.total:
        return False
    return len(values) >= _MIN_LOOSE or pixels <= _MAX_STRAY * pool.total


def is_undecided(pool: ValuePool) -> bool:
    """Return True if most values are noise, or may be."""
    return len(pool.loose()) >= max(_MIN_LOOSE, len(pool.pixels) / 2)


def scale_of(values: Iterable[int]) -> int:
    """Return by how many of its steps a number differs from another by a gray level of 255."""
    return max(1, max(values, default=0) // 255)


def distances(
    values: NDArray[np.int64], levels: NDArray[np.int64], *, is_color: bool
) -> NDArray[np.int64]:
    """Return the distance of values from levels, shape (n, K).

    Args:
        values: Shape (n,).
        levels: Shape (K,).
        is_color: True if they are colors; then the largest difference of a channel counts.
    """
    if not is_color:
        apart: NDArray[np.int64] = np.abs(values[:, None] - levels)
        return apart
    channels = [
        np.abs((values >> shift & 0xFF)[:, None] - (levels >> shift & 0xFF))
        for shift in (0, 8, 16)
    ]
    largest: NDArray[np.int64] = np.stack(channels).max(axis=0)
    return largest


def _centers(pool: ValuePool, scale: int, *, is_color: bool) -> list[int]:
    """Return the most frequent values with areas, none of them near another."""
    centers: list[int] = []
    for value in sorted(pool.area, key=lambda value: (-pool.pixels[value], value)):
        one = np.array([value], np.int64)
        near = distances(one, np.array(centers, np.int64), is_color=is_color) <= RADIUS * scale
        if not near.any():
            centers.append(value)
    return centers


def _are_clear(pool: ValuePool, levels: list[int], scale: int, *, is_color: bool) -> bool:
    """Return True if levels are far apart, and the other values are few or near one of them."""
    centers = np.array(levels, np.int64)
    apart = distances(centers, centers, is_color=is_color)
    np.fill_diagonal(apart, np.iinfo(np.int64).max)
    if len(levels) > 1 and apart.min() < _MIN_GAP * scale:
        return False
    values = np.array([*pool.pixels], np.int64)
    pixels = np.array([*pool.pixels.values()], np.int64)
    apart = distances(values, centers, is_color=is_color)
    far = pixels[apart.min(axis=1) > RADIUS * scale].sum() + pool.others
    if far > _MAX_FAR * pool.total:
        return False
    owners = np.array([pool.pixels[level] for level in levels])[apart.argmin(axis=1)]
    areas = np.array([pool.solid[value] for value in pool.pixels])
    was_jpeg = pool.is_lossy or len(pool.loose()) >= _MIN_JPEG_VALUES
    minor = (_MINOR_JPEG if was_jpeg else _MINOR) * owners
    is_rival = (areas >= _FIRM * pixels) & (pixels > minor) & (apart.min(axis=1) > 0)
    return not is_rival.any()
