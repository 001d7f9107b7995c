"""What a sweep costs beyond its training: wall time against the time of its trials.

Sixteen short trials of LeNet, two at once. The training of a trial is the time from the beginning
of its first epoch to the end of its last; starting processes, loading Keras, building and
compiling networks, saving, asking for the next trial: all that is what the sweep costs.
Prints wall time / (sum of the trials' training / 2); aim 1.10 or less.

    python tests/benchmarks/sweep.py [--trials 16] [--epochs 12] [--per-class 500]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from pathlib import Path

from pictures import class_folders, completed_dataset

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.events import Started
from studio.engine.jobs.job import journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.sweeps.parsing import parse_dimensions
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep
from studio.engine.training.history import EpochDone, TrainingBegan
from studio.engine.workspace import Record, RecordKind, Workspace

LOOK_SECONDS = 0.2


def training_seconds(run: Record) -> tuple[float, float]:
    """From the first epoch to the end of the last, and what came before in the process."""
    events = journal_reader(run).read()
    started = next(event.t for event in events if isinstance(event, Started))
    began = next(event.t for event in events if isinstance(event, TrainingBegan))
    ended = max(event.t for event in events if isinstance(event, EpochDone))
    return ended - began, began - started


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
            pause.wait(LOOK_SECONDS)
            job.refresh()
        wall = time.perf_counter() - began
        if job.history.state != State.COMPLETED:
            raise SystemExit(f"The sweep is {job.history.state.value}: {job.history.reason}")
        runs = list(workspace.records(RecordKind.RUN))
        times = [training_seconds(run) for run in runs]
        trained = sum(seconds for seconds, _ in times)
        print(
            f"{os.cpu_count()} cores, {len(runs)} trials, {options.workers} at once: "
            f"{wall:.1f} s of wall time, training {trained:.1f} s, before it "
            f"{sum(before for _, before in times):.1f} s: ratio "
            f"{wall / (trained / options.workers):.3f}"
        )


if __name__ == "__main__":
    main()
