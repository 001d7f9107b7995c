"""Order of the pixels in run-length masks of COCO files, as the boxes beside them tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotation_files.reports import Tally
from studio.engine.tasks.annotation_files.rle import box_around, patch_of
from studio.engine.tasks.annotation_files.values import number_in

_ROUNDING: Final = 2.0
"""Pixels by which a side of a box may differ from that of its mask: tools count differently."""


class RunOrder:
    """Collects whether masks fit their boxes column by column, as COCO writes, or row by row.

    NumPy flattens row by row. A mask whose box fits one order alone has that one, and the others
    have the order of most of these.
    """

    def __init__(self) -> None:
        self._rows = Tally()
        self._columns = 0
        self._unclear = 0

    def is_by_rows(
        self,
        entry: Mapping[str, Any],
        place: str,
        size: tuple[int, int],
        runs: NDArray[np.int64],
    ) -> bool | None:
        """Compare a mask with its box; return None if both orders fit, or neither.

        Args:
            entry: The whole annotation.
            place: Its name, for reports.
            size: Height and width of the picture.
            runs: Lengths of the runs.
        """
        values = entry.get("bbox")
        box = [number_in(value) for value in values] if isinstance(values, list) else []
        by_columns, by_rows = box_around(size, runs), box_around(size[::-1], runs)
        if len(box) == 4 and by_columns and by_rows:
            left, top, width, height = box
            corners = np.array([left, top, left + width, top + height])
            fits = [
                bool((np.abs(corners - sides) <= _ROUNDING).all())
                for sides in (by_columns, np.array(by_rows)[[1, 0, 3, 2]])
            ]
            if fits == [False, True]:
                self._rows.add(place)
                return True
            if fits == [True, False]:
                self._columns += 1
                return False
        self._unclear += 1
        return None

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
                "{clear} of them, such as {first}, fit their boxes in this way alone. Check in "
                "the preview that they lie on their objects.",
                one="The RLE mask of {first} is read row by row, although COCO writes column by "
                "column: it fits its box in this way alone. Check in the preview that it lies on "
                "its object.",
                count=self._rows.count + (self._unclear if self._are_rows else 0),
                clear=self._rows.count,
                first=self._rows.first,
            )
        ]
