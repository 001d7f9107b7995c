"""Three hundred classes: the window stays alive while they appear."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from page_checks import show_in_window
from page_records import add_dataset, picture_folder, start_jobs
from PySide6.QtCore import QObject, Qt, QTimer
from pytestqt.qtbot import QtBot

from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.page import View

CLASSES = 300
LATEST_MS = 150.0


class Lateness(QObject):
    """How late a timer of 16 ms comes, as far as this process is the cause.

    What another process took of the processor is not our doing: an interval counts at most as
    long as this process, with all its threads, was at work in it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self._last = self._worked = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(16)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self._last, self._worked = time.perf_counter(), time.process_time()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        self._tick()

    def _tick(self) -> None:
        now, worked = time.perf_counter(), time.process_time()
        passed = min(now - self._last, worked - self._worked + 0.016)
        self.late_ms.append(passed * 1000 - 16)
        self._last, self._worked = now, worked


def test_three_hundred_classes_open_without_blocking(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path
) -> None:
    few = add_dataset(workspace, "few", picture_folder(tmp_path / "few", {"a": 2, "b": 2}))
    counts = {f"kind {number:03}": 3 for number in range(CLASSES)}
    many = add_dataset(workspace, "many", picture_folder(tmp_path / "many", counts))
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    view.show_record(few.id)
    qtbot.waitUntil(lambda: len(view.panel.gallery.cards()) == 2, timeout=10_000)
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=10_000)
    lateness = Lateness()
    lateness.start()
    with qtbot.waitSignal(view.panel.gallery.filled, timeout=30_000):
        view.show_record(many.id)
    lateness.stop()
    cards = view.panel.gallery.cards()
    assert len(cards) == CLASSES
    assert all(len(card.mosaic.images()) == 3 for card in cards)
    worst = max(lateness.late_ms)
    assert worst < LATEST_MS, f"late by {np.sort(lateness.late_ms)[-5:].round()} ms"
    view.panel.gallery.search.setText("29")
    shown = [card.name for card in cards if not card.isHidden()]
    assert len(shown) == 13, "029, 129, 229 and 290 to 299"
    view.panel.gallery.search.setText("nothing of the kind")
    assert all(card.isHidden() for card in cards)
    lateness.late_ms.clear()
    lateness.start()
    view.show_record(few.id)
    qtbot.waitUntil(lambda: len(view.panel.gallery.cards()) == 2, timeout=5000)
    lateness.stop()
    assert max(lateness.late_ms) < LATEST_MS, "going away from it must not block either"
    assert window.isVisible()
