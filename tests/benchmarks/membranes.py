"""Segmentation of cell membranes: Studio's preset beside a plain Keras script, in turns.

Both train the same small U-Net on the same tiles for as many epochs, each in processes of its own,
and are measured on the same test tiles. Printed are the ratios of mean IoU, and of images per
second of the training steps without the first, which compiles.

    PYTHONPATH=tests python tests/benchmarks/membranes.py [--epochs 20] [--turns 2]

Data: ISBI 2012 (Arganda-Carreras et al., Frontiers in Neuroanatomy 2015), in `../shared/data`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from helpers.digits import do_here
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.evaluation.report import EvaluationPlan, Report
from studio.engine.jobs.states import State
from studio.engine.tasks import first_task
from studio.engine.tasks.outputs import PIXELS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recipes import PRESETS
from studio.engine.workspace import RecordKind, Workspace

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "membrane-masks.tar.xz"
SIDE = 128
BATCH = 16
MIN_IOU, MIN_SPEED = 0.98, 0.95

# What a user of Keras would write: no augmentation, no schedule, Adam as it is.
SCRIPT = """
import json, sys, time
import numpy as np
import keras
from keras import layers

data = np.load(sys.argv[1])
epochs, batch, seed = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
keras.utils.set_random_seed(seed)


def pair(x, filters):
    for _ in range(2):
        x = layers.Conv2D(
            filters, 3, padding="same", use_bias=False, kernel_initializer="he_normal"
        )(x)
        x = layers.ReLU()(layers.BatchNormalization(momentum=0.9)(x))
    return x


inputs = keras.Input(data["train_images"].shape[1:])
x = layers.Rescaling(1 / 127.5, offset=-1)(inputs)
skips = []
for level in range(4):
    x = pair(x, 16 * 2**level)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
x = pair(x, 256)
for level in reversed(range(4)):
    x = layers.Concatenate()([layers.UpSampling2D()(x), skips[level]])
    x = pair(x, 16 * 2**level)
model = keras.Model(inputs, layers.Conv2D(2, 1, activation="softmax")(x))
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])


class Clock(keras.callbacks.Callback):
    seconds, images = 0.0, 0

    def on_epoch_begin(self, epoch, logs=None):
        self.began = None

    def on_train_batch_end(self, step, logs=None):
        now = time.perf_counter()
        if self.began is not None:
            self.seconds += now - self.began
            self.images += batch
        self.began = now


clock = Clock()
best = keras.callbacks.ModelCheckpoint(
    sys.argv[1] + ".weights.h5", monitor="val_loss", save_best_only=True, save_weights_only=True
)
model.fit(
    data["train_images"],
    data["train_masks"],
    batch_size=batch,
    epochs=epochs,
    validation_data=(data["val_images"], data["val_masks"]),
    callbacks=[clock, best],
    verbose=0,
)
model.load_weights(sys.argv[1] + ".weights.h5")
found = model.predict(data["test_images"], batch_size=batch, verbose=0).argmax(axis=-1)
matrix = np.bincount((data["test_masks"].astype(int) * 2 + found).ravel(), minlength=4)
matrix = matrix.reshape(2, 2)
hits = np.diagonal(matrix)
iou = (hits / (matrix.sum(0) + matrix.sum(1) - hits)).mean()
print(json.dumps(
    {"iou": iou, "speed": clock.images / clock.seconds, "parameters": model.count_params()}
))
"""


def imported(folder: Path) -> Path:
    """Import the tiles, and write them as arrays for the script."""
    with tarfile.open(DATA) as archive:
        archive.extractall(folder / "in", filter="data")
    workspace = Workspace.open(folder / "workspace")
    recipe = DatasetRecipe.parse(
        {
            "task": first_task(PIXELS).name,
            "source": str(folder / "in"),
            "tile_size": SIDE,
            "width": SIDE,
            "height": SIDE,
            "color": "gray",
            "val_percent": 17,
            "test_percent": 17,
            "class_names": ["membrane", "cell"],
        }
    )
    job = do_here(workspace, recipe, "membranes")
    if job.history.state != State.COMPLETED:
        raise RuntimeError(job.history.detail)
    store = Store.open(job.record.folder)
    arrays: dict[str, Any] = {}
    for split in ("train", "val", "test"):
        rows = store.rows(split)
        arrays |= {
            f"{split}_images": store.images[rows],
            f"{split}_masks": store.required_regions[rows],
        }
    path = folder / "membranes.npz"
    np.savez(path, **arrays)
    sys.stdout.write(f"{store.counts()} tiles of {SIDE}x{SIDE}\n")
    return path


def studio(root: Path, epochs: int, seed: int) -> dict[str, float]:
    """Train with the preset in this process, and evaluate."""
    workspace = Workspace.open(root)
    (dataset,) = workspace.records(RecordKind.DATASET)
    plan = PRESETS["balanced"].apply(
        TrainingPlan(dataset=dataset.id, network="small_unet", batch_size=BATCH)
    )
    plan = plan.changed(epochs=epochs, seed=seed, early_stopping_patience=0)
    run = do_here(workspace, plan, f"run-{seed}")
    if run.history.state != State.COMPLETED:
        raise RuntimeError(run.history.detail)
    job = do_here(
        workspace, EvaluationPlan(run=run.record.id, split="test", resamples=0), f"test-{seed}"
    )
    report = Report.read(job.record.folder)
    if report is None or run.history.training is None:
        raise RuntimeError(job.history.detail)
    speeds = [epoch.images_per_second for epoch in run.history.epochs]
    return {
        "iou": report.metrics["mean_iou"] or 0.0,
        "speed": float(np.mean(speeds)),
        "parameters": run.history.training.parameters,
    }


def turn(command: list[str]) -> dict[str, float]:
    """Run a turn in a process of its own; the last line is its figures."""
    environment = {**os.environ, "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, *command], check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--studio", type=Path, help="a turn of Studio in this workspace")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    if words.studio is not None:
        sys.stdout.write(json.dumps(studio(words.studio, words.epochs, words.seed)) + "\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        arrays = imported(Path(folder))
        script = Path(folder) / "script.py"
        script.write_text(SCRIPT, encoding="utf-8")
        ours, theirs = [], []
        for seed in range(words.turns):
            numbers = [str(words.epochs), str(BATCH), str(seed)]
            theirs.append(turn([str(script), str(arrays), *numbers]))
            root = str(Path(folder) / "workspace")
            ours.append(
                turn([__file__, "--studio", root, "--epochs", numbers[0], "--seed", str(seed)])
            )
            sys.stdout.write(f"turn {seed + 1}: Studio {ours[-1]}, script {theirs[-1]}\n")
            sys.stdout.flush()
    for name, least in (("iou", MIN_IOU), ("speed", MIN_SPEED)):
        mine, other = (float(np.mean([each[name] for each in side])) for side in (ours, theirs))
        sys.stdout.write(
            f"{name}: Studio {mine:.4g}, script {other:.4g}, ratio {mine / other:.3f} "
            f"(at least {least})\n"
        )


if __name__ == "__main__":
    main()
