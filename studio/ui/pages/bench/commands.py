"""What can be done with benchmarks, as data."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

from studio.ui.commands import Command
from studio.ui.navigation import PlanBenchmark

COMMANDS: Final = (
    Command(
        "bench.new",
        str(QT_TRANSLATE_NOOP("commands", "New benchmark")),
        "plus",
        words=str(QT_TRANSLATE_NOOP("commands", "speed device batch size measure create")),
        page="bench",
        intent=PlanBenchmark(),
    ),
)
