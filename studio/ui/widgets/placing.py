"""Places for a floating widget where it covers neither a primary button nor the focus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

_CONTROL_HEIGHT: Final = 80
"""Pixels; a list or a canvas is higher, and may be covered in part."""


def primary_buttons(area: QWidget, floating: QWidget) -> list[QRect]:
    """Return the visible parts of the primary buttons in an area.

    Args:
        area: Widget whose descendants are searched.
        floating: Descendant of the area whose own buttons do not count.

    Returns:
        Rectangles in the coordinates of the area, in pixels.
    """
    buttons = (
        each
        for each in _visible_widgets(area, floating)
        if isinstance(each, QAbstractButton) and each.property("kind") == "primary"
    )
    return [part for each in buttons if not (part := _visible_part(each, area)).isEmpty()]


def _visible_widgets(area: QWidget, floating: QWidget) -> Iterator[QWidget]:
    """Yield the visible descendants; hidden pages, with most of the widgets, are skipped."""
    for child in area.children():
        if isinstance(child, QWidget) and child.isVisible() and child is not floating:
            yield child
            yield from _visible_widgets(child, floating)


def focused_control(area: QWidget, floating: QWidget) -> list[QRect]:
    """Return the visible part of the control that has the focus; none if it is large.

    Args:
        area: Widget whose descendants count.
        floating: Descendant of the area whose own controls do not count.
    """
    widget = QApplication.focusWidget()
    is_control = widget is not None and widget.height() <= _CONTROL_HEIGHT
    if widget is None or not is_control or not area.isAncestorOf(widget):
        return []
    part = _visible_part(widget, area)
    return [] if floating.isAncestorOf(widget) or part.isEmpty() else [part]


def _visible_part(widget: QWidget, area: QWidget) -> QRect:
    """Return what its ancestors do not clip, in the coordinates of the area."""
    part = QRect(widget.mapTo(area, QPoint(0, 0)), widget.size())
    ancestor = widget.parentWidget()
    while ancestor is not None and not part.isEmpty():
        part &= QRect(ancestor.mapTo(area, QPoint(0, 0)), ancestor.size())
        if ancestor is area:
            break
        ancestor = ancestor.parentWidget()
    return part


def free_rect(
    size: QSize, room: QRect, obstacles: Sequence[QRect], *, gap: int, is_mirrored: bool = False
) -> QRect:
    """Return the best place that overlaps no obstacle, else the one that overlaps least.

    The lower corner at the end of a line is preferred, then the upper one, then places beside the
    obstacles in the same column; then the columns at the start and in the middle.

    Args:
        size: Size of the floating widget, in pixels.
        room: Space in which it has to lie.
        obstacles: Rectangles to keep free.
        gap: Pixels between the widget and an obstacle.
        is_mirrored: True if lines run from right to left.
    """
    start, end = room.left(), room.right() + 1 - size.width()
    middle = (start + end) // 2
    columns = (start, end, middle) if is_mirrored else (end, start, middle)
    lowest = max(room.top(), room.bottom() + 1 - size.height())
    beside = [
        row
        for each in obstacles
        for row in (each.top() - gap - size.height(), each.bottom() + 1 + gap)
        if room.top() <= row <= lowest
    ]
    rows = (lowest, room.top(), *beside)
    places = (QRect(QPoint(left, top), size) for left, top in product(columns, rows))
    return min(places, key=lambda place: _covered(place, obstacles))


def _covered(place: QRect, obstacles: Sequence[QRect]) -> int:
    """Return how many square pixels of the obstacles a place covers."""
    parts = (place & each for each in obstacles)
    return sum(part.width() * part.height() for part in parts if not part.isEmpty())
