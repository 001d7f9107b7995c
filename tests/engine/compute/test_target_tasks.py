"""Multi-label classification and regression, from pictures and a table to an evaluation."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.digits import do_here
from helpers.sampling import sample
from helpers.target_datasets import SIDE, squares, target_recipe
from helpers.task_cases import TaskCase, trained_case
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.evaluation.evaluated_outputs import (
    EvaluatedOutputs,
    compare_targets,
)
from studio.engine.evaluation.report import OUTPUTS_NAME, EvaluationPlan, Report
from studio.engine.inference.models import model_of_run
from studio.engine.inference.requests import ImagePrediction, PredictRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.tasks import TASKS
from studio.engine.training.artifacts import read_calibration
from studio.engine.training.doctor import TrainingHistory, diagnose, run_dataset
from studio.engine.training.history import RunJob
from studio.engine.training.insights import read_insight
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.recipes import LINEAR_HEAD
from studio.engine.training.requests import training_problems
from studio.engine.workspace import Workspace

pytestmark = pytest.mark.slow

IMAGES = 240
TARGET_TASKS = ("multi_label", "regression")


def _plan(dataset: Job, **values: object) -> TrainingPlan:
    requested = {
        "network": "lenet",
        "epochs": 12,
        "batch_size": 16,
        "learning_rate": 0.002,
        "deterministic": True,
        "checkpoint_interval_seconds": 86_400.0,
    }
    return TrainingPlan(dataset=dataset.record.id).changed(**(requested | values))


@pytest.fixture(scope="module", params=sample(TARGET_TASKS))
def learned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TaskCase:
    folder = tmp_path_factory.mktemp(request.param)
    tables = squares(folder / "squares", IMAGES)
    workspace = Workspace.open(folder / "workspace")
    dataset = do_here(workspace, target_recipe(tables, request.param), "squares")
    assert dataset.history.state == State.COMPLETED, dataset.history.detail
    return trained_case(workspace, folder / "squares" / "pictures", dataset, _plan(dataset))


def _predict(
    learned: TaskCase, rows: np.ndarray[Any, np.dtype[np.int64]]
) -> list[ImagePrediction]:
    names = [Path(learned.store.paths[row]).name for row in rows.tolist()]
    model = model_of_run(learned.workspace, learned.run.record)
    images = tuple(str(learned.pictures / name) for name in names)
    request = PredictRequest(model=model, images=images, top=10)
    return list(PicturePredictor(WarmModels()).predict(request).predictions)


def test_a_run_trains(learned: TaskCase) -> None:
    best = learned.run.history.best_epoch
    assert best is not None
    assert _has_learned(learned.store, best.value(learned.store.task.primary.name))


def _has_learned(store: Store, value: float) -> bool:
    """Compare the main metric on validation images with that of answers that ignore the images."""
    truth = store.targets[store.rows("val")].astype(np.float64)
    if store.task.name == "regression":
        return bool(value < 0.6 * np.abs(truth - truth.mean(axis=0)).mean())
    return bool(value > truth.mean() + 0.2)


def test_the_doctor_reads_the_validations_of_the_task(learned: TaskCase) -> None:
    history, plan = learned.run.history, learned.run.plan(TrainingPlan)
    dataset = run_dataset(learned.workspace, plan)
    found = TrainingHistory.of(history, plan).with_answers(learned.run.record.folder, dataset)
    last, score = history.epochs[-1], learned.store.task.score_metric

    assert found.classes == tuple(learned.store.classes)
    assert found.score[-1] == last.value(score)
    assert found.val_score[-1] == last.value(f"val_{score}")
    assert len(found.late) == 3
    assert found.late[-1].scores[0] == pytest.approx(last.value(f"val_{score}"), abs=0.03)
    truth = learned.store.targets[learned.store.rows("val")]
    if learned.store.task.name == "multi_label":
        assert found.late[-1].images.tolist() == truth.sum(axis=0).tolist()
        np.testing.assert_allclose(found.late[-1].constant[1:], truth.mean(axis=0), atol=1e-6)
    else:
        np.testing.assert_allclose(found.late[-1].constant, 0, atol=1e-6)
    assert not {"no_skill", "dead_class"} & {each.name for each in diagnose(found)}


def test_every_validation_keeps_what_the_network_gave(learned: TaskCase) -> None:
    store, history = learned.store, learned.run.history
    assert len(history.insights) == len(history.epochs)
    for stored, epoch in zip(history.insights, history.epochs, strict=True):
        insight = read_insight(learned.run.record.folder / stored.path)
        found = insight.targets
        assert found is not None
        assert found.rows.tolist() == store.rows("val").tolist()
        assert found.of == len(found.rows)
        np.testing.assert_allclose(found.truth, store.targets[found.rows], rtol=1e-6)
        if store.task.name == "regression":
            error = float(np.abs(found.outputs - found.truth).mean())
            assert error == pytest.approx(epoch.value("val_mae"), rel=1e-3)
        else:
            right = float(((found.outputs >= 0.5) == (found.truth > 0)).mean())
            assert right == pytest.approx(epoch.value("val_label_accuracy"), abs=1e-3)
        assert len(insight.answers.rows) == len(insight.pictures.rows) == 0
        assert insight.norms


def test_predictions_of_pictures_are_what_is_evaluated(learned: TaskCase) -> None:
    store = learned.store
    rows = store.rows("test")
    predictions = _predict(learned, rows)
    job = do_here(
        learned.workspace,
        EvaluationPlan(run=learned.run.record.id, resamples=50),
        "with intervals",
    )

    assert job.history.state == State.COMPLETED, job.history.detail
    report = Report.read(job.record.folder)
    assert report is not None
    assert report.count == len(rows)
    outputs = np.load(job.record.folder / OUTPUTS_NAME)
    assert outputs.shape == (len(rows), len(store.classes))
    answers = [_outputs(prediction, store.classes) for prediction in predictions]
    np.testing.assert_allclose(answers, outputs, rtol=1e-4, atol=1e-4)
    for name, (low, high) in report.intervals.items():
        value = report.metrics[name]
        assert value is not None
        assert low <= high
    assert [each.name for each in report.outputs] == store.classes


def _outputs(prediction: ImagePrediction, names: list[str]) -> list[float]:
    (part,) = prediction.parts
    values = part.numbers()
    return [values[name] for name in names]


def test_metrics_are_those_of_counting_by_hand(learned: TaskCase) -> None:
    store = learned.store
    rows = store.rows("test")
    truth = store.targets[rows]
    predictions = _predict(learned, rows)
    plan = EvaluationPlan(run=learned.run.record.id, resamples=0)
    report = Report.read(do_here(learned.workspace, plan, "e").record.folder)

    assert report is not None
    assert report.intervals == {}
    if store.task.name == "regression":
        answers = np.array([_outputs(each, store.classes) for each in predictions])
        errors = np.abs(answers - truth).mean(axis=0)
        assert report.metrics["mae"] == pytest.approx(errors.mean(), rel=1e-3)
        for index, output in enumerate(report.outputs):
            assert output.metrics["mae"] == pytest.approx(errors[index], rel=1e-3)
    else:
        given = np.array(
            [
                [each.scores is not None and name in each.scores.labels for name in store.classes]
                for each in predictions
            ]
        )
        hits = (given & (truth == 1)).sum()
        f1 = 2 * hits / (given.sum() + truth.sum())
        assert report.metrics["f1_micro"] == pytest.approx(f1)
        same = (given == (truth == 1)).all(axis=1).mean()
        assert report.metrics["subset_accuracy"] == pytest.approx(same)


def test_a_report_is_a_page_a_table_and_data(learned: TaskCase) -> None:
    plan = EvaluationPlan(run=learned.run.record.id, resamples=20)
    job = do_here(learned.workspace, plan, "report")
    opened = EvaluatedOutputs.open(learned.workspace, job.record.folder)

    page = opened.text("html")
    assert page.count("data:image/jpeg") >= len(opened.report.outputs)
    lines = list(csv.DictReader(opened.text("csv").splitlines()))
    document = json.loads(opened.text("json"))
    for output in opened.report.outputs:
        assert output.name in page
        of_output = [line for line in lines if line["output"] == output.name]
        assert {line["metric"] for line in of_output} == set(output.metrics)
    assert document["metrics"] == opened.report.metrics
    errors = np.abs(opened.outputs[:, 0] - opened.targets[:, 0])
    assert errors[opened.worst(0, 3)].tolist() == sorted(errors.tolist(), reverse=True)[:3]


@pytest.mark.thorough
def test_two_models_are_compared_on_the_same_images(learned: TaskCase) -> None:
    weak = do_here(learned.workspace, _plan(learned.dataset, epochs=1), "weak")
    opened = []
    for run in (learned.run, weak):
        plan = EvaluationPlan(run=run.record.id, resamples=0)
        job = do_here(learned.workspace, plan, f"of {run.record.id}")
        opened.append(EvaluatedOutputs.open(learned.workspace, job.record.folder))
    found = compare_targets(opened[0], opened[1], resamples=100)

    for name, each in found.items():
        ours, theirs = (one.report.metrics[name] for one in opened)
        assert ours is not None
        assert theirs is not None
        assert each.value == pytest.approx(ours - theirs)
        assert each.low <= each.high
    primary = learned.store.task.metrics[0]
    better = found[primary.name].value * primary.sign
    assert better > 0
    same = compare_targets(opened[0], opened[0])[primary.name]
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_validation_images_calibrate_the_outputs(learned: TaskCase) -> None:
    store = learned.store
    calibration = read_calibration(learned.run.record.folder)

    assert calibration.images == len(store.rows("val"))
    if store.task.name == "regression":
        rows = store.rows("test")
        documents: list[Any] = [each.document() for each in _predict(learned, rows)]
        intervals = [each["intervals"] for each in documents]
        inside = [
            [low <= true <= high for (low, high), true in zip(each.values(), row, strict=True)]
            for each, row in zip(intervals, store.targets[rows], strict=True)
        ]
        assert len(inside) == len(rows)
        assert np.mean(inside) > 0.85
    else:
        assert len(calibration.thresholds) == len(store.classes)
        assert all(0 < each < 1 for each in calibration.thresholds)


def test_settings_that_mean_nothing_for_the_task_are_refused(learned: TaskCase) -> None:
    task = TASKS[learned.store.task.name]
    values = {"head_solver": "linear_svm", "monitor": "val_accuracy"}
    problems = training_problems(learned.workspace, _plan(learned.dataset, **values))

    assert {problem.where for problem in problems} >= {"head_solver", "monitor"}
    assert any(task.label.lower() in problem.message for problem in problems)


def test_a_model_of_another_task_is_not_evaluated(learned: TaskCase, tmp_path: Path) -> None:
    tables = squares(tmp_path / "squares", 60, seed=1)
    other = next(task for task in TARGET_TASKS if task != learned.store.task.name)
    dataset = do_here(learned.workspace, target_recipe(tables, other), "other")
    plan = EvaluationPlan(run=learned.run.record.id, dataset=dataset.record.id)

    job = do_here(learned.workspace, plan, "of another")

    assert job.history.state == State.FAILED
    assert TASKS[other].label in job.history.reason


@pytest.mark.thorough
def test_mixed_images_and_label_weights_are_learned(learned: TaskCase) -> None:
    values: dict[str, object] = {"augmentation": {"mix_up": 0.4}, "epochs": 2}
    if learned.store.task.name == "multi_label":
        values |= {"class_balancing": "class_weights", "label_smoothing": 0.1, "focal_gamma": 1.0}
    plan = _plan(learned.dataset, **values)
    serious = [each for each in training_problems(learned.workspace, plan) if each.serious]
    assert serious == []
    job = do_here(learned.workspace, plan, "mixed")
    assert job.history.state == State.COMPLETED, job.history.detail
    losses = list(job.history.steps_of("loss"))
    assert np.isfinite(losses).all()


@pytest.mark.thorough
def test_images_are_drawn_by_their_rarest_label(learned: TaskCase) -> None:
    store = learned.store
    if "class_balancing" in store.task.refused:
        pytest.skip("there are no labels")
    counts = store.targets.sum(axis=0)
    batches = SplitBatches(store, "train", 16, seed=3, balanced=True)
    for epoch in range(2):
        batches.set_epoch(epoch)
        truth = np.concatenate([batches[at][1] for at in range(len(batches))])
        # An image without any label is of a kind of its own, 3.
        rarest = [
            min(np.flatnonzero(row).tolist(), key=lambda label: counts[label], default=3)
            for row in truth
        ]
        drawn = np.bincount(rarest)
        assert drawn.sum() == len(store.rows("train"))
        assert len(drawn) == 4
        assert drawn.max() - drawn.min() <= 1


def test_a_target_without_images_to_learn_from_is_an_error(tmp_path: Path) -> None:
    tables = squares(tmp_path / "squares", 4)
    lines = tables["multi_label"].read_text(encoding="utf-8").splitlines()
    table = tmp_path / "empty.csv"
    table.write_text("\n".join([lines[0], *(f"{line.split(',')[0]}," for line in lines[1:])]))
    workspace = Workspace.open(tmp_path / "workspace")
    recipe = target_recipe(tables, "multi_label", source=str(table))

    job = do_here(workspace, recipe, "empty")

    assert job.history.state == State.FAILED
    assert "labels" in job.history.reason
    with pytest.raises(StudioError):
        Store.open(job.record.folder)


@pytest.mark.thorough
def test_a_linear_head_is_solved_at_once(learned: TaskCase) -> None:
    task = learned.store.task
    solver = "ridge" if task.name == "regression" else "logistic_regression"
    values = {
        "network": "small_cnn",
        "weights": f"run:{_base(learned).record.id}",
        "freeze": "all",
        "head_solver": solver,
    }
    plan = _plan(learned.dataset, **values)
    assert [each for each in training_problems(learned.workspace, plan) if each.serious] == []
    job = do_here(learned.workspace, plan, "solved")

    assert job.history.state == State.COMPLETED, job.history.detail
    (epoch,) = job.history.epochs
    assert set(epoch.metrics) == {each.name for each in task.measured}
    ours = epoch.value(task.primary.name)
    assert _has_learned(learned.store, ours)
    report_plan = EvaluationPlan(run=job.record.id, split="val", resamples=0)
    report = Report.read(do_here(learned.workspace, report_plan, "v").record.folder)
    assert report is not None
    assert report.metrics[task.metrics[0].name] == pytest.approx(ours, rel=0.05)
    spec = network_for(plan, (SIDE, SIDE, 3), len(learned.store.classes), task=task)
    assert LINEAR_HEAD.apply(plan.changed(head_solver="gradient"), spec).head_solver == solver
    other = plan.changed(head_solver="linear_svm")
    assert "head_solver" in {each.where for each in training_problems(learned.workspace, other)}


def _base(learned: TaskCase) -> RunJob:
    plan = _plan(learned.dataset, network="small_cnn", epochs=8)
    return do_here(learned.workspace, plan, "base")
