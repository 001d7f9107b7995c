"""The classes, labels or quantities of a dataset as a table with a bar or a histogram for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.table import ROW_HEIGHT, Table
from studio.ui.widgets.table_model import FILL, Column, FigureCell

_BAR_HEIGHT = 10
_HISTOGRAM_ROW = 44
_MOST_ROWS = 12
FAILED = "bad"
"""Stands for a color of the palette in `OutputLine.parts`."""


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A class, a label or a quantity.

    Attributes:
        name: Its name.
        cells: Numbers, for the columns behind the bar.
        summary: The whole line as a sentence.
        parts: Colors and lengths of the parts of its bar.
        histogram: Heights of the bars of its histogram, shown in place of the bar.
    """

    name: str
    cells: tuple[FigureCell, ...]
    summary: str
    parts: tuple[tuple[str, float], ...] = ()
    histogram: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputLines:
    """A table.

    Attributes:
        headings: Headings of the name, the bar and the cells.
        lines: One for each output, in their order.
        sorted_by: Column that the table is sorted by at first, descending; None as they come.
    """

    headings: tuple[str, ...]
    lines: list[OutputLine] = field(default_factory=list)
    sorted_by: int | None = 2


class OutputTable(Table[OutputLine]):
    """All outputs of a dataset."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", (), parent, key=attrgetter("name"), max_rows=_MOST_ROWS)
        self._theme = theme

    @property
    def chosen(self) -> int:
        """Number of the selected output; -1 for none."""
        return self.number(self.selected[0].name) if self.selected else -1

    def number(self, name: str) -> int:
        """Return the number of an output."""
        return [line.name for line in self.content.rows].index(name)

    def show_lines(self, shown: OutputLines) -> None:
        """Show other outputs, sorted as before."""
        name, bar, *others = shown.headings
        self.setAccessibleName(name)
        lengths = (sum(length for _, length in line.parts) for line in shown.lines)
        paint = partial(_paint_bar, self._theme, max(lengths, default=1.0) or 1.0)
        is_high = any(line.histogram for line in shown.lines)
        self.set_row_height(_HISTOGRAM_ROW if is_high else ROW_HEIGHT)
        usual = [] if shown.sorted_by is None else [(str(shown.sorted_by), True)]
        self.content.set_usual_sort(usual)
        summary = attrgetter("summary")
        columns: list[Column[OutputLine]] = [
            Column(
                name,
                attrgetter("name"),
                value=attrgetter("name"),
                key="0",
                cell_tip=summary,
                is_text=True,
            ),
            Column(bar, lambda _line: "", key="1", width=FILL, cell_tip=summary, paint=paint),
            *(
                Column(
                    heading,
                    partial(_text, at),
                    value=partial(_value, at),
                    key=str(at + 2),
                    cell_tip=summary,
                    is_descending=True,
                )
                for at, heading in enumerate(others)
            ),
        ]
        self.show_rows(shown.lines, columns)


def _text(at: int, line: OutputLine) -> str:
    return line.cells[at].text


def _value(at: int, line: OutputLine) -> float | str | None:
    return line.cells[at].value


def _paint_bar(
    theme: Theme,
    largest: float,
    painter: QPainter,
    option: QStyleOptionViewItem,
    line: OutputLine,
) -> None:
    """Paint the parts of a bar side by side, or a histogram."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    area = option.rect.adjusted(SPACE.s, SPACE.xs, -SPACE.s, -SPACE.xs)
    left, middle = float(area.left()), area.center().y()
    for color, length in line.parts:
        paint = QColor(theme.palette.bad if color == FAILED else color)
        width = area.width() * length / largest
        painter.fillRect(QRectF(left, middle - _BAR_HEIGHT / 2, width, _BAR_HEIGHT), paint)
        left += width
    most, wide = max(line.histogram, default=0), area.width() / max(1, len(line.histogram))
    for index, number in enumerate(line.histogram):
        if number:
            tall = max(1.0, number / most * area.height())
            bar = QRectF(left + index * wide, area.bottom() + 1 - tall, wide - 1, tall)
            painter.fillRect(bar, theme.color("accent"))
