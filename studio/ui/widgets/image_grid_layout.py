"""Where each cell of a grid of equal cells is: arithmetic, whatever the number of cells."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect

from studio.ui.theme.tokens import SPACE

PAD = SPACE.s
GAP = SPACE.xs


@dataclass(slots=True)
class GridLayout:
    """Cells in lines from left to right; all lengths in pixels.

    Attributes:
        thumb: Side of the square for the picture.
        caption: Height of the line under it.
        rows: How many cells.
        width: Width of the view.
    """

    thumb: int
    caption: int
    rows: int = 0
    width: int = 0

    @property
    def step_x(self) -> int:
        """From one cell to the next; what a line leaves over is shared by its gaps."""
        return max(self._least_step, (self.width - GAP) // self.columns)

    @property
    def step_y(self) -> int:
        """From one line to the next."""
        return self.thumb + self.caption + 2 * PAD + GAP

    @property
    def columns(self) -> int:
        """Cells in a line, at least one."""
        return max(1, (self.width - GAP) // self._least_step)

    @property
    def _least_step(self) -> int:
        return self.thumb + 2 * PAD + GAP

    @property
    def height(self) -> int:
        """Height of everything."""
        return -(-self.rows // self.columns) * self.step_y + GAP

    def cell(self, row: int) -> QRect:
        """The place of a cell, measured from the top of everything."""
        line, column = divmod(row, self.columns)
        return QRect(
            GAP + column * self.step_x,
            GAP + line * self.step_y,
            self.thumb + 2 * PAD,
            self.step_y - GAP,
        )

    def row_at(self, x: int, y: int) -> int:
        """The cell at a point, or -1."""
        column, line = (x - GAP) // self.step_x, (y - GAP) // self.step_y
        row = line * self.columns + column
        if not 0 <= column < self.columns or not 0 <= row < self.rows:
            return -1
        return row if self.cell(row).contains(x, y) else -1

    def span(self, top: int, bottom: int) -> tuple[int, int]:
        """The cells whose lines touch a range of heights, as start and stop."""
        first = max(0, (top - GAP) // self.step_y) * self.columns
        last = max(0, bottom // self.step_y + 1) * self.columns
        return min(first, self.rows), min(last, self.rows)

    def first_in_sight(self, top: int) -> int:
        """The first cell at or below a height."""
        return self.span(top + GAP, top + GAP)[0]

    def rows_in(self, rect: QRect) -> list[tuple[int, int]]:
        """The cells that a rectangle touches, as start and stop per line."""
        rect = rect.normalized()
        left = max(0, (rect.left() - GAP) // self.step_x)
        right = min(self.columns - 1, (rect.right() - GAP) // self.step_x)
        first, last = self.span(rect.top(), rect.bottom())
        spans = []
        for start in range(first, last, self.columns):
            begin, end = start + left, min(start + right + 1, self.rows)
            if begin < end and self.cell(begin).top() <= rect.bottom():
                spans.append((begin, end))
        return spans
