"""Workers of sweeps whose runs are not trained: real processes, journals and locks, no Keras.

Run as `python sweep_workers.py FOLDER ATTEMPT`, as the worker is, and with `node` before them on a
node of a cluster, or `slurm` in a job of SLURM. A run reaches what `quality`
says, epoch by epoch; the batch size says what goes wrong with it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # started by its path, it finds these only later
    from studio.engine.jobs.states import State
    from studio.engine.training.history import RunContext
    from studio.engine.training.plan import TrainingPlan
    from studio.engine.worker.room import MemoryReading

OUT_OF_MEMORY, KILLED, KILLED_ONCE, NEVER_ENDS = 13, 17, 19, 23
"""Batch sizes of runs to which that happens."""
STALLS_BELOW = 1e-4
"""With a smaller learning rate a run does one epoch and never another."""
LOG = "epochs.log"
EPOCH_SECONDS = "STUDIO_TEST_EPOCH_SECONDS"
"""Seconds of an epoch."""
CARRIED = "STUDIO_TEST_CARRIED"
"""Set: nodes of a cluster do as if they saw no folder of ours."""
FREE = "STUDIO_TEST_FREE"
"""A file that says how many GB of memory are free, where a test says it."""
WARM = "STUDIO_TEST_WARM"
"""Set: a worker takes one run after another, as the product's do."""
NODE = "node"
SLURM = "slurm"


def launch(folder: Path, attempt: int, devices: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Stands in for `launch_worker`."""
    with (folder / "worker.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, str(Path(__file__)), str(folder), str(attempt)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=_environment(),
            start_new_session=True,
        )


def quality(plan: TrainingPlan) -> float:
    """The accuracy that a plan comes to in the end; best at a learning rate of 0.1."""
    import math

    return 0.9 - 0.1 * abs(math.log10(plan.learning_rate) + 1)


def _environment() -> dict[str, str]:
    from helpers.processes import clean_environment

    return clean_environment()


def _train(context: RunContext) -> State:
    from studio.engine.errors import OutOfMemoryError
    from studio.engine.jobs.events import Artifact
    from studio.engine.jobs.states import State
    from studio.engine.training.history import Saved, TrainingBegan
    from studio.engine.training.plan import TrainingPlan

    plan = context.job.current_plan(TrainingPlan)
    if plan.batch_size == OUT_OF_MEMORY:
        raise OutOfMemoryError("The machine ran out of memory.")
    if plan.batch_size == KILLED:
        os.kill(os.getpid(), signal.SIGKILL)
    done = len(context.job.history.epochs)
    context.emit(
        TrainingBegan(
            epochs=plan.epochs,
            steps_per_epoch=1,
            train_images=10,
            val_images=2,
            parameters=plan.batch_size * 10,
            trainable_parameters=1,
            backend="none",
            device="cpu",
            first_step=done + 1,
        )
    )
    pause = threading.Event()
    seconds = float(os.environ.get(EPOCH_SECONDS, "0.005"))
    for epoch in range(done + 1, plan.epochs + 1):
        while True:
            ending = context.ending()
            if ending is not None:
                return State.STOPPED if ending == "stop" else State.PAUSED
            pause.wait(seconds)
            stalls = epoch > 1 and plan.learning_rate < STALLS_BELOW
            if plan.batch_size != NEVER_ENDS and not stalls:
                break
        # Before the journal, from which the next worker continues: an epoch there was surely done.
        with (context.folder / LOG).open("a") as log:
            log.write(f"{epoch}\n")
        context.emit(_epoch(plan, epoch))
        context.emit(Saved(step=epoch, epoch=epoch), durable=True)
        if plan.batch_size == KILLED_ONCE and epoch == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    (context.folder / "model").write_bytes(b"0" * plan.batch_size)
    context.emit(Artifact(name="model", path="model"))
    return State.COMPLETED


def _epoch(plan: TrainingPlan, epoch: int) -> Any:
    from studio.engine.training.history import EpochDone

    reached = quality(plan) * (1 - 0.5**epoch) + 0.001 * (plan.seed % 10)
    return EpochDone(
        epoch=epoch,
        step=epoch,
        metrics={
            "loss": 1 - reached,
            "accuracy": reached,
            "val_loss": 1 - reached,
            "val_accuracy": reached,
        },
        learning_rate=plan.learning_rate,
        seconds=0.01,
        images_per_second=1,
        is_best=True,
    )


def _read_memory(pids: Collection[int], _gpus: Collection[str]) -> MemoryReading:
    """One GB for each process, and free what a file says."""
    from studio.engine.worker.room import MemoryReading

    free = float(Path(os.environ[FREE]).read_text())
    return MemoryReading(free * 2**30, dict.fromkeys(pids, 2.0**30))


def _main(folder: Path, attempt: int, place: str) -> int:
    from studio.engine.jobs import queue
    from studio.engine.worker import main, sweep_runner
    from studio.engine.worker.cluster import node_process, relay
    from studio.engine.worker.slurm import node_process as slurm_process
    from studio.engine.worker.slurm import relay as slurm_relay
    from studio.engine.worker.slurm import script
    from studio.engine.workspace import RecordKind

    vars(queue)["launch_worker"] = launch
    vars(relay)["NODE_COMMAND"] = (__file__, NODE)
    vars(script)["command"] = lambda *words: [sys.executable, __file__, *words]
    vars(slurm_relay)["LOOK_SECONDS"] = (0.05,)
    if CARRIED in os.environ:
        vars(relay)["is_shared"] = lambda _line: False
    handlers: dict[RecordKind, Any] = {RecordKind.RUN: _train}
    if FREE in os.environ:
        handlers[RecordKind.SWEEP] = partial(sweep_runner.run_sweep, read=_read_memory)
    usual = main.handler_of
    vars(main)["handler_of"] = lambda job: handlers.get(job.record.kind) or usual(job)
    if WARM not in os.environ:
        vars(main)["MAX_RUNS"] = 1
    process = {NODE: node_process, SLURM: slurm_process}.get(place, main)
    code: int = process.main(folder, attempt)
    if {"keras", "tensorflow", "h5py"} & set(sys.modules):
        print("Keras was imported", file=sys.stderr)
    return code


if __name__ == "__main__":
    # Started by its path: the folder of `helpers` is not on the import path.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    *first, folder, attempt = sys.argv[1:]
    sys.exit(_main(Path(folder), int(attempt), "".join(first)))
