"""The report of an evaluation against scikit-learn, on random and on degenerate predictions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics as sk

from helpers.evaluations import certainty_of, learned, metric, report_of
from studio.engine.errors import BadDataError, NotFiniteError
from studio.engine.evaluation.measures import (
    draws,
    precision_recall_curve,
    ranked,
    roc_curve,
    thinned,
    weighted_areas,
)
from studio.engine.evaluation.report import Report
from studio.engine.evaluation.report_builder import FittingSet

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@st.composite
def predictions(draw: st.DrawFn) -> tuple[Floats, Ints]:
    """Answers with ties, hopeless and certain ones, classes without images, one class alone."""
    count, classes = draw(st.integers(1, 40)), draw(st.integers(2, 7))
    random = np.random.default_rng(draw(st.integers(0, 2**31)))
    probabilities = random.dirichlet(np.ones(classes), count)
    steps = draw(st.sampled_from([0, 1, 2, 4]))
    if steps:  # rounded, so that many are equal
        probabilities = np.rint(probabilities * steps)
        empty = probabilities.sum(axis=1) == 0
        probabilities[empty] = 1
        probabilities /= probabilities.sum(axis=1, keepdims=True)
    there = draw(st.lists(st.integers(0, classes - 1), min_size=1, max_size=classes))
    return probabilities, random.choice(np.array(there), count)


@given(given_=predictions())
def test_all_figures_are_those_of_scikit_learn(given_: tuple[Floats, Ints]) -> None:
    probabilities, labels = given_
    predicted = probabilities.argmax(axis=1)
    classes = probabilities.shape[1]

    ours = report_of(probabilities, labels)

    assert metric(ours, "accuracy") == pytest.approx(sk.accuracy_score(labels, predicted))
    for average in ("macro", "weighted"):
        expected = sk.precision_recall_fscore_support(
            labels, predicted, average=average, zero_division=0
        )
        for name, value in zip(("precision", "recall", "f1"), expected[:3], strict=True):
            assert ours.metrics[f"{average}_{name}"] == pytest.approx(value, abs=1e-12)
    recalls = sk.recall_score(labels, predicted, labels=np.unique(labels), average=None)
    assert ours.metrics["balanced_accuracy"] == pytest.approx(float(np.mean(recalls)), abs=1e-12)
    if classes > 5:
        top = sk.top_k_accuracy_score(labels, probabilities, k=5, labels=range(classes))
        # Of equals, scikit-learn takes the last class and we, as argmax does, the first.
        assert len(np.unique(probabilities)) < probabilities.size or metric(ours, "top_5") == top
    areas = []
    for label, figures in enumerate(ours.outputs):
        positive = labels == label
        assert figures.images == positive.sum()
        scores = probabilities[:, label]
        if not positive.any():
            assert figures.metrics["average_precision"] is None
        else:
            expected_precision = sk.average_precision_score(positive, scores)
            assert figures.metrics["average_precision"] == pytest.approx(
                expected_precision, abs=1e-12
            )
        if positive.any() and not positive.all():
            areas.append(sk.roc_auc_score(positive, scores))
            assert figures.metrics["roc_auc"] == pytest.approx(areas[-1], abs=1e-12)
        else:
            assert figures.metrics["roc_auc"] is None
    if areas:
        assert ours.metrics["macro_roc_auc"] == pytest.approx(float(np.mean(areas)), abs=1e-12)
    else:
        assert ours.metrics["macro_roc_auc"] is None
    _check_coverage_and_calibration(ours, probabilities, predicted == labels)


def _check_coverage_and_calibration(
    ours: Report, probabilities: Floats, right: NDArray[np.bool_]
) -> None:
    sure = probabilities.max(axis=1)
    for point in certainty_of(ours).coverage:
        answered = sure >= point.threshold
        assert point.coverage == pytest.approx(answered.mean())
        assert point.accuracy == pytest.approx(right[answered].mean())
    assert certainty_of(ours).coverage[-1].coverage == 1
    error = 0.0
    for each in certainty_of(ours).bins:
        inside = (sure > each.low) & (sure <= each.high)
        inside |= (each.low == 0) & (sure == 0)
        assert each.count >= 1
        assert each.low <= each.confidence <= each.high + 1e-12
        if inside.sum() == each.count:  # not where a sum of floats lies on an edge
            assert each.accuracy == pytest.approx(right[inside].mean())
        error += each.count / len(sure) * abs(each.accuracy - each.confidence)
    assert sum(each.count for each in certainty_of(ours).bins) == len(sure)
    assert metric(ours, "calibration_error") == pytest.approx(error, abs=1e-9)


@given(given_=predictions())
def test_curves_are_those_of_scikit_learn(given_: tuple[Floats, Ints]) -> None:
    probabilities, labels = given_
    positive, scores = labels == labels[0], probabilities[:, labels[0]]
    ranks = ranked(scores, positive)
    precision, recall, _ = sk.precision_recall_curve(positive, scores)

    across, up = precision_recall_curve(ranks)

    assert across == pytest.approx(recall[::-1])
    assert up == pytest.approx(precision[::-1])
    if positive.all():
        return
    false, true, _ = sk.roc_curve(positive, scores, drop_intermediate=False)
    across, up = roc_curve(ranks)
    assert across == pytest.approx(false)
    assert up == pytest.approx(true)
    weights = np.stack(
        [np.bincount(drawn, minlength=len(labels)) for drawn in draws(len(labels), 20, 1)]
    ).astype(np.uint8)
    areas, averages = weighted_areas(ranks, positive, weights)
    for drawn, area, average in zip(weights, areas, averages, strict=True):
        if drawn[positive].sum() and drawn[~positive].sum():
            expected = sk.roc_auc_score(positive, scores, sample_weight=drawn)
            assert area == pytest.approx(expected, abs=1e-9)
            expected = sk.average_precision_score(positive, scores, sample_weight=drawn)
            assert average == pytest.approx(expected, abs=1e-9)


def test_a_thinned_curve_keeps_its_ends_and_its_area() -> None:
    random = np.random.default_rng(0)
    positive = random.random(20_000) < 0.2
    ranks = ranked(random.random(20_000) + positive, positive)

    across, up = thinned(*roc_curve(ranks), 101)

    assert len(across) <= 102
    assert (across[0], up[0], across[-1], up[-1]) == (0, 0, 1, 1)
    (area,), _ = weighted_areas(ranks, positive, np.ones((1, 20_000), np.uint8))
    assert float(np.trapezoid(up, across)) == pytest.approx(area, abs=2e-3)


def test_the_temperature_that_was_put_in_is_found() -> None:
    probabilities, labels = learned(3000, 4, 0, heat=0.5)
    fitting = FittingSet("val", *learned(3000, 4, 1, heat=0.5))

    report = report_of(probabilities, labels, fitting=fitting)

    fitted = certainty_of(report).temperature
    assert fitted is not None
    assert fitted.value == pytest.approx(2.0, rel=0.06)
    assert fitted.fitted_on == "val"
    assert fitted.loss < metric(report, "loss") - 0.05
    assert fitted.calibration_error < 0.03 < metric(report, "calibration_error")
    cooled = fitted.loss
    scaled = probabilities ** (1 / fitted.value)
    scaled /= scaled.sum(axis=1, keepdims=True)
    assert cooled == pytest.approx(sk.log_loss(labels, scaled), rel=1e-6)


def test_every_figure_has_an_interval_around_it_that_a_seed_fixes() -> None:
    probabilities, labels = learned(400, 7, 7)

    report, again = (report_of(probabilities, labels, 300) for _ in range(2))

    assert report.intervals == again.intervals
    assert report.rank_resamples == report.resamples == 300
    assert len(report.intervals) == 13
    for name, (low, high) in report.intervals.items():
        assert low <= metric(report, name) <= high, name
        assert 0 < high - low < 0.3
    for each in report.outputs:
        assert set(each.intervals) == {
            "precision", "recall", "f1", "roc_auc", "average_precision"
        }  # fmt: skip
        for name, (low, high) in each.intervals.items():
            assert low <= metric(each, name) <= high


def test_all_right_does_not_mean_that_others_would_be() -> None:
    labels = np.arange(240) % 3
    probabilities = np.full((240, 3), 0.01)
    probabilities[np.arange(240), labels] = 0.98

    report = report_of(probabilities, labels, 200)

    low, high = report.intervals["accuracy"]
    assert low == pytest.approx(0.9842, abs=1e-4)
    assert high == 1.0
    for name, (least, most) in report.intervals.items():
        assert most > least, name
    for each in report.outputs:
        assert each.intervals["recall"][0] == pytest.approx(0.9542, abs=1e-4)
        assert all(most > least for least, most in each.intervals.values())


def test_a_temperature_that_does_not_help_is_not_suggested() -> None:
    calm = learned(3000, 4, 0)
    report = report_of(*calm, fitting=FittingSet("val", *learned(200, 4, 5, heat=0.4)))

    assert certainty_of(report).temperature is None
    assert "is not suggested: a temperature of" in certainty_of(report).temperature_missing


def test_a_class_that_a_resample_can_miss_keeps_its_defined_metrics() -> None:
    probabilities, labels = learned(50, 3, 2)
    labels[labels == 2] = 1
    labels[0] = 2

    report = report_of(probabilities, labels, 200)

    assert "roc_auc" not in report.outputs[2].intervals
    assert "macro_roc_auc" in report.intervals
    assert report.outputs[2].intervals["recall"][0] == 0


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_is_refused(bad: float) -> None:
    probabilities, labels = learned(10, 3, 0)
    probabilities[3, 1] = bad

    with pytest.raises(NotFiniteError, match="not numbers"):
        report_of(probabilities, labels)


def test_no_images_and_foreign_labels_are_refused() -> None:
    with pytest.raises(BadDataError, match="no images"):
        report_of(np.zeros((0, 3)), np.zeros(0, np.int64))
    with pytest.raises(BadDataError, match="received -1"):
        report_of(np.full((1, 3), 1 / 3), np.array([-1]))


def test_a_report_is_read_as_it_was_written() -> None:
    probabilities, labels = learned(30, 3, 1)
    report = report_of(probabilities, labels, 20)

    assert Report.model_validate_json(report.model_dump_json()) == report
