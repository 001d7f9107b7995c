"""A workspace in which sweeps run with workers that train nothing."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from helpers.sweep_workers import LOG
from helpers.waiting import wait_until
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import SweepJob, TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

BASE = {"network": "mlp", "batch_size": 2}


H = TypeVar("H", bound=JobHistory)


@dataclass(slots=True)
class Stage:
    """A workspace with a small dataset, and its queue."""

    workspace: Workspace
    queue: JobQueue
    dataset: str

    def plan(self, *vary: str, epochs: int = 3, **fields: Any) -> SweepPlan:
        """A sweep of what is written."""
        return SweepPlan.parse(
            {
                "base": {**BASE, "dataset": self.dataset, "epochs": epochs},
                "dimensions": [each.model_dump() for each in parse_dimensions(vary)],
                **fields,
            }
        )

    def begin(self, plan: SweepPlan, name: str = "S") -> SweepJob:
        """Ask for a sweep and let it start."""
        job = request_sweep(self.queue, plan, name)
        self.queue.dispatch()
        return job

    def finish(self, job: Job[H], timeout: float | None = None) -> H:
        """Wait until a sweep is at rest."""
        return self.reach(
            job, lambda history: history.state.is_at_rest, "the sweep is over", timeout
        )

    def reach(self, job: Job[H], condition: Any, what: str, timeout: float | None = None) -> H:
        """Wait until something is true of its history, as long as `wait_until` does."""

        def reached() -> bool:
            self.queue.dispatch()
            job.refresh()
            return bool(condition(job.history))

        wait_until(reached, what, timeout)
        return job.history

    def run(self, row: TrialChanged) -> RunJob:
        """The last run of a trial, its journal read."""
        record = self.workspace.record(RecordKind.RUN, row.runs[-1].id)
        assert record is not None
        job = RunJob(record)
        job.refresh()
        return job

    def trained(self) -> list[tuple[str, list[int]]]:
        """Every run by its name: the epochs that its workers did, in their order."""
        found = []
        for record, info in self.workspace.infos(RecordKind.RUN):
            log = record.folder / LOG
            epochs = log.read_text().split() if log.exists() else []
            found.append((info.name, [int(each) for each in epochs]))
        return found

    def rates(self) -> list[float]:
        """The learning rates of all runs, in the order in which they were asked for."""
        runs = [RunJob(record) for record, _ in self.workspace.infos(RecordKind.RUN)]
        return [run.plan(TrainingPlan).learning_rate for run in runs]

    def end_everything(self) -> None:
        """Kill what a failed test left."""
        # Sweeps first: they begin runs.
        for kind in (RecordKind.SWEEP, RecordKind.RUN):
            jobs = [Job(record) for record in self.workspace.records(kind)]
            for job in jobs:
                job.refresh()
                if job.history.state == State.QUEUED:
                    self.queue.stop(job)
            for job in jobs:
                # The process that was to start its worker may have been killed before that.
                with contextlib.suppress(AssertionError):
                    wait_until(partial(_has_started, job), "its worker can receive requests")
                kill(job)


def _has_started(job: Job) -> bool:
    job.refresh()
    return job.history.state != State.STARTING


def kill(job: Job) -> None:
    """Kill the worker of a job, if it has one."""
    _signal(job, signal.SIGKILL)


def stop_process(job: Job) -> None:
    """Let the worker of a job do nothing more, until it is killed."""
    _signal(job, signal.SIGSTOP)


def _signal(job: Job, number: signal.Signals) -> None:
    job.refresh()
    if job.history.state.has_worker and job.history.started is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(job.history.started.pid, number)
