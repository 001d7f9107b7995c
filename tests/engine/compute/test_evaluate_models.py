"""Models of checkpoints and of files, on datasets that they were not trained on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.digits import Digits, do_here
from helpers.evaluations import metric
from helpers.runs import append_events
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.evaluation.evaluated_classes import EvaluatedClasses, predictions_of
from studio.engine.evaluation.mcnemar import compare
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.reports import ReportKind, save_report
from studio.engine.evaluation.requests import find_evaluation, request_evaluation
from studio.engine.jobs.events import Artifact
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State

pytestmark = pytest.mark.slow

CARD = {"model": "model.keras", "image": {"width": 28, "height": 28, "color": "gray"}}


def _evaluated(digits: Digits, plan: EvaluationPlan, name: str) -> EvaluatedClasses:
    job = do_here(digits.workspace, plan, name)
    assert job.history.state == State.COMPLETED, job.history
    return EvaluatedClasses.open(digits.workspace, job.record.folder)


def _file(digits: Digits, folder: Path, classes: list[str] | None = None) -> str:
    """The model of the run as a file somewhere else, with the names of its classes or without."""
    folder.mkdir()
    shutil.copy(digits.run.record.folder / "model.keras", folder)
    if classes is not None:
        card = json.dumps({**CARD, "classes": classes})
        (folder / "labels.json").write_text(card, encoding="utf-8")
    return str(folder / "model.keras")


@pytest.mark.thorough
def test_a_file_a_checkpoint_and_the_run_say_the_same(own_run: Digits, tmp_path: Path) -> None:
    run, dataset = own_run.run.record, own_run.dataset.record.id
    append_events(run, [Artifact(name="checkpoint-2", path="model.keras")])
    plan = EvaluationPlan(run=run.id, robustness=True, resamples=100)
    of_run = _evaluated(own_run, plan, "run")
    checkpoint = _evaluated(
        own_run, EvaluationPlan(run=run.id, checkpoint="2", resamples=0), "checkpoint"
    )
    alone = _file(own_run, tmp_path / "alone")
    file = _evaluated(own_run, EvaluationPlan(model_file=alone, dataset=dataset), "file")

    accuracy = {each.report.metrics["accuracy"] for each in (checkpoint, file, of_run)}
    assert len(accuracy) == 1
    assert checkpoint.report.subject.title == "lenet @ 2"
    assert checkpoint.report.intervals == {}
    assert "those of the dataset are used" in file.report.warnings[0]
    assert of_run.report.notes == ()
    stored = predictions_of(own_run.workspace, run)
    assert stored is not None
    assert len(stored.rows) == 180, "only the evaluation of the run itself counts"
    comparison = compare((of_run.report, of_run.answers), (file.report, file.answers))
    assert (comparison.difference, comparison.p_value) == (0, 1)
    found = find_evaluation(own_run.workspace, EvaluationPlan(run=run.id))
    assert found is not None
    assert found.folder == of_run.folder
    _robustness_is_measured(of_run)
    _reports_hold_it_all(of_run, tmp_path)


def _robustness_is_measured(evaluated: EvaluatedClasses) -> None:
    robustness = evaluated.report.robustness
    assert robustness is not None
    assert robustness.images == 180
    curves = {curve.corruption: curve.points for curve in robustness.curves}
    assert len(curves) == 6
    for name, points in curves.items():
        (plain,) = (point for point in points if point.strength == (100 if name == "jpeg" else 0))
        assert plain.accuracy == evaluated.report.metrics["accuracy"]
        assert plain.interval is not None
        assert plain.interval[0] <= plain.accuracy <= plain.interval[1]
    assert curves["occlusion"][-1].accuracy < metric(evaluated.report, "accuracy") - 0.1
    assert curves["noise"][1].accuracy > 0.8


def _reports_hold_it_all(evaluated: EvaluatedClasses, folder: Path) -> None:
    kinds: tuple[ReportKind, ...] = ("html", "csv", "json")
    for kind in kinds:
        save_report(evaluated, kind, folder / f"report.{kind}")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Ziffern ü" in page
    assert page.count("data:image/jpeg;base64,") > 20
    assert "http://" not in page
    assert "https://" not in page
    assert "<script" not in page
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert data["accuracy"] == evaluated.report.metrics["accuracy"]
    assert np.array(data["confusion_matrix"]).sum() == 180
    assert len(data["curves"]) == 10
    table = (folder / "report.csv").read_text(encoding="utf-8").splitlines()
    assert table[0] == "figure,class,value,low,high"
    assert f"accuracy,,{evaluated.report.metrics['accuracy']}," in "\n".join(table)


def test_classes_are_matched_by_name(own_run: Digits, tmp_path: Path) -> None:
    dataset = own_run.dataset.record.id
    names = [str(digit) for digit in range(10)]
    turned = _file(own_run, tmp_path / "turned", [names[-1], *names[1:-1], names[0]])

    report = _evaluated(own_run, EvaluationPlan(model_file=turned, dataset=dataset), "a").report

    # Nines are said to be zeros and zeros nines; the others stay right.
    recalls = {each.name: metric(each, "recall") for each in report.outputs}
    assert recalls["0"] == 0
    assert recalls["9"] == 0
    assert min(recalls[name] for name in names[1:-1]) > 0.7
    assert report.notes == ()

    strange = _file(own_run, tmp_path / "strange", [*names[:-2], "acht", "neun"])
    plan, queue = EvaluationPlan(model_file=strange, dataset=dataset), JobQueue(own_run.workspace)
    with pytest.raises(StudioError, match='does not have the classes "8", "9"'):
        request_evaluation(queue, plan)


def test_images_of_another_size_are_fitted(
    digits: Digits, own_run: Digits, tmp_path: Path
) -> None:
    source = tmp_path / "grown"
    for label in ("3", "7"):
        (source / label).mkdir(parents=True)
        for path in sorted((digits.pictures / label).glob("*.png"))[:30]:
            with Image.open(path) as picture:
                picture.convert("RGB").resize((56, 56)).save(source / label / path.name)
    recipe = DatasetRecipe(source=str(source), width=56, height=56, val_percent=0, test_percent=50)
    job = do_here(own_run.workspace, recipe, "Große")
    run = own_run.run.record.id
    plan = EvaluationPlan(run=run, dataset=job.record.id, split="test")

    report = _evaluated(own_run, plan, "other").report

    assert report.count == 30
    assert metric(report, "accuracy") > 0.85
    assert len(report.classes) == 10
    assert report.notes[0].startswith("The images of 56x56x3 were resized to the 28x28x1")
    assert predictions_of(own_run.workspace, own_run.run.record) is None
