"""Metrics of one model on known and on unseen origins, and intervals of their difference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from helpers.digits import do_here
from helpers.evaluations import SUBJECT, leave_evaluation
from helpers.runs import fake_run
from studio.engine.compute.evaluate import trained_rows
from studio.engine.datasets.origins.facts import MeasuredOn
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import resplit_dataset
from studio.engine.evaluation.evaluated_classes import EvaluatedClasses
from studio.engine.evaluation.evaluated_outputs import (
    EvaluatedOutputs,
    compare_origins,
)
from studio.engine.evaluation.gap import EvaluationGap
from studio.engine.evaluation.mcnemar import compare
from studio.engine.evaluation.measures import ImageGroups, proportion
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.report_builder import Answered, report_on_outputs
from studio.engine.evaluation.report_page import html_page, json_document
from studio.engine.evaluation.report_table import csv_text
from studio.engine.evaluation.requests import Target
from studio.engine.inference.models import ModelSource
from studio.engine.progress import SilentProgress
from studio.engine.proportions import independent_difference
from studio.engine.tasks import TASKS
from studio.engine.tasks.prediction import Meaning
from studio.engine.training.trained_models import trained_version
from studio.engine.workspace import Workspace

FILMS, FRAMES, KNOWN = 20, 10, 8
IS_KNOWN = np.repeat(np.arange(FILMS) % 5 < 2, FRAMES)
GROUPS = ImageGroups.of(np.repeat(np.arange(FILMS), FRAMES))
ON = SUBJECT.model_copy(
    update={
        "measured_on": MeasuredOn(
            kind="video", groups=FILMS, images=len(IS_KNOWN), common=int(IS_KNOWN.sum())
        )
    }
)


def _left(folder: Path, name: str, is_right: NDArray[np.bool_]) -> EvaluatedClasses:
    """Leave an evaluation of a model whose predictions are right for some of the frames."""
    folder.mkdir()
    labels = np.arange(len(is_right)) % 2
    predicted = np.where(is_right, labels, 1 - labels)
    probabilities = np.where(predicted[:, None] == np.arange(2), 0.8, 0.2)
    subject = ON.model_copy(update={"model": name})
    more = {"resamples": 100, "subject": subject, "groups": GROUPS, "is_known": IS_KNOWN}
    return leave_evaluation(folder, np.arange(len(labels)), probabilities, labels, **more)


def _memorized(seed: int, on_unseen: float) -> NDArray[np.bool_]:
    """Return right predictions of all known films, and of some frames of the others."""
    return IS_KNOWN | (np.random.default_rng(seed).random(len(IS_KNOWN)) < on_unseen)


def test_one_evaluation_reports_both_numbers_and_their_difference(tmp_path: Path) -> None:
    is_right = _memorized(0, 0.5)
    evaluated = _left(tmp_path / "net", "net", is_right)
    gap = evaluated.report.gap
    assert gap is not None
    assert (gap.known.images, gap.known.groups) == (KNOWN * FRAMES, KNOWN)
    assert (gap.unseen.images, gap.unseen.groups) == (120, FILMS - KNOWN)
    accuracy = is_right[~IS_KNOWN].mean()
    assert gap.known.metrics["accuracy"] == 1
    assert gap.unseen.metrics["accuracy"] == pytest.approx(accuracy)
    assert gap.differences["accuracy"] == pytest.approx(1 - accuracy)
    low, high = gap.intervals["accuracy"]
    assert 0 < low < 1 - accuracy < high
    known = proportion(is_right[IS_KNOWN], ImageGroups.of(np.repeat(np.arange(KNOWN), FRAMES)))
    assert gap.known.intervals["accuracy"] == known, "it resamples films"

    text = f"Accuracy: 100.0% on known films, {accuracy:.1%} on unseen films. The difference is"
    assert str(gap.text(evaluated.reporter.report_metrics[0])).startswith(text)
    assert text in html_page(evaluated, None)
    assert f"accuracy on unseen origins,,{accuracy}" in csv_text(evaluated.report)
    document = json_document(evaluated)
    assert document["gap"]["unseen"]["metrics"]["accuracy"] == pytest.approx(accuracy)
    assert EvaluationGap.model_validate(document["gap"]) == gap
    assert evaluated.report.metrics["accuracy"] == is_right.mean()


def test_two_models_are_compared_on_known_and_on_unseen_origins(tmp_path: Path) -> None:
    one = _left(tmp_path / "one", "one", _memorized(0, 0.9))
    other = _left(tmp_path / "other", "other", _memorized(1, 0.4))
    found = compare((one.report, one.answers), (other.report, other.answers))
    assert (found.origins["known"].count, found.origins["unseen"].count) == (80, 120)
    assert found.origins["known"].difference == 0
    assert found.origins["unseen"].difference > 0.3
    assert found.origins["unseen"].is_significant
    assert found.difference == pytest.approx(0.6 * found.origins["unseen"].difference)
    page = html_page(one, None, found)
    assert "On unseen origins: one is better than other" in page


def test_a_run_without_a_version_was_trained_on_the_first_one(tmp_path: Path) -> None:
    for number in range(24):
        path = tmp_path / "in" / "ab"[number % 2] / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", (4, 4), 9 * number).save(path)
    workspace = Workspace.open(tmp_path / "workspace")
    recipe = {"source": str(tmp_path / "in"), "width": 4, "height": 4, "origins": "none"}
    dataset = do_here(workspace, DatasetRecipe.parse(recipe), "dataset").record
    first = Store.open(dataset.folder).rows("train").tolist()
    resplit_dataset(dataset.folder, SplitPlan(seed=5))
    assert Store.open(dataset.folder).rows("train").tolist() != first
    run = fake_run(workspace, "run", [0.5], dataset=dataset.id)
    source = ModelSource(file="m", name="m", classes=("a", "b"))

    target = Target(source, run, dataset, trained_version(run))
    rows = trained_rows(EvaluationPlan(run=run.id), target)

    assert rows is not None
    assert rows.tolist() == first


def _regression(errors: NDArray[np.float64]) -> EvaluatedOutputs:
    task, targets = TASKS["regression"], np.zeros((len(errors), 1), np.float32)
    outputs = errors[:, None].astype(np.float32)
    evidence = task.reporter.evidence(outputs, targets, 1)
    groups = np.repeat(np.arange(FILMS), FRAMES)
    subject = ON.model_copy(update={"run": "r"})
    answered = Answered(
        task, subject, Meaning(("q",)), evidence, targets, groups=groups, is_known=IS_KNOWN
    )
    report = report_on_outputs(answered, 100, 0, SilentProgress())
    return EvaluatedOutputs(report, outputs, evidence, targets, np.arange(len(errors)), None)


def test_reports_on_targets_have_both_parts(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    errors = random.normal(0, 1, len(IS_KNOWN)) * np.where(IS_KNOWN, 0.1, 1.0)
    evaluation = _regression(errors)
    gap = evaluation.report.gap
    assert gap is not None
    assert gap.known.metrics["mae"] == pytest.approx(np.abs(errors[IS_KNOWN]).mean(), rel=1e-5)
    assert gap.unseen.metrics["mae"] == pytest.approx(np.abs(errors[~IS_KNOWN]).mean(), rel=1e-5)
    low, high = gap.intervals["mae"]
    assert low < gap.differences["mae"] < high < 0
    assert "on known films" in evaluation.text("html")
    assert ",,mae on known origins," in evaluation.text("csv")
    assert json.loads(evaluation.text("json"))["gap"]["kind"] == "video"
    worse = _regression(errors * np.where(IS_KNOWN, 1.0, 3.0))
    found = compare_origins(evaluation, worse)
    assert found["known"]["mae"].value == 0
    assert found["unseen"]["mae"].high < 0


def _difference_of_accuracies(random: np.random.Generator) -> tuple[float, float]:
    """Return the interval of the difference of 0.9 on known and 0.6 on unseen films."""
    ends = []
    for films, share in ((20, 0.9), (10, 0.6)):
        rates = random.beta(share * 9, (1 - share) * 9, films)
        groups = ImageGroups.of(np.repeat(np.arange(films), FRAMES))
        right = random.random(films * FRAMES) < np.repeat(rates, FRAMES)
        interval = proportion(right, groups)
        assert interval is not None
        ends.append((float(right.mean()), interval))
    return independent_difference(*ends)


def test_intervals_of_the_difference_hold_the_true_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def held() -> float:
        random = np.random.default_rng(1)
        found = [_difference_of_accuracies(random) for _ in range(1000)]
        return float(np.mean([low <= 0.3 <= high for low, high in found]))

    assert 0.93 <= held() <= 0.97
    monkeypatch.setattr("studio.engine.proportions.LEVEL", 0.90)
    assert held() < 0.93, "another level is noticed"
