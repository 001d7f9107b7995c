"""A workspace with many runs: the first page is drawn once, not once for each of them."""

from __future__ import annotations

import pytest
from page_checks import show_in_window
from page_records import start_jobs
from pytestqt.qtbot import QtBot

from helpers.runs import fake_run
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.home.latest_runs import LATEST, LatestRuns
from studio.ui.pages.home.page import View

RUNS = 40


def test_many_runs_are_drawn_once(
    qtbot: QtBot, context: AppContext, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(RUNS):
        fake_run(workspace, f"run {number}", [0.5])
    shown: list[str] = []
    show = LatestRuns._show

    def counted(latest: LatestRuns, entry: RecordDocument) -> None:
        shown.append(entry.name)
        show(latest, entry)

    monkeypatch.setattr(LatestRuns, "_show", counted)
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    latest = view.findChild(LatestRuns)
    assert isinstance(latest, LatestRuns)
    qtbot.waitUntil(lambda: len(latest.cards) == LATEST, timeout=10_000)
    assert len(shown) <= 2 * LATEST
    fake_run(workspace, "newest", [0.5])
    qtbot.waitUntil(lambda: "newest" in shown, timeout=10_000)
    assert window.isVisible()
