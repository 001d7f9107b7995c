"""A button with the values that a field can have; several are ticked one after another."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme


class _StayingMenu(QMenu):
    """A menu that stays open while its entries are ticked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tick what is under the pointer."""
        # None beside all entries, which the stubs do not say.
        action: QAction | None = self.actionAt(event.position().toPoint())
        if action is not None:
            action.trigger()
        else:
            super().mouseReleaseEvent(event)


class ChoiceMenu(QToolButton):
    """Opens the list of values; hidden where a field has no list.

    Signals:
        ticked: The values that are ticked now, a list in the order of the menu.
    """

    ticked = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._menu = _StayingMenu(self)
        self._menu.triggered.connect(self._on_triggered)
        self.setProperty("kind", "quiet")
        self.setToolTip(self.tr("Choose from a list"))
        self.setAccessibleName(self.tr("Choose from a list"))
        set_icon(self, "list", theme, "muted")
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer these values, each as it is written and as it is called; none hides the button."""
        self._menu.clear()
        for value, label in choices:
            action = QAction(label, self._menu)
            action.setData(value)
            action.setCheckable(True)
            self._menu.addAction(action)
        self.setVisible(bool(choices))

    def tick(self, values: Sequence[str]) -> None:
        """Tick these values, and no others."""
        for action in self._menu.actions():
            action.setChecked(action.data() in values)

    def _on_triggered(self, _action: QAction) -> None:
        ticked = [each.data() for each in self._menu.actions() if each.isChecked()]
        self.ticked.emit(ticked)
