"""Parts of a page: stack of pages, header, scrolled column, empty state."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from studio.ui.language import translated
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import Kind, push_button
from studio.ui.widgets.labels import IconLabel, TitleLabel
from studio.ui.widgets.layout import STRETCH, hbox, scrolled, text_label, vbox


class PageStack(QStackedWidget):
    """A `QStackedWidget` that does not choose a control for the focus.

    Qt gives the focus of the page that goes to the first control of the page that comes, which may
    be Stop or Delete, and shows an unwanted focus ring. Here the new page itself takes
    it: nothing is marked, and the Tab key begins at the first control.

    Args:
        parent: Owner.
        pages: The first pages.
    """

    def __init__(self, parent: QWidget | None = None, *pages: QWidget) -> None:
        super().__init__(parent)
        self.add_pages(*pages)

    def add_pages(self, *pages: QWidget) -> None:
        """Add pages; large ones are made with the stack as their parent, so that none moves."""
        for page in pages:
            self.addWidget(page)

    def minimumSizeHint(self) -> QSize:
        """Return the least width of the current page, and the height of the highest one."""
        least, page = super().minimumSizeHint(), self.currentWidget()
        if page is not None:
            least.setWidth(page.minimumSizeHint().expandedTo(page.minimumSize()).width())
        return least

    def setCurrentWidget(self, widget: QWidget) -> None:
        """Show another page."""
        focus = QApplication.focusWidget()
        before = self.currentWidget()
        if widget is not before:
            self.updateGeometry()
        moves = widget is not before and focus is not None and self.isAncestorOf(focus)
        super().setCurrentWidget(widget)
        if moves:
            widget.setFocus()

    def setCurrentIndex(self, index: int) -> None:
        """Show another page, by its number."""
        widget = self.widget(index)
        if widget is not None:
            self.setCurrentWidget(widget)


class ContentStack(PageStack):
    """The content of a page, or what to do while there is none; blank until that is known.

    Args:
        empty: Shown while there is no content.
        content: The content.
        parent: Owner.
    """

    def __init__(self, empty: QWidget, content: QWidget, parent: QWidget) -> None:
        super().__init__(parent, QWidget(parent), empty, content)

    def show_content(self, *, is_known: bool, is_empty: bool) -> None:
        """Show the content, or why there is none.

        Args:
            is_known: False while it is not known if there is content.
            is_empty: True if there is none.
        """
        self.setCurrentIndex(0 if not is_known else 1 if is_empty else 2)


PAGE_MARGINS: Final = (SPACE.xl, SPACE.l, SPACE.l, SPACE.l)
"""Pixels around the content of a page; a scroll bar may stand at the right."""


class PageHeader(QWidget):
    """Title and subtitle at the left, actions at the right."""

    def __init__(self, title: str, subtitle: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = TitleLabel(title, self, role="page")
        self._subtitle = text_label("", "muted", self, wraps=True)
        self._actions = hbox(spacing=SPACE.s)
        hbox(
            (vbox(self._title, self._subtitle, spacing=SPACE.xs), 1),
            self._actions,
            owner=self,
            spacing=SPACE.l,
        )
        self.set_title(title)
        self.set_subtitle(subtitle)

    def set_title(self, title: str) -> None:
        """Show another title; also the name for screen readers."""
        self._title.setText(title)
        self.setAccessibleName(title)

    def room_for_actions(self, min_title: int) -> int:
        """Return the pixels that actions can take beside the title.

        Args:
            min_title: Pixels of the title that must be seen, if it has as many.
        """
        title = min(self._title.sizeHint().width(), min_title)
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
        self.column = vbox(owner=inner, spacing=spacing, margins=(0, 0, SPACE.s, 0))
        scrolled(self, inner)

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
        self._picture = IconLabel(theme, icon, "muted", _PICTURE, self)
        self._title = text_label("", "section", self)
        self._text = text_label("", "muted", self, wraps=True)
        self._text.setMaximumWidth(_TEXT_WIDTH)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._actions = hbox(spacing=SPACE.s)
        self._lay_out()
        self.set_texts(title, text)

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
        # A row of its own and no alignment: only then is the text given the height it wraps to.
        row = hbox(STRETCH, (self._text, 100), STRETCH)
        self._actions.setAlignment(center)
        vbox(
            STRETCH,
            (self._picture, center),
            SPACE.xs,
            (self._title, center),
            row,
            SPACE.m,
            self._actions,
            STRETCH,
            owner=self,
            spacing=SPACE.s,
            margins=SPACE.xl,
        )
