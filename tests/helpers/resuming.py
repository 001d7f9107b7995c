"""Runs that are compared bit for bit."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from helpers.digits import Digits
from studio.engine.compute.checkpoint import load_checkpoint
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan


def plan_of(digits: Digits, **values: object) -> TrainingPlan:
    """Deterministic, with dropout and batches that leave a rest; nothing is saved by the clock."""
    requested = {
        "network": "mlp",
        "epochs": 3,
        "batch_size": 100,
        "deterministic": True,
        "checkpoint_interval_seconds": 86_400.0,
        "insights": False,
        **values,
    }
    return TrainingPlan(dataset=digits.dataset.record.id).changed(**requested)


def everything(job: RunJob) -> dict[str, NDArray[Any]]:
    """Weights, states, sums and the kept weights at the end of a run."""
    checkpoint = load_checkpoint(job.record.folder)
    assert checkpoint is not None
    return checkpoint.arrays


def assert_same(one: RunJob, other: RunJob) -> None:
    first, second = everything(one), everything(other)
    assert first.keys() == second.keys()
    for name, value in first.items():
        assert value.tobytes() == second[name].tobytes(), name
    ours, theirs = (load_checkpoint(job.record.folder) for job in (one, other))
    assert ours is not None
    assert theirs is not None
    assert ours.progress.model_copy(update={"seconds": 0}) == theirs.progress.model_copy(
        update={"seconds": 0}
    )
    assert list(one.history.steps_of("loss")) == list(other.history.steps_of("loss"))
    assert list(one.history.steps_of("accuracy")) == list(other.history.steps_of("accuracy"))
    assert [_figures(each) for each in one.history.measured] == [
        _figures(each) for each in other.history.measured
    ]


def _figures(measured: Any) -> str:
    return repr(measured.model_dump(exclude={"t", "seconds", "images_per_second"}))
