"""Buttons in the kinds that the style sheet knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, Role
from studio.ui.widgets.tips import explain, name_control

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
    tip: str = "",
    on_click: Callable[[], object] | None = None,
) -> QPushButton:
    """Make a button with a text.

    Args:
        text: Its text, a verb.
        theme: Colors of the icon.
        kind: Its look; at most one button of a view is `primary`.
        icon: Name of the icon; empty for none.
        parent: Its owner.
        tip: Explanation in one line: tooltip, "What's this?" and text for screen readers.
        on_click: A bound method that is called on every click.
    """
    button = QPushButton(text, parent)
    button.setProperty("kind", kind)
    button.setAutoDefault(False)
    if tip:
        explain(button, tip)
    if on_click is not None:
        button.clicked.connect(on_click)
    if icon:
        set_icon(button, icon, theme, _ICON_ROLES[kind])
    return button


class _OneClick(QObject):
    """Drops the second press of a double click."""

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Return True for the second press; its release then clicks nothing."""
        return event.type() == QEvent.Type.MouseButtonDblClick


def click_once(button: QPushButton) -> None:
    """Let a double click count as one click: what is under the pointer then is something new."""
    button.installEventFilter(_OneClick(button))


def icon_button(
    icon: str,
    name: str,
    theme: Theme,
    *,
    role: Role = "muted",
    parent: QWidget | None = None,
    on_click: Callable[[], object] | None = None,
) -> QToolButton:
    """Make a quiet button with an icon alone.

    Args:
        icon: Name of the icon.
        name: Tooltip and accessible name.
        theme: Colors of the icon.
        role: Color of the icon.
        parent: Its owner.
        on_click: A bound method that is called on every click.
    """
    button = QToolButton(parent)
    if on_click is not None:
        button.clicked.connect(on_click)
    button.setProperty("kind", "quiet")
    name_control(button, name)
    set_icon(button, icon, theme, role)
    button.setIconSize(QSize(ICON, ICON))
    # A tool button takes no focus by default; without it the keyboard cannot reach it.
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class OpenerButton(QToolButton):
    """A quiet button with a text that opens and closes what is below it while it is checked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setProperty("kind", "quiet")
        self.setProperty("opener", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
