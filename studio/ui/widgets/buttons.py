"""Buttons in the kinds that the style sheet knows."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, ICON_SMALL, Role

Kind = Literal["normal", "primary", "quiet", "danger"]
_ICON_ROLES: dict[Kind, Role] = {
    "normal": "text",
    "primary": "on_accent",
    "quiet": "text",
    "danger": "bad",
}


def push_button(
    text: str,
    theme: Theme,
    *,
    kind: Kind = "normal",
    icon: str = "",
    parent: QWidget | None = None,
) -> QPushButton:
    """A button with a word; at most one `primary` per view."""
    button = QPushButton(text, parent)
    button.setProperty("kind", kind)
    button.setAutoDefault(False)
    if icon:
        set_icon(button, icon, theme, _ICON_ROLES[kind])
        button.setIconSize(QSize(ICON_SMALL, ICON_SMALL))
    return button


def icon_button(
    icon: str, name: str, theme: Theme, *, role: Role = "muted", parent: QWidget | None = None
) -> QToolButton:
    """A quiet button with an icon alone; `name` is its tooltip and its accessible name."""
    button = QToolButton(parent)
    button.setProperty("kind", "quiet")
    button.setToolTip(name)
    button.setAccessibleName(name)
    set_icon(button, icon, theme, role)
    button.setIconSize(QSize(ICON, ICON))
    # A tool button takes no focus by default; without it the keyboard cannot reach it.
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
