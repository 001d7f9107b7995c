"""Evaluation against counting by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.digits import Digits, do_here
from helpers.evaluations import certainty_of, metric
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.store import Store
from studio.engine.evaluation.evaluated_classes import (
    EvaluatedClasses,
    open_probabilities,
    predictions_of,
)
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.inference.models import model_of_run
from studio.engine.inference.requests import ImagePrediction, PredictRequest
from studio.engine.jobs.states import State

pytestmark = pytest.mark.slow


def _predict(digits: Digits, pictures: list[Path]) -> tuple[ImagePrediction, ...]:
    request = PredictRequest(
        model=model_of_run(digits.workspace, digits.run.record),
        images=tuple(map(str, pictures)),
        top=10,
    )
    return PicturePredictor(WarmModels()).predict(request).predictions


def test_an_evaluation_is_what_counting_predictions_gives(digits: Digits, own_run: Digits) -> None:
    store = Store.open(digits.dataset.record.folder)
    rows = store.rows("test")
    # From the picture files themselves, through decoding and all.
    predictions = _predict(digits, [digits.pictures / store.paths[row] for row in rows])
    truths = [store.classes[label] for label in store.labels[rows]]
    scores = [{s.label: s.score for s in prediction.class_scores} for prediction in predictions]
    right = [
        p.class_scores[0].label == truth for p, truth in zip(predictions, truths, strict=True)
    ]
    top_5 = [
        truth in [score.label for score in prediction.class_scores[:5]]
        for prediction, truth in zip(predictions, truths, strict=True)
    ]
    losses = [-np.log(score[truth]) for score, truth in zip(scores, truths, strict=True)]

    job = do_here(own_run.workspace, EvaluationPlan(run=own_run.run.record.id), "evaluation")

    result = job.history.result
    assert job.history.state == State.COMPLETED
    assert result["count"] == len(rows) == 180
    assert result["classes"] == store.classes
    assert result["accuracy"] == pytest.approx(np.mean(right))
    assert result["top_5"] == pytest.approx(np.mean(top_5))
    assert result["loss"] == pytest.approx(np.mean(losses), rel=1e-4)
    evaluated = EvaluatedClasses.open(own_run.workspace, job.record.folder)
    matrix = evaluated.confusion
    assert matrix.sum() == 180
    assert matrix.trace() == sum(right)
    assert (matrix.sum(axis=1) == np.bincount(store.labels[rows], minlength=10)).all()
    _holds_all_probabilities(evaluated, scores)

    stored = predictions_of(own_run.workspace, own_run.run.record)
    assert stored is not None
    assert (stored.rows == rows).all()
    assert [store.classes[label] for label in stored.classes] == [
        prediction.class_scores[0].label for prediction in predictions
    ]
    assert stored.scores == pytest.approx([p.class_scores[0].score for p in predictions], abs=1e-4)
    assert set(stored.wrong(store.labels)) == set(rows[~np.array(right)])

    second = EvaluationPlan(run=own_run.run.record.id, split="val")
    folder = do_here(own_run.workspace, second, "second").record.folder
    on_val = certainty_of(EvaluatedClasses.open(own_run.workspace, folder).report)
    assert on_val.temperature is None
    assert "which are the evaluated ones" in on_val.temperature_missing

    both = predictions_of(own_run.workspace, own_run.run.record)
    assert both is not None
    assert (both.rows == np.sort(np.concatenate([rows, store.rows("val")]))).all()
    assert (both.classes[np.isin(both.rows, rows)] == stored.classes).all()


def _holds_all_probabilities(evaluated: EvaluatedClasses, scores: list[dict[str, float]]) -> None:
    report = evaluated.report
    low, high = report.intervals["accuracy"]
    assert low <= metric(report, "accuracy") <= high
    temperature = certainty_of(report).temperature
    assert temperature is not None
    assert temperature.fitted_on == "val"
    table = open_probabilities(evaluated.folder)
    expected = [[image[name] for name in report.classes] for image in scores]
    assert np.array(table) == pytest.approx(np.array(expected), abs=1e-4)


def test_an_evaluation_without_its_dataset_is_bad_data(own_run: Digits) -> None:
    (own_run.dataset.record.folder / "images.h5").write_bytes(b"no dataset")

    job = do_here(own_run.workspace, EvaluationPlan(run=own_run.run.record.id), "evaluation")

    assert (job.history.state, job.history.category) == (State.FAILED, "bad_data")
    assert "images.h5" in job.history.reason


def test_an_evaluation_of_a_damaged_model_is_bad_data(own_run: Digits) -> None:
    (own_run.run.record.folder / "model.keras").write_bytes(b"no model")

    job = do_here(own_run.workspace, EvaluationPlan(run=own_run.run.record.id), "evaluation")

    assert (job.history.state, job.history.category) == (State.FAILED, "bad_data")
    assert "cannot be opened" in job.history.reason
