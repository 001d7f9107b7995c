"""A column that scrolls when it is taller than the page, with room kept for the scroll bar."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from studio.ui.theme.tokens import SPACE


class ScrollColumn(QScrollArea):
    """Widgets from top to bottom in `column`.

    Signals:
        room_changed: The width that the widgets have, in pixels. It does not depend on whether
            there is a scroll bar, so that nothing moves, or swings to and fro, when it comes.
    """

    room_changed = Signal(int)

    def __init__(self, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        inner = QWidget(self)
        inner.setProperty("plain", "true")
        self.column = QVBoxLayout(inner)
        self.column.setContentsMargins(0, 0, SPACE.s, 0)
        self.column.setSpacing(spacing)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Everything in it can be reached by itself; the frame needs no focus of its own.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the scroll bar's room free while it is not there; tell how much is left."""
        super().resizeEvent(event)
        bar = self.verticalScrollBar().sizeHint().width()
        taken = self.width() - self.viewport().width()
        self.column.setContentsMargins(0, 0, SPACE.s + max(0, bar - taken), 0)
        self.column.activate()  # at once: waiting for the next turn would show it narrow for that
        self.room_changed.emit(self.width() - bar - SPACE.s)
