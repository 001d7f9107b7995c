"""What Studio leaves of a GPU: images per second of runs on JAX against a loop written by hand.

ResNet-50 at 224x224 and MobileNetV2 at 96x96, both in bfloat16. In turns, one after another, each
in a process of its own with the device to itself: a run of Studio with everything a run has
(validation, journal, insights, saving), and a jitted JAX loop over the same Keras network with all
images in memory and no validation. Training steps alone are compared, of epochs after the first.

Prints the ratio Studio / loop (aim: at least 0.95), how busy the GPU was during the run, and which
share of it waited for data.

    python tests/benchmarks/gpu.py [--repeat 2] [--epochs 4] [--images 4000] [--only resnet50]
    python tests/benchmarks/gpu.py --only lenet --images 1500   # tries the script on a CPU

Needs JAX; TensorFlow need not be installed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pictures import class_folders, completed_dataset

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import Record, RecordKind, Workspace

POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Case:
    network: str
    side: int
    batch: int
    precision: str


CASES = {
    case.network: case
    for case in (
        Case("resnet50", 224, 64, "mixed_bfloat16"),
        Case("mobilenet_v2", 96, 128, "mixed_bfloat16"),
        Case("lenet", 28, 64, "float32"),
    )
}


def studio_run(queue: JobQueue, dataset: Record, case: Case, epochs: int) -> RunJob:
    """Let a worker train; the job when it is over."""
    plan = TrainingPlan.parse(
        {
            "dataset": dataset.id,
            "network": case.network,
            "batch_size": case.batch,
            "epochs": epochs,
            "precision": case.precision,
            "backend": "jax",
        }
    )
    job = request_training(queue, plan, queue.workspace.unused_name(RecordKind.RUN, case.network))
    pause = threading.Event()
    while not job.history.state.is_at_rest:
        queue.dispatch()
        pause.wait(POLL_SECONDS)
        job.refresh()
    if job.history.state != State.COMPLETED:
        raise SystemExit(f"The run did not end well: {job.history.reason} {job.history.detail}")
    return job


def by_hand(dataset: Record, case: Case, epochs: int) -> list[float]:
    """Images per second of each epoch of the loop, in a process of its own."""
    words = [sys.executable, __file__, "--by-hand", str(dataset.folder), case.network, str(epochs)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    rates: list[float] = json.loads(done.stdout.splitlines()[-1])
    return rates


def loop(folder: Path, case: Case, epochs: int) -> list[float]:
    """What an engineer would write: a jitted step over weights, moments and a batch."""
    os.environ["KERAS_BACKEND"] = "jax"
    import jax
    import keras
    import numpy as np

    from studio.engine.compute.build import build
    from studio.engine.datasets.store import Store
    from studio.engine.networks.zoo import ZOO

    store = Store.open(folder)
    x = np.array(store.images[store.rows("train")])
    y = store.labels[store.rows("train")].astype("int32")
    keras.config.set_dtype_policy(case.precision)
    model = build(ZOO[case.network].build(store.shape, len(store.classes)), seed=0)
    loss_of = keras.losses.SparseCategoricalCrossentropy()
    optimizer = keras.optimizers.Adam(1e-3)
    optimizer.build(model.trainable_variables)

    def loss(weights: Any, others: Any, images: Any, labels: Any) -> tuple[Any, Any]:
        answers, others = model.stateless_call(weights, others, images, training=True)
        return loss_of(labels, answers), others

    def one_step(weights: Any, others: Any, slots: Any, images: Any, labels: Any) -> Any:
        ((value, others), slopes) = jax.value_and_grad(loss, has_aux=True)(
            weights, others, images, labels
        )
        weights, slots = optimizer.stateless_apply(slots, slopes, weights)
        return weights, others, slots, value

    step = jax.jit(one_step)
    state = tuple(
        [variable.value for variable in variables]
        for variables in (
            model.trainable_variables,
            model.non_trainable_variables,
            optimizer.variables,
        )
    )
    order, rates = np.random.default_rng(0), []
    steps = len(x) // case.batch
    for _ in range(epochs):
        rows = order.permutation(len(x))
        began = time.perf_counter()
        for number in range(steps):
            chosen = np.sort(rows[number * case.batch : (number + 1) * case.batch])
            *state, value = step(*state, x[chosen], y[chosen])
        jax.block_until_ready(value)
        rates.append(steps * case.batch / (time.perf_counter() - began))
    return rates


def measure(queue: JobQueue, folder: Path, case: Case, options: argparse.Namespace) -> None:
    recipe = DatasetRecipe(
        source=str(class_folders(folder, options.images // 10)),
        width=case.side,
        height=case.side,
        color="gray" if case.network == "lenet" else "rgb",
        test_percent=0,
    )
    dataset = completed_dataset(queue.workspace, recipe, f"for {case.network}")
    ratios = []
    for _ in range(options.repeat):
        job = studio_run(queue, dataset, case, options.epochs)
        ours = statistics.median(each.images_per_second for each in job.history.epochs[1:])
        theirs = statistics.median(by_hand(dataset, case, options.epochs)[1:])
        ratios.append(ours / theirs)
        print(
            f"{case.network} at {case.side}x{case.side}, batch {case.batch}, {case.precision}: "
            f"Studio {ours:,.0f} images/s, loop {theirs:,.0f}, ratio {ratios[-1]:.3f}",
            flush=True,
        )
        print(f"  {use_of(job)}", flush=True)
    print(f"{case.network}: median ratio {statistics.median(ratios):.3f} of {options.repeat}")


def use_of(job: RunJob) -> str:
    """How busy the GPU was, and how long it waited, in the samples of a run."""
    usage = job.history.usage
    busy = [
        gpu.utilization
        for sample in usage
        for gpu in sample.gpus
        if math.isfinite(gpu.utilization)
    ]
    seconds = sum(sample.seconds for sample in usage)
    waiting = sum(sample.waiting for sample in usage if math.isfinite(sample.waiting))
    reported = f"GPU busy {statistics.median(busy):.0f} % (median)" if busy else "no GPU was seen"
    share = waiting / seconds if seconds else math.nan
    return f"{reported}; waiting for data {share:.1%} of {seconds:.0f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--only", choices=CASES)
    options = parser.parse_args()
    os.environ["STUDIO_JOB_PRIORITY"] = "normal"  # the loop has the usual priority, too
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    names = [options.only] if options.only else ["resnet50", "mobilenet_v2"]
    with tempfile.TemporaryDirectory() as name:
        queue = JobQueue(Workspace.open(Path(name) / "workspace"))
        for each in names:
            measure(queue, Path(name), CASES[each], options)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--by-hand"]:
        print(json.dumps(loop(Path(sys.argv[2]), CASES[sys.argv[3]], int(sys.argv[4]))))
    else:
        main()
