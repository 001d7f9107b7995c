"""Where the time of a training goes: the arithmetic, and two real cases with every backend."""

from __future__ import annotations

import importlib.util
import json
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.processes import run_python
from helpers.sampling import sample
from helpers.waiting import wait_until
from studio.engine.compute.backends.prepare import prepare_backend

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

from studio.engine.compute.meters import Stopwatch  # noqa: E402 - after its backend is chosen


def test_a_part_within_a_part_counts_alone() -> None:
    watch, pause = Stopwatch(), threading.Event()

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
    assert watch.take().writing == 0, "it is reported once"


def test_running_jobs_are_listed_as_well() -> None:
    watch, over = Stopwatch(), threading.Event()
    reported: list[float] = []

    def counted() -> bool:
        reported.append(watch.take().validating)
        return sum(reported) > 0.05

    def ask() -> None:
        wait_until(counted, "what still runs is counted")
        over.set()

    other = threading.Thread(target=ask)
    with watch.doing("validating"):
        other.start()
        assert over.wait(20)
    other.join()


def test_other_threads_do_not_count() -> None:
    watch = Stopwatch()

    def write() -> None:
        with watch.doing("writing"):
            threading.Event().wait(0.02)

    other = threading.Thread(target=write)
    other.start()
    other.join()

    assert watch.take().writing == 0


CASES = """
import json, sys
backend, folder = sys.argv[1:3]
from studio.engine.compute.backends.prepare import prepare_backend
prepare_backend(backend, deterministic=False, seed=0, threads=None)
from studio.engine.compute.build import build
from studio.engine.compute.loop import Follower, Loop
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.compute.meters import Stopwatch
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.store import Store
from studio.engine.networks.zoo import ZOO
from pathlib import Path

class FromSecondEpoch(Follower):
    def __init__(self, watch):
        self.watch = watch
    def epoch_began(self, epoch):
        if epoch == 1:
            self.watch.take()

def parts(network, augmentation, size):
    store = Store.open(Path(folder))
    batches = SplitBatches(store, "train", size, 0, Augmenter(augmentation, 0))
    model = build(ZOO[network].build(store.shape, len(store.classes)), seed=0)
    model.compile("adam", "sparse_categorical_crossentropy")
    if backend != "tensorflow":
        model._symbolic_build(data_batch=batches[0])
    watch = Stopwatch()
    Loop(model, batches, watch).train(FromSecondEpoch(watch), 0, 4)
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


@pytest.mark.thorough
@pytest.mark.parametrize("backend", sample(["tensorflow", "jax", "torch"], 1))
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
