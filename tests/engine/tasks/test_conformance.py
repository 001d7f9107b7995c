"""What every task must do: import, edit, undo, split, augment, train, resume, answer, export."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from helpers.digits import do_here, go_on_here
from helpers.plug_ins import VALUES, installed
from helpers.processes import clean_environment
from helpers.resuming import everything
from helpers.sampling import sample
from helpers.task_cases import (
    IMAGES,
    ImportedCase,
    TaskCase,
    case_plan,
    families,
    import_case,
    small_network,
    trained_case,
)
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.compute.benchmarks.child import outcome_of
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.edits import Edit, Exclude, Relabel, SetTarget
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.versions import compare_versions, edit_dataset, resplit_dataset, undo
from studio.engine.evaluation.report import EvaluationPlan, Report
from studio.engine.exporting.certificate import files_of
from studio.engine.exporting.formats import FORMATS
from studio.engine.exporting.plan import ExportPlan
from studio.engine.inference.models import model_of_run, read_source
from studio.engine.inference.requests import PredictRequest
from studio.engine.jobs import control
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.settings_checks import accepted
from studio.engine.training.trainers import planned_output, trainer_of

pytestmark = pytest.mark.slow

_TRAINED = pytest.mark.parametrize(
    "task",
    sample((*families(), *VALUES), ("segmentation", "angle")),
    indirect=True,
    scope="module",
)
"""For tests that need a run: those of detectors take long, and `test_box_runs` has one."""


@pytest.fixture(
    scope="module",
    params=sample((*families(), *VALUES), ("segmentation", "detection", "angle")),
)
def task(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The name of a task, perhaps with an output; packages that add tasks are installed."""
    with installed(tmp_path_factory.mktemp("plug-ins") / "plug-ins"):
        yield str(request.param)


@pytest.fixture(scope="module")
def imported(task: str, tmp_path_factory: pytest.TempPathFactory) -> ImportedCase:
    name = task.partition("/")[0]
    return import_case(tmp_path_factory.mktemp(name), name)


@pytest.fixture(scope="module")
def case(task: str, imported: ImportedCase) -> TaskCase:
    network = small_network(imported.store.task, task.partition("/")[2])
    return trained_case(*imported, case_plan(imported.dataset, network=network))


def test_the_dataset_has_its_task_and_every_image_once(imported: ImportedCase) -> None:
    store = imported.store

    assert len(store.paths) == len(set(store.paths)) == IMAGES
    assert store.task.name == imported.store.recipe.task
    assert len(store.classes) >= store.task.min_outputs
    assert len(store.targets) == IMAGES


def test_an_edit_is_a_version_that_can_be_undone(imported: ImportedCase, tmp_path: Path) -> None:
    before = imported.store
    refusal = before.task.targets.refusal
    values = [v for v in (1.0 - float(before.targets[0, 0]), 0.5) if not refusal(v)]
    edit: Edit = Relabel(rows="0", label=1 - int(before.labels[0]))
    if before.regions is not None:
        edit = Exclude(rows="0")
    elif values:
        edit = SetTarget(rows="0", output=0, value=values[0])
    edit_dataset(imported.dataset.record.folder, [edit])
    try:
        changes = compare_versions(before, imported.store)
        changed = changes.excluded if before.regions is not None else changes.relabeled
        assert changed.tolist() == [0]
    finally:
        undo(imported.dataset.record.folder)

    assert compare_versions(before, imported.store).is_empty


def test_splits_are_alike(imported: ImportedCase) -> None:
    before = imported.store
    plan = SplitPlan(val_percent=25, test_percent=25, seed=5, keep_source_splits=False)
    resplit_dataset(imported.dataset.record.folder, plan)
    try:
        store = imported.store
        counts = {name: len(store.rows(name)) for name in ("train", "val", "test")}
        expected = {"train": IMAGES // 2, "val": IMAGES // 4, "test": IMAGES // 4}
        assert sum(counts.values()) == IMAGES
        # The images of each trait are divided, and the rest is rounded.
        assert all(abs(counts[name] - expected[name]) <= 1 for name in counts)
        assert not np.array_equal(store.rows("val"), before.rows("val"))
        traits = store.task.targets.traits(store.targets)
        for name in counts:
            share = traits[store.rows(name)].mean(axis=0)
            assert np.abs(share - traits.mean(axis=0)).max() < 0.1, name
    finally:
        undo(imported.dataset.record.folder)


@_TRAINED
def test_a_run_measures_the_metrics_of_its_task(case: TaskCase) -> None:
    history, task = case.run.history, case.store.task

    assert history.task == task
    known = {
        each.name
        for each in task.measured
        if each.min_classes <= len(case.store.classes)
        and (not each.outputs or planned_output(case.plan).name in each.outputs)
    }
    assert set(history.epochs[-1].metrics) == known
    for name in task.step_metrics:
        assert len(history.steps_of(name)) == history.step_count
    best = history.best_epoch
    assert best is not None
    values = [epoch.value(task.primary.name) for epoch in history.epochs]
    assert best.value(task.primary.name) == task.primary.best(values)


@_TRAINED
def test_augmented_images_are_learned(case: TaskCase) -> None:
    changes = {"rotation": 20.0, "horizontal_flip": True, "brightness": 20.0}
    job = do_here(
        case.workspace,
        case_plan(case.dataset, network=case.plan.network, epochs=1, augmentation=changes),
        "augmented",
    )

    assert job.history.state == State.COMPLETED, job.history.detail
    first = list(job.history.steps_of("loss"))
    assert np.isfinite(first).all()
    assert first != list(case.run.history.steps_of("loss"))[: len(first)]


@pytest.mark.parametrize("class_balancing", sample(["none", "sampling"], 1))
@_TRAINED
def test_a_paused_run_resumes_bit_for_bit(case: TaskCase, class_balancing: str) -> None:
    plan = case_plan(
        case.dataset,
        network=case.plan.network,
        epochs=3,
        weight_decay=0.001,
        class_balancing=class_balancing,
    )
    if accepted(plan, case.store.task) != plan:
        pytest.skip(f"{case.store.task.label} has nothing to balance")
    if not trainer_of(plan).steps(plan, IMAGES):
        pytest.skip(f"{case.store.task.label} is fitted in one step")
    whole = do_here(case.workspace, plan, f"whole {class_balancing}")
    job = (
        JobQueue(case.workspace).submit(plan, f"paused {class_balancing}").with_history(RunHistory)
    )

    go_on_here(case.workspace, job, _past(3), _pause)
    paused = job.history.state
    go_on_here(case.workspace, job)

    assert paused == State.PAUSED
    assert job.history.state == State.COMPLETED, job.history.detail
    first, second = everything(whole), everything(job)
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert value.tobytes() == second[name].tobytes(), name
    for name in case.store.task.step_metrics:
        assert list(whole.history.steps_of(name)) == list(job.history.steps_of(name))


def _past(steps: int) -> Callable[[RunHistory], bool]:
    return lambda history: history.step_count >= steps


def _pause(_queue: JobQueue, job: RunJob) -> None:
    if job.history.state.has_worker:
        control.pause(job)


@_TRAINED
def test_training_steps_are_timed_on_its_images(case: TaskCase, tmp_path: Path) -> None:
    if not trainer_of(case.plan).steps(case.plan, 1):
        pytest.skip("the network is fitted at once")
    plan = StudyPlan(
        dataset=case.dataset.record.id,
        networks=(case.plan.network,),
        devices=("cpu",),
        batch_sizes=(2,),
        images=4,
        epochs=1,
    )

    outcome = outcome_of(case.workspace, tmp_path, plan, 0, math.inf)

    assert outcome.state == "measured", outcome.reason
    assert outcome.figures is not None
    (loss,) = outcome.figures.epoch_losses
    assert loss is not None


@_TRAINED
def test_it_is_evaluated(case: TaskCase) -> None:
    plan = EvaluationPlan(run=case.run.record.id, split="val", resamples=20)
    job = do_here(case.workspace, plan, "evaluation")

    assert job.history.state == State.COMPLETED, job.history.detail
    report = Report.read(job.record.folder)
    assert report is not None
    assert report.count == len(case.store.rows("val"))


@_TRAINED
def test_pictures_are_answered_as_data_text_and_cells(case: TaskCase) -> None:
    store = case.store
    model = model_of_run(case.workspace, case.run.record)
    images = tuple(str(path) for path in sorted(case.pictures.iterdir())[:3])
    request = PredictRequest(model=model, images=images, top=2)
    predictions = list(PicturePredictor(WarmModels()).predict(request).predictions)

    assert len(predictions) == 3
    for each in predictions:
        document = json.loads(json.dumps(each.document()))
        assert document
        lines = each.lines()
        assert lines
        # After two epochs no box may have a score above its threshold.
        names = [*store.classes, *(name for part in each.parts for name in part.numbers())]
        names_class = any(name in line for name in names for line in lines)
        assert names_class or store.task.geometry.unit == "objects"
        assert each.cells()
        assert {type(part) for part in each.parts} == set(store.task.predictor.parts)


@pytest.mark.parametrize(
    "task", sample((*families(), *VALUES), ("segmentation",)), indirect=True, scope="module"
)
@pytest.mark.parametrize("variant", sample(["onnx", "tflite", "openvino"]))
def test_an_export_predicts_as_its_run(case: TaskCase, variant: str, tmp_path: Path) -> None:
    for package in FORMATS[variant].packages:
        pytest.importorskip(package)
    plan = ExportPlan(run=case.run.record.id, variants=[variant], to=str(tmp_path / "to"))
    job = do_here(case.workspace, plan, f"to predict {variant}")
    assert job.history.state == State.COMPLETED, job.history.detail
    (made,) = files_of(job.history.result)
    folder = Path(made.path)
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", folder)
    model = next(each for each in folder.iterdir() if each.stem == "model")
    inside = sorted(model.iterdir()) if model.is_dir() else []
    images = tuple(str(path) for path in sorted(case.pictures.iterdir())[:9])
    predictor, models = (
        PicturePredictor(WarmModels()),
        [model_of_run(case.workspace, case.run.record)],
    )
    models += [
        read_source(path, any_format=True) for path in (folder, Path(packed), model, *inside)
    ]
    # After two epochs no box may have a score above its threshold.
    threshold = 0.02 if case.store.task.geometry.unit == "objects" else None

    answers = [
        predictor.predict(PredictRequest(model=each, images=images, threshold=threshold))
        for each in models
    ]

    ours, *others = [[each.document() for each in answer.predictions] for answer in answers]
    assert list(_leaves(ours))
    for theirs in others:
        assert list(_leaves(theirs)) == list(_leaves(ours))


@pytest.mark.thorough
@_TRAINED
def test_it_is_exported_with_a_certificate(case: TaskCase, tmp_path: Path) -> None:
    plan = ExportPlan(
        run=case.run.record.id, variants=["keras:float32", "onnx:float32"], to=str(tmp_path)
    )
    job = do_here(case.workspace, plan, "export")

    assert job.history.state == State.COMPLETED, job.history.detail
    files = files_of(job.history.result)
    assert [each.problem for each in files] == ["", ""]
    for each in files:
        assert each.certificate is not None
        assert each.certificate.certified, each.certificate.shortcomings
        assert each.certificate.count > 0


@pytest.mark.thorough
@_TRAINED
def test_a_certificate_and_a_script_speak_of_the_task(case: TaskCase, tmp_path: Path) -> None:
    plan = ExportPlan(run=case.run.record.id, variants=["keras:float32"], to=str(tmp_path))
    job = do_here(case.workspace, plan, "told")
    (made,) = files_of(job.history.result)
    certificate, task = made.certificate, case.store.task
    assert certificate is not None

    names = [each.spec.name for each in certificate.compared]
    # Of objects of a size that no image has there is no figure.
    measured = {*certificate.metrics} or {task.metrics[0].name}
    assert names == [each.name for each in task.reporter.whole if each.name in measured]
    assert names[0] == task.metrics[0].name
    for each in certificate.compared:
        assert each.file == pytest.approx(each.model, rel=1e-4)
        assert abs(each.lost) < 0.01
    assert certificate.disagreements == 0
    readme = (Path(made.path) / "README.md").read_text(encoding="utf-8")
    assert task.metrics[0].label in readme
    assert task.output_names[1] in readme

    pictures = [str(path) for path in sorted(case.pictures.iterdir())[:2]]
    done = subprocess.run(
        [sys.executable, str(Path(made.path) / "predict.py"), *pictures, "--json"],
        capture_output=True,
        text=True,
        check=True,
        env=clean_environment(),
    )
    theirs = json.loads(done.stdout)
    model = model_of_run(case.workspace, case.run.record)
    request = PredictRequest(model=model, images=tuple(pictures), top=5)
    for answer, ours in zip(
        theirs, PicturePredictor(WarmModels()).predict(request).predictions, strict=True
    ):
        document = ours.document()
        for key, value in document.items():
            assert list(_leaves(answer[key])) == list(_leaves(value)), key


@pytest.mark.thorough
@_TRAINED
def test_a_training_script_learns_the_task(case: TaskCase, tmp_path: Path) -> None:
    (script,) = [each for each in FORMATS if each.name == "script"]
    plan = ExportPlan(run=case.run.record.id, variants=["script:float32"], to=str(tmp_path))
    job = do_here(case.workspace, plan, "script")
    task = case.store.task
    if task.script is None and (reason := task.capabilities.reason("plain_script")):
        assert job.history.state == State.FAILED
        assert reason in str(job.history.reason)
        return
    assert job.history.state == State.COMPLETED, job.history.detail
    (made,) = files_of(job.history.result)
    assert made.problem == ""
    assert script.name == made.format

    done = subprocess.run(
        [sys.executable, "train.py", "--epochs", "2"],
        cwd=made.path,
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(KERAS_BACKEND="tensorflow"),
    )
    assert done.returncode == 0, done.stderr
    reported = [line for line in done.stdout.splitlines() if line.startswith("val: ")]
    assert len(reported) == 1
    assert case.store.task.metrics[0].name in reported[0]


def _leaves(value: object) -> Iterator[object]:
    """Yield what a document holds; numbers as approximate ones."""
    if isinstance(value, dict):
        value = [part for pair in sorted(value.items()) for part in pair]
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield pytest.approx(value, rel=1e-3, abs=1e-4) if isinstance(value, float) else value
