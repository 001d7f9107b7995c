"""Runs killed with SIGKILL at random moments, resumed, and compared bit for bit."""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from helpers.digits import Digits
from helpers.resuming import assert_same, plan_of
from helpers.sampling import sample
from helpers.waiting import wait_until
from helpers.zygote import finish, kill, start
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.parts import RESUME_FILE

MAX_STEPS = 12
"""That an attempt does before its kill."""
LONGEST_SECONDS = 0.03
"""From the end of its last step to the kill; one step with its saving takes about as long."""
EARLY = 0.2
"""Share of the kills that come before the first step, while the network is compiled."""

PLANS: tuple[dict[str, Any], ...] = (
    {
        "optimizer": "adamw",
        "schedule": "cosine",
        "warmup_percent": 10.0,
        "ema_momentum": 0.9,
        "augmentation": {"rotation": 20.0, "horizontal_flip": True},
    },
    {
        "network": "lenet",
        "validation_interval_epochs": 0.4,
        "plateau_patience": 1,
        "min_delta": 0.5,
    },
    {"augmentation": {"rotation": 20.0, "contrast": 20.0, "run_on": "device"}},
    {
        "optimizer": "sgd",
        "gradient_accumulation_steps": 2,
        "class_balancing": "sampling",
        "batch_size": 150,
    },
)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(sys.platform == "win32", reason="workers are forked")
@pytest.mark.parametrize(("plans", "goal"), sample([(PLANS[:1], 2), (PLANS, 50)]))
def test_kills_at_random_times_change_no_bit(
    own_digits: Digits, plans: tuple[dict[str, Any], ...], goal: int
) -> None:
    rng = random.Random(20261121)
    kills = writing = 0
    for number, values in enumerate(plans):
        # With every call everything is saved: many kills come in the middle of that.
        plan = plan_of(own_digits, checkpoint_interval_seconds=0.0, epochs=4, **values)
        queue = JobQueue(own_digits.workspace)
        whole, job = (
            queue.submit(plan, f"whole {number}").with_history(RunHistory),
            queue.submit(plan, f"cut {number}").with_history(RunHistory),
        )
        finish(whole)
        assert whole.history.state == State.COMPLETED, whole.history.detail
        requested = round(goal * (number + 1) / len(plans))
        while kills < requested:
            if not _killed_once(job, rng):
                # It came to its end before its kill: another one of the same plan.
                assert_same(whole, job)
                job = queue.submit(plan, f"cut {number} again {kills}").with_history(RunHistory)
                continue
            kills += 1
            writing += bool(_partials(job.record.folder))
        finish(job)
        assert_same(whole, job)
    print(f"{kills} kills, {writing} of them while everything was being written")
    assert kills == goal
    assert writing or goal < 50, "of a few, none may have come while it was writing"


def _killed_once(job: RunJob, rng: random.Random) -> bool:
    """Start the next attempt and kill it; False where it was faster."""
    saved = job.history.saved
    done = saved.step if saved else 0
    pid = start(job)
    if rng.random() < EARLY:
        wait_until(lambda: _trains(job), "training began")
        threading.Event().wait(rng.uniform(0.0, 1.0))
    else:
        target = done + rng.randint(1, MAX_STEPS)
        wait_until(lambda: _has_done(job, target), "some steps")
        threading.Event().wait(rng.uniform(0.0, LONGEST_SECONDS))
    if _is_over(job):
        return False
    kill(pid, job.record.folder)
    return not _is_over(job)


def _is_over(job: RunJob) -> bool:
    job.refresh()
    return job.history.state == State.COMPLETED


def _trains(job: RunJob) -> bool:
    job.refresh()
    assert job.history.state != State.FAILED, job.history.detail or job.history.reason
    return job.history.training is not None or job.history.state.is_at_rest


def _has_done(job: RunJob, steps: int) -> bool:
    _trains(job)
    saved = job.history.saved
    return job.history.state.is_at_rest or (saved is not None and saved.step >= steps)


def _partials(folder: Path) -> list[Path]:
    return list(folder.glob(f".{Path(RESUME_FILE).stem}-*"))
