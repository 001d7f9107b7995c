"""What a training takes, measured on the form of a new run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_records import add_dataset, began
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.compute.rate_finder import rising_rates, smoothed
from studio.engine.jobs.commands import COMMANDS_FILE
from studio.engine.jobs.events import Event, ProgressMade, StateChanged
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import (
    LargestBatch,
    Memory,
    PreflightPlan,
    PreflightReport,
    RateCurve,
    Throughput,
)
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.navigation import PlanRun
from studio.ui.pages.train.page import View
from studio.ui.pages.train.plan.new_run import NewRun
from studio.ui.pages.train.plan.preflight import PreflightCard
from studio.ui.widgets.figures import count

GB = 10**9


def report(*, find_rate: bool = False) -> PreflightReport:
    rates = [float(rate) for rate in rising_rates(60)]
    losses = [2.3 if rate < 1e-4 else 2.3 - 0.4 * (at - 22) / 10 for at, rate in enumerate(rates)]
    curve = RateCurve(
        rates=tuple(rates),
        losses=tuple(losses),
        smoothed=tuple(float(loss) for loss in smoothed(losses)),
        suggestion=0.0042,
        steepest=0.0042,
        tenth=0.01,
        reason="0.0042, because the loss decreases fastest there.",
    )
    throughput = Throughput(
        step_seconds=0.02,
        steps=50,
        images_per_second=1600,
        validation_seconds=0.5,
        startup_seconds=6,
        compile_seconds=2,
        epoch_seconds=30,
        run_seconds=308,
    )
    return PreflightReport(
        batch_size=32,
        epochs=10,
        steps_per_epoch=1500,
        device="CPU, 2 cores",
        throughput=throughput,
        memory=Memory(
            device="machine", used_bytes=2 * GB, image_bytes=1e6, free_bytes=8 * GB, total_bytes=GB
        ),
        largest=LargestBatch(size=512, limit="memory", how="run", text="512 images (so)"),
        rate=curve if find_rate else None,
        notes=("Other programs used 80% of the processors meanwhile.",),
        seconds=12,
    )


def add_preflight(
    workspace: Workspace,
    dataset: str,
    *,
    find_rate: bool = False,
    state: State = State.COMPLETED,
    plan: TrainingPlan | None = None,
) -> Record:
    training = (plan or TrainingPlan(dataset=dataset)).changed(dataset_version=0)
    asked = PreflightPlan(training=training, find_rate=find_rate)
    name = workspace.unused_name(RecordKind.PREFLIGHT, "shapes")
    record = workspace.create(RecordKind.PREFLIGHT, name, asked.to_json())
    report(find_rate=find_rate).write(record.folder)
    events: list[Event] = [ProgressMade(done=40, total=100, what="Timing steps")]
    if state != State.RUNNING:
        events.append(StateChanged(state=state, reason="No space."))
    append_events(record, [*began(), *events])
    return record


@pytest.fixture
def dataset(workspace: Workspace, shapes: Path) -> Record:
    return add_dataset(workspace, "shapes", shapes, width=32, height=32, val_percent=25)


def form_of(open_page: Callable[[], View], qtbot: QtBot) -> NewRun:
    view = open_page()
    view.open(PlanRun())
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    return view.new_run


def test_nothing_is_shown_until_something_was_measured(
    open_page: Callable[[], View], dataset: Record, qtbot: QtBot
) -> None:
    assert dataset.id
    card = form_of(open_page, qtbot).preflight

    assert card.measure_button.isEnabled()
    assert card.rate_button.isEnabled()
    assert "Estimates time" in card.text.text()
    assert not card.figures.isVisible()
    assert not card.search.isVisible()
    assert not card.cancel_button.isVisible()


def test_what_was_measured_is_shown_and_can_be_used(
    open_page: Callable[[], View], workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)
    add_preflight(workspace, dataset.id, find_rate=True, plan=form.plan())
    card = form.preflight
    qtbot.waitUntil(lambda: card.curve is not None, timeout=5000)

    values = {name: label.text() for name, label in card.figures.values.items()}
    assert values["run"] == "5\N{NO-BREAK SPACE}min 8\N{NO-BREAK SPACE}s"
    assert values["epoch"].startswith("30")
    assert values["speed"] == count(1600)
    assert values["memory"].replace("\N{NO-BREAK SPACE}", " ") == "2.0 GB of 8.0 GB"
    assert values["largest"] == "512"
    assert card.figures.memory_bar.fraction() == pytest.approx(0.25)
    assert "Other programs" in card.figures.notes.text()
    assert card.search.chart.mark == 0.0042
    assert "decreases fastest" in card.search.reason.text()
    assert not card.stale.isVisible()

    card.search.button.click()
    plan = form.plan()
    assert plan is not None
    assert plan.learning_rate == 0.0042
    assert not card.stale.isVisible(), "another rate takes no longer"
    assert not card.search.button.isEnabled()
    card.figures.button.click()
    plan = form.plan()
    assert plan is not None
    assert plan.batch_size == 512
    assert card.stale.isVisible()
    assert not card.figures.values["run"].isEnabled()
    assert not card.figures.button.isEnabled()


def test_more_epochs_take_longer_and_another_network_makes_it_old(
    open_page: Callable[[], View], workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)
    add_preflight(workspace, dataset.id, plan=form.plan())
    card = form.preflight
    qtbot.waitUntil(lambda: card.report is not None, timeout=5000)

    form.cards.document.set_values({"epochs": 20})
    form._on_edited()
    assert card.figures.values["run"].text().startswith("10")
    assert not card.stale.isVisible()
    form.choose_network("small_cnn")
    assert card.stale.isVisible()
    assert card.figures.values["run"].text().startswith("5")
    form.choose_network("lenet")
    assert not card.stale.isVisible()


def test_progress_is_shown_and_can_be_cancelled(
    open_page: Callable[[], View], workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    record = add_preflight(workspace, dataset.id, state=State.RUNNING)
    card = form_of(open_page, qtbot).preflight

    qtbot.waitUntil(card.cancel_button.isVisible, timeout=5000)
    assert card.doing.text() == "Timing steps"
    assert card.bar.fraction() == pytest.approx(0.4)
    assert not card.measure_button.isVisible()

    card.cancel_button.click()
    commands = record.folder / COMMANDS_FILE
    qtbot.waitUntil(lambda: commands.exists() and "stop" in commands.read_text("utf-8"))
    append_events(record, [StateChanged(state=State.STOPPED, reason="It was stopped.")])
    qtbot.waitUntil(card.measure_button.isVisible, timeout=10_000)
    assert not card.cancel_button.isVisible()
    assert not card.problem.isVisible()


def test_a_failure_says_why(
    open_page: Callable[[], View], workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    add_preflight(workspace, dataset.id, state=State.FAILED)
    card = form_of(open_page, qtbot).preflight

    qtbot.waitUntil(card.problem.isVisible, timeout=5000)
    assert card.problem.text() == "No space."
    assert card.measure_button.isEnabled()
    assert card.report is None


def test_where_nothing_can_be_measured_the_reason_is_shown(
    open_page: Callable[[], View], dataset: Record, qtbot: QtBot
) -> None:
    assert dataset.id
    form = form_of(open_page, qtbot)

    form.cards.document.set_values({"head_solver": "logistic_regression", "freeze": "all"})
    form._on_edited()

    assert not form.preflight.measure_button.isEnabled()
    assert "fitted in one pass" in form.preflight.measure_button.toolTip()


@pytest.mark.thorough
def test_one_click_measures_by_a_real_worker(
    open_page: Callable[[], View], workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    card: PreflightCard = form_of(open_page, qtbot).preflight

    card.measure_button.click()
    qtbot.waitUntil(card.cancel_button.isVisible, timeout=20_000)
    qtbot.waitUntil(lambda: card.report is not None, timeout=240_000)

    assert card.report is not None
    assert card.report.throughput is not None
    assert card.report.largest is not None
    assert card.report.largest.size == 16, "of 30 images"
    assert card.measure_button.text() == "Measure again"
    (record,) = workspace.records(RecordKind.PREFLIGHT)
    plan = read_plan(record)
    assert isinstance(plan, PreflightPlan)
    assert plan.training.dataset_version == 0
    assert not card.stale.isVisible()
