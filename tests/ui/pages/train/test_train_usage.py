"""The tabs about the machine and about the learning rate."""

from __future__ import annotations

import math

import pytest
from pytestqt.qtbot import QtBot

from studio.engine.jobs.events import Event, GpuSample, StateChanged, UsageSampled
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone, RunHistory, StepsDone, TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument, RunDocument
from studio.ui.pages.train.dashboard.details import SECTIONS
from studio.ui.pages.train.dashboard.machine import PLANNED, USED, Rate, Usage

BEGAN = TrainingBegan(
    epochs=3,
    steps_per_epoch=10,
    train_images=100,
    val_images=10,
    parameters=1,
    trainable_parameters=1,
    backend="jax",
    device="GPU",
)


def sample(waiting: float, gpus: tuple[GpuSample, ...] = ()) -> UsageSampled:
    return UsageSampled(
        seconds=30,
        waiting=waiting,
        computing=30 - waiting,
        validating=0,
        writing=0,
        cpu=150,
        memory=2e9,
        machine_cpu=80,
        machine_memory=40,
        disk_free=12.5e9,
        gpus=gpus,
    )


def epoch(number: int, rate: float = 1e-3) -> EpochDone:
    return EpochDone(
        epoch=number,
        step=10 * number,
        metrics={"loss": 1, "accuracy": 0.5},
        learning_rate=rate,
        seconds=1,
        images_per_second=100.0 * number,
    )


def entry_of(workspace: Workspace, *events: Event, **plan: object) -> RunDocument:
    made = TrainingPlan.parse({"dataset": "gone", "epochs": 3, **plan})
    record = workspace.create(RecordKind.RUN, "run", made.to_json())
    history = RunHistory()
    history.apply([StateChanged(state=State.RUNNING), BEGAN, *events])
    return RecordDocument((RecordKind.RUN, record.id), record, record.info(), made, history)


def notify(section: Usage | Rate, entry: RunDocument, *events: Event) -> None:
    entry.history.apply(events)
    section.add(entry, list(events))


@pytest.fixture
def usage(context: AppContext, qtbot: QtBot) -> Usage:
    made = Usage(context)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    return made


@pytest.fixture
def rate(context: AppContext, qtbot: QtBot) -> Rate:
    made = Rate(context)
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    return made


def test_both_are_tabs_of_every_run() -> None:
    assert {Usage, Rate} <= set(SECTIONS)


def test_the_bottleneck_has_a_name_and_advice(usage: Usage, workspace: Workspace) -> None:
    usage.show_run(entry_of(workspace, sample(18.6)))

    assert usage.verdict.text() == "Waiting for data: 62\N{NO-BREAK SPACE}% of the last minute"
    assert "augmentation" in usage.advice.text()
    shown = {part.word: part.share for part in usage.bar.parts}
    assert shown["Waiting for data"] == pytest.approx(0.62)
    assert shown["Computing"] == pytest.approx(0.38)
    assert "Waiting for data 62" in usage.bar.accessibleDescription()
    assert "12.5\N{NO-BREAK SPACE}GB" in usage.room.text()
    usage.grab()


def test_the_last_minute_counts_while_it_runs_and_all_of_it_in_the_end(
    usage: Usage, workspace: Workspace
) -> None:
    entry = entry_of(workspace, sample(30), sample(30), sample(0), sample(0))
    usage.show_run(entry)
    assert usage.verdict.text().startswith("Computing: 100")

    notify(usage, entry, StateChanged(state=State.COMPLETED), sample(0))

    assert usage.verdict.text() == "Waiting for data: 40\N{NO-BREAK SPACE}% of the time"


def test_charts_grow_with_the_samples(usage: Usage, workspace: Workspace) -> None:
    entry = entry_of(workspace, sample(1), epoch(1))
    usage.show_run(entry)
    notify(usage, entry, sample(1), epoch(2))

    minutes, load = usage.charts["load"].curve_data("machine")
    assert list(minutes) == [0.5, 1.0]
    assert list(load) == [0.8, 0.8]
    assert list(usage.charts["memory"].curve_data("run")[1]) == [2.0, 2.0]
    epochs, speed = usage.charts["throughput"].curve_data("pace")
    assert list(epochs) == [1, 2]
    assert list(speed) == [100, 200]
    for name in ("gpu", "temperature", "power"):
        assert not usage.charts[name].isVisible(), "there is no GPU"


def test_every_gpu_has_its_curves_and_what_is_not_known_is_a_gap(
    usage: Usage, workspace: Workspace
) -> None:
    first = GpuSample(
        name="A", utilization=90, memory_used=4e9, memory_total=8e9, temperature=60, power=200
    )
    usage.show_run(entry_of(workspace, sample(1, (first, GpuSample(name="B", temperature=50)))))

    charts = usage.charts
    assert charts["gpu"].isVisible()
    assert list(charts["gpu"].curve_data("load0")[1]) == [0.9]
    assert list(charts["gpu"].curve_data("share0")[1]) == [0.5]
    assert charts["gpu"].keys() == ["load0", "share0"], "of the other nothing is known"
    assert list(charts["temperature"].curve_data("gpu1")[1]) == [50]
    assert list(charts["power"].curve_data("gpu0")[1]) == [200]
    assert list(charts["memory"].curve_data("gpu0")[1]) == [4.0]


def test_a_run_without_samples_says_so(usage: Usage, workspace: Workspace) -> None:
    entry = entry_of(workspace)
    usage.show_run(entry)
    assert usage.verdict.text() == "Not measured yet…"
    notify(usage, entry, StateChanged(state=State.COMPLETED), BEGAN)
    assert usage.verdict.text() == "This run has no measurements."
    assert not usage.bar.isVisible()
    assert not usage.room.isVisible()


def test_the_rate_is_drawn_as_planned_and_as_it_was(rate: Rate, workspace: Workspace) -> None:
    entry = entry_of(
        workspace, epoch(1), schedule="cosine", learning_rate=0.1, schedule_options={}
    )
    rate.show_run(entry)

    at, planned = rate.chart.curve_data(PLANNED)
    assert (at[0], at[-1]) == (pytest.approx(0.1), pytest.approx(3))
    assert planned[0] == pytest.approx(0.1)
    assert planned[-1] < 0.01
    assert list(rate.chart.curve_data(USED)[1]) == [1e-3]

    steps = StepsDone(
        first=11,
        last=15,
        metrics={"loss": [1] * 5, "accuracy": [1] * 5},
        learning_rate=5e-4,
        images_per_second=1,
    )
    notify(rate, entry, steps)

    at, used = rate.chart.curve_data(USED)
    assert list(at) == [1, 1.5]
    assert list(used) == [1e-3, 5e-4]
    assert all(math.isfinite(value) for value in used)
    rate.grab()
