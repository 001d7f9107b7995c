"""Runs on boxes: what is measured and kept of them, and that they repeat and resume exactly."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from helpers import zygote
from helpers.box_runs import box_case, box_plan
from helpers.digits import do_here, go_on_here, run_to_end
from helpers.resuming import assert_same, everything
from helpers.task_cases import TaskCase
from helpers.train_plans import train_plans
from helpers.waiting import wait_until
from studio.engine.benchmarks.history import BenchmarkHistory
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.benchmarks.requests import latency_results
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.requests import dataset_summary
from studio.engine.evaluation import audit
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.report import EVIDENCE_NAME, EvaluationPlan
from studio.engine.jobs import control
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep
from studio.engine.sweeps.rows import best_of_sweep
from studio.engine.tasks.boxes import CLASS
from studio.engine.tasks.calibration import Calibration
from studio.engine.training.advice.boxes import box_values
from studio.engine.training.doctor import TrainingHistory, diagnose, run_dataset
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.insights import MASKS, read_insight
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import PreflightPlan, PreflightReport
from studio.engine.training.recommendation import AvailableWeights, recommend

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> TaskCase:
    return box_case(tmp_path_factory)


def test_a_run_measures_boxes(learned: TaskCase) -> None:
    epochs = learned.run.history.epochs
    assert len(epochs) == 4
    for name in ("loss", "class_loss", "box_loss"):
        assert epochs[-1].value(f"val_{name}") < epochs[0].value(f"val_{name}")
        total = epochs[-1].value("class_loss") + 2 * epochs[-1].value("box_loss")
        assert epochs[-1].value("loss") == pytest.approx(total, rel=1e-3)
    for epoch in epochs:
        assert 0 <= epoch.value("val_map") <= epoch.value("val_ap50") <= 1


def test_validations_keep_the_figures_of_every_image_and_some_boxes(learned: TaskCase) -> None:
    history, store = learned.run.history, learned.store
    assert len(history.insights) == len(history.epochs)
    for kept in history.insights:
        insight = read_insight(learned.run.record.folder / kept.path)
        found = insight.targets
        assert found is not None
        assert found.rows.tolist() == store.rows("val").tolist()
        assert len(found.outputs) == len(found.rows)
        boxes = insight.boxes
        assert boxes is not None
        assert boxes.detections.shape == (MASKS, 100, 6)
        assert set(boxes.rows.tolist()) <= set(store.rows("val").tolist())
    assert boxes is not None
    there = boxes.detections[boxes.detections[..., CLASS] >= 0]
    assert len(there)
    assert np.all(np.diff(boxes.detections[..., 5], axis=1) <= 0)


def test_kept_figures_measure_what_an_evaluation_measures(learned: TaskCase) -> None:
    history = learned.run.history
    best = history.best
    assert best is not None
    kept = next(each for each in history.insights if each.step == best.step)
    found = read_insight(learned.run.record.folder / kept.path).targets
    assert found is not None
    figures = learned.reporter.measure(found.outputs, found.truth, Calibration())
    plan = EvaluationPlan(run=learned.run.record.id, split="val", resamples=0)

    job = do_here(learned.workspace, plan, "same images")
    report = EvaluatedOutputs.open(learned.workspace, job.record.folder).report

    assert report.count == len(found.rows)
    # The same detections, but for rounding: a network computes the last digits in another order
    # in an evaluation. A digit can decide whether two boxes overlap by 60 %, and on so few objects
    # one box can change a metric by a hundredth; so images are compared, not only metrics.
    evidence = np.load(job.record.folder / EVIDENCE_NAME)
    pairs = zip(found.outputs["score"], evidence["score"], strict=True)
    assert np.mean([np.allclose(one, other, atol=1e-4) for one, other in pairs]) > 0.75
    for name in ("map", "ap50", "ap75", "ar100"):
        assert figures.whole[name] == pytest.approx(report.metrics[name], abs=0.02), name
    epoch = next(each for each in history.epochs if each.step == best.step)
    assert figures.whole["map"] == pytest.approx(epoch.value("val_map"), abs=0.02)
    assert figures.whole["ap50"] == pytest.approx(epoch.value("val_ap50"), abs=0.03)


def test_an_audit_compares_boxes_with_evaluations_of_other_images(
    learned: TaskCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, store, record = learned.workspace, learned.store, learned.dataset.record
    for split in ("train", "test"):
        plan = EvaluationPlan(run=learned.run.record.id, split=split, resamples=0)
        done = do_here(workspace, plan, split)
        assert done.history.state == State.COMPLETED, done.history.detail

    monkeypatch.setattr(audit, "MIN_SCORE", 0.0)
    parts = audit.evaluated_boxes(workspace, record, store)

    assert not isinstance(parts, str)
    rows = np.concatenate([part.rows for part in parts])
    assert set(store.rows("test")) <= set(rows) <= set(store.rows("test")) | set(store.rows("val"))
    assert len(set(rows)) == len(rows)
    assert all(part.detections.shape == (len(part.rows), 100, 6) for part in parts)
    monkeypatch.setattr(audit, "MIN_SCORE", 1.01)
    refused = audit.evaluated_boxes(workspace, record, store)
    assert isinstance(refused, str)
    assert "AP50" in refused

    job = do_here(workspace, AuditPlan(dataset=record.id), "audit")

    report = AuditReport.read(record.folder)
    assert job.history.state == State.COMPLETED, job.history.detail
    assert report is not None
    assert "missing_boxes" in report.counts or "AP50" in report.not_checked[-1].reason


def _past(steps: int) -> Callable[[RunHistory], bool]:
    return lambda history: history.step_count >= steps


def _pause(_queue: JobQueue, job: RunJob) -> None:
    if job.history.state.has_worker:
        control.pause(job)


@pytest.mark.thorough  # that of a smaller set in `test_conformance` runs always
def test_a_paused_run_resumes_bit_for_bit(learned: TaskCase) -> None:
    job = JobQueue(learned.workspace).submit(box_plan(learned.dataset), "paused")
    run = job.with_history(RunHistory)

    go_on_here(learned.workspace, run, _past(8), _pause)
    paused = run.history.state
    go_on_here(learned.workspace, run)

    assert paused == State.PAUSED
    assert run.history.state == State.COMPLETED, run.history.detail
    first, second = everything(learned.run), everything(run)
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert value.tobytes() == second[name].tobytes(), name


def test_predictions_of_boxes_are_timed(learned: TaskCase) -> None:
    values = {"model": f"run:{learned.run.record.id}", "formats": "keras", "batch_sizes": "1"}
    short = PredictPlan.parse(values | {"images": 10, "seconds": 0.1})
    job = do_here(learned.workspace, short, "timed")

    assert job.history.state == State.COMPLETED, job.history.detail
    outcomes = [
        each.outcome for each in latency_results(job.with_history(BenchmarkHistory).history)
    ]
    assert "measured" in {each.state for each in outcomes}, outcomes


def test_the_doctor_reads_validations_of_boxes(learned: TaskCase) -> None:
    plan = learned.run.plan(TrainingPlan)
    dataset = run_dataset(learned.workspace, plan)
    found = TrainingHistory.of(learned.run.history, plan)
    found = found.with_answers(learned.run.record.folder, dataset)

    assert found.classes == tuple(learned.store.classes)
    # Exactly that of the stored detections. The AP50 of the epoch, `found.val_score`, is computed
    # of the same images and weights, but with scores in 100 bins and 300 candidates: on 36 objects
    # this changes 0.576 to 0.556. `test_metrics_are_nearly_exact` limits the difference.
    last = learned.run.history.insights[-1]
    kept = read_insight(learned.run.record.folder / last.path).targets
    assert kept is not None
    assert last.step == learned.run.history.epochs[-1].step
    exact = learned.reporter.measure(kept.outputs, kept.truth, Calibration()).whole
    assert found.late[-1].scores[0] == exact[learned.store.task.score_metric]
    assert found.late[-1].constant[0] == 0, "nothing is detected"
    for each in diagnose(found):
        assert each.name


@pytest.mark.thorough  # `test_box_learning` compares the losses with their formulas
@pytest.mark.parametrize(
    "values",
    [
        {"class_balancing": "class_weights", "focal_gamma": 2.0},
        {"class_balancing": "sampling", "ema_momentum": 0.9},
        {"precision": "mixed_bfloat16"},
        {"gradient_accumulation_steps": 2, "batch_size": 5},
    ],
    ids=repr,
)
def test_every_loss_and_way_of_training_learns(learned: TaskCase, values: dict[str, Any]) -> None:
    job = do_here(learned.workspace, box_plan(learned.dataset, **values), "-".join(values))

    assert job.history.state == State.COMPLETED, job.history.detail
    steps = np.array(job.history.steps_of("loss"))
    assert np.isfinite(steps).all()
    assert steps[-6:].mean() < steps[:6].mean()


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_every_backend_learns_and_goes_on_exactly(learned: TaskCase, backend: str) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    plain = box_plan(learned.dataset, epochs=3, backend=backend).model_dump(
        mode="json", exclude_defaults=True
    )
    names = f"plain {backend}", f"paused {backend}"
    plans = [(names[0], plain), (names[1], plain | {"pause_at": [0, 10]})]

    runs, _ = train_plans(learned.workspace.root, plans)

    whole, paused = (runs[name] for name in names)
    assert whole.state == paused.state == "completed", whole.reason
    assert paused.attempts >= 2
    assert whole.losses == paused.losses
    assert whole.digest == paused.digest


@pytest.mark.thorough
@pytest.mark.timeout(1200)
@pytest.mark.skipif(not zygote.CAN_FORK, reason="workers are forked")
def test_a_killed_run_resumes_bit_for_bit(learned: TaskCase) -> None:
    # Mosaics end after the third epoch; everything is saved with every step.
    plan = box_plan(learned.dataset, checkpoint_interval_seconds=0.0)
    queue = JobQueue(learned.workspace)
    whole, cut = (queue.submit(plan, name).with_history(RunHistory) for name in ("whole", "cut"))
    zygote.finish(whole)
    assert whole.history.state == State.COMPLETED, whole.history.detail

    for steps in (2, 9, 15, 20):
        pid = zygote.start(cut)
        wait_until(partial(_has_saved, cut, steps), f"{steps} steps are saved")
        zygote.kill(pid, cut.record.folder)
    zygote.finish(cut)

    assert cut.history.attempt >= 3
    assert cut.history.state == State.COMPLETED, cut.history.detail
    assert_same(whole, cut)
    kept, restored = (
        read_insight(run.record.folder / run.history.insights[-1].path) for run in (whole, cut)
    )
    assert kept.targets.outputs.tobytes() == restored.targets.outputs.tobytes()


def _has_saved(job: RunJob, steps: int) -> bool:
    job.refresh()
    saved = job.history.saved
    return job.history.state.is_at_rest or (saved is not None and saved.step >= steps)


@pytest.mark.thorough
def test_a_sweep_finds_the_better_rate(learned: TaskCase) -> None:
    base = box_plan(learned.dataset, epochs=2).model_dump(mode="json", exclude_defaults=True)
    dimensions = [each.model_dump() for each in parse_dimensions(["learning_rate=1e-7,0.003"])]
    plan = SweepPlan.parse({"base": base, "dimensions": dimensions, "objectives": ["val_loss"]})
    queue = JobQueue(learned.workspace)
    job = request_sweep(queue, plan, "rates")

    run_to_end(queue, job, 600)

    assert job.history.state == State.COMPLETED, job.history.reason
    rows = job.history.trials
    assert [row.state for row in rows.values()] == [State.COMPLETED] * 2
    (best,) = best_of_sweep(job)
    assert rows[best].values["learning_rate"] == 0.003


@pytest.mark.thorough
def test_a_preflight_measures_time_memory_and_rate(learned: TaskCase) -> None:
    plan = PreflightPlan(training=box_plan(learned.dataset), find_rate=True)

    job = do_here(learned.workspace, plan, "before")

    assert job.history.state == State.COMPLETED, job.history.detail
    report = PreflightReport.read(job.record.folder)
    assert report is not None
    assert report.throughput is not None
    assert report.memory is not None
    assert report.rate is not None


def test_a_detector_is_recommended(learned: TaskCase) -> None:
    summary = dataset_summary(learned.dataset.record.folder, 0)

    (scratch, *_) = recommend(summary, [], None, is_photo=False)
    assert scratch.network == "small_detector"
    plan = scratch.apply(TrainingPlan(dataset="boxes"), summary)
    assert plan.batch_size == 8
    assert plan.learning_rate == 0.002
    assert plan.augmentation.object_crop == 25
    assert plan.optimizer == "adamw"
    weights = [AvailableWeights("mobilenet_v2", "imagenet")]
    names = [each.network for each in recommend(summary, weights, None, is_photo=True)]
    assert "small_detector" in names
    tiny = recommend(
        summary.model_copy(update={"width": 48, "height": 48}), [], None, is_photo=False
    )
    assert [each.network for each in tiny] == ["small_detector:finest=4"]


def test_few_images_are_learned_for_more_epochs() -> None:
    values = {count: dict(box_values(count)) for count in (100, 300, 1000, 10_000)}
    epochs = [each["epochs"] for each in values.values()]

    assert epochs == [100, 60, 30, 12]
    assert dict(box_values(300, is_pretrained=False))["epochs"] == 90, "from scratch"
    for count, each in values.items():
        plan = TrainingPlan(dataset="boxes").changed(**each)
        assert (plan.augmentation.mosaic > 0) == (count == 100)
