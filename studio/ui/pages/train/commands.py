"""What can be done with runs, as data."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

from studio.ui.commands import Command, Reach
from studio.ui.navigation import ListRuns, PlanRun

_PAGE: Final = "train"

RENAME: Final = Command(
    "train.rename",
    str(QT_TRANSLATE_NOOP("commands", "Rename the selected run")),
    keys="F2",
    page=_PAGE,
    reach=Reach.PART,
)
DELETE: Final = Command(
    "train.delete",
    str(QT_TRANSLATE_NOOP("commands", "Move the selected runs to the trash")),
    keys="Del",
    page=_PAGE,
    reach=Reach.PART,
)

COMMANDS: Final = (
    Command(
        "train.new",
        str(QT_TRANSLATE_NOOP("commands", "New run")),
        "plus",
        "Ctrl+N",
        words=str(QT_TRANSLATE_NOOP("commands", "train training start learn create")),
        page=_PAGE,
        intent=PlanRun(),
    ),
    Command(
        "train.all",
        str(QT_TRANSLATE_NOOP("commands", "All runs in a table")),
        "table",
        words=str(QT_TRANSLATE_NOOP("commands", "compare list columns trainings")),
        page=_PAGE,
        intent=ListRuns(),
    ),
    RENAME,
    DELETE,
    Command(
        "train.none",
        str(QT_TRANSLATE_NOOP("commands", "Select no run")),
        keys="Ctrl+D",
        page=_PAGE,
        reach=Reach.FIXED,
    ),
    Command(
        "train.others",
        str(QT_TRANSLATE_NOOP("commands", "Select all other runs")),
        keys="Ctrl+I",
        page=_PAGE,
        reach=Reach.FIXED,
    ),
    Command(
        "train.open",
        str(QT_TRANSLATE_NOOP("commands", "Open the selected run")),
        keys="Return",
        page=_PAGE,
        reach=Reach.FIXED,
    ),
)
