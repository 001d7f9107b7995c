"""What Studio costs: images per second of a run against a bare `keras.Model.fit`.

Same network, weights, batch size, validation and machine; the bare fit has its arrays in memory.
Both are processes of their own, run in turns; the first epoch (which compiles) is left out. Prints
the ratio Studio / bare of each turn and their median. Aim: at least 0.97.

    python tests/benchmarks/training_overhead.py [--turns 5] [--only lenet]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from pictures import class_folders, completed_dataset

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import read_summary
from studio.engine.jobs.events import EpochDone
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.requests import request_training
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace


@dataclass(frozen=True)
class Case:
    network: str
    side: int
    color: str
    batch: int
    per_class: int
    epochs: int


CASES = (
    Case("lenet", 28, "gray", 64, 2000, 9),
    Case("mobilenet_v2", 96, "rgb", 32, 100, 4),
)


def studio_rate(queue: JobQueue, dataset: Record, case: Case) -> float:
    """Images per second of a run, from the times of its epochs in the journal."""
    plan = TrainingPlan(
        dataset=dataset.id, network=case.network, batch_size=case.batch, epochs=case.epochs
    )
    name = queue.workspace.unused_name(RecordKind.RUN, case.network)
    job = request_training(queue, plan, name)
    times = []
    pause = threading.Event()  # a busy loop here would take a core from the run it measures
    while not job.history.state.is_finished:
        pause.wait(0.1)
        queue.dispatch()
        times += [event.t for event in job.refresh() if isinstance(event, EpochDone)]
    if len(times) != case.epochs:
        raise SystemExit(f"the run {job.history.state}: {job.history.reason}")
    images = read_summary(dataset.folder).count["train"]
    return images * (len(times) - 1) / (times[-1] - times[0])


def bare_rate(dataset: Record, case: Case) -> float:
    """Images per second of a bare fit, in a fresh process at the priority of a worker."""
    words = [sys.executable, __file__, "--bare", str(dataset.folder), case.network]
    words += [str(case.batch), str(case.epochs)]
    done = subprocess.run(words, check=True, capture_output=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def bare_fit(folder: Path, network: str, batch: int, epochs: int) -> float:
    """What anybody would write by hand."""
    os.nice(5)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import time

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
    times: list[float] = []
    note = keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: times.append(time.time()))
    model.fit(
        x, y, batch_size=batch, epochs=epochs, validation_data=val, verbose=0, callbacks=[note]
    )
    return len(x) * (epochs - 1) / (times[-1] - times[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
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
                measure(queue, Path(folder), case, options.turns)


def measure(queue: JobQueue, folder: Path, case: Case, turns: int) -> None:
    recipe = DatasetRecipe(
        source=str(class_folders(folder, case.per_class)),
        width=case.side,
        height=case.side,
        color="gray" if case.color == "gray" else "rgb",
        test_percent=0,
    )
    dataset = completed_dataset(queue.workspace, recipe, f"for {case.network}")
    ratios = []
    for turn in range(turns):
        pair = {}
        for who in ("studio", "bare") if turn % 2 else ("bare", "studio"):
            rate = (
                studio_rate(queue, dataset, case) if who == "studio" else bare_rate(dataset, case)
            )
            pair[who] = rate
        ratios.append(pair["studio"] / pair["bare"])
        print(
            f"{case.network}: Studio {pair['studio']:,.0f} images/s, "
            f"bare {pair['bare']:,.0f}, ratio {ratios[-1]:.3f}",
            flush=True,
        )
    print(f"{case.network}: median ratio {statistics.median(ratios):.3f} of {turns} turns")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--bare"]:
        print(
            json.dumps(
                bare_fit(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
            )
        )
    else:
        main()
