"""Runs on masks: what is kept of them, what is measured, what explains them, and their losses."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.digits import do_here
from helpers.mask_datasets import NAMES, SIDE, import_shapes
from helpers.sampling import sample
from helpers.task_cases import TaskCase, trained_case
from helpers.train_plans import train_plans
from studio.engine.compute.explain import Explainer
from studio.engine.compute.forward import Outliner
from studio.engine.compute.model_checkpointer import MODEL_FILE
from studio.engine.compute.model_files import load_model
from studio.engine.compute.models import score
from studio.engine.compute.read import read_model
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.requests import dataset_summary
from studio.engine.evaluation.evaluated_outputs import (
    EvaluatedOutputs,
    compare_targets,
)
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.inference.models import model_of_run
from studio.engine.inference.requests import ExplainRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import InputShape
from studio.engine.tasks.calibration import Calibration
from studio.engine.training.doctor import TrainingHistory, diagnose, run_dataset
from studio.engine.training.insights import MASKS, read_insight
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import PreflightPlan, PreflightReport
from studio.engine.training.recommendation import recommend
from studio.engine.workspace import Workspace

pytestmark = pytest.mark.slow

IGNORED = 255


def evaluation(learned: TaskCase, name: str, **values: int) -> EvaluatedOutputs:
    """Evaluate the run on the test images."""
    plan = EvaluationPlan(run=learned.run.record.id, **values)
    job = do_here(learned.workspace, plan, name)
    assert job.history.state == State.COMPLETED, job.history.detail
    return EvaluatedOutputs.open(learned.workspace, job.record.folder)


def _plan(dataset: Job, **values: object) -> TrainingPlan:
    wanted = {
        "network": "small_unet:filters=8,depth=2",
        "epochs": 8,
        "batch_size": 8,
        "learning_rate": 0.01,
        "checkpoint_interval_seconds": 86_400.0,
    }
    return TrainingPlan(dataset=dataset.record.id).changed(**(wanted | values))


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> TaskCase:
    folder = tmp_path_factory.mktemp("shapes")
    workspace = Workspace.open(folder / "workspace")
    dataset = import_shapes(workspace, folder / "in", 120, ignored=0.1)
    return trained_case(workspace, folder / "in" / "images", dataset, _plan(dataset))


def _labels(learned: TaskCase, split: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """What the kept model predicts for a split, and its masks."""
    store = learned.store
    rows = store.rows(split)
    outputs = score(load_model(learned.run.record.folder / MODEL_FILE), store.images[rows])
    return outputs.argmax(axis=-1).astype(np.uint8), store.required_regions[rows]


def _ious(labels: NDArray[np.uint8], masks: NDArray[np.uint8]) -> list[float]:
    known = masks != IGNORED
    found = []
    for place in range(len(NAMES)):
        of, predicted = (masks == place) & known, (labels == place) & known
        found.append(float((of & predicted).sum() / (of | predicted).sum()))
    return found


def test_validations_keep_the_figures_of_every_image_and_some_masks(learned: TaskCase) -> None:
    history, store = learned.run.history, learned.store
    assert len(history.insights) == len(history.epochs)
    for kept, epoch in zip(history.insights, history.epochs, strict=True):
        insight = read_insight(learned.run.record.folder / kept.path)
        found = insight.targets
        assert found is not None
        assert found.rows.tolist() == store.rows("val").tolist()
        figures = learned.reporter.measure(found.outputs, found.truth, Calibration())
        for name in ("mean_iou", "pixel_accuracy"):
            assert figures.whole[name] == pytest.approx(epoch.value(f"val_{name}"), abs=1e-4)
    masks = insight.masks
    assert masks is not None
    assert masks.labels.shape == (MASKS, SIDE, SIDE)
    assert set(masks.rows.tolist()) <= set(store.rows("val").tolist())
    truth = store.required_regions[masks.rows]
    assert (masks.labels == truth)[truth != IGNORED].mean() > 0.9


def test_the_doctor_reads_the_pixels_that_are_predicted(learned: TaskCase) -> None:
    plan = learned.run.plan(TrainingPlan)
    dataset = run_dataset(learned.workspace, plan)
    found = TrainingHistory.of(learned.run.history, plan)
    found = found.with_answers(learned.run.record.folder, dataset)

    late = found.late[-1]
    assert late.predicted.sum() == pytest.approx(1, abs=1e-6)
    assert late.scores[0] == pytest.approx(found.val_score[-1], abs=1e-4)
    assert late.constant[0] < 0.4, "all background"
    assert not {"one_class", "no_skill", "dead_class"} & {each.name for each in diagnose(found)}


def test_an_evaluation_is_what_counting_pixels_gives(learned: TaskCase) -> None:
    labels, masks = _labels(learned, "test")
    opened = evaluation(learned, "counted", resamples=50)

    report = opened.report
    assert np.array_equal(opened.outputs, labels)
    ious = _ious(labels, masks)
    assert [each.metrics["iou"] for each in report.outputs] == pytest.approx(ious, abs=1e-6)
    assert report.metrics["mean_iou"] == pytest.approx(np.mean(ious), abs=1e-6)
    low, high = report.intervals["mean_iou"]
    assert low <= np.mean(ious) <= high
    known = masks != IGNORED
    counts = np.bincount(masks[known] * len(NAMES) + labels[known], minlength=9)
    assert report.confusion is not None
    assert np.array_equal(np.array(report.confusion), counts.reshape(3, 3))
    assert [each.pixels for each in report.outputs] == counts.reshape(3, 3).sum(axis=1).tolist()


def test_the_worst_images_and_the_images_of_a_cell(learned: TaskCase) -> None:
    labels, masks = _labels(learned, "test")
    opened = evaluation(learned, "worst", resamples=0)

    wrong = ((labels != masks) & (masks != IGNORED)).sum(axis=(1, 2))
    places, counts = opened.cell(0, 2)
    confused = ((masks == 0) & (labels == 2)).sum(axis=(1, 2))
    assert counts.tolist() == confused[places].tolist()
    assert counts.sum() == confused.sum()
    assert counts.tolist() == sorted(counts.tolist(), reverse=True)
    worst = opened.worst(None, 5)
    assert wrong[worst].mean() > wrong.mean()
    page = opened.text("html")
    assert page.count("data:image/jpeg") >= len(NAMES)
    for name in NAMES:
        assert name in page
    assert compare_targets(opened, opened, resamples=10)["mean_iou"].value == 0


def test_heat_lies_where_a_class_is_seen(learned: TaskCase) -> None:
    models = WarmModels()
    row = next(
        row
        for row in learned.store.rows("test").tolist()
        if (learned.store.required_regions[row] == 2).sum() > 60
    )
    model = model_of_run(learned.workspace, learned.run.record)
    image = str(learned.pictures / Path(learned.store.paths[row]).name)
    explainer = Explainer(models, Outliner(models))

    answer = explainer.answer(ExplainRequest(model=model, image=image, label="disc"))

    heat = np.asarray(answer.heat.values(), np.float64)
    rows = np.arange(SIDE) * heat.shape[0] // SIDE
    columns = np.arange(SIDE) * heat.shape[1] // SIDE
    heat = heat[rows][:, columns]
    inside = learned.store.required_regions[row] == 2
    assert heat[inside].mean() > 2 * heat[~inside].mean()


def test_a_trained_network_is_read_from_its_file(learned: TaskCase) -> None:
    model = load_model(learned.run.record.folder / MODEL_FILE)

    found = read_model(model)

    assert found.spec.input.height == SIDE
    assert found.notes == ()
    assert "concatenate" in {node.layer for node in found.spec.nodes}


@pytest.mark.parametrize(
    "values",
    sample(
        [
            {"class_balancing": "class_weights", "dice_weight": 0.5},
            {"focal_gamma": 2.0},
            {"dice_weight": 1.0, "label_smoothing": 0.1},
            {"precision": "mixed_bfloat16"},
            {"ema_momentum": 0.9, "gradient_accumulation_steps": 2},
        ],
        1,
    ),
    ids=repr,
)
def test_every_loss_and_way_of_training_learns(learned: TaskCase, values: dict[str, Any]) -> None:
    plan = _plan(learned.dataset, epochs=4, **values)
    job = do_here(learned.workspace, plan, "-".join(values))

    assert job.history.state == State.COMPLETED, job.history.detail
    steps = np.array(job.history.steps_of("loss"))
    assert np.isfinite(steps).all()
    assert steps[-10:].mean() < steps[:10].mean()
    assert job.history.best_epoch is not None
    assert job.history.best_epoch.value("val_mean_iou") > 0.4


@pytest.mark.thorough
def test_what_is_recommended_learns(learned: TaskCase) -> None:
    summary = dataset_summary(learned.dataset.record.folder)
    best = recommend(summary, [], is_photo=False)[0]
    plan = best.apply(TrainingPlan(dataset=learned.dataset.record.id), summary)

    job = do_here(learned.workspace, plan, "recommended")

    assert job.history.state == State.COMPLETED, job.history.detail
    assert job.history.best_epoch is not None
    assert job.history.best_epoch.value("val_mean_iou") > 0.9


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_every_backend_learns_and_goes_on_exactly(learned: TaskCase, backend: str) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    plain = _plan(learned.dataset, epochs=3, deterministic=True, backend=backend).model_dump(
        mode="json", exclude_defaults=True
    )
    names = f"plain {backend}", f"paused {backend}"
    plans = [(names[0], plain), (names[1], plain | {"pause_at": [0, 10]})]

    runs, _ = train_plans(learned.workspace.root, plans)

    whole, paused = (runs[name] for name in names)
    assert whole.state == paused.state == "completed", whole.reason
    assert whole.epochs[-1]["metrics"]["val_mean_iou"] > 0.4
    assert paused.attempts >= 2
    assert whole.losses == paused.losses
    assert whole.digest == paused.digest


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_two_devices_give_what_one_gives(learned: TaskCase, backend: str) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    # An odd batch is shared unevenly; the loss of a batch is a mean over all its pixels.
    # There is no batch normalization, which sees half a batch on each of two devices.
    net = GraphBuilder("Plain", InputShape(height=SIDE, width=SIDE, channels=3), len(NAMES))
    net.add("rescaling", scale=1 / 255)
    net.add("conv2d", "conv", filters=8, kernel=5, activation="relu")
    net.add("conv2d", "logits", filters=len(NAMES), kernel=1)
    net.add("softmax", "head")
    values = {
        "design": net.spec().model_copy(update={"task": learned.store.task.name}).model_dump(),
        "epochs": 2,
        "batch_size": 7,
        "optimizer": "sgd",
        "learning_rate": 0.05,
        "class_balancing": "class_weights",
        "backend": backend,
    }
    plan = _plan(learned.dataset, **values).model_dump(mode="json", exclude_defaults=True)
    devices = "cpu:2", "cpu"
    plans = [(f"{backend} on {each}", plan | {"device": each}) for each in devices]

    runs, _ = train_plans(learned.workspace.root, plans)

    two, one = (runs[name] for name, _ in plans)
    assert one.state == two.state == "completed", (one.reason, two.reason)
    assert two.losses == pytest.approx(one.losses, rel=4e-4)
    for mine, theirs in zip(one.epochs, two.epochs, strict=True):
        for name in ("val_loss", "val_mean_iou", "val_pixel_accuracy"):
            assert theirs["metrics"][name] == pytest.approx(mine["metrics"][name], abs=1e-3), name


@pytest.mark.thorough
def test_a_preflight_measures_time_memory_and_rate(learned: TaskCase) -> None:
    plan = PreflightPlan(training=_plan(learned.dataset), find_rate=True)

    job = do_here(learned.workspace, plan, "before")

    assert job.history.state == State.COMPLETED, job.history.detail
    report = PreflightReport.read(job.record.folder)
    assert report is not None
    assert report.throughput is not None
    assert report.memory is not None
    # At least an image, and the maps of the first and the last level, in numbers of four bytes.
    assert report.memory.image_bytes > 4 * SIDE * SIDE * (3 + 6 * 8)
    assert report.rate is not None
