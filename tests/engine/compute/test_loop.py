"""The training loop: the same weights as `fit` of Keras, epochs in their order, calls of steps."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.processes import run_python
from helpers.sampling import sample
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.progress import SilentProgress

SIDE, IMAGES = 24, 76

SETTING = """
import json, math, os, sys
backend, folder = sys.argv[1:3]
from studio.engine.compute.backends.prepare import prepare_backend
prepare_backend(backend, deterministic=True, seed=0, threads=None)
import keras, numpy as np
from pathlib import Path
from studio.engine.compute.build import build
from studio.engine.compute.loop import Follower, Loop
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.networks.zoo import ZOO

store = Store.open(Path(folder))

class Recorder(SplitBatches):
    seen = ()
    def __getitem__(self, index):
        self.seen = (*self.seen, (self._epoch, index))
        return super().__getitem__(index)

def made(network="lenet", steps=1, augmented=True):
    augmenter = Augmenter(AugmentationPlan(brightness=10), 3) if augmented else None
    batches = Recorder(store, "train", 8, 3, augmenter)
    keras.backend.clear_session()
    keras.utils.set_random_seed(0)
    model = build(ZOO[network].build(store.shape, len(store.classes)), seed=0)
    model.compile(
        keras.optimizers.Adam(0.01),
        "sparse_categorical_crossentropy",
        metrics=["accuracy"],
        steps_per_execution=steps,
    )
    model.optimizer.build(model.trainable_variables)
    if backend != "tensorflow":
        model._symbolic_build(data_batch=batches[0])
        batches.seen = ()
    return model, batches

class Notes(Follower):
    def __init__(self):
        self.epochs, self.calls = [], []
    def epoch_began(self, epoch):
        self.calls.append([])
    def call_ended(self, done, logs):
        self.calls[-1].append(done)
    def epoch_ended(self, epoch, logs):
        self.epochs.append(logs)
"""

LIKE_FIT = """
several = 4 if backend == "tensorflow" else 1
told = Notes()
model, batches = made(steps=several)
Loop(model, batches).train(told, 0, 3)
ours, logs = model.get_weights(), told.epochs[-1]

class Order(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        theirs.set_epoch(epoch)
model, theirs = made(steps=several)
history = model.fit(theirs, epochs=3, shuffle=False, verbose=0, callbacks=[Order()]).history
same = all(np.array_equal(a, b) for a, b in zip(ours, model.get_weights(), strict=True))
print(json.dumps({
    "same": same,
    "logs": max(abs(logs[name] - history[name][-1]) for name in ("loss", "accuracy")),
    "calls": told.calls,
    "seen": batches.seen,
    "batches": len(batches),
}))
"""

STOPPED = """
class Early(Notes):
    def call_ended(self, done, logs):
        super().call_ended(done, logs)
        self.stops_now = len(self.calls) == 2 and done == 3
    def epoch_ended(self, epoch, logs):
        super().epoch_ended(epoch, logs)
        self.is_over = epoch == 4

early = Early()
model, batches = made("perceptron")
Loop(model, batches).train(early, 0, 9)
late = Early()
model, batches = made("perceptron")
Loop(model, batches).train(late, 3, 9, 5)
print(json.dumps({"early": early.calls, "late": late.calls, "ended": len(late.epochs)}))
"""

DAMAGED = """
model, batches = made("perceptron")
def broken(rows):
    raise BadDataError("The image is damaged.")
batches._read = broken
try:
    Loop(model, batches).train(Notes(), 0, 1)
except BadDataError as error:
    print(json.dumps(str(error)))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset whose last batch is smaller than the others."""
    root = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(0)
    for name in ("a", "b"):
        (root / name).mkdir()
        for number in range(IMAGES // 2):
            pixels = random.integers(0, 255, (SIDE, SIDE, 3), np.uint8)
            Image.fromarray(pixels).save(root / name / f"{number}.png")
    target = tmp_path_factory.mktemp("dataset")
    recipe = {"source": str(root), "width": SIDE, "height": SIDE}
    import_dataset(
        DatasetRecipe.parse(recipe | {"val_percent": 0, "test_percent": 0}),
        target,
        SilentProgress(),
    )
    return target


def _found(code: str, backend: str, folder: Path) -> object:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    ended = run_python(SETTING + code, backend, folder)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("backend", sample(["tensorflow", "jax", "torch"], 1))
def test_it_learns_what_fit_of_keras_learns_bit_for_bit(backend: str, folder: Path) -> None:
    found = _found(LIKE_FIT, backend, folder)

    assert isinstance(found, dict)
    assert found["batches"] == 10
    assert found["same"]
    assert found["logs"] < 1e-6
    # The last batch is smaller, so it is a call of its own.
    calls = [4, 8, 9, 10] if backend == "tensorflow" else [*range(1, 11)]
    assert found["calls"] == [calls] * 3
    # Each epoch reads its own batches, once.
    assert sorted(found["seen"]) == [[epoch, at] for epoch in range(3) for at in range(10)]


@pytest.mark.thorough
@pytest.mark.parametrize("backend", sample(["tensorflow", "jax"], 1))
def test_it_starts_and_ends_anywhere(backend: str, folder: Path) -> None:
    found = _found(STOPPED, backend, folder)

    assert isinstance(found, dict)
    assert found["early"] == [[*range(1, 11)], [1, 2, 3]]
    assert found["late"] == [[6, 7, 8, 9, 10], [*range(1, 4)]]
    assert found["ended"] == 1


@pytest.mark.thorough
def test_a_damaged_image_is_the_error_of_training(folder: Path) -> None:
    assert _found(DAMAGED, "tensorflow", folder) == "The image is damaged."
