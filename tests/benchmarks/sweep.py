"""What a sweep costs beyond its training: wall time against the time of its trials.

Sixteen short trials of LeNet, two at once. The training of a trial is the time from the beginning
of its first epoch to the end of its last; starting processes, loading Keras, building networks,
saving, asking for the next trial: all that is what the sweep costs. The first trial of a worker
also traces and compiles, which counts as training; the others use what it compiled.

Prints wall time / (sum of the trials' training / 2), aim 1.10 or less, and where the rest goes:
the start of a worker, once for each, and the time between two trials of a worker.

    python tests/benchmarks/sweep.py [--trials 16] [--epochs 12] [--per-class 500]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from pictures import class_folders, completed_dataset

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.events import Started
from studio.engine.jobs.job import journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep
from studio.engine.training.history import EpochDone, TrainingBegan
from studio.engine.workspace import Record, RecordKind, Workspace

POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Times:
    """When a trial asked, began its first epoch and ended its last one, and its process."""

    pid: int
    created: float
    began: float
    ended: float


def times_of(run: Record) -> Times:
    events = journal_reader(run).read()
    began = next(event.t for event in events if isinstance(event, TrainingBegan))
    ended = max(event.t for event in events if isinstance(event, EpochDone))
    pid = next(event.pid for event in events if isinstance(event, Started))
    return Times(pid, run.info().created.timestamp(), began, ended)


def report(runs: list[Record], wall: float, workers: int) -> str:
    times = sorted((times_of(run) for run in runs), key=lambda each: each.began)
    starts, between, compiling, last = [], [], [], dict[int, Times]()
    for each in times:
        if each.pid in last:
            between.append(each.began - last[each.pid].ended)
        else:
            starts.append(each.began - each.created)
            compiling.append(each.ended - each.began)
        last[each.pid] = each
    trained = sum(each.ended - each.began for each in times)
    later = (trained - sum(compiling)) / max(1, len(between))
    return (
        f"{os.cpu_count()} cores, {len(runs)} trials, {workers} at once: {wall:.1f} s of wall "
        f"time, training {trained:.1f} s ({statistics.fmean(compiling):.1f} s a first trial, "
        f"{later:.1f} s a later one): ratio {wall / (trained / workers):.3f}\n"
        f"start of a worker {statistics.fmean(starts):.1f} s, between two trials "
        f"{statistics.fmean(between or [0.0]):.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--per-class", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    # The last workers still wait for another trial when the sweep is over.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        workspace = Workspace.open(Path(folder) / "workspace")
        queue = JobQueue(workspace)
        recipe = DatasetRecipe(
            source=str(class_folders(Path(folder), options.per_class)),
            width=28,
            height=28,
            color="gray",
            test_percent=0,
        )
        dataset = completed_dataset(workspace, recipe, "digits")
        rates = ",".join(f"{0.0005 * (1 + number):g}" for number in range(options.trials))
        plan = SweepPlan.parse(
            {
                "base": {"dataset": dataset.id, "network": "lenet", "epochs": options.epochs},
                "dimensions": [
                    each.model_dump() for each in parse_dimensions([f"learning_rate={rates}"])
                ],
                "workers": options.workers,
            }
        )
        began = time.perf_counter()
        job = request_sweep(queue, plan, "sweep")
        pause = threading.Event()
        while not job.history.state.is_at_rest:
            queue.dispatch()
            pause.wait(POLL_SECONDS)
            job.refresh()
        wall = time.perf_counter() - began
        if job.history.state != State.COMPLETED:
            raise SystemExit(f"The sweep is {job.history.state.value}: {job.history.reason}")
        print(report(list(workspace.records(RecordKind.RUN)), wall, options.workers))


if __name__ == "__main__":
    main()
