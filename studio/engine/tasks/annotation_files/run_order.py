"""Order of the pixels in run-length masks of COCO files, as the boxes beside them tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.coco_places import Corners, corners_of
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotation_files.reports import Tally
from studio.engine.tasks.annotation_files.rle import box_around, patch_of

_ROUNDING: Final = 2.0
"""Pixels by which a side of a box may differ from that of its mask: tools count differently."""
_EXAMINED: Final = 200
"""Masks whose edges are counted."""
_STRIPES: Final = 2.0
"""Edges of a mask in the wrong order, as a multiple of those in the right one, at least."""
_FEWEST_RUNS: Final = 8


class RunOrder:
    """Collects whether masks make sense column by column, as COCO writes, or row by row.

    NumPy flattens row by row. A mask has the order in which alone it fits its box, or else the one
    in which it is no pattern of stripes. The others have the order of most of these.
    """

    def __init__(self) -> None:
        self._rows = Tally()
        self._columns = 0
        self._unclear = 0
        self._examined = 0

    def is_by_rows(
        self,
        entry: Mapping[str, Any],
        place: str,
        size: tuple[int, int],
        runs: NDArray[np.int64],
    ) -> bool | None:
        """Return True for a mask whose runs are rows, False for columns, None if it is unclear.

        Args:
            entry: The whole annotation.
            place: Its name, for reports.
            size: Height and width of the picture.
            runs: Lengths of the runs.
        """
        found = _by_box(corners_of({"bbox": entry.get("bbox")}), size, runs)
        if found is None and self._examined < _EXAMINED:
            self._examined += 1
            found = _by_stripes(size, runs)
        if found is None:
            self._unclear += 1
        elif found:
            self._rows.add(place)
        else:
            self._columns += 1
        return found

    def patch(
        self, size: tuple[int, int], runs: NDArray[np.int64], *, is_by_rows: bool | None
    ) -> Patch:
        """Return the pixels of a mask, after all are compared.

        Args:
            size: Height and width of the picture.
            runs: Lengths of the runs.
            is_by_rows: What `is_by_rows` returned for it.
        """
        if not (self._are_rows if is_by_rows is None else is_by_rows):
            return patch_of(size, runs)
        turned = patch_of(size[::-1], runs)
        return Patch.of(turned.top, turned.left, turned.inside.T)

    @property
    def _are_rows(self) -> bool:
        return self._rows.count > self._columns

    def warnings(self) -> list[Text]:
        """Return a sentence about masks that are read row by row; nothing without any."""
        if not self._rows:
            return []
        return [
            message(
                "{count} RLE masks are read row by row, although COCO writes column by column: "
                "{clear} of them, such as {first}, fit their boxes or are no stripes in this way "
                "alone. Check in the preview that they lie on their objects.",
                one="The RLE mask of {first} is read row by row, although COCO writes column by "
                "column: it fits its box or is no stripes in this way alone. Check in the preview "
                "that it lies on its object.",
                count=self._rows.count + (self._unclear if self._are_rows else 0),
                clear=self._rows.count,
                first=self._rows.first,
            )
        ]


def _by_box(box: Corners | None, size: tuple[int, int], runs: NDArray[np.int64]) -> bool | None:
    """Return True if a mask fits its box row by row alone, False for column by column alone."""
    by_columns, by_rows = box_around(size, runs), box_around(size[::-1], runs)
    if box is None or by_columns is None or by_rows is None:
        return None
    top, left, bottom, right = by_rows
    fits = [
        bool((np.abs(np.subtract(box, sides)) <= _ROUNDING).all())
        for sides in (by_columns, (left, top, right, bottom))
    ]
    return fits[1] if fits[0] != fits[1] else None


def _by_stripes(size: tuple[int, int], runs: NDArray[np.int64]) -> bool | None:
    """Return True if a mask has far fewer edges row by row, False for column by column.

    The orders of a square differ in the axes alone.
    """
    if size[0] == size[1] or len(runs) < 2 * _FEWEST_RUNS:
        return None
    by_columns, by_rows = (_edges(patch_of(each, runs).inside) for each in (size, size[::-1]))
    if max(by_columns, by_rows) < _STRIPES * min(by_columns, by_rows):
        return None
    return by_rows < by_columns


def _edges(inside: NDArray[np.bool_]) -> int:
    """Return the number of sides of pixels between the inside and the outside of a mask."""
    padded = np.pad(inside, 1)
    return sum(int(np.count_nonzero(np.diff(padded, axis=axis))) for axis in (0, 1))
