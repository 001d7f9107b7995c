"""A run that was interrupted ends with the same bits as one that was not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from numpy.typing import NDArray

from helpers.digits import Digits, do_here, go_on_here
from studio.engine.compute.resume import load_point
from studio.engine.jobs import control
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.replay import JobHistory
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan

AUGMENTED = {"rotation": 20.0, "flip": "horizontal"}


def plan_of(digits: Digits, **values: object) -> TrainingPlan:
    """Deterministic, with dropout, batches that leave a rest, and nothing saved by the clock."""
    wanted = {
        "network": "mlp",
        "epochs": 3,
        "batch_size": 100,
        "deterministic": True,
        "resume_every": 86_400.0,
        **values,
    }
    return TrainingPlan(dataset=digits.dataset.record.id).changed(**wanted)


def everything(job: Job) -> dict[str, NDArray[Any]]:
    """Weights, states, sums and the kept weights at the end of a run."""
    point = load_point(job.record.folder)
    assert point is not None
    return point.arrays


def assert_same(one: Job, other: Job) -> None:
    first, second = everything(one), everything(other)
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert value.tobytes() == second[name].tobytes(), name
    ours, theirs = (load_point(job.record.folder) for job in (one, other))
    assert ours is not None
    assert theirs is not None
    assert ours.course.model_copy(update={"seconds": 0}) == theirs.course.model_copy(
        update={"seconds": 0}
    )
    assert list(one.history.step_loss) == list(other.history.step_loss)
    assert list(one.history.step_accuracy) == list(other.history.step_accuracy)
    assert [_figures(each) for each in one.history.measured] == [
        _figures(each) for each in other.history.measured
    ]


def _figures(measured: Any) -> str:
    return repr(measured.model_dump(exclude={"t", "seconds", "images_per_second"}))


def _pause(_queue: JobQueue, job: Job) -> None:
    if job.history.state.has_worker:
        control.pause(job)


def _past(steps: int) -> Callable[[JobHistory], bool]:
    return lambda history: len(history.step_loss) >= steps


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"optimizer": "adamw", "schedule": "cosine", "warmup_percent": 10.0, "network": "lenet"},
        {"average_weights": 0.9, "epochs": 4},
        {"validate_every": 0.4, "plateau_patience": 1, "least_gain": 0.5, "stop_patience": 7},
        {"accumulate": 3, "augmentation": AUGMENTED, "balance": "sampling"},
        {"network": "small_cnn", "batch_size": 256, "precision": "mixed_float16", "epochs": 2},
    ],
    ids=["plain", "schedule", "averages", "watched", "accumulated", "mixed"],
)
def test_a_paused_run_goes_on_exactly(own_digits: Digits, values: dict[str, object]) -> None:
    workspace, plan = own_digits.workspace, plan_of(own_digits, **values)
    whole = do_here(workspace, plan, "whole")
    assert whole.history.state == State.COMPLETED, whole.history.detail
    job = JobQueue(workspace).submit(plan, "paused")
    total = len(whole.history.step_loss)

    pauses = 0
    for steps in (1, total // 2, total):
        go_on_here(workspace, job, _past(steps), _pause)
        if job.history.state == State.COMPLETED:
            break
        assert job.history.state == State.PAUSED, job.history.detail
        pauses += 1

    assert pauses
    assert job.history.state == State.COMPLETED
    assert_same(whole, job)
