"""Where the time of a training goes: the arithmetic, and two real cases with every backend."""

from __future__ import annotations

import importlib.util
import json
import math
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.processes import run_python
from helpers.waiting import wait_until
from studio.engine.compute.backend import prepare_backend

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

from studio.engine.compute.stopwatch import (  # noqa: E402 - after its backend is chosen
    Stopwatch,
    waited_in_call,
    waited_so_far,
)


class Batches:
    """Stands for the batches: when they were begun and ready."""

    def __init__(self, count: int) -> None:
        self.asked = [math.inf] * count
        self.ready = [math.inf] * count

    def __len__(self) -> int:
        return len(self.asked)


def _stopwatch(count: int = 4) -> Stopwatch:
    return Stopwatch(Batches(count))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("began", "ended", "asked", "ready", "waited"),
    [
        (10, 12, [5], [6], 0),  # it lay ready
        (10, 12, [9], [11.5], 1.5),  # it came late
        (10, 12, [10.5], [11], 0.5),  # nobody had asked before: the function was compiled
        (10, 14, [5, 6, 7, 8], [6, 7, 8, 9], 0),  # four steps of a second
        (10, 14, [9, 11, 12, 13], [11, 12, 13, 13.8], 3.2),  # all late: 0.2 seconds each
        (10, 14, [9, 9, 9, 9], [9.5, 9.6, 9.7, 13], 0),  # the last in time
        (10, 14, [9, 9, 9, 9], [9.5, 9.6, 9.7, 13.4], 1.6),  # the last late: 0.6 seconds each
        (10, 12, [math.inf], [math.inf], 0),  # not seen
        (10, 12, [], [], 0),
    ],
)
def test_what_a_call_waited_for(
    began: float, ended: float, asked: list[float], ready: list[float], waited: float
) -> None:
    assert waited_in_call(began, ended, asked, ready) == pytest.approx(waited)


@pytest.mark.parametrize(
    ("now", "asked", "ready", "waited"),
    [
        (12, [9], [math.inf], 2),  # still waits
        (12, [9], [11], 1),  # waited, computes now
        (12, [math.inf], [math.inf], 0),  # nobody asked yet: it compiles
        (12, [9, 9], [9, math.inf], 1.5),  # computed half a second, waits for the second
        (12, [9, 9], [9, 9], 0),
    ],
)
def test_what_a_call_waited_for_so_far(
    now: float, asked: list[float], ready: list[float], waited: float
) -> None:
    assert waited_so_far(10, now, asked, ready, 0.5) == pytest.approx(waited)


def test_a_part_within_a_part_counts_alone() -> None:
    watch, pause = _stopwatch(), threading.Event()

    began = time.perf_counter()
    with watch.doing("validating"):
        pause.wait(0.02)
        inner = time.perf_counter()
        with watch.doing("writing"):
            pause.wait(0.06)
        inner = time.perf_counter() - inner
    parts, whole = watch.take(), time.perf_counter() - began

    assert 0.06 <= parts.writing <= inner
    assert 0.02 <= parts.validating <= whole - parts.writing
    assert parts.waiting == parts.computing == 0
    assert watch.take().writing == 0, "it is told once"


def test_what_still_goes_on_is_told_as_well() -> None:
    watch, over = _stopwatch(), threading.Event()
    told: list[float] = []

    def counted() -> bool:
        told.append(watch.take().validating)
        return sum(told) > 0.05

    def ask() -> None:
        wait_until(counted, "what goes on is counted")
        over.set()

    other = threading.Thread(target=ask)
    with watch.doing("validating"):
        other.start()
        assert over.wait(20)
    other.join()


def test_other_threads_do_not_count() -> None:
    watch = _stopwatch()

    def write() -> None:
        with watch.doing("writing"):
            threading.Event().wait(0.02)

    other = threading.Thread(target=write)
    other.start()
    other.join()

    assert watch.take().writing == 0


def test_only_calls_count_as_computing() -> None:
    watch, pause = _stopwatch(2), threading.Event()

    began = time.perf_counter()
    watch.call_begins(0)
    pause.wait(0.03)
    watch.call_ends(0)
    first = time.perf_counter() - began
    pause.wait(0.05)  # callbacks
    began = time.perf_counter()
    watch.call_begins(1)
    watch.call_ends(1)
    second = time.perf_counter() - began
    watch.call_begins(2)  # there is no such batch: the epoch is over
    pause.wait(0.05)
    parts = watch.take()

    assert 0.03 <= parts.computing <= first + second
    assert parts.waiting == 0


CASES = """
import json, sys
backend, folder = sys.argv[1:3]
from studio.engine.compute.backend import prepare_backend
prepare_backend(backend, deterministic=False, seed=0, threads=None)
import keras
from studio.engine.compute.build import build
from studio.engine.compute.pipeline import EpochOrder, SplitBatches
from studio.engine.compute.stopwatch import Stopwatch, batches_ahead
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.store import Store
from studio.engine.networks.zoo import ZOO
from pathlib import Path

class FromSecondEpoch(keras.callbacks.Callback):
    def __init__(self, watch):
        super().__init__()
        self.watch = watch
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 1:
            self.watch.take()

def parts(network, augmentation, size):
    store = Store.open(Path(folder))
    batches = SplitBatches(store, "train", size, 0, Augmenter(augmentation, 0))
    model = build(ZOO[network].build(store.shape, len(store.classes)), seed=0)
    model.compile("adam", "sparse_categorical_crossentropy")
    if backend != "tensorflow":
        model._symbolic_build(data_batch=batches[0])
    watch = Stopwatch(batches, batches_ahead())
    callbacks = [watch.before, EpochOrder(batches), FromSecondEpoch(watch), watch.behind]
    model.fit(batches, epochs=4, shuffle=False, verbose=0, callbacks=callbacks)
    spent = watch.take()
    return {"waiting": spent.waiting, "computing": spent.computing}

heavy = AugmentationPlan(rand_augment=9, aug_mix=9, blur=2, noise=9)
print(json.dumps([parts("perceptron", heavy, 16), parts("lenet", AugmentationPlan(), 16)]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from studio.engine.datasets.importer import import_dataset
    from studio.engine.datasets.recipe import DatasetRecipe
    from studio.engine.progress import SilentProgress

    root = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(0)
    for name in ("a", "b"):
        (root / name).mkdir()
        for number in range(40):
            pixels = random.integers(0, 255, (96, 96, 3), np.uint8)
            Image.fromarray(pixels).save(root / name / f"{number}.png")
    target = tmp_path_factory.mktemp("dataset")
    recipe = DatasetRecipe.parse(
        {
            "source": str(root),
            "width": 96,
            "height": 96,
            "val_percent": 20,
            "test_percent": 0,
        }
    )
    import_dataset(recipe, target, SilentProgress())
    return target


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_a_slow_loader_is_waited_for_and_a_heavy_network_computes(
    backend: str, folder: Path
) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    ended = run_python(CASES, backend, folder)
    assert ended.returncode == 0, ended.stderr
    loading, computing = json.loads(ended.stdout.splitlines()[-1])

    assert loading["waiting"] > 2 * loading["computing"], loading
    assert computing["computing"] > 10 * computing["waiting"], computing


IN_ORDER = """
import math, sys
backend, folder = sys.argv[1:3]
from studio.engine.compute.backend import prepare_backend
prepare_backend(backend, deterministic=False, seed=0, threads=None)
import keras
from pathlib import Path
from studio.engine.compute.build import build
from studio.engine.compute.fit import compile_lesson
from studio.engine.compute.on_features import Lesson
from studio.engine.compute.optimizers import rates_of
from studio.engine.compute.pipeline import EpochOrder, SplitBatches
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.store import Store
from studio.engine.networks.zoo import ZOO
from studio.engine.training.plan import TrainingPlan

store = Store.open(Path(folder))
augmentation = AugmentationPlan(rotation=9)
plan = TrainingPlan(dataset="d", backend=backend, epochs=2, augmentation=augmentation)
batches = SplitBatches(store, "train", 4, 0, Augmenter(augmentation, 0))
assert batches.workers > 1
spec = ZOO["perceptron"].build(store.shape, len(store.classes))
lesson = Lesson(build(spec, seed=0), batches, SplitBatches(store, "val", 4, None), None)
compile_lesson(plan, store, spec, lesson, rates_of(plan, 2 * len(batches)))
seen = []

class Look(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        seen.append(math.isfinite(batches.ready[batch]))

callbacks = [EpochOrder(batches), Look()]
lesson.model.fit(batches, epochs=2, shuffle=False, verbose=0, callbacks=callbacks)
print(all(seen), len(seen))
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_no_batch_of_one_epoch_comes_in_another(backend: str, folder: Path) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    ended = run_python(IN_ORDER, backend, folder)
    assert ended.returncode == 0, ended.stderr

    assert ended.stdout.splitlines()[-1] == "True 32"
