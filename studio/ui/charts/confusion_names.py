"""The names beside a confusion matrix: as many as there is room for."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.names import TAILS

_NAMED = 13
"""Pixels of a cell from which a name stands beside it."""
_LONGEST = 96
_CENTER = int(Qt.AlignmentFlag.AlignCenter.value)
_RIGHT = int((Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter).value)
_LEFT = int((Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value)


@dataclass(frozen=True, slots=True)
class NameRoom:
    """Where cells and names are, in pixels.

    Attributes:
        area: The cells, a square.
        left: Room for the names of rows; 0 where they are left out.
        top: Room for the names of columns; 0 where they are left out.
        upright: Whether the names of columns fit above them without being turned.
    """

    area: QRectF
    left: float
    top: float
    upright: bool


def room_for(names: list[str], whole: QSize, metrics: QFontMetrics, margin: int = 0) -> NameRoom:
    """Divide a widget: names of rows and columns if cells stay large enough, or fewer.

    Args:
        names: Of the classes.
        whole: Of the widget.
        metrics: Of its font.
        margin: Pixels that are left free at the right and at the bottom.
    """
    size = whole - QSize(margin, margin)
    line = metrics.height()
    # Of thousands of names none is shown: no need to measure them.
    longest = max((metrics.horizontalAdvance(name) for name in names[:100]), default=0)
    longest = min(longest, _LONGEST, size.width() // 3)
    across = min(longest, size.height() // 3)
    choices = ((longest, line, True), (longest, across, False), (longest, 0, False))
    for left, top, upright in choices:
        area = _square(size, left + line + SPACE.s, top + line + SPACE.xs, len(names))
        cell = area.width() / max(1, len(names))
        if cell >= _NAMED and (not upright or longest + SPACE.xs <= cell):
            return NameRoom(area, left, top, upright)
    return NameRoom(
        _square(size, line + SPACE.xs, line + SPACE.xs, len(names)), 0, 0, upright=False
    )


def paint_names(
    painter: QPainter, room: NameRoom, names: list[str], theme: Theme, line: int
) -> None:
    """Paint the names for which there is room, and what rows and columns are."""
    area = room.area
    size = area.width() / max(1, len(names))
    painter.setPen(QColor(theme.palette.text))
    for at, name in enumerate(names if room.left else []):
        row = QRectF(line + SPACE.xs, area.top() + at * size, room.left, size)
        painter.drawText(row, _RIGHT | TAILS, _elided(painter, name, room.left))
    for at, name in enumerate(names if room.top else []):
        left = area.left() + at * size
        if room.upright:
            column = QRectF(left, area.top() - line - 2, size, line)
            painter.drawText(column, _CENTER | TAILS, name)
            continue
        painter.save()
        painter.translate(left, area.top() - SPACE.xs)
        painter.rotate(-90)
        turned = QRectF(0, 0, room.top, size)
        painter.drawText(turned, _LEFT | TAILS, _elided(painter, name, room.top))
        painter.restore()
    painter.setPen(QColor(theme.palette.muted))
    across = QRect(int(area.left()), 0, int(area.width()), line)
    painter.drawText(across, _LEFT, _elided(painter, _tr("Predicted class"), area.width()))
    painter.save()
    painter.translate(0, area.bottom())
    painter.rotate(-90)
    down = QRect(0, 0, int(area.height()), line)
    painter.drawText(down, _RIGHT, _elided(painter, _tr("True class"), area.height()))
    painter.restore()


def _square(size: QSize, left: float, top: float, classes: int) -> QRectF:
    side = max(1.0, min(size.width() - left, size.height() - top) - 1.0)
    if side > classes > 0:
        side = float(int(side) // classes * classes)  # all cells alike
    return QRectF(left, top, side, side)


def _elided(painter: QPainter, name: str, room: float) -> str:
    return elided(painter.fontMetrics(), name, room)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ConfusionView", text)
