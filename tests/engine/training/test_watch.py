"""What is best, when training is over, when the rate falls."""

from __future__ import annotations

import math

from studio.engine.compute.validation import MetricMonitor
from studio.engine.tasks.classification.task import CLASSIFICATION
from studio.engine.training.plan import TrainingPlan


def _verdicts(name: str, values: list[float], **plan: object) -> list[str]:
    watch = MetricMonitor(
        TrainingPlan.parse({"dataset": "d", "monitor": name, **plan}), CLASSIFICATION
    )
    reported = []
    for value in values:
        found = watch.judge({name: value})
        letters = ("b", found.is_best), ("c", found.cuts_rate), ("o", found.is_over)
        reported.append("".join(letter for letter, is_so in letters if is_so))
    return reported


def test_accuracy_is_better_when_higher_and_loss_when_lower() -> None:
    assert _verdicts("val_accuracy", [0.5, 0.4, 0.6, 0.6]) == ["b", "", "b", ""]
    assert _verdicts("val_loss", [0.5, 0.4, 0.6, 0.4]) == ["b", "b", "", ""]


def test_without_a_measurement_the_last_is_best() -> None:
    assert _verdicts("val_accuracy", [math.nan, math.nan], early_stopping_patience=1) == ["b", "b"]


def test_it_is_over_when_nothing_was_gained_for_long_enough() -> None:
    assert _verdicts("loss", [3, 2, 2, 1, 1, 1], early_stopping_patience=2) == [
        "b",
        "b",
        "",
        "b",
        "",
        "o",
    ]
    assert _verdicts("loss", [3, 2, 2, 1, 1, 1]) == ["b", "b", "", "b", "", ""]


def test_a_small_gain_is_best_but_does_not_reset_patience() -> None:
    values = [0.5, 0.51, 0.52, 0.61]

    assert _verdicts("val_accuracy", values, early_stopping_patience=2, min_delta=0.1) == [
        *("b", "b", "bo"),
        "b",
    ]


def test_the_rate_falls_again_after_the_same_patience() -> None:
    assert _verdicts("val_loss", [1, 1, 1, 1, 1], plateau_patience=2) == ["b", "", "c", "", "c"]
