"""Two models on the same images, against SciPy's tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from helpers.evaluations import SUBJECT, report_of
from studio.engine.errors import StudioError
from studio.engine.evaluation.mcnemar import compare, p_value
from studio.engine.evaluation.report import Report
from studio.engine.training.insights import ValidationPredictions


@given(one=st.integers(0, 200), other=st.integers(0, 200))
def test_the_p_value_is_that_of_scipy(one: int, other: int) -> None:
    total = one + other
    if total == 0:
        expected = 1.0
    elif total < 25:
        expected = stats.binomtest(one, total, 0.5).pvalue
    else:
        expected = stats.chi2.sf(max(0, abs(one - other) - 1) ** 2 / total, 1)

    assert p_value(one, other) == pytest.approx(expected, rel=1e-6)


def _evaluation(
    name: str, rows: range, wrong: set[int], *, dataset: str = "d", names: str = "ab"
) -> tuple[Report, ValidationPredictions]:
    truth = np.array([names.index("ab"[row % 2]) for row in rows], np.int32)
    predicted = np.where(np.isin(rows, list(wrong)), 1 - truth, truth)
    count = len(rows)
    answers = ValidationPredictions(
        np.array(rows), truth, predicted, np.ones(count, np.float32), count
    )
    subject = SUBJECT.model_copy(
        update={"model": name, "dataset": dataset, "dataset_name": dataset}
    )
    report = report_of(np.eye(2)[predicted], truth, classes=list(names), subject=subject)
    return report, answers


def test_two_evaluations_are_held_against_each_other_by_image_and_name() -> None:
    # The other model has its classes in another order, and was measured on fewer images.
    one = _evaluation("one", range(100), {1, 2, 3})
    other = _evaluation("two", range(10, 100), set(range(10, 22)), names="ba")

    found = compare(one, other)

    assert (found.count, found.left_out) == (90, 10)
    assert (found.both_right, found.only_first, found.only_second, found.both_wrong) == (
        78, 12, 0, 0
    )  # fmt: skip
    assert found.exact
    assert found.p_value == pytest.approx(stats.binomtest(0, 12, 0.5).pvalue)
    assert found.difference == pytest.approx(12 / 90)
    assert found.interval is not None
    assert found.interval[0] < found.difference < found.interval[1]
    assert found.sentence.startswith("one is better than two by 13.3 points, and not by chance")


def test_evaluations_without_common_images_are_not_compared() -> None:
    with pytest.raises(StudioError, match="one was evaluated on d, b on e"):
        compare(
            _evaluation("one", range(9), set()), _evaluation("b", range(9), set(), dataset="e")
        )
    with pytest.raises(StudioError, match="no images in common"):
        compare(_evaluation("one", range(9), set()), _evaluation("b", range(10, 19), set()))
