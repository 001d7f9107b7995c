"""The training page with runs that are there already, and its form."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    styles,
    unexplained_buttons,
)
from page_records import add_dataset, add_run
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone, StepsDone, TrainingBegan, ValidationDone
from studio.engine.training.plan import STARTING_WEIGHTS, TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage, PlanRun
from studio.ui.pages.train.dashboard.charts import STEP, TRAIN, VAL
from studio.ui.pages.train.dashboard.details import plan_lines
from studio.ui.pages.train.page import View
from studio.ui.theme.theme import Theme

Open = Callable[[], View]


def in_sight(view: View, widget: object) -> bool:
    return view.stack.currentWidget() is widget


def test_an_empty_workspace_says_what_to_do(
    open_page: Open, context: AppContext, qtbot: QtBot
) -> None:
    view = open_page()
    assert in_sight(view, view.empty)
    assert not view.new_button.isEnabled()
    assert view.new_button.toolTip()
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        view.empty.findChildren(type(view.new_button))[0].click()
    assert requested.args == [OpenPage("datasets")]


def test_with_data_and_no_run_a_run_is_planned(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    add_dataset(workspace, "shapes", shapes, width=32, height=32, val_percent=25, test_percent=0)
    view = open_page()
    assert in_sight(view, view.new_run)
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    plan = view.new_run.plan()
    assert plan is not None
    assert plan.network == "lenet"
    assert view.new_run.name.edit.text() == "lenet-shapes"
    assert "30" in view.new_run.forecast._steps.text()


def test_a_network_that_does_not_take_the_images_says_why(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    add_dataset(workspace, "tiny", shapes, width=28, height=28)
    view = open_page()
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    networks = view.new_run.networks
    qtbot.waitUntil(lambda: bool(networks.reasons.get("alexnet", "")), timeout=5000)

    assert "28x28" in networks.reasons.get("alexnet", "")
    item = networks.box.model().index(networks.box.findData("alexnet"), 0)
    assert not networks.box.model().flags(item) & Qt.ItemFlag.ItemIsEnabled
    assert networks.reasons.get("lenet", "") == ""
    assert networks.reasons.get("mobilenet_v2", "") == "", "images are enlarged for its weights"


def test_what_stands_against_a_plan_is_shown_before_it_starts(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    add_dataset(workspace, "shapes", shapes, val_percent=0, test_percent=0)
    view = open_page()
    forecast = view.new_run.forecast
    qtbot.waitUntil(lambda: "validation" in forecast._advice.text(), timeout=5000)
    view.new_run.cards.form.set_values({"batch_size": 4096})
    view.new_run.cards.form.changed.emit()
    qtbot.waitUntil(lambda: "4096" in forecast._advice.text(), timeout=5000)


def test_a_taken_name_is_refused_beside_the_name(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes, width=32, height=32)
    add_run(workspace, "mine", dataset.id, [0.5])
    view = open_page()
    view.new_button.click()
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    view.new_run.name.edit.selectAll()
    QTest.keyClicks(view.new_run.name.edit, "Mine")
    view.new_run.train_button.click()
    problem = view.new_run.name.problem
    qtbot.waitUntil(lambda: "already taken" in problem.text(), timeout=5000)
    assert view.new_run.train_button.isEnabled()
    assert len(workspace.records(RecordKind.RUN)) == 1


def test_a_run_is_drawn_as_its_journal_grows(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot, context: AppContext
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    run = add_run(workspace, "mine", dataset.id, [0.5, 0.75], State.PAUSED)
    view = open_page()
    board = view.dashboard
    assert in_sight(view, board)
    assert list(board.charts.metric_chart.curve_data(VAL)[1]) == [0.5, 0.75]
    append_events(
        run,
        [
            StepsDone(
                first=1,
                last=2,
                metrics={"loss": [2.0, 1.5], "accuracy": [0.1, 0.2]},
                learning_rate=0.1,
                images_per_second=9,
            ),
            ValidationDone(
                epoch=2.5,
                step=5,
                metrics={"val_loss": 0.4, "val_accuracy": 0.7},
                learning_rate=0.1,
            ),
            EpochDone(
                epoch=3,
                step=6,
                metrics={"loss": 0.3, "accuracy": 0.8, "val_loss": 0.2, "val_accuracy": 0.9},
                learning_rate=0.1,
                seconds=1,
                images_per_second=9,
                is_best=True,
            ),
        ],
    )
    qtbot.waitUntil(lambda: len(board.charts.loss.curve_data(TRAIN)[0]) == 3, timeout=5000)
    assert list(board.charts.loss.curve_data(STEP)[0]) == [0.5, 1.0]
    assert list(board.charts.loss.curve_data(STEP)[1]) == [2.0, 1.5]
    assert list(board.charts.metric_chart.curve_data(VAL)[1]) == [0.5, 0.75, 0.7, 0.9]
    assert board.details.table.model().rowCount() == 3


def test_a_restarted_run_is_redrawn(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    run = add_run(workspace, "mine", dataset.id, [0.5, 0.75], State.PAUSED)
    view = open_page()
    frame = TrainingBegan(
        epochs=2,
        steps_per_epoch=2,
        train_images=64,
        val_images=16,
        parameters=1,
        trainable_parameters=1,
        backend="tensorflow",
        device="cpu",
    )
    append_events(run, [StateChanged(state=State.RUNNING, attempt=2), frame])
    charts = view.dashboard.charts
    qtbot.waitUntil(lambda: len(charts.loss.curve_data(TRAIN)[0]) == 0, timeout=5000)


@pytest.mark.parametrize("state", [State.FAILED, State.LOST, State.STOPPED])
def test_how_a_run_ended_and_what_can_be_done(
    state: State, open_page: Open, workspace: Workspace, shapes: Path
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    run = add_run(workspace, "mine", dataset.id, [0.5], State.PAUSED)
    append_events(run, [StateChanged(state=state, reason="A reason.", hint="A hint.")])
    board = open_page().dashboard
    assert board.badge.state == state.value
    is_bad = state != State.STOPPED
    assert board._reason.isVisibleTo(board) == is_bad
    words = board._reason.text() if is_bad else board._line.text()
    assert words.endswith("A reason. A hint.")
    assert board.run_actions.resume_button.isVisibleTo(board)
    assert not board.run_actions.stop_button.isVisibleTo(board)
    assert not board.run_actions.predict_button.isEnabled()


@pytest.mark.parametrize(
    ("seconds", "ends", "words"),
    [(0.1, False, ""), (90, False, "1 min 30 s so far"), (90, True, "took 1 min 30 s")],
)
def test_the_time_of_a_run_is_shown_once_known(
    open_page: Open,
    workspace: Workspace,
    shapes: Path,
    seconds: float,
    ends: bool,
    words: str,
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    plan = TrainingPlan(dataset=dataset.id, network="mlp")
    run = workspace.create(RecordKind.RUN, "mine", plan.to_json())
    now = time.time()
    states = [(State.STARTING, now - seconds), (State.RUNNING, now - seconds)]
    states += [(State.STOPPED, now)] if ends else []
    append_events(run, [StateChanged(state=state, t=at) for state, at in states])
    line = open_page().dashboard._line.text().replace("\N{NO-BREAK SPACE}", " ")
    assert re.sub(r"3\d s", "30 s", words) in re.sub(r"3\d s", "30 s", line)
    assert " 0 s" not in f" {line}"


def test_a_clone_has_the_plan_of_its_model(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    plan = TrainingPlan(
        dataset=dataset.id,
        network="mlp",
        epochs=7,
        optimizer="sgd",
        optimizer_options={"momentum": 0.9},
        seed=3,
    )
    run = workspace.create(RecordKind.RUN, "mine", plan.to_json())
    append_events(run, [StateChanged(state=State.STOPPED)])
    view = open_page()
    view.dashboard.run_actions.clone_button.click()
    assert in_sight(view, view.new_run)
    assert view.new_run.plan() == plan


@pytest.mark.thorough
def test_a_clone_uses_the_copy_of_a_deleted_weights_file(
    open_page: Open, workspace: Workspace, shapes: Path, tmp_path: Path
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    plan = TrainingPlan(dataset=dataset.id, network="mlp", weights=str(tmp_path / "gone.h5"))
    run = workspace.create(RecordKind.RUN, "mine", plan.to_json())
    append_events(run, [StateChanged(state=State.STOPPED)])
    copy = run.folder / STARTING_WEIGHTS
    copy.write_bytes(b"weights")
    view = open_page()
    view.dashboard.run_actions.clone_button.click()
    assert view.new_run.cards.pretrained.weights.source == str(copy)
    view.new_run.cards.pretrained.weights.set_source("")
    view.open(PlanRun(copy_of=run.id))
    assert view.new_run.cards.pretrained.weights.source == str(copy)
    view.all_button.click()
    entry = view.context.jobs.get(RecordKind.RUN, run.id)
    assert entry is not None
    view.table.acts.set_entries([entry])
    view.table.acts.clone.trigger()
    assert view.new_run.cards.pretrained.weights.source == str(copy)


@pytest.mark.thorough
def test_a_clone_leaves_the_version_of_its_dataset_behind(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    other = add_dataset(workspace, "other", shapes)
    plan = TrainingPlan(dataset=dataset.id, dataset_version=0)
    run = workspace.create(RecordKind.RUN, "mine", plan.to_json())
    append_events(run, [StateChanged(state=State.STOPPED)])
    view = open_page()
    view.dashboard.run_actions.clone_button.click()
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    assert view.new_run.plan() == plan
    view.new_run.choose_dataset(other.id)
    assert view.new_run.plan() == plan.changed(dataset=other.id, dataset_version=None)


@pytest.mark.thorough
def test_a_deleted_run_can_be_brought_back(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot, context: AppContext
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    add_run(workspace, "mine", dataset.id, [0.5])
    view = open_page()
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=5000) as text:
        view.dashboard.run_actions.delete_button.click()
    qtbot.waitUntil(lambda: not context.jobs.entries(RecordKind.RUN), timeout=5000)
    assert in_sight(view, view.new_run)
    assert text.args is not None
    text.args[0].action()
    qtbot.waitUntil(lambda: len(context.jobs.entries(RecordKind.RUN)) == 1, timeout=5000)


def test_it_fits_the_smallest_window_and_every_control_has_a_name(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot, theme: Theme
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    add_run(workspace, "a run with quite a long name, as people give them", dataset.id, [0.5, 0.9])
    view = open_page()
    for show in (view._show_new, view.show_start):
        show()
        qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
        assert fits_smallest_window(view)
        assert nameless_controls(view) == []
        assert unexplained_buttons(view) == []
        assert cut_buttons(view) == []
    pictures = styles(view, theme)
    assert lightness(pictures["light"]) > lightness(pictures["dark"]) + 0.3


def test_a_run_that_was_just_asked_for_is_shown_when_it_is_known(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    view = open_page()
    plan = TrainingPlan(dataset=dataset.id)
    run = workspace.create(RecordKind.RUN, "later", plan.to_json())
    view.show_record(run.id)
    view.context.jobs.wake()
    qtbot.waitUntil(lambda: in_sight(view, view.dashboard), timeout=5000)
    assert view.dashboard.badge.state == "queued"


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_run_that_comes_while_another_is_selected_is_shown_only_if_asked_for(
    open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot, is_shown: bool
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    first = add_run(workspace, "first", dataset.id, [0.5], State.LOST)
    view = open_page()
    view.show_record(first.id)
    run = workspace.create(RecordKind.RUN, "later", TrainingPlan(dataset=dataset.id).to_json())
    if is_shown:
        view.show_record(run.id)
    asked: list[str] = []
    view.list.chosen.connect(asked.append)
    with qtbot.waitSignal(view.context.jobs.changed, timeout=5000):
        view.context.jobs.wake()
    assert view.dashboard.entry is not None
    assert view.dashboard.entry.name == ("later" if is_shown else "first")
    assert view.list.selected_entries() == [view.dashboard.entry]
    assert asked == [], "the user has not clicked"


@pytest.mark.parametrize(("epochs", "text"), [(1.0, "1 epoch"), (2.0, "2 epochs")])
def test_the_plan_counts_epochs(epochs: float, text: str) -> None:
    plan = TrainingPlan(dataset="digits", validation_interval_epochs=epochs)
    lines = plan_lines(plan, "digits").splitlines()
    assert any(line.endswith(f"\t{text}") for line in lines)
