"""What can be done with settings, as data."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

from studio.ui.commands import Command
from studio.ui.navigation import OpenSettings

SHORTCUTS: Final = "shortcuts"
"""Name of the group with the list of shortcuts."""

COMMANDS: Final = (
    Command(
        "settings.shortcuts",
        str(QT_TRANSLATE_NOOP("commands", "Keyboard shortcuts")),
        "keyboard",
        "Ctrl+Shift+K",
        words=str(QT_TRANSLATE_NOOP("commands", "keys hotkeys change list")),
        page="settings",
        intent=OpenSettings(SHORTCUTS),
    ),
    Command(
        "settings.defaults",
        str(QT_TRANSLATE_NOOP("commands", "Defaults of new runs")),
        "settings",
        words=str(QT_TRANSLATE_NOOP("commands", "epochs batch size device optimizer preferences")),
        page="settings",
        intent=OpenSettings("runs"),
    ),
    Command(
        "settings.caches",
        str(QT_TRANSLATE_NOOP("commands", "Caches and what they take on the disk")),
        "settings",
        words=str(QT_TRANSLATE_NOOP("commands", "empty clear space memory weights downloads")),
        page="settings",
        intent=OpenSettings("caches"),
    ),
)
