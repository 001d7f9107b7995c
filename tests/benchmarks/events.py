"""What the journal costs per step, at 500 steps a second.

A loop of steps of two milliseconds with what a run calls after each of them: the journal alone
(gathering, writing ten lines a second, looking for commands), and everything (journal, stopwatch,
samples of the machine, TensorBoard files). Measured is the time of the processor, inside of the
calls and outside, and that of the other threads, so that nothing else the machine does plays a
role; the clock that the journal reads goes by steps, 500 a second. Ratio: the loop without the
calls against the loop with them. Aim: at least 0.99 for the journal.

    python tests/benchmarks/events.py [--steps 5000]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from studio.engine.tasks import TASKS

STEPS_PER_SECOND = 500
BATCH = 64
EPOCH = 1_000_000
"""Steps: no epoch ends here."""


class Batches:
    """What the journal asks of the training images."""

    task = TASKS["classification"]

    def __len__(self) -> int:
        return EPOCH

    def images_in(self, start: int, end: int) -> int:
        return (end - start) * BATCH


Hook = Callable[[int, dict[str, float]], None]


class Clock:
    """Stands for the module `time`: a step takes two milliseconds, however slow the machine is."""

    step = 0

    def perf_counter(self) -> float:
        return self.step / STEPS_PER_SECOND

    monotonic = perf_counter


def calibrated() -> int:
    """How much is to be summed for a step of two milliseconds of the processor."""
    work = 1000
    while True:
        began = time.process_time()
        for _ in range(50):
            sum(range(work))
        seconds = (time.process_time() - began) / 50
        if seconds > 0.001:
            return int(work / seconds / STEPS_PER_SECOND)
        work *= 2


@contextlib.contextmanager
def reported(folder: Path, *, everything: bool) -> Iterator[list[Hook]]:
    """What a run calls after each step, in a record of its own."""
    from studio.engine.compute.checkpoint import Checkpoint, initial_progress
    from studio.engine.compute.journaling import JournalFollower
    from studio.engine.compute.logbooks import Logbooks
    from studio.engine.compute.meters import Meters, Stopwatch
    from studio.engine.compute.optimizers import rates_of
    from studio.engine.jobs.job import JOURNAL_FILE, Job, JobContext, JournalWriter
    from studio.engine.training.history import TrainingBegan
    from studio.engine.training.plan import TrainingPlan
    from studio.engine.workspace import RecordKind, Workspace

    workspace = Workspace.open(folder)
    plan = TrainingPlan(
        dataset="none",
        epochs=1,
        batch_size=BATCH,
        checkpoint_interval_seconds=86_400,
        tensorboard=everything,
    )
    record = workspace.create(RecordKind.RUN, "run", plan.to_json())
    context = JobContext(workspace, Job(record), JournalWriter(record.folder / JOURNAL_FILE))
    batches: Any = Batches()
    model = SimpleNamespace(steps_per_execution=1)
    setup: Any = SimpleNamespace(
        model=model, batches=batches, validation=batches, checkpointer=None, insights=None
    )
    rates = rates_of(plan, EPOCH)
    checkpoint = Checkpoint(initial_progress(plan))
    network: Any = None
    journal = JournalFollower(context, plan, setup, rates, checkpoint, network)
    if not everything:
        journal.epoch_began(0)
        yield [journal.call_ended]
        return
    watch = Stopwatch()

    def timed(done: int, logs: dict[str, float]) -> None:
        with watch.doing("waiting"):
            pass
        with watch.doing("computing"):
            pass
        journal.call_ended(done, logs)

    with Logbooks(context, plan), Meters(context, watch):
        context.emit(
            TrainingBegan(
                epochs=1,
                steps_per_epoch=EPOCH,
                train_images=EPOCH * BATCH,
                val_images=0,
                parameters=1,
                trainable_parameters=1,
                backend="none",
                device="none",
            )
        )
        journal.epoch_began(0)
        yield [timed]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=5000)
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    from studio.engine.compute.backends.prepare import prepare_backend

    prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)
    from studio.engine.compute import journaling
    from studio.engine.jobs import commands

    work, clock = calibrated(), Clock()
    patches = [mock.patch.object(module, "time", clock) for module in (journaling, commands)]
    with tempfile.TemporaryDirectory() as folder, patches[0], patches[1]:
        for name, everything in (("journal", False), ("everything", True)):
            with reported(Path(folder) / name, everything=everything) as hooks:
                measure(name, hooks, work, clock, options.steps)


def measure(name: str, hooks: list[Hook], work: int, clock: Clock, steps: int) -> None:
    """Do the steps, and say what the hooks cost."""
    inside = 0.0
    began, process = time.thread_time(), time.process_time()
    for step in range(steps):
        sum(range(work))
        clock.step += 1
        logs = {"loss": 1 / (1 + step), "accuracy": 0.5}
        entered = time.thread_time()
        for hook in hooks:
            hook(step + 1, logs)
        inside += time.thread_time() - entered
    loop = time.thread_time() - began
    others = time.process_time() - process - loop
    print(
        f"{name}: {1e6 * inside / steps:.1f} microseconds per step in the loop, "
        f"{1e6 * others / steps:.1f} in other threads; ratio {(loop - inside) / loop:.4f}, "
        f"{(loop - inside) / (loop + others):.4f} with those ({steps} steps of "
        f"{1e3 * (loop - inside) / steps:.2f} ms)",
        flush=True,
    )


if __name__ == "__main__":
    main()
