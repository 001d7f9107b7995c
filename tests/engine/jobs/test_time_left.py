"""One estimate of the time left, held against recorded runs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from studio.engine.jobs.events import ProgressMade, StateChanged
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.states import State
from studio.engine.jobs.time_left import WorkRate, rounded_time
from studio.engine.training.history import EpochThroughput, TrainingBegan

RECORDED = Path(__file__).parents[2] / "samples" / "run_times.json"
"""Times of runs on two busy cores: seconds since the first step was prepared."""


def _frame(run: dict[str, Any]) -> TrainingBegan:
    names = ("epochs", "steps_per_epoch", "train_images", "val_images")
    return TrainingBegan(
        **{name: run[name] for name in names},
        parameters=1,
        trainable_parameters=1,
        backend="tensorflow",
        device="CPU",
    )


def _estimates(run: dict[str, Any]) -> Iterator[tuple[float, float | None]]:
    """Yield the true and the estimated seconds left, from a tenth of a run on."""
    frame, end = _frame(run), run["epoch_ends"][-1]
    events = sorted(
        [(at, step) for at, step in run["steps"]] + [(at, 0) for at in run["epoch_ends"]]
    )
    throughput, ended = EpochThroughput(), 0
    for at in range(int(end)):
        while events and events[0][0] <= at:
            seconds, step = events.pop(0)
            if step:
                throughput.add_steps(seconds, step)
            else:
                throughput.add_epoch(seconds)
                ended += 1
        if at >= end / 10:
            yield end - at, throughput.seconds_left(frame, ended, at)


def test_after_a_tenth_of_a_run_four_of_five_estimates_are_right() -> None:
    runs = json.loads(RECORDED.read_text())
    pairs = [pair for run in runs.values() for pair in _estimates(run)]
    known = [(true, left) for true, left in pairs if left is not None]
    # A second more or less does not matter at the end of a run.
    right = [max(left + 1, true + 1) / min(left + 1, true + 1) <= 1.5 for true, left in known]

    assert len(known) > 0.8 * len(pairs)
    assert sum(right) > 0.8 * len(right)


def test_an_estimate_does_not_jump_without_a_reason() -> None:
    for name, run in json.loads(RECORDED.read_text()).items():
        shown = [left for _, left in _estimates(run) if left is not None]
        for before, after in pairwise(shown):
            # From one second to the next.
            assert abs(after - before) < max(5, 0.3 * before), name


def test_nothing_is_estimated_until_the_speed_is_steady() -> None:
    throughput = WorkRate()
    for second, done in ((0.0, 0), (8.0, 1), (8.5, 2), (9.0, 3), (9.5, 4)):
        throughput.add(second, done)
        assert throughput.seconds_left(1000, second) is None
    for at in range(5, 12):
        throughput.add(7.5 + at / 2, at)
    assert throughput.seconds_left(1011, 13.0) == pytest.approx(500), (
        "the slow start does not count"
    )


def test_work_that_reports_nothing_is_not_about_to_end() -> None:
    throughput = WorkRate()
    for at in range(20):
        throughput.add(at, at)

    assert throughput.seconds_left(119, 20) == pytest.approx(99)
    assert throughput.seconds_left(119, 1_000) == pytest.approx(98)
    assert throughput.seconds_left(119, 0) is None, "the clock was put back"


def test_a_long_job_keeps_few_readings() -> None:
    throughput = WorkRate()
    for at in range(10_000):
        throughput.add(at / 10, at)

    assert len(throughput.readings) <= 128
    assert throughput.seconds_left(20_000, 999.9) == pytest.approx(1_000, rel=0.01)


def test_another_step_of_a_job_is_measured_again() -> None:
    history = JobHistory()
    history.apply([StateChanged(t=0, state=State.RUNNING, attempt=1)])
    history.apply(ProgressMade(t=at, done=at, total=20, what="one") for at in range(10))
    assert history.seconds_left(now=9) == pytest.approx(11)
    assert not history.is_measuring(now=9)

    history.apply([ProgressMade(t=10, done=1, total=20, what="two")])
    assert history.seconds_left(now=10) is None
    assert history.is_measuring(now=10)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, 5), (7, 5), (47, 50), (59, 60), (83, 60), (2_040, 2_100), (5_000, 5_400), (1e6, 993_600)],
)
def test_times_are_rounded_to_what_is_known(seconds: float, shown: int) -> None:
    assert rounded_time(seconds) == shown
    assert rounded_time(seconds) % 60 == 0 or seconds < 60
    assert math.isfinite(rounded_time(seconds))
