"""The bars beside a confusion matrix: recall of each row, precision of each column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLocale, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, mix
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.names import apart

_LENGTH = 36
"""Pixels of a bar that is full."""
_WRONG = 0.5
"""How much of its color what is missing has, as a mistake in the matrix."""
_LEAST = 240
"""A smaller widget is left to the cells."""
_THICK = 10
_APART = 6
"""Pixels of a row from which bars stand apart."""


@dataclass(frozen=True, slots=True)
class MarginShare:
    """What one bar says.

    Attributes:
        value: 0 to 1.
        images: Of how many images; with none there is no bar.
        interval: From where to where the value may be, or None where that is not known.
    """

    value: float
    images: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Margins:
    """The bars of the shown classes, in the order of the matrix.

    Attributes:
        recall: Of the true classes, C.
        precision: Of the predicted classes, C.
    """

    recall: Sequence[MarginShare]
    precision: Sequence[MarginShare]

    def describe(self, names: Sequence[str], cell: tuple[int, int]) -> str:
        """A bar in a sentence; `cell` is the one behind the last of its row or column."""
        row, column = cell
        if row < len(self.recall):
            return _sentence(
                _tr("“{name}”: recall {share} of {images} images of the class"),
                names[row],
                self.recall[row],
            )
        return _sentence(
            _tr("“{name}”: precision {share} of {images} images taken for it"),
            names[column],
            self.precision[column],
        )


def room_of(width: int, height: int, line: int) -> int:
    """Pixels that the bars take at the right, and at the bottom; 0 where there is no room."""
    return _LENGTH + line + 2 * SPACE.xs if min(width, height) >= _LEAST else 0


def bar_track(area: QRectF, cell: tuple[int, int], classes: int) -> QRectF:
    """Where the bar of a row is (column `classes`), or that of a column (row `classes`)."""
    row, column = cell
    size = area.width() / max(1, classes)
    if row < classes:
        return QRectF(area.right() + SPACE.xs, area.top() + row * size, _LENGTH, size)
    return QRectF(area.left() + column * size, area.bottom() + SPACE.xs, size, _LENGTH)


def is_beside(area: QRectF, point: QPointF) -> tuple[bool, bool]:
    """Whether a point is among the bars of the rows, and among those of the columns."""
    rows = QRectF(area.right() + SPACE.xs, area.top(), _LENGTH, area.height())
    columns = QRectF(area.left(), area.bottom() + SPACE.xs, area.width(), _LENGTH)
    return rows.contains(point), columns.contains(point)


def weakest(shares: Sequence[MarginShare], span: slice) -> int:
    """Of some bars the shortest: where many share a pixel, the one to look at."""
    places = range(*span.indices(len(shares)))
    known = [place for place in places if shares[place].images] or list(places)
    return min(known, key=lambda place: shares[place].value)


def paint_margins(painter: QPainter, area: QRectF, margins: Margins, theme: Theme) -> None:
    """Paint both rows of bars, and what they are."""
    line = painter.fontMetrics().height()
    _paint_bars(painter, area, margins.recall, theme, of_rows=True)
    _paint_bars(painter, area, margins.precision, theme, of_rows=False)
    painter.setPen(QColor(theme.palette.muted))
    away = SPACE.xs + _LENGTH + SPACE.xs
    across = QRect(int(area.left()), int(area.bottom() + away), int(area.width()), line)
    painter.drawText(across, Qt.AlignmentFlag.AlignLeft, _tr("Precision"))
    painter.save()
    painter.translate(area.right() + away, area.bottom())
    painter.rotate(-90)
    up = QRect(0, 0, int(area.height()), line)
    painter.drawText(up, Qt.AlignmentFlag.AlignRight, _tr("Recall"))
    painter.restore()


def _paint_bars(
    painter: QPainter, area: QRectF, shares: Sequence[MarginShare], theme: Theme, *, of_rows: bool
) -> None:
    if not shares:
        return
    # As the cells: where there are more classes than pixels, the weakest of a block stands for it.
    block = math.ceil(len(shares) / max(1, int(area.width())))
    blocks = math.ceil(len(shares) / block)
    palette = theme.palette
    right, wrong = QColor(palette.accent), QColor(mix(palette.surface, palette.bad, _WRONG))
    for place in range(blocks):
        share = shares[weakest(shares, slice(place * block, (place + 1) * block))]
        if not share.images:
            continue
        cell = (place, blocks) if of_rows else (blocks, place)
        track = bar_track(area, cell, blocks)
        thick = track.height() if of_rows else track.width()
        inset = max(thick / 5, (thick - _THICK) / 2) if thick >= _APART else 0.0
        if of_rows:
            track.adjust(0, inset, 0, -inset)
        else:
            track.adjust(inset, 0, -inset, 0)
        painter.fillRect(track, wrong)
        # Down, so that nothing but all is full.
        length = float(int(_LENGTH * min(1.0, max(0.0, share.value))))
        if of_rows:
            track.setWidth(length)
        else:
            track.setHeight(length)
        painter.fillRect(track, right)


def _sentence(pattern: str, name: str, share: MarginShare) -> str:
    if not share.images:
        return _tr("“{name}”: no images").format(name=apart(name))
    value = percent(share.value)
    if share.interval is not None:
        low, high = share.interval
        span = f"{QLocale().toString(low * 100, 'f', 1)} – {percent(high)}"
        value = _tr("{value} (95 % interval {span})").format(value=value, span=span)
    return pattern.format(name=apart(name), share=value, images=count(share.images))


def _tr(text: str) -> str:
    return QCoreApplication.translate("ConfusionView", text)
