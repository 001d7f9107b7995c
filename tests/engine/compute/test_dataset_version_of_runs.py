"""A run learns from exactly one version of its dataset, and is measured on that one."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.digits import Digits, do_here
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.edits import AddClass, Exclude, Move, Relabel, RenameClass
from studio.engine.datasets.overlay import rows_text
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset, undo
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.inference.models import model_of_run
from studio.engine.inference.requests import PredictRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training, training_problems
from studio.engine.training.trained_models import trained_version
from studio.engine.workspace import Workspace


def _plan(digits: Digits, **values: object) -> TrainingPlan:
    fixed = {"dataset": digits.dataset.record.id, "network": "perceptron", "epochs": 1}
    return TrainingPlan.parse({**fixed, **values})


def test_asking_for_a_run_names_the_newest_version(own_digits: Digits) -> None:
    queue, folder = JobQueue(own_digits.workspace), own_digits.dataset.record.folder

    def asked(name: str, **values: object) -> int | None:
        job = request_training(queue, _plan(own_digits, **values), name)
        return job.plan(TrainingPlan).dataset_version

    assert asked("one") == 0
    edit_dataset(folder, [Exclude(rows="0-9")])
    edit_dataset(folder, [Exclude(rows="10-19")])
    assert asked("two") == 2
    assert asked("three", dataset_version=1) == 1
    with pytest.raises(StudioError, match="versions 0 to 2"):
        asked("four", dataset_version=3)


def test_problems_are_those_of_the_version(own_digits: Digits) -> None:
    folder, store = own_digits.dataset.record.folder, Store.open(own_digits.dataset.record.folder)
    edit_dataset(folder, [Exclude(rows=rows_text(store.rows("val")))])
    edit_dataset(folder, [Exclude(rows=rows_text(store.rows("train")))])

    def problems(version: int | None) -> list[tuple[str, bool]]:
        plan = _plan(own_digits, dataset_version=version)
        found = training_problems(own_digits.workspace, plan)
        return [(problem.message.split(",")[0], problem.serious) for problem in found]

    assert problems(0) == []
    assert problems(1) == [("there are no validation images", False)]
    assert problems(None)[0] == ("there are no training images.", True)


@pytest.mark.slow
def test_a_run_is_measured_on_its_training_dataset(digits: Digits, own_digits: Digits) -> None:
    folder, store = own_digits.dataset.record.folder, Store.open(own_digits.dataset.record.folder)
    test = store.rows("test")
    edit_dataset(
        folder,
        [
            AddClass(name="new"),
            Relabel(rows=rows_text(store.rows("train")[:5]), label=10),
            Exclude(rows=rows_text(test[:80])),
            Move(rows=rows_text(store.rows("val")), split="train"),
        ],
    )
    version = edit_dataset(folder, [RenameClass(label=0, name="zero")])

    run = do_here(own_digits.workspace, _plan(own_digits, dataset_version=version), "run")
    for _ in range(2):
        undo(folder)
    edit_dataset(folder, [Exclude(rows=rows_text(test))])

    assert run.history.state == State.COMPLETED, run.history.reason
    assert run.history.training is not None
    assert run.history.training.val_images == 0
    assert run.history.training.train_images == len(store.rows("train")) + len(store.rows("val"))
    assert trained_version(run.record) == version
    queue = JobQueue(own_digits.workspace)
    request_evaluation(queue, EvaluationPlan(run=run.record.id))
    job: Job = do_here(own_digits.workspace, EvaluationPlan(run=run.record.id), "evaluation")
    assert job.history.state == State.COMPLETED, job.history.reason
    assert job.history.result["count"] == len(test) - 80
    assert job.history.result["classes"][0] == "zero"
    assert len(job.history.result["classes"]) == 11
    _predicts_all_classes(own_digits.workspace, run, digits.pictures / store.paths[int(test[0])])


def _predicts_all_classes(workspace: Workspace, run: RunJob, picture: Path) -> None:
    request = PredictRequest(
        model=model_of_run(workspace, run.record),
        images=(str(picture),),
        top=20,
    )
    (prediction,) = PicturePredictor(WarmModels()).predict(request).predictions
    assert {score.label for score in prediction.class_scores} >= {"zero", "new", "9"}
