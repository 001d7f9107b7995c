"""The order in which the Tab key goes through a window: that of reading.

Qt's own order is that in which widgets were made, which parts that are made late, or that are laid
out in another order, do not follow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


@runtime_checkable
class HasFirstStops(Protocol):
    """A widget in which Tab goes to some controls first, wherever they are."""

    def first_stops(self) -> Sequence[QWidget]:
        """Return these controls."""


def move_focus(window: QWidget, *, forwards: bool) -> bool:
    """Give the focus to the next stop of the Tab key.

    Args:
        window: The window.
        forwards: False for the stop before.

    Returns:
        False if there is none.
    """
    order = list(_in_order(window))
    if not forwards:
        order.reverse()
    focus = QApplication.focusWidget()
    start = order.index(focus) + 1 if focus in order else 0
    target = next(filter(_is_stop, [*order[start:], *order[:start]]), None)
    if target is None:
        return False
    reasons = Qt.FocusReason
    target.setFocus(reasons.TabFocusReason if forwards else reasons.BacktabFocusReason)
    return True


def _is_stop(widget: QWidget) -> bool:
    takes_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return takes_tab and widget.isEnabled() and widget.focusProxy() is None


def _in_order(widget: QWidget) -> Iterator[QWidget]:
    """Yield a widget and all visible ones in it."""
    yield widget
    inside = [found for child in _children(widget) for found in _in_order(child)]
    if isinstance(widget, HasFirstStops):
        first = [each for each in widget.first_stops() if each in inside]
        inside = [*first, *(each for each in inside if each not in first)]
    yield from inside


def _children(widget: QWidget) -> list[QWidget]:
    """Return the visible children in the order of reading."""
    return _read(
        [
            each
            for each in widget.children()
            if isinstance(each, QWidget) and each.isVisible() and not each.isWindow()
        ]
    )


def _read(widgets: list[QWidget]) -> list[QWidget]:
    """Sort widgets: from top to bottom where they are in lines, else from left to right."""
    for first, end in ((_top, _bottom), (_left, _right)):
        groups: list[list[QWidget]] = []
        reach = -math.inf
        for each in sorted(widgets, key=first):
            if first(each) >= reach:
                groups.append([])
            groups[-1].append(each)
            reach = max(reach, end(each))
        if len(groups) > 1:
            return [each for group in groups for each in _read(group)]
    return sorted(widgets, key=lambda each: (each.y(), each.x()))  # they lie over each other


def _top(widget: QWidget) -> int:
    return widget.y()


def _bottom(widget: QWidget) -> int:
    return widget.y() + widget.height()


def _left(widget: QWidget) -> int:
    return widget.x()


def _right(widget: QWidget) -> int:
    return widget.x() + widget.width()
