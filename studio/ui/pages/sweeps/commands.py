"""What can be done with sweeps, as data."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

from studio.ui.commands import Command, Reach
from studio.ui.navigation import PlanSweep

_PAGE: Final = "sweeps"

EARLIER: Final = Command(
    "sweeps.earlier",
    str(QT_TRANSLATE_NOOP("commands", "Try the selected trial earlier")),
    keys="Alt+Up",
    page=_PAGE,
    reach=Reach.PART,
)
LATER: Final = Command(
    "sweeps.later",
    str(QT_TRANSLATE_NOOP("commands", "Try the selected trial later")),
    keys="Alt+Down",
    page=_PAGE,
    reach=Reach.PART,
)

COMMANDS: Final = (
    Command(
        "sweeps.new",
        str(QT_TRANSLATE_NOOP("commands", "New sweep")),
        "plus",
        words=str(QT_TRANSLATE_NOOP("commands", "search settings grid optuna create trials")),
        page=_PAGE,
        intent=PlanSweep(),
    ),
    EARLIER,
    LATER,
    Command(
        "sweeps.open",
        str(QT_TRANSLATE_NOOP("commands", "Open the selected trial")),
        keys="Return",
        page=_PAGE,
        reach=Reach.FIXED,
    ),
)
