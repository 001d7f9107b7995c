"""A preflight by a real worker, held against a real run; a search for a rate, and its use."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import caller
from helpers.digits import Digits, do_here, run_to_end
from helpers.processes import run_python
from helpers.sampling import sample
from studio.engine.compute import measuring, rate_finder
from studio.engine.compute.backends import chosen
from studio.engine.compute.loop import Loop
from studio.engine.errors import StudioError
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import PreflightPlan, PreflightReport, still_holds
from studio.engine.training.requests import request_preflight
from studio.engine.workspace import RecordKind

FACTOR = 3.0
LITTLE = 20e6
"""Bytes: more than steps with batches of 4 need (4 MB), less than those of 256 (46 MB)."""


def _plan(digits: Digits, **values: object) -> TrainingPlan:
    base = {"dataset": digits.dataset.record.id, "dataset_version": 0}
    return TrainingPlan.parse({**base, **values})


def _report(job: Job) -> PreflightReport:
    assert job.history.state == State.COMPLETED, (job.history.reason, job.history.detail)
    report = PreflightReport.read(job.record.folder)
    assert report is not None
    return report


def _here(digits: Digits, *, find_rate: bool = False, **values: object) -> PreflightReport:
    plan = PreflightPlan(training=_plan(digits, **values), find_rate=find_rate)
    return _report(
        do_here(digits.workspace, plan, digits.workspace.unused_name(RecordKind.PREFLIGHT, "pre"))
    )


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter looks: nothing here depends on how sure the figures are."""
    monkeypatch.setattr(measuring, "TRAINING_SECONDS", 0.2)
    monkeypatch.setattr(measuring, "VALIDATION_SECONDS", 0.1)
    monkeypatch.setattr(measuring, "CHEAP_SECONDS", 1.0)


@pytest.fixture
def few_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shorter search for the rate, of as few steps as the machine is slow."""
    monkeypatch.setattr(rate_finder, "MAX_SECONDS", 4.0)


def test_a_measured_figure_holds_for_what_costs_the_same() -> None:
    plan = TrainingPlan(dataset="d", dataset_version=3)

    assert still_holds(plan, plan.changed(learning_rate=0.5, epochs=99, dataset_version=None))
    assert still_holds(plan, plan.changed(schedule="cosine", keep="last"))
    assert not still_holds(plan, plan.changed(batch_size=64))
    assert not still_holds(plan, plan.changed(optimizer="sgd"))
    assert not still_holds(plan, plan.changed(dataset_version=4))
    assert not still_holds(plan, plan.changed(**{"augmentation.rotation": 10}))


@pytest.mark.thorough
def test_the_figures_of_a_real_worker_are_those_of_a_real_run(own_digits: Digits) -> None:
    plan = _plan(own_digits, epochs=4)
    queue = JobQueue(own_digits.workspace)
    job = run_to_end(queue, request_preflight(queue, PreflightPlan(training=plan)), 240)
    report = _report(job)
    run = run_to_end(queue, queue.submit(plan, "run").with_history(RunHistory), 240)

    throughput, memory, largest = report.throughput, report.memory, report.largest
    assert throughput is not None
    assert memory is not None
    assert largest is not None
    epochs = [epoch.seconds for epoch in run.history.epochs[1:]]  # the first one compiles
    assert 1 / FACTOR < throughput.epoch_seconds / np.median(epochs) < FACTOR
    assert run.history.ended_at is not None
    assert run.history.started_at is not None
    whole = run.history.ended_at - run.history.started_at
    assert 1 / FACTOR < throughput.run_seconds / whole < FACTOR
    assert throughput.steps >= 2
    assert throughput.step_seconds * report.steps_per_epoch <= throughput.epoch_seconds
    assert report.steps_per_epoch == 40
    assert report.fits
    assert report.rate is None
    used = [each.memory for each in run.history.usage if math.isfinite(each.memory)]
    assert used
    assert 1 / 1.5 < memory.used_bytes / max(used) < 1.5
    assert memory.device == "machine"
    assert memory.free_bytes is not None
    assert memory.used_bytes < memory.free_bytes
    # LeNet: 28x28 pixels and six maps of them in numbers of four bytes, and as much again.
    assert 40_000 < memory.image_bytes < 400_000
    assert (largest.size, largest.limit) == (1024, "images")
    assert job.history.artifacts == {"report": "preflight.json"}
    assert job.history.result["throughput"]["step_seconds"] == throughput.step_seconds


@pytest.mark.thorough
@pytest.mark.usefixtures("hurried")
def test_a_stop_in_the_middle_is_met(own_digits: Digits) -> None:
    def is_timing(history: JobHistory) -> bool:
        return (
            history.progress is not None
            and history.progress.what == "Searching for the learning rate"
        )

    plan = PreflightPlan(training=_plan(own_digits), find_rate=True)
    job = do_here(own_digits.workspace, plan, "pre", stop_when=is_timing)

    assert job.history.state == State.STOPPED
    assert not job.history.artifacts
    assert PreflightReport.read(job.record.folder) is None


@pytest.mark.thorough
@pytest.mark.usefixtures("hurried")
def test_the_rate_that_is_found_for_sgd_trains(own_digits: Digits) -> None:
    sgd = {"optimizer": "sgd", "optimizer_options": {"momentum": 0.9}, "learning_rate": 1e-6}
    report = _here(own_digits, find_rate=True, **sgd)

    curve = report.rate
    assert curve is not None
    assert curve.suggestion is not None, curve.reason
    assert 1e-4 <= curve.suggestion <= 3e-1
    assert len(curve.rates) == len(curve.losses) == len(curve.smoothed) > 40
    assert "learning_rate" in {warning.where for warning in report.warnings}, "of the plan's own"
    found = {**sgd, "learning_rate": curve.suggestion, "epochs": 3}
    run = do_here(own_digits.workspace, _plan(own_digits, **found), "with it")
    assert run.history.best is not None
    assert run.history.best.value("val_accuracy") > 0.6, "chance is 0.1"


@pytest.mark.slow
@pytest.mark.parametrize(
    "values",
    sample(
        [
            {
                "gradient_accumulation_steps": 3,
                "ema_momentum": 0.9,
                "schedule": "cosine",
                "network": "mlp",
            },
            {"optimizer": "lion", "precision": "mixed_bfloat16", "network": "perceptron"},
            {"batch_size": 1, "network": "perceptron", "class_balancing": "sampling"},
            {"batch_size": 5000, "network": "perceptron", "augmentation": {"rotation": 10}},
        ],
        1,
    ),
    ids=["accumulated", "half precision", "one by one", "the whole split"],
)
@pytest.mark.usefixtures("hurried", "few_rates")
def test_plans_of_all_kinds_are_measured(own_digits: Digits, values: dict[str, object]) -> None:
    report = _here(own_digits, find_rate=True, **values)

    assert report.fits
    assert report.throughput is not None
    assert report.throughput.step_seconds > 0
    assert report.rate is not None
    assert report.rate.rates == tuple(sorted(report.rate.rates))
    assert report.largest is not None
    assert report.largest.size & (report.largest.size - 1) == 0
    assert report.largest.size <= 1258
    serious = [warning.where for warning in report.warnings]
    assert ("batch_size" in serious) == (values.get("batch_size") == 5000)


@pytest.mark.thorough
@pytest.mark.usefixtures("hurried")
def test_frozen_layers_are_measured_on_some_images(own_run: Digits) -> None:
    earlier = f"run:{own_run.run.record.id}"
    report = _here(own_run, weights=earlier, freeze="all")

    assert report.throughput is not None
    assert report.throughput.features_seconds > 0
    assert any("reused by the run" in note for note in report.notes)
    assert report.steps_per_epoch == 40
    solved = _here(own_run, weights=earlier, freeze="all", head_solver="logistic_regression")
    assert solved.throughput is None
    assert solved.fits
    assert "no steps to time" in solved.notes[0]


# As much as the process ever had, and little more: no larger batch fits, of a large one nothing.
# A process of its own, as a worker is one: what earlier work left free would be used first.
_SHORT = """
import json, sys
from pathlib import Path
from typing import Any
from helpers.digits import do_here
from studio.engine.compute.memory import MachineMeter
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import PreflightPlan, PreflightReport
from studio.engine.workspace import Workspace

begin, seen = MachineMeter.begin, []
def noted(meter):
    seen.append(begin(meter))
    return seen[-1]
def free(meter):
    meter.begin()
    return int((max(seen) + float(sys.argv[3])) / 0.9)
MachineMeter.begin, MachineMeter.free = noted, free

training = {"dataset": sys.argv[2], "dataset_version": 0, "batch_size": int(sys.argv[4])}
plan = PreflightPlan(training=TrainingPlan.parse(training))
job = do_here(Workspace.open(Path(sys.argv[1])), plan, f"of {sys.argv[4]}")
report = PreflightReport.read(job.record.folder)
assert report is not None, job.history.reason
print(report.model_dump_json())
"""


def _with_little_memory(digits: Digits, batch_size: int) -> PreflightReport:
    code = f"import sys; sys.path.append({str(Path(__file__).parents[2])!r})\n{_SHORT}"
    done = run_python(
        code, digits.workspace.root, digits.dataset.record.id, str(LITTLE), str(batch_size)
    )
    assert done.returncode == 0, done.stderr
    return PreflightReport.model_validate_json(done.stdout.splitlines()[-1])


@pytest.mark.thorough
def test_memory_that_does_not_suffice_is_an_answer(own_digits: Digits) -> None:
    report = _with_little_memory(own_digits, 1024)
    assert not report.fits
    assert report.throughput is None
    assert report.largest is None or report.largest.size < 1024

    small = _with_little_memory(own_digits, 4)
    assert small.fits
    assert small.largest is not None
    assert small.largest.limit == "memory"
    assert small.largest.size < 1024


@pytest.mark.thorough
def test_a_backend_without_memory_is_an_answer(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = Loop.train

    def short_of_memory(loop: Loop, *options: Any) -> None:
        if loop._batches.images_in(0, 1) > 32:
            raise MemoryError("RESOURCE_EXHAUSTED: out of memory")
        train(loop, *options)

    monkeypatch.setattr(Loop, "train", short_of_memory)
    monkeypatch.setattr(measuring, "CHEAP_SECONDS", 1000.0)  # however busy the machine is
    report = _here(own_digits, batch_size=16)
    assert report.fits
    assert report.largest is not None
    assert (report.largest.size, report.largest.limit) == (32, "memory")
    assert report.largest.how == "run"
    large = _here(own_digits, batch_size=256)
    assert not large.fits
    assert large.throughput is None
    assert large.largest is None


def test_the_meter_sees_a_past_peak() -> None:
    meter = chosen.backend().memory_meter()
    assert meter is not None
    before = meter.begin()
    filled = np.ones(40_000_000, np.uint8)
    del filled

    assert 35e6 < meter.peak() - before < 80e6
    free, total = meter.free(), meter.total()
    assert free is not None
    assert total is not None
    assert 0 < free <= total + before


def test_old_measurements_go_and_a_wrong_plan_is_refused(own_digits: Digits) -> None:
    workspace = own_digits.workspace
    queue = JobQueue(workspace)
    plan = PreflightPlan(training=_plan(own_digits))

    first = request_preflight(queue, plan)
    second = request_preflight(queue, plan.changed(find_rate=True))

    assert [record.id for record in workspace.records(RecordKind.PREFLIGHT)] == [second.record.id]
    assert not first.record.folder.exists()
    assert workspace.trashed(RecordKind.PREFLIGHT) == []
    with pytest.raises(StudioError, match="needs the dataset"):
        request_trash(queue, own_digits.dataset.record)
    with pytest.raises(StudioError, match="momentum"):
        request_preflight(
            queue,
            PreflightPlan(training=_plan(own_digits, optimizer_options={"momentum": 0.9})),
        )


@pytest.mark.thorough
def test_the_command_line_reports_and_suggests(
    own_digits: Digits, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = caller(capsys, own_digits.workspace.root)
    words = ("preflight", "--dataset", "Ziffern ü", "--network", "perceptron")
    more = ("--optimizer", "sgd", "--learning-rate", "3", "--epochs", "2")

    said = studio(*words, *more, "--find-rate", "--json")
    found = said.document
    assert found["fits"]
    assert found["throughput"]["run_seconds"] > found["throughput"]["epoch_seconds"]
    assert found["largest"]["size"] == 1024
    assert found["rate"]["suggestion"] < 3
    assert [each["where"] for each in found["warnings"]] == ["learning_rate"]
    reported = studio(*words, *more)
    assert reported.code == 0
    assert "very high for SGD" in reported.err
    for word in ("whole run", "largest batch", "1,024 images", "memory per image", "2 epochs"):
        assert word in reported.out
    assert "learning rate" not in reported.out
    assert "A dataset is required" in studio("preflight").mistake
