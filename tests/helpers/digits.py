"""The handwritten digits, imported once, and jobs done in this very process."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
import pytest
from filelock import FileLock
from numpy.typing import NDArray

from helpers.processes import session_folder
from helpers.waiting import wait_until
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.plans import Plan
from studio.engine.progress import SilentProgress
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.worker import main as worker
from studio.engine.workspace import RecordKind, Workspace

EPOCHS = 6


H = TypeVar("H", bound=JobHistory)


@dataclass(frozen=True, slots=True)
class Digits:
    """A workspace with the digits as `Ziffern ü`, and perhaps LeNet trained on them as `lenet`."""

    workspace: Workspace
    dataset: Job
    run: RunJob

    @property
    def pictures(self) -> Path:
        """The folder that was imported."""
        return Path(self.dataset.plan(DatasetRecipe).source)


def run_to_end(queue: JobQueue, job: Job[H], timeout: float = 240) -> Job[H]:
    """Let real workers do a job."""

    def ended() -> bool:
        queue.dispatch()
        job.refresh()
        return job.history.state.is_at_rest

    wait_until(ended, f"{job.record.id} is over", timeout)
    return job


def make_digits(root: Path) -> Digits:
    """Import and train with real workers."""
    workspace = Workspace.open(root)
    queue = JobQueue(workspace)
    sample = SAMPLES["digits"]
    source = sample.write(root / "samples", SilentProgress())
    dataset = run_to_end(queue, queue.submit(sample.recipe(source), "Ziffern ü"))
    assert dataset.history.state == State.COMPLETED, dataset.history.reason
    plan = TrainingPlan(dataset=dataset.record.id, epochs=EPOCHS)
    run = run_to_end(queue, queue.submit(plan, "lenet").with_history(RunHistory))
    assert run.history.state == State.COMPLETED, run.history.reason
    return Digits(workspace, dataset, run)


def session_digits(factory: pytest.TempPathFactory) -> Digits:
    """Return the digits that all processes of these tests share; the first one makes them."""
    folder = session_folder(factory)
    root = folder / "digits workspace ü"
    done = folder / "digits.json"
    with FileLock(folder / "digits.lock"):
        if not done.exists():
            made = make_digits(root)
            done.write_text(json.dumps([made.dataset.record.id, made.run.record.id]))
    workspace = Workspace.open(root)
    dataset, run = json.loads(done.read_text())
    jobs = (
        Job(workspace.require(RecordKind.DATASET, dataset)),
        RunJob(workspace.require(RecordKind.RUN, run)),
    )
    for job in jobs:
        job.refresh()
    return Digits(workspace, *jobs)


def copy_of(digits: Digits, root: Path, *, with_run: bool) -> Digits:
    """A workspace of one's own; the pictures stay with the original."""
    # The last worker may still be tidying up the queue.
    left_out = [".warm", "samples", "evaluations", "exports", "trash", "queue", "runs", ".*.lock"]
    ignore = shutil.ignore_patterns(*left_out)
    shutil.copytree(digits.workspace.root, root, ignore=ignore)
    if with_run:  # the one, not those that tests have added
        run = digits.run.record.folder
        shutil.copytree(run, root / run.relative_to(digits.workspace.root), ignore=ignore)
    workspace = Workspace.open(root)
    jobs: list[Job] = []
    for job in (digits.dataset, digits.run):
        record = workspace.record(job.record.kind, job.record.id)
        jobs.append(job if record is None else Job(record))
        jobs[-1].refresh()
    return Digits(workspace, jobs[0], jobs[1].with_history(RunHistory))


def end_workers(workspace: Workspace) -> None:
    """End what a failed test left running or waiting: it would train for hours."""
    queue = JobQueue(workspace)
    jobs = [Job(record) for record in workspace.records(RecordKind.RUN)]
    for job in jobs:  # first those that wait: a worker that ends starts the next
        job.refresh()
        if job.history.state == State.QUEUED:
            queue.stop(job)
    for job in jobs:
        started = job.history.started
        if job.history.state.has_worker and started is not None and started.pid != os.getpid():
            with contextlib.suppress(ProcessLookupError):
                os.kill(started.pid, signal.SIGTERM)


@overload
def do_here(
    workspace: Workspace,
    plan: TrainingPlan,
    name: str,
    stop_when: Callable[[RunHistory], bool] | None = None,
) -> RunJob: ...
@overload
def do_here(
    workspace: Workspace,
    plan: Plan,
    name: str,
    stop_when: Callable[[JobHistory], bool] | None = None,
) -> Job: ...
def do_here(
    workspace: Workspace,
    plan: Plan,
    name: str,
    stop_when: Callable[[Any], bool] | None = None,
) -> Job[Any]:
    """Do a job in this process, as the worker does it, and give it back when it is over.

    Args:
        workspace: Where.
        plan: What.
        name: The record's name.
        stop_when: It is asked to stop when this is true of its history.
    """
    return go_on_here(workspace, JobQueue(workspace).submit(plan, name), stop_when)


def go_on_here(
    workspace: Workspace,
    job: Job[H],
    when: Callable[[H], bool] | None = None,
    request: Callable[[JobQueue, Job[H]], None] = JobQueue.stop,
) -> Job[H]:
    """Do a job, again or for the first time, in this process.

    Args:
        workspace: Where.
        job: It waits, or was interrupted.
        when: True of the history in which to send the request.
        request: Called with the queue and the job at that time.
    """
    queue = JobQueue(workspace)
    job.refresh()
    before = signal.getsignal(signal.SIGTERM)
    with holding(job.record.folder), contextlib.ExitStack() as stack:
        stack.callback(signal.signal, signal.SIGTERM, before)
        attempt = job.history.attempt + 1
        job.append(StateChanged(state=State.STARTING, attempt=attempt))
        if when is not None:
            follower = threading.Thread(
                target=_request_at, args=(queue, type(job)(job.record), attempt, when, request)
            )
            follower.start()
            stack.callback(follower.join)
        worker.work(workspace, job)
    job.refresh()
    return job


class SharedRuns:
    """Trains each plan once, for tests that only look at what became of it.

    Args:
        workspace: Where.
        dataset: On what.
    """

    def __init__(self, workspace: Workspace, dataset: Job) -> None:
        self.workspace = workspace
        self.dataset = dataset
        self._jobs: dict[tuple[str, int], RunJob] = {}

    @property
    def store(self) -> Store:
        """What they are trained on."""
        return Store.open(self.dataset.record.folder)

    def train(self, attempt: int = 1, /, **values: object) -> RunJob:
        """The completed run of a plan.

        Args:
            attempt: A higher one trains the same plan once more.
            values: Of the plan. No insights unless they say so: those take half as
                long as such a short training.
        """
        fixed = {"dataset": self.dataset.record.id, "insights": False}
        return self.of(TrainingPlan.parse({**fixed, **values}), attempt)

    def of(self, plan: TrainingPlan, attempt: int = 1) -> RunJob:
        """The completed run of a plan, as `train`."""
        key = plan.to_json(), attempt
        if key not in self._jobs:
            name = f"shared {len(self._jobs) + 1}"
            self._jobs[key] = do_here(self.workspace, plan, name)
        history = self._jobs[key].history
        assert history.state == State.COMPLETED, (history.reason, history.detail)
        return self._jobs[key]


@functools.cache
def stored_weights(job: RunJob) -> tuple[NDArray[np.float32], ...]:
    """The weights of the model that a run has kept, not to be written to."""
    # The libraries are loaded by those who need them.
    from studio.engine.compute.model_checkpointer import MODEL_FILE
    from studio.engine.compute.model_files import load_model

    model = load_model(job.record.folder / MODEL_FILE)
    return tuple(np.asarray(value) for value in model.get_weights())


def difference(one: RunJob, other: RunJob) -> float:
    """The largest difference between two weights that two runs have kept."""
    pairs = zip(stored_weights(one), stored_weights(other), strict=True)
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def _request_at(
    queue: JobQueue,
    job: Job[H],
    attempt: int,
    when: Callable[[H], bool],
    request: Callable[[JobQueue, Job[H]], None],
) -> None:
    def over_or_due() -> bool:
        job.refresh()
        history = job.history
        began = history.attempt == attempt and history.state != State.STARTING
        return began and (not history.state.has_worker or when(history))

    wait_until(over_or_due, "the time of the request")
    try:
        request(queue, job)
    except BaseException:
        queue.stop(job)  # it would train for ever behind the back of a failed test
        raise
