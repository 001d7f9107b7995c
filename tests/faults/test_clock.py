"""The clock is set while a job runs: back by a day, or forth by a year."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest

from helpers.runs import append_events, fake_run
from studio.cli.following import elapsed
from studio.engine.jobs import liveness
from studio.engine.jobs.events import DamagedLine, StateChanged, decoder
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.comparison import seconds_of
from studio.engine.training.history import RunHistory, RunJob, StepsDone
from studio.engine.training.job_types import RUN
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

DAY, YEAR = 86_400.0, 365 * 86_400.0

DECODE = decoder(RUN.events)


@pytest.fixture
def running(workspace: Workspace) -> RunJob:
    """A run of which two epochs of four are done."""
    record = fake_run(workspace, "run", [0.5, 0.7], State.RUNNING, epochs=4)
    job = RunJob(record)
    job.refresh()
    return job


@pytest.mark.parametrize("jump", [-DAY, YEAR])
def test_a_run_continues_when_the_clock_jumps(running: RunJob, jump: float) -> None:
    now = (running.history.updated_at or 0.0) + jump
    more = StepsDone(
        t=now,
        first=9,
        last=12,
        metrics={"loss": [1] * 4, "accuracy": [1] * 4},
        learning_rate=1,
        images_per_second=1,
    )
    append_events(running.record, [more])
    running.refresh()
    history = running.history
    assert history.state == State.RUNNING
    assert history.fraction == pytest.approx(0.75)
    left = history.seconds_left(now)
    assert left is None or (jump > 0 and math.isfinite(left) and left > 0)

    append_events(running.record, [StateChanged(state=State.COMPLETED, t=now)])
    running.refresh()
    assert running.history.state == State.COMPLETED
    spent = seconds_of(running.history)
    assert math.isnan(spent) if jump < 0 else spent == pytest.approx(YEAR, rel=0.01)
    assert elapsed(running.history) == "–" if jump < 0 else "-" not in elapsed(running.history)


def test_no_one_waits_a_day_for_a_worker_that_never_came(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = JobQueue(workspace).submit(TrainingPlan(dataset="d"), "run")
    append_events(job.record, [StateChanged(state=State.STARTING, t=time.time() + DAY)])
    job.refresh()
    liveness.settle(job, None)
    assert job.history.state == State.LOST


def test_what_is_started_again_comes_last_although_the_clock_was_put_back(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = JobQueue(workspace, devices=())
    again = RunJob(fake_run(workspace, "again", [0.5]))
    waiting = [queue.submit(TrainingPlan(dataset="d"), f"waits {number}") for number in range(2)]
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - DAY)
    queue.restart(again)
    with queue.locked():
        order = [each.job.record.id for each in queue.waiting()]
    assert order == [*(job.record.id for job in waiting), again.record.id]


@pytest.mark.parametrize("t", [-1.0, 1e300, math.inf, math.nan])
def test_an_invalid_time_is_a_damaged_line(t: float) -> None:
    line = b'{"event":"note","message":"x","t":%s}' % str(t).replace("inf", "Infinity").encode()
    with pytest.raises(DamagedLine):
        DECODE(line.replace(b"nan", b"NaN"))


def test_a_line_of_endless_steps_takes_no_memory() -> None:
    history = RunHistory()
    few: dict[str, Any] = {
        "loss": [1.0],
        "accuracy": [0.5, 0.6],
        "learning_rate": 1,
        "images_per_second": 1,
    }
    history.apply([StepsDone(first=1, last=2, **few)])
    history.apply([StepsDone(first=10**15, last=10**15, **few)])
    assert len(history.steps_of("loss")) == len(history.steps_of("accuracy")) == 2
    assert math.isnan(history.steps_of("loss")[1])
