"""Rows and columns of widgets, given as their parts; labels with a role; scrolled content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

STRETCH: Final = None
"""A part that takes the room that is left."""
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, Qt.AlignmentFlag]
Box = TypeVar("Box", bound=QBoxLayout)
Margins = int | tuple[int, int, int, int] | None


def hbox(
    *parts: Part | None,
    owner: QWidget | None = None,
    spacing: int | None = None,
    margins: Margins = 0,
) -> QHBoxLayout:
    """Lay out parts from left to right; see `vbox`."""
    return fill(_set_up(QHBoxLayout(), owner, spacing, margins), *parts)


def vbox(
    *parts: Part | None,
    owner: QWidget | None = None,
    spacing: int | None = None,
    margins: Margins = 0,
) -> QVBoxLayout:
    """Lay out parts from top to bottom.

    Args:
        parts: Widgets and layouts, also with a stretch factor or an alignment; `STRETCH`; gaps in
            pixels.
        owner: The widget whose layout it becomes; None for a layout inside another one.
        spacing: Pixels between parts; None for those of the style.
        margins: Pixels around all, or at the left, top, right and bottom; None for the style's.
    """
    return fill(_set_up(QVBoxLayout(), owner, spacing, margins), *parts)


def text_label(
    text: str, role: str, parent: QWidget | None = None, *, wraps: bool = False
) -> QLabel:
    """Make a label in the look of a role of the style sheet, such as "muted" or "caption"."""
    label = QLabel(text, parent)
    label.setProperty("role", role)
    label.setWordWrap(wraps)
    return label


def scrolled(area: QScrollArea, inside: QWidget) -> None:
    """Show a widget in an area without a frame that scrolls up and down only."""
    inside.setProperty("plain", True)
    # Everything in it can be reached by itself; the area needs no focus of its own.
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)


def replace_widget(layout: QLayout, old: QWidget, new: QWidget) -> None:
    """Put a widget in the place of another one, which is deleted."""
    layout.replaceWidget(old, new)
    remove_widget(layout, old)


def remove_widget(layout: QLayout, widget: QWidget) -> None:
    """Delete a widget; it is gone from the screen at once."""
    layout.removeWidget(widget)
    widget.hide()
    widget.deleteLater()


def fill(box: Box, *parts: Part | None) -> Box:
    """Add parts to a row or a column; see `vbox`."""
    for part in parts:
        if part is STRETCH:
            box.addStretch(1)
        elif isinstance(part, int):
            box.addSpacing(part)
        else:
            item, extra = part if isinstance(part, tuple) else (part, 0)
            if isinstance(item, QLayout):
                box.addLayout(item, extra)
            elif isinstance(extra, Qt.AlignmentFlag):
                box.addWidget(item, 0, extra)
            else:
                box.addWidget(item, extra)
    return box


class Debounce(QTimer):
    """Calls a function once, a pause after the last `start`.

    Args:
        milliseconds: The pause; 0 is the next turn of the event loop.
        call: The function.
        parent: The owner.
    """

    def __init__(self, milliseconds: int, call: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self.setInterval(milliseconds)
        self.timeout.connect(call)


def _set_up(box: Box, owner: QWidget | None, spacing: int | None, margins: Margins) -> Box:
    if owner is not None:
        owner.setLayout(box)
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    return box
