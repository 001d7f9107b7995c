"""What the form of a new run says of faster settings, from hand-written measurements."""

from __future__ import annotations

from page_records import began
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.benchmarks.advice import speed_hint
from studio.engine.benchmarks.history import CellChanged
from studio.engine.benchmarks.plan import StudyPlan, cell_keys
from studio.engine.benchmarks.results import Cell, CellFigures, CellOutcome
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import PlanBenchmark
from studio.ui.pages.bench.page import View as BenchPage
from studio.ui.pages.train.plan.new_run import NewRun

PLAN = StudyPlan(networks=("lenet",), devices=("cpu", "gpu:63"), batch_sizes=(32, 64))


def measure(workspace: Workspace, others_share: float = 0.0) -> None:
    """Batches of 64 are four times as fast as those of 32; a GPU that is gone was faster still."""
    record = workspace.create(
        RecordKind.BENCHMARK, "busy" if others_share else "mine", PLAN.to_json()
    )
    events = []
    for number, (point, seconds) in enumerate(
        zip(cell_keys(PLAN), (0.32, 0.01, 0.16, 0.01), strict=True)
    ):
        figures = CellFigures(
            steps=4,
            step_seconds=seconds,
            median_step_seconds=seconds,
            warm_up_seconds=1,
            others_share=others_share,
        )
        outcome = CellOutcome(state="measured", figures=figures)
        events.append(CellChanged(cell=Cell.of(number, point, outcome)))
    append_events(record, [*began(), *events, StateChanged(state=State.COMPLETED)])


def test_measured_settings_are_offered_and_used(
    qtbot: QtBot, new_run: NewRun, workspace: Workspace, context: AppContext
) -> None:
    new_run.choose_network("lenet")
    new_run.cards.document.set_values({"batch_size": 32, "device": "cpu"})
    plan = new_run.plan()
    assert plan is not None
    assert speed_hint(workspace, plan) is None
    speed = new_run.speed
    assert speed.text.isHidden()  # nothing was measured
    qtbot.waitUntil(speed.measure_button.isVisible, timeout=10_000)
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        speed.measure_button.click()
    intent = PlanBenchmark("lenet", plan.dataset)
    assert requested.args == [intent]
    bench = BenchPage(context)
    qtbot.addWidget(bench)
    bench.open(intent)
    study = bench.new_study.trainings
    values = study.form.values()
    assert values["networks"] == ["lenet"]
    assert values["dataset"] == plan.dataset == study.dataset.currentData()

    measure(workspace, others_share=0.5)
    assert speed_hint(workspace, plan) is None  # those times are not comparable
    measure(workspace)
    new_run._on_edited()
    qtbot.waitUntil(speed.text.isVisible, timeout=10_000)
    text = new_run.speed.text.text()
    assert "lenet trains fastest with batches of 64, float32 and tensorflow on cpu" in text
    assert "4.0 times as fast as your settings" in text

    new_run.speed.button.click()
    qtbot.waitUntil(speed.text.isHidden, timeout=10_000)
    plan = new_run.plan()
    assert plan is not None
    assert (plan.batch_size, plan.device, plan.precision) == (64, "cpu", "float32")
    # A batch that was not measured has no ratio; another network has no measurements.
    hint = speed_hint(workspace, plan.changed(batch_size=7))
    assert hint is not None
    assert hint.gain is None
    assert speed_hint(workspace, plan.changed(network="alexnet")) is None
