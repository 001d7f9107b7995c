"""The pile of notices in the bottom right corner of a window."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.notice import NOTICE_WIDTH, Kind, Notice, NoticeCard

MOST: Final = 5


class NoticeStack(QWidget):
    """Shows notices over its parent, the newest at the bottom; covers nothing else.

    The same key never shows twice. Errors stay until they are closed; when there are more than
    `MOST`, the oldest that is not an error goes first.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bottom = 0
        self._cards: list[NoticeCard] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE.s)
        self._column.setAlignment(Qt.AlignmentFlag.AlignBottom)
        self.setAccessibleName(self.tr("Notices"))
        parent.installEventFilter(self)
        self.hide()

    def show_notice(self, notice: Notice) -> None:
        """Show a notice; one with the same key is replaced by it."""
        card = NoticeCard(self._theme, notice, self)
        self.dismiss(card.key)
        card.closed.connect(self.dismiss)
        self._cards.append(card)
        self._column.addWidget(card)
        while len(self._cards) > MOST:
            timed = [old for old in self._cards if old.is_timed] or self._cards
            self.dismiss(timed[0].key)
        self._place()

    def show_text(self, kind: Kind, text: str, hint: str = "", *, key: str = "") -> None:
        """Show a notice without a button."""
        self.show_notice(Notice(kind, text, hint, key))

    def show_error(self, error: StudioError, *, key: str = "") -> None:
        """Show what a user caused: the message, and what to do about it."""
        self.show_notice(Notice("error", error.message, error.hint, key))

    def dismiss(self, key: str) -> None:
        """Take away the notice of that key, if there is one."""
        for card in [card for card in self._cards if card.key == key]:
            self._cards.remove(card)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._place()

    def clear(self) -> None:
        """Take all notices away."""
        for key in self.keys():
            self.dismiss(key)

    def keys(self) -> list[str]:
        """The keys of what is shown, oldest first."""
        return [card.key for card in self._cards]

    def cards(self) -> list[NoticeCard]:
        """What is shown, oldest first."""
        return list(self._cards)

    def set_bottom_margin(self, pixels: int) -> None:
        """Stay clear of something at the bottom of the parent, such as the jobs tray."""
        self._bottom = pixels
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner when the parent changes its size."""
        if watched is self.parent() and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Grow and shrink with the text of the notices."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None or not self._cards:
            self.hide()
            return
        heights = [
            max(card.heightForWidth(NOTICE_WIDTH), card.minimumSizeHint().height())
            for card in self._cards
        ]
        height = sum(heights) + SPACE.s * (len(heights) - 1)
        self.resize(QSize(NOTICE_WIDTH, height))
        left = parent.width() - NOTICE_WIDTH - SPACE.l
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            left = SPACE.l
        self.move(QPoint(left, max(0, parent.height() - self._bottom - height - SPACE.l)))
        self.show()
        self.raise_()
