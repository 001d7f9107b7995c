"""Pausing, resuming, another rate, saving now and more epochs, from the dashboard of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_records import add_dataset, add_run
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.jobs.commands import CommandReader, JobCommand
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training.history import Saved
from studio.engine.training.parts import RESUME_FILE
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trainers import trainer_of
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import PlanSweep
from studio.ui.pages.train.dashboard.dashboard import RunActions
from studio.ui.pages.train.page import View

Open = Callable[[], View]


@pytest.fixture
def run(workspace: Workspace, shapes: Path) -> Record:
    """A run that trains, as far as its journal says."""
    dataset = add_dataset(workspace, "shapes", shapes)
    return add_run(workspace, "mine", dataset.id, [0.5], State.RUNNING)


def _requested(qtbot: QtBot, listener: CommandReader) -> JobCommand:
    found: list[JobCommand] = []

    def requested() -> bool:
        found.extend(listener.poll())
        return bool(found)

    qtbot.waitUntil(requested, timeout=5000)
    return found[0]


def test_a_run_that_trains_is_paused_saved_and_slowed_down(
    run: Record, open_page: Open, qtbot: QtBot
) -> None:
    actions = open_page().dashboard.run_actions
    listener = CommandReader(run.folder, 1, interval=0)
    steering = actions.steering

    steering.save_action.trigger()
    assert _requested(qtbot, listener).command == "save"

    steering.rate_action.trigger()
    assert steering.ask_rate.isVisible()
    steering.ask_rate.field.setText("0.005")
    steering.ask_rate.ok_button.click()
    assert not steering.ask_rate.isVisible()
    command = _requested(qtbot, listener)
    assert (command.command, command.value) == ("rate", 0.005)

    assert not steering.extend_action.isEnabled()
    assert steering.extend_action.toolTip()
    actions.pause_button.click()
    assert not actions.pause_button.isEnabled()
    assert _requested(qtbot, listener).command == "pause"


@pytest.mark.parametrize(
    ("typed", "said"), [("fast", "received “fast”"), ("11", "received 11"), ("-1", "received -1")]
)
def test_invalid_rates_are_reported(
    typed: str, said: str, run: Record, open_page: Open, context: AppContext, qtbot: QtBot
) -> None:
    steering = open_page().dashboard.run_actions.steering
    context.background.failed.connect(context.navigator.show_failure)  # as the main window does
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=5000) as text:
        steering.ask_rate.given.emit(typed)

    assert said in text.args[0].text
    assert CommandReader(run.folder, 1, interval=0).poll() == []


def _ended(run: Record, state: State, *, saved: bool) -> None:
    (run.folder / RESUME_FILE).write_bytes(b"something")
    said = [Saved(step=2, epoch=1.0)] if saved else []
    append_events(run, [*said, StateChanged(state=state, reason="So it was.")])


def test_tips_promise_no_checkpoint_for_a_fit_that_begins_again(
    run: Record, open_page: Open
) -> None:
    dashboard = open_page().dashboard
    entry, actions = dashboard.entry, dashboard.run_actions
    assert entry is not None
    assert entry.record.id == run.id
    plan = entry.plan
    assert isinstance(plan, TrainingPlan)
    fitted = plan.model_copy(update={"head_solver": "ridge"})
    assert not trainer_of(fitted).resumes
    assert trainer_of(plan).resumes
    assert "Saves a checkpoint" in actions.pause_button.toolTip()
    entry.plan = fitted

    actions.show_run(entry)

    for button in (actions.pause_button, actions.stop_button, actions.resume_button):
        assert "no checkpoints" in button.toolTip()
        assert "no checkpoints" in button.whatsThis()


def test_a_paused_run_is_resumed(run: Record, open_page: Open, qtbot: QtBot) -> None:
    _ended(run, State.PAUSED, saved=True)
    actions = open_page().dashboard.run_actions
    _is_offered(actions, "Resume")

    job = Job(run)

    def has_started() -> bool:  # its state may have changed again: it has nothing to resume from
        job.refresh()
        return job.history.attempt == 2

    actions.resume_button.click()

    qtbot.waitUntil(has_started, timeout=10_000)


def test_one_of_which_nothing_was_saved_trains_again(run: Record, open_page: Open) -> None:
    _ended(run, State.FAILED, saved=False)

    _is_offered(open_page().dashboard.run_actions, "Train again")


def test_a_finished_run_gets_more_epochs(run: Record, open_page: Open, qtbot: QtBot) -> None:
    _ended(run, State.COMPLETED, saved=True)
    actions = open_page().dashboard.run_actions
    assert not actions.resume_button.isVisibleTo(actions)
    assert not actions.steering.save_action.isEnabled()
    job = Job(run)
    job.refresh()
    before = job.history.attempt

    def has_started() -> bool:
        job.refresh()
        return job.history.attempt == before + 1

    actions.steering.extend_action.trigger()
    actions.steering.ask_epochs.field.setText("4")
    actions.steering.ask_epochs.field.returnPressed.emit()

    qtbot.waitUntil(has_started, timeout=10_000)
    assert job.history.changes == {"epochs": 5}


def test_a_run_leads_to_a_sweep_of_its_settings(
    run: Record, open_page: Open, context: AppContext, qtbot: QtBot
) -> None:
    _ended(run, State.COMPLETED, saved=True)
    steering = open_page().dashboard.run_actions.steering
    with qtbot.waitSignal(context.navigator.open_requested) as asked:
        steering.sweep_action.trigger()
    assert asked.args == [PlanSweep(run.id)]


def _is_offered(actions: RunActions, word: str) -> None:
    assert actions.resume_button.isVisibleTo(actions)
    assert actions.resume_button.text() == word
