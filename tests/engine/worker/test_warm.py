"""Runs that share a process: which, and that none notices."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from filelock import FileLock

from helpers.digits import Digits
from helpers.resuming import assert_same, plan_of
from helpers.sampling import sample
from helpers.waiting import wait_until
from studio.engine.jobs import launch
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.types import Requirements
from studio.engine.training.history import RunHistory
from studio.engine.training.job_types import RUN
from studio.engine.training.plan import TrainingPlan


def _key(plan: TrainingPlan, *devices: str) -> str | None:
    return launch.process_key(RUN.requirements(plan, {}), devices)


LIKE = _key(TrainingPlan(dataset="d"), "cpu")


def test_what_is_chosen_once_per_process_must_be_alike() -> None:
    plan = TrainingPlan(dataset="d")
    same = plan.changed(learning_rate=0.5, network="mlp", batch_size=3, precision="float32")
    assert _key(same, "cpu") == LIKE
    for other in (plan.changed(threads=1), plan.changed(deterministic=True)):
        assert _key(other, "cpu") != LIKE
    assert _key(plan, "gpu:0") != LIKE
    assert launch.process_key(Requirements(), ()) is None
    assert _key(plan.changed(ray="ray://there:10001"), "ray") is None


def test_nothing_is_handed_to_the_dead(tmp_path: Path) -> None:
    location = tmp_path / launch.WARM_FOLDER / "1-a.json"
    location.parent.mkdir()
    assert LIKE is not None
    location.write_text(LIKE)
    assert not launch.hand_over(tmp_path, LIKE, tmp_path / "run", 1)
    assert not any(location.parent.iterdir()), "and it is forgotten"


def test_who_waits_gets_one_run_of_the_kind(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert LIKE is not None
    with launch.Offer(tmp_path, nullcontext) as offer:
        assert not launch.hand_over(tmp_path, LIKE, run, 1), "nothing was offered yet"
        offer.give(LIKE)
        handed = [
            launch.hand_over(tmp_path, like, run, number)
            for like, number in (("other", 1), (LIKE, 2), (LIKE, 3))
        ]
        found = offer.taken(0)
        assert not launch.hand_over(tmp_path, LIKE, run, 4)

    assert handed == [False, True, False]
    assert found == (run, 2)
    assert not any((tmp_path / launch.WARM_FOLDER).iterdir())


def test_who_waits_in_vain_leaves_nothing(tmp_path: Path) -> None:
    with launch.Offer(tmp_path, nullcontext) as offer:
        offer.give("like")
        assert offer.taken(0) is None
    assert not any((tmp_path / launch.WARM_FOLDER).iterdir())
    with FileLock(tmp_path / "free"):
        assert not launch.hand_over(tmp_path, "like", tmp_path, 1)


@pytest.mark.slow
@pytest.mark.parametrize("backend", sample(["tensorflow", "jax"], 1))
def test_runs_in_one_process_learn_what_they_would_alone(own_digits: Digits, backend: str) -> None:
    pytest.importorskip(backend)
    queue = JobQueue(own_digits.workspace)
    plan = plan_of(own_digits, epochs=2, network="lenet", backend=backend)
    runs = [
        queue.submit(each, f"run {number}").with_history(RunHistory)
        for number, each in enumerate((plan, plan.changed(seed=7), plan, plan.changed(threads=2)))
    ]

    def over() -> bool:
        queue.dispatch()  # between two runs their process is found
        for job in runs:
            job.refresh()
        return all(job.history.state.is_at_rest for job in runs)

    wait_until(over, "all runs are over", 240)

    assert {job.history.state for job in runs} == {State.COMPLETED}
    first, second, third, other = (_process(job) for job in runs)
    assert first == second == third != other
    assert_same(runs[0], runs[2])
    with pytest.raises(AssertionError):
        assert_same(runs[0], runs[1])
    logs = [(job.record.folder / "worker.log").exists() for job in runs]
    assert all(logs), "each has its own"


def _process(job: Job) -> int:
    assert job.history.started is not None
    return job.history.started.pid
