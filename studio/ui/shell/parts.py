"""The parts of the window, and how the keyboard goes from one to the next."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget


class Parts(QObject):
    """Rail, top bar, page and tray; each gives the focus back where it was when it was left.

    Args:
        window: The window.
        parts: Its parts, in the order in which they are gone through.
    """

    def __init__(self, window: QMainWindow, parts: Sequence[QWidget]) -> None:
        super().__init__(window)
        self.window = window
        self._parts = list(parts)
        self._left_at: dict[QWidget, QWidget] = {}

    def go_on(self) -> None:
        """Give the focus to the next part that can be seen."""
        self._go(1)

    def go_back(self) -> None:
        """Give the focus to the part before."""
        self._go(-1)

    def current(self) -> QWidget | None:
        """The part that has the focus, or None."""
        focus = QApplication.focusWidget()
        return next((part for part in self._parts if focus and part.isAncestorOf(focus)), None)

    def _go(self, step: int) -> None:
        here = self.current()
        focus = QApplication.focusWidget()
        if here is not None and focus is not None:
            self._left_at[here] = focus
        start = self._parts.index(here) if here is not None else -1 if step > 0 else 0
        for distance in range(1, len(self._parts) + 1):
            part = self._parts[(start + step * distance) % len(self._parts)]
            target = self._target(part)
            if part.isVisible() and target is not None:
                reason = Qt.FocusReason.TabFocusReason
                target.setFocus(reason if step > 0 else Qt.FocusReason.BacktabFocusReason)
                return

    def _target(self, part: QWidget) -> QWidget | None:
        """Where the part had the focus, else its first control."""
        left = self._left_at.get(part)
        if left is not None and _takes_focus(left) and part.isAncestorOf(left):
            return left
        # The chain of focus is the order of the Tab key; it goes round the whole window.
        each = part.nextInFocusChain()
        while each is not None and each is not part:
            if part.isAncestorOf(each) and _takes_focus(each):
                return each
            each = each.nextInFocusChain()
        return None


def _takes_focus(widget: QWidget) -> bool:
    return (
        widget.isVisible()
        and widget.isEnabled()
        and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    )
