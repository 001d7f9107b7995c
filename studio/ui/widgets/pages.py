"""Parts of a page: stack of pages, header, scrolled column, empty state."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.ui.language import translated
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import Kind, push_button
from studio.ui.widgets.labels import ElidedLabel


class PageStack(QStackedWidget):
    """A `QStackedWidget` that does not choose a control for the focus.

    Qt gives the focus of the page that goes to the first control of the page that comes, which may
    be Stop or Delete, and shows an unwanted focus ring. Here the new page itself takes
    it: nothing is marked, and the Tab key begins at the first control.
    """

    def setCurrentWidget(self, widget: QWidget) -> None:
        """Show another page."""
        focus = QApplication.focusWidget()
        before = self.currentWidget()
        moves = widget is not before and focus is not None and self.isAncestorOf(focus)
        super().setCurrentWidget(widget)
        if moves:
            widget.setFocus()

    def setCurrentIndex(self, index: int) -> None:
        """Show another page, by its number."""
        widget = self.widget(index)
        if widget is not None:
            self.setCurrentWidget(widget)


_LEAST_TITLE: Final = 120
"""Pixels that a title keeps beside the actions, if it has as many."""


class PageHeader(QWidget):
    """Title and subtitle at the left, actions at the right."""

    def __init__(self, title: str, subtitle: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel(title, self)
        self._title.setProperty("role", "page")
        self._subtitle = QLabel(self)
        self._subtitle.setProperty("role", "muted")
        self._subtitle.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        words.addWidget(self._title)
        words.addWidget(self._subtitle)
        self._actions = QHBoxLayout()
        self._actions.setSpacing(SPACE.s)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addLayout(words, 1)
        row.addLayout(self._actions)
        self.set_title(title)
        self.set_subtitle(subtitle)

    def set_title(self, title: str) -> None:
        """Show another title; also the name for screen readers."""
        self._title.setText(title)
        self._title.setMinimumWidth(min(self._title.sizeHint().width(), _LEAST_TITLE))
        self.setAccessibleName(title)

    def room_for_actions(self, least_title: int) -> int:
        """Return the pixels that actions can take beside the title.

        Args:
            least_title: Pixels of the title that must be seen, if it has as many.
        """
        title = min(self._title.sizeHint().width(), least_title)
        return self.width() - title - SPACE.l

    def set_subtitle(self, subtitle: str) -> None:
        """Show another line under the title; an empty one takes no room."""
        self._subtitle.setText(subtitle)
        self._subtitle.setVisible(bool(subtitle))

    def add_action(self, widget: QWidget) -> None:
        """Add a button (or any widget) at the right end."""
        self._actions.addWidget(widget)


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
        """Reserve the scroll bar's width while it is hidden; return the remaining width."""
        super().resizeEvent(event)
        bar = self.verticalScrollBar().sizeHint().width()
        taken = self.width() - self.viewport().width()
        self.column.setContentsMargins(0, 0, SPACE.s + max(0, bar - taken), 0)
        self.column.activate()  # at once: waiting for the next turn would show it narrow for that
        self.room_changed.emit(self.width() - bar - SPACE.s)


_PICTURE = 48
_TEXT_WIDTH = 420


class EmptyState(QWidget):
    """An icon, a title, a sentence and buttons, in the middle of the room it gets."""

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._picture = QLabel(self)
        self._picture.setFixedSize(QSize(_PICTURE, _PICTURE))
        self._title = QLabel(self)
        self._title.setProperty("role", "section")
        self._text = QLabel(self)
        self._text.setProperty("role", "muted")
        self._text.setWordWrap(True)
        self._text.setFixedWidth(_TEXT_WIDTH)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._actions = QHBoxLayout()
        self._actions.setSpacing(SPACE.s)
        self._lay_out()
        theme.changed.connect(self._draw)
        self.set_texts(title, text)
        self._draw()

    def set_texts(self, title: str, text: str) -> None:
        """Set the texts.

        Args:
            title: Title.
            text: Explanation.
        """
        self._title.setText(title)
        self._text.setText(translated(text))
        self.setAccessibleName(title)
        self.setAccessibleDescription(self._text.text())

    def add_action(self, text: str, *, kind: Kind = "normal", icon: str = "") -> QPushButton:
        """Add a button and return it.

        Args:
            text: Its text.
            kind: Its style.
            icon: Name of its icon; empty for none.
        """
        button = push_button(text, self._theme, kind=kind, icon=icon, parent=self)
        button.setWhatsThis(self._text.text())
        button.setAccessibleDescription(self._text.text())
        self._actions.addWidget(button)
        return button

    def _lay_out(self) -> None:
        center = Qt.AlignmentFlag.AlignHCenter
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.s)
        column.addStretch(1)
        column.addWidget(self._picture, 0, center)
        column.addSpacing(SPACE.xs)
        column.addWidget(self._title, 0, center)
        # A row of its own and no alignment: only then is the text given the height it wraps to.
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._text)
        row.addStretch(1)
        column.addLayout(row)
        column.addSpacing(SPACE.m)
        column.addLayout(self._actions)
        self._actions.setAlignment(center)
        column.addStretch(1)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap(self._icon, self._theme, "muted", _PICTURE))
