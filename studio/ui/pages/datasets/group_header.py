"""The line above the datasets of a group, which folds them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count


class GroupHeader(QToolButton):
    """A button with the name of a group and the number of its datasets; checked while open.

    Args:
        theme: Colors of the icon.
        name: The group; empty for the datasets that are in none.
    """

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self._theme = theme
        self._whole = ""
        self.setProperty("kind", "quiet")
        self.setProperty("opener", True)
        self.setProperty("small", True)
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        explain(self, self.tr("Hides the datasets of this group, or shows them again."))
        self.toggled.connect(self._draw)
        self.set_count(0)

    def set_count(self, datasets: int) -> None:
        """Show how many datasets the group has."""
        name = self.name or self.tr("No group")
        self._whole = f"{name} · {count(datasets)}"
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten a name that does not fit."""
        super().resizeEvent(event)
        self._draw()

    def _draw(self) -> None:
        is_open = self.isChecked()
        # The padding of a tool button, and the gap between icon and text.
        room = self.width() - self.iconSize().width() - 2 * SPACE.s - SPACE.xs
        shown = elided(self.fontMetrics(), self._whole, room)
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(self._whole if shown != self._whole else "")
        text = self.tr("Group {what}. Hide") if is_open else self.tr("Group {what}. Show")
        self.setAccessibleName(text.format(what=self._whole))
        set_icon(self, "chevron-down" if is_open else "chevron-right", self._theme, "muted")
