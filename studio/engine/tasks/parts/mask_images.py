"""Masks as indexed PNG files, and their regions with run lengths."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import PixelClasses
from studio.engine.tasks.annotation_files.rle import encode, encode_changes
from studio.engine.tasks.annotations import IGNORE

MAX_CHANGES: Final = 2**23
"""Pixels of a large mask at most at which a region begins or ends, going down the columns."""
_UNSEEN: Final = (128, 128, 128)
"""Color of the pixels that have no class."""


def as_png(labels: PixelClasses, colors: Sequence[str]) -> str:
    """Return a mask as an indexed PNG file in base64.

    Args:
        labels: The class of each pixel, or `IGNORE`, shape (height, width).
        colors: Colors of the classes as "#rrggbb"; gray ones if there are none.
    """
    image = Image.fromarray(labels)
    image.putpalette(palette_of(colors))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return base64.b64encode(file.getvalue()).decode("ascii")


def palette_of(colors: Sequence[str]) -> bytes:
    """Return the 256 colors of an indexed PNG file, red, green and blue."""
    table = np.repeat(np.arange(IGNORE + 1, dtype=np.uint8)[:, None], 3, axis=1)
    for index, color in enumerate(colors):
        table[index] = tuple(bytes.fromhex(color.removeprefix("#")))
    table[IGNORE] = _UNSEEN
    return table.tobytes()


def regions_of(labels: PixelClasses) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield each class that occurs, and its pixels as in COCO: area, box and run lengths.

    Args:
        labels: The class of each pixel, or `IGNORE`, shape (height, width).
    """
    for label in np.unique(labels).tolist():
        inside = labels == label
        rows, columns = (np.flatnonzero(inside.any(axis=axis)).tolist() for axis in (1, 0))
        box = [columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1]
        yield label, {"area": int(inside.sum()), "bbox": box, "segmentation": encode(inside)}


def regions_of_strips(
    strips: Iterable[PixelClasses], size: tuple[int, int]
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the regions of a mask that does not fit into memory, see `regions_of`.

    Args:
        strips: Columns of the mask from left to right, each of shape (height, some columns).
        size: Width and height of the mask.

    Raises:
        OverflowError: It has more than `MAX_CHANGES`.
    """
    regions: dict[int, _LargeRegion] = {}
    left, count = 0, 0
    for strip in strips:
        for label in sorted({*np.unique(strip).tolist(), *regions}):
            region = regions.setdefault(label, _LargeRegion())
            count += region.add(strip == label, left)
        if count > MAX_CHANGES:
            raise OverflowError(count)
        left += strip.shape[1]
    for label, region in sorted(regions.items()):
        yield label, region.document(size)


class _LargeRegion:
    """The pixels of a class whose columns arrive from left to right."""

    def __init__(self) -> None:
        self._changes: list[NDArray[np.int64]] = []
        self._is_inside = False
        self._area = 0
        self._box: list[int] = []

    def add(self, inside: NDArray[np.bool_], left: int) -> int:
        """Add the next columns; return at how many pixels the region begins or ends.

        Args:
            inside: Shape (height, columns).
            left: Number of columns before these.
        """
        flat = inside.ravel(order="F")
        before = np.concatenate([[self._is_inside], flat[:-1]])
        changes = np.flatnonzero(flat != before)
        self._is_inside = bool(flat[-1])
        self._changes.append(changes + left * len(inside))
        self._area += int(flat.sum())
        rows, columns = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
        if len(rows):
            box = [left + columns[0], rows[0], left + columns[-1], rows[-1]]
            known = self._box or box
            self._box = [*map(min, known[:2], box[:2]), *map(max, known[2:], box[2:])]
        return len(changes)

    def document(self, size: tuple[int, int]) -> dict[str, object]:
        """Return the region as in COCO.

        Args:
            size: Width and height of the mask.
        """
        left, top, right, bottom = map(int, self._box)
        runs = encode_changes(size[::-1], np.concatenate(self._changes))
        box = [left, top, right - left + 1, bottom - top + 1]
        return {"area": self._area, "bbox": box, "segmentation": runs}
