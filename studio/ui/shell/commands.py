"""The window's own commands, as data; those of the pages are in their packages."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

from studio.ui.commands import Command, Reach
from studio.ui.navigation import OpenWorkspace
from studio.ui.pages import PAGES
from studio.ui.theme.theme import Mode

PALETTE: Final = Command(
    "window.palette",
    str(QT_TRANSLATE_NOOP("commands", "Search or run a command")),
    "search",
    "Ctrl+K; Ctrl+Shift+P",
)
WORKSPACE: Final = Command(
    "window.workspace",
    str(QT_TRANSLATE_NOOP("commands", "Open another workspace…")),
    "workspace",
    "Ctrl+Shift+O",
    intent=OpenWorkspace(),
    words=str(QT_TRANSLATE_NOOP("commands", "folder project new switch")),
)
THEMES: Final[dict[Mode, Command]] = {
    "light": Command(
        "theme.light",
        str(QT_TRANSLATE_NOOP("commands", "Light colors")),
        "sun",
        words=str(QT_TRANSLATE_NOOP("commands", "theme mode bright day")),
    ),
    "dark": Command(
        "theme.dark",
        str(QT_TRANSLATE_NOOP("commands", "Dark colors")),
        "moon",
        words=str(QT_TRANSLATE_NOOP("commands", "theme mode night")),
    ),
    "system": Command(
        "theme.system",
        str(QT_TRANSLATE_NOOP("commands", "Colors as the system has them")),
        "system-theme",
        words=str(QT_TRANSLATE_NOOP("commands", "theme mode automatic")),
    ),
}
EXPERT: Final = Command(
    "window.expert",
    str(QT_TRANSLATE_NOOP("commands", "Show all settings of forms, or a few")),
    "list",
    words=str(QT_TRANSLATE_NOOP("commands", "expert beginner more advanced")),
)
TOUR: Final = Command(
    "window.tour",
    str(QT_TRANSLATE_NOOP("commands", "Try the handwritten digits: a guided tour")),
    "hint",
    words=str(QT_TRANSLATE_NOOP("commands", "sample demo example start learn help")),
)
HELP: Final = Command(
    "window.help",
    str(QT_TRANSLATE_NOOP("commands", "Help for this page")),
    "help",
    "F1",
    words=str(QT_TRANSLATE_NOOP("commands", "manual documentation topics glossary how")),
)
WHATS_THIS: Final = Command(
    "window.whats_this",
    str(QT_TRANSLATE_NOOP("commands", "What is this? Then click anything")),
    "help",
    "Shift+F1",
    words=str(QT_TRANSLATE_NOOP("commands", "help explain tip")),
)
JOBS: Final = Command(
    "window.jobs",
    str(QT_TRANSLATE_NOOP("commands", "Show all jobs, or one")),
    "jobs",
    "Ctrl+J",
    words=str(QT_TRANSLATE_NOOP("commands", "queue tray running waiting")),
)
PAUSE_QUEUE: Final = Command(
    "window.pause_queue",
    str(QT_TRANSLATE_NOOP("commands", "Pause the queue")),
    "pause",
    words=str(QT_TRANSLATE_NOOP("commands", "jobs hold wait stop starting")),
)
RESUME_QUEUE: Final = Command(
    "window.resume_queue",
    str(QT_TRANSLATE_NOOP("commands", "Resume the queue")),
    "play",
    words=str(QT_TRANSLATE_NOOP("commands", "jobs continue release start")),
)
REMOVE_FAILED: Final = Command(
    "window.remove_failed",
    str(QT_TRANSLATE_NOOP("commands", "Move all failed jobs to the trash")),
    "trash",
    words=str(QT_TRANSLATE_NOOP("commands", "delete remove clean up errors runs")),
)
NEXT_PART: Final = Command(
    "window.next_part",
    str(QT_TRANSLATE_NOOP("commands", "Go to the next part of the window")),
    "forward",
    "F6",
    words=str(QT_TRANSLATE_NOOP("commands", "focus rail page tray keyboard")),
)
PART_BEFORE: Final = Command(
    "window.part_before",
    str(QT_TRANSLATE_NOOP("commands", "Go to the part of the window before")),
    "back",
    "Shift+F6",
    words=str(QT_TRANSLATE_NOOP("commands", "focus rail page tray keyboard")),
)
QUIT: Final = Command(
    "window.close",
    str(QT_TRANSLATE_NOOP("commands", "Close the window; jobs go on")),
    "close",
    "Ctrl+Q",
    words=str(QT_TRANSLATE_NOOP("commands", "quit exit leave")),
)
FIXED: Final = (
    Command(
        "fixed.next",
        str(QT_TRANSLATE_NOOP("commands", "Go to the next control, or the one before")),
        keys="Tab; Shift+Tab",
        reach=Reach.FIXED,
    ),
    Command(
        "fixed.press",
        str(QT_TRANSLATE_NOOP("commands", "Press a button or a card")),
        keys="Space; Return",
        reach=Reach.FIXED,
    ),
    Command(
        "fixed.choose",
        str(QT_TRANSLATE_NOOP("commands", "Move in a list, a table, a chart or among tabs")),
        keys="Up; Down; Left; Right",
        reach=Reach.FIXED,
    ),
    Command(
        "fixed.leave",
        str(QT_TRANSLATE_NOOP("commands", "Leave what is open")),
        keys="Esc",
        reach=Reach.FIXED,
    ),
)
OWN: Final = (
    *(PALETTE, WORKSPACE, TOUR, HELP, WHATS_THIS, *THEMES.values(), EXPERT, JOBS),
    *(PAUSE_QUEUE, RESUME_QUEUE, REMOVE_FAILED),
    *(NEXT_PART, PART_BEFORE, QUIT),
)

ALL_COMMANDS: Final = (
    *OWN,
    *(page.command for page in PAGES),
    *(command for page in PAGES for command in page.commands),
    *FIXED,
)
"""Every command, in the order in which they are listed."""
