"""The severity of a finding as a small picture, in the colors of the theme."""

from __future__ import annotations

from typing import Final, Literal

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.datasets.audit.findings import Severity
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, Role

Mark = Severity | Literal["done", "none"]

_ICONS: Final[dict[Mark, tuple[str, Role]]] = {
    "serious": ("error", "bad"),
    "warning": ("warning", "warn"),
    "info": ("info", "muted"),
    "done": ("success", "good"),
    "none": ("search", "muted"),
}


class SeverityIcon(QLabel):
    """An icon of its own shape and color for each severity, and for what is done."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        # What is shown.
        self.mark: Mark = "none"
        self.setFixedSize(QSize(ICON, ICON))
        theme.changed.connect(self._draw)
        self._draw()

    def set_mark(self, mark: Mark, name: str) -> None:
        """Show another one; `name` is its word, for those who do not see it."""
        self.mark = mark
        self.setToolTip(name)
        self.setAccessibleName(name)
        self._draw()

    def _draw(self) -> None:
        icon, role = _ICONS[self.mark]
        self.setPixmap(pixmap(icon, self._theme, role, ICON))
