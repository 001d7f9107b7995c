"""What Studio costs: images per second of a run against a bare `keras.Model.fit`.

Same network, weights, batch size, validation and machine; the bare fit has its arrays in memory.
Both are processes of their own that are alive at once but never at work at once: they are paused
and woken in turns of half a second, so that a machine whose speed drifts slows both alike. Only
the time in which a process was awake counts. The first epoch (which compiles) is left out.

Prints the ratio Studio / bare of the median epochs, since a system now and then puts all threads
of a process on one core for seconds; the ratio of all epochs together, which holds what comes only
now and then, such as saving; and that of processor time, which such a system does not change, but
which counts threads that would otherwise have been idle. Aim: at least 0.97.

    python tests/benchmarks/training_overhead.py [--repeat 3] [--only lenet]

Needs signals that pause a process: Linux or macOS.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import psutil
from pictures import class_folders, completed_dataset

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import read_summary
from studio.engine.jobs.events import Started
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.worker.priority import priority_of, set_priority
from studio.engine.workspace import Record, RecordKind, Workspace

TURN_SECONDS = 0.5
POLL_SECONDS = 0.1
"""How often a window reads the journal."""


@dataclass(frozen=True)
class Case:
    network: str
    side: int
    color: str
    batch: int
    per_class: int
    epochs: int


CASES = (
    Case("lenet", 28, "gray", 64, 2000, 16),
    Case("mobilenet_v2", 96, "rgb", 32, 100, 12),
)


class Racer:
    """A process that works only in its turns.

    Attributes:
        times: The ends of its epochs, in seconds since 1970.
    """

    pid: int
    times: list[float]

    def __init__(self) -> None:
        self._awake: list[tuple[float, float]] = []
        self._cpu: dict[int, float] = {}
        os.kill(self.pid, signal.SIGSTOP)

    def look(self) -> None:
        """Read its progress, as a user would who follows it."""
        raise NotImplementedError

    def take_turn(self) -> None:
        """Let the process work for a moment."""
        pause = threading.Event()  # a busy loop here would take a core from the work it measures
        began = time.time()
        os.kill(self.pid, signal.SIGCONT)
        while time.time() - began < TURN_SECONDS:
            pause.wait(POLL_SECONDS)
            self.look()
            self._note_cpu()
        os.kill(self.pid, signal.SIGSTOP)
        self._awake.append((began, time.time()))

    def _note_cpu(self) -> None:
        """Processor time at the end of each epoch, a tenth of a second later at most."""
        with contextlib.suppress(psutil.Error):  # it may have come to its end
            times = psutil.Process(self.pid).cpu_times()
            self._cpu.setdefault(len(self.times), times.user + times.system)

    @property
    def cpu_seconds(self) -> float:
        """Processor time per epoch, of those after the first whose end was seen."""
        seen = sorted(number for number in self._cpu if number)
        first, last = seen[0], seen[-1]
        return (self._cpu[last] - self._cpu[first]) / (last - first)

    def let_go(self) -> None:
        """Wake the process for good, if it still lives."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)

    @property
    def seconds(self) -> list[float]:
        """Time awake of each epoch after the first."""
        return [
            sum(max(0.0, min(last, end) - max(first, start)) for start, end in self._awake)
            for first, last in pairwise(self.times)
        ]


class StudioRun(Racer):
    """A run in its worker, followed through its journal."""

    def __init__(self, queue: JobQueue, dataset: Record, case: Case) -> None:
        plan = TrainingPlan(
            dataset=dataset.id, network=case.network, batch_size=case.batch, epochs=case.epochs
        )
        name = queue.workspace.unused_name(RecordKind.RUN, case.network)
        self._job = request_training(queue, plan, name)
        self.times = []
        queue.dispatch()
        pids: list[int] = []
        while not pids:
            threading.Event().wait(POLL_SECONDS)
            pids = [event.pid for event in self._job.refresh() if isinstance(event, Started)]
        self.pid = pids[0]
        super().__init__()

    def look(self) -> None:
        self.times += [event.t for event in self._job.refresh() if isinstance(event, EpochDone)]
        if self._job.history.state == State.FAILED:
            raise SystemExit(f"The run failed: {self._job.history.reason}")

    def let_go(self) -> None:
        super().let_go()
        while not self._job.history.state.is_finished:
            threading.Event().wait(POLL_SECONDS)
            self._job.refresh()


class Script(Racer):
    """A script that prints the end of each epoch, in seconds since 1970.

    Args:
        words: Its command line.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        self.times = []
        threading.Thread(target=self._read, daemon=True).start()
        super().__init__()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.times.append(float(line))

    def look(self) -> None:
        if self._process.poll():
            raise SystemExit(f"This script failed: {self._process.args!r}")

    def let_go(self) -> None:
        super().let_go()
        self._process.wait()


def race(racers: Sequence[Racer], epochs: int) -> None:
    """Let processes work in turns until each has come to its end."""
    while any(len(racer.times) < epochs for racer in racers):
        for racer in racers:
            if len(racer.times) < epochs:
                racer.take_turn()
    for racer in racers:
        racer.let_go()


def bare_fit(folder: Path, network: str, batch: int, epochs: int) -> None:
    """What anybody would write by hand. Prints the time, in seconds since 1970, of each epoch."""
    set_priority(priority_of(folder.parent.parent))
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import keras
    import numpy as np

    from studio.engine.compute.build import build
    from studio.engine.datasets.store import Store
    from studio.engine.networks.zoo import ZOO

    store = Store.open(folder)
    x, y = np.array(store.images[store.rows("train")]), store.labels[store.rows("train")]
    val = np.array(store.images[store.rows("val")]), store.labels[store.rows("val")]
    model = build(ZOO[network].build(store.shape, len(store.classes)), seed=0)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    note = keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: print(time.time(), flush=True))
    model.fit(
        x, y, batch_size=batch, epochs=epochs, validation_data=val, verbose=0, callbacks=[note]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only")
    parser.add_argument("--quick", action="store_true", help="a quarter of the pictures")
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(Path(folder) / "workspace")
        queue = JobQueue(workspace)
        for full in CASES:
            case = full
            if options.quick:
                case = replace(case, per_class=case.per_class // 4, epochs=min(case.epochs, 6))
            if options.only in (None, case.network):
                measure(queue, Path(folder), case, options.repeat)


def measure(queue: JobQueue, folder: Path, case: Case, repeat: int) -> None:
    recipe = DatasetRecipe(
        source=str(class_folders(folder, case.per_class)),
        width=case.side,
        height=case.side,
        color="gray" if case.color == "gray" else "rgb",
        test_percent=0,
    )
    dataset = completed_dataset(queue.workspace, recipe, f"for {case.network}")
    images = read_summary(dataset.folder).count["train"]
    ratios = []
    for _ in range(repeat):
        words = [sys.executable, __file__, "--bare", str(dataset.folder), case.network]
        bare_fit_of = Script([*words, str(case.batch), str(case.epochs)])
        racers = StudioRun(queue, dataset, case), bare_fit_of
        race(racers, case.epochs)
        studio, bare = (racer.seconds for racer in racers)
        cpu = [racer.cpu_seconds for racer in racers]
        ratios.append(statistics.median(bare) / statistics.median(studio))
        print(
            f"{case.network}: Studio {images / statistics.median(studio):,.0f} images/s, "
            f"bare {images / statistics.median(bare):,.0f}, ratio {ratios[-1]:.3f} "
            f"(of all epochs together {sum(bare) / sum(studio):.3f}; of processor time "
            f"{cpu[1] / cpu[0]:.3f})",
            flush=True,
        )
    print(f"{case.network}: median ratio {statistics.median(ratios):.3f} of {repeat}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--bare"]:
        bare_fit(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        main()
