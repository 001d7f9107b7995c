"""A sweep from the form to its best trial, with real sweep runners, journals and locks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.sweep_workers import OUT_OF_MEMORY, launch
from helpers.sweeps import Stage
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.queue import JobQueue
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.pages.sweeps.page import View

SECONDS = 60_000


@pytest.fixture
def view(
    open_page: Callable[[], View],
    workspace: Workspace,
    dataset: Record,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[View]:
    """The page; runs are not trained, but all else of them is real."""
    monkeypatch.setattr(queue_module, "launch_worker", launch)
    yield open_page()
    Stage(workspace, JobQueue(workspace), dataset.id).end_everything()


def states(view: View) -> list[str]:
    table = view.panel.table
    return [texts[table.section("state")] for texts in table.texts()]


@pytest.mark.thorough
def test_a_sweep_from_the_form_to_its_best_trial(
    view: View, workspace: Workspace, qtbot: QtBot
) -> None:
    view.new_button.click()
    form = view.new_sweep
    qtbot.waitUntil(form.start_button.isEnabled, timeout=10_000)
    network = form.base.network_box
    network.setCurrentIndex(network.findData("mlp"))
    network.activated.emit(network.currentIndex())
    form.space.add_button.click()
    for row, text in zip(form.space.rows, ("0.1, 0.001", f"4, {OUT_OF_MEMORY}"), strict=True):
        row.values.clear()
        QTest.keyClicks(row.values, text)
    qtbot.waitUntil(lambda: "4 trials" in form.runs.text(), timeout=5000)
    qtbot.waitUntil(form.start_button.isEnabled, timeout=5000)
    form.start_button.click()

    qtbot.waitUntil(view.panel.isVisible, timeout=5000)
    qtbot.waitUntil(lambda: view.panel.badge.state == "completed", timeout=SECONDS)
    qtbot.waitUntil(
        lambda: states(view) == ["Completed", "Failed", "Completed", "Failed"], timeout=5000
    )
    sweep = workspace.find(RecordKind.SWEEP, "sweep")
    qtbot.waitUntil(lambda: _best(view, sweep) == (0,), timeout=5000)
    actions = view.panel.actions_of_trial
    assert "Learning rate 0.1, Batch size 4" in actions.about.text()
    assert actions.export_button.isEnabled()

    view.panel.table.select(1)
    actions.rerun_button.click()
    qtbot.waitUntil(lambda: view.panel.badge.state != "completed", timeout=SECONDS)
    qtbot.waitUntil(lambda: view.panel.badge.state == "completed", timeout=SECONDS)
    view.panel.actions_of_sweep.add_button.click()
    QTest.keyClicks(view.panel.add_values.space.rows[1].values, "8")
    view.panel.add_values.add_button.click()
    qtbot.waitUntil(lambda: states(view).count("Completed") == 4, timeout=SECONDS)
    assert states(view)[1] == "Failed"


def _best(view: View, sweep: Record) -> tuple[int, ...]:
    facts = view.monitor.facts(sweep.id)
    return () if facts is None else facts.best
