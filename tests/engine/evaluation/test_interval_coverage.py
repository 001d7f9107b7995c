"""Intervals contain the true value in 95 % of all cases: not in 90 %, and not in 99 %.

Each source of data is simulated often, with fixed seeds, or its distribution is known exactly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from helpers.evaluations import learned, metric, report_of
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs, compare_targets
from studio.engine.evaluation.mcnemar import paired_gain
from studio.engine.evaluation.measures import interval
from studio.engine.evaluation.report import EvaluatedModel
from studio.engine.evaluation.report_builder import Answered, report_on_outputs
from studio.engine.progress import SilentProgress
from studio.engine.proportions import paired_difference, percentile_interval, wilson
from studio.engine.tasks import TASKS
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.prediction import Meaning
from studio.engine.training.comparison import summarize_folds

CASES = 600
IMAGES = 80
RESAMPLES = 200
# Three standard deviations of a fraction of 600 cases are 2.7 %.
LEAST, MOST = 0.93, 0.97

Numbers = NDArray[np.float64]
OfResamples = Callable[[Numbers], tuple[float, float] | None]
REGRESSION = TASKS["regression"]
SUBJECT = EvaluatedModel(
    model="m", run="r", dataset="d", dataset_name="D", dataset_version=0, split="test"
)


def resampled_means(values: Numbers, random: np.random.Generator) -> Numbers:
    drawn = random.integers(0, len(values), (RESAMPLES, len(values)))
    means: Numbers = values[drawn].mean(axis=1)
    return means


@pytest.mark.parametrize("of_resamples", [interval, percentile_interval])
def test_percentiles_of_resamples(
    of_resamples: Callable[[Numbers], tuple[float, float] | None],
) -> None:
    random, held = np.random.default_rng(1), 0
    for _ in range(CASES):
        found = of_resamples(resampled_means(random.normal(3.0, 1.0, IMAGES), random))
        held += found is not None and found[0] <= 3.0 <= found[1]
    assert LEAST <= held / CASES <= MOST


def test_a_proportion() -> None:
    """Exactly: the probability of every number of correct predictions is known."""
    ends = np.array([wilson(right, IMAGES) for right in range(IMAGES + 1)])
    covered = []
    for share in np.linspace(0.1, 0.9, 81):
        is_held = (ends[:, 0] <= share) & (share <= ends[:, 1])
        covered.append(binom.pmf(np.arange(IMAGES + 1), IMAGES, share)[is_held].sum())
    assert LEAST <= np.mean(covered) <= MOST


def test_the_difference_of_two_models_on_the_same_images() -> None:
    random, held, gains = np.random.default_rng(2), 0, 0
    for _ in range(CASES):
        more, less, _ = random.multinomial(IMAGES, (0.2, 0.1, 0.7))
        low, high = paired_difference(more, less, IMAGES)
        held += low <= 0.1 <= high
        before = np.arange(IMAGES) < less
        after = (np.arange(IMAGES) >= less) & (np.arange(IMAGES) < less + more)
        gains += paired_gain(before, after).low <= 0.1 <= paired_gain(before, after).high
    assert LEAST <= held / CASES <= MOST
    assert gains == held


def test_the_mean_over_folds() -> None:
    random, held = np.random.default_rng(3), 0
    for _ in range(CASES):
        found = summarize_folds(random.normal(0.8, 0.1, 5).tolist())
        held += found.low <= 0.8 <= found.high
    assert LEAST <= held / CASES <= MOST


def test_the_accuracy_and_the_loss_of_a_report() -> None:
    """A narrower interval of the same resamples would be a tenth shorter."""
    probabilities, labels = learned(400, 3, 3)
    report = report_of(probabilities, labels, 400)
    low, high = report.intervals["accuracy"]
    assert (low, high) == pytest.approx(wilson(round(metric(report, "accuracy") * 400), 400))
    losses = -np.log(probabilities[np.arange(400), labels])
    deviation = losses.std() / 20
    low, high = report.intervals["loss"]
    assert (high - low) / (2 * deviation) == pytest.approx(1.96, rel=0.1)


def _regression(errors: Numbers) -> EvaluatedOutputs:
    """An evaluation of one quantity with known errors."""
    targets = np.zeros((len(errors), 1), np.float32)
    outputs = errors[:, None].astype(np.float32)
    reporter = REGRESSION.reporter
    meaning = Meaning(("q",))
    evidence = reporter.evidence(outputs, targets, 1)
    answered = Answered(REGRESSION, SUBJECT, meaning, evidence, targets)
    report = report_on_outputs(answered, RESAMPLES, 0, SilentProgress())
    rows = np.arange(len(errors))
    return EvaluatedOutputs(report, outputs, evidence, targets, rows, None)


def test_the_error_of_a_regression_and_the_difference_of_two() -> None:
    random, held, differences = np.random.default_rng(4), 0, 0
    cases = 200
    for _ in range(cases):
        one, other = (_regression(random.normal(0, 1, IMAGES)) for _ in range(2))
        low, high = one.report.intervals["mae"]
        held += low <= np.sqrt(2 / np.pi) <= high
        found = compare_targets(one, other, RESAMPLES, 0)["mae"]
        differences += found.low <= 0 <= found.high
    assert LEAST - 0.015 <= held / cases <= MOST + 0.015
    assert LEAST - 0.015 <= differences / cases <= MOST + 0.015


def test_the_margin_of_predicted_numbers() -> None:
    predictor, random, inside = REGRESSION.predictor, np.random.default_rng(5), []
    for _ in range(CASES):
        errors = random.normal(0, 1, (100, 1)).astype(np.float32)
        calibration: Calibration = predictor.calibrated(errors, np.zeros((100, 1)), 1)
        inside.append(np.mean(np.abs(random.normal(0, 1, 100)) <= calibration.margins[0]))
    assert LEAST <= np.mean(inside) <= MOST
