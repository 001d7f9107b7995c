"""What learning boxes costs: training steps of Studio against a loop with ready targets.

Both train the same network from the same weights on the same batches, in turns, in one process.
Studio assigns positions to objects, computes the losses, and measures the parts of the loss, and
mAP and AP50 of two images, in every step; the loop is written by hand with TensorFlow, gets the
labels of each position from before, and measures nothing. Prints the images per second and their
ratio for each turn. Aim: 0.9.

    python tests/benchmarks/boxes.py [--turns 3] [--only detector_light]
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.networks.zoo import boxes as networks
from studio.engine.tasks import TASKS, boxes
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.training.plan import TrainingPlan

CLASSES = 3
BATCHES = 4
OBJECTS = 16
SECONDS = 6.0
RATE = 1e-3


@dataclass(frozen=True)
class Case:
    network: str
    side: int
    batch: int


CASES = (Case("small_detector", 128, 16), Case("detector_light", 320, 8))
NETWORKS = {each.name: each for each in (networks.SMALL_DETECTOR, networks.DETECTOR_LIGHT)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)
    TASKS.setdefault(DETECTION.name, DETECTION)
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for case in CASES:
        if options.only in ("", case.network):
            compare(case, options.turns)


def compare(case: Case, turns: int) -> None:
    """Print the rates of both for a network."""
    batches = [batch_of(case, number) for number in range(BATCHES)]
    steps = {"Studio": studio_step(case), "loop": bare_step(case, batches)}
    for step in steps.values():  # compile, and ask for memory
        for number in (0, 1):
            step(number, *batches[number])
    ratios = []
    for turn in range(turns):
        names = list(steps) if turn % 2 else list(reversed(steps))
        rates = {name: rate(steps[name], batches) for name in names}
        ratios.append(rates["Studio"] / rates["loop"])
        print(
            f"{case.network}, {case.side} px, turn {turn + 1}: loop {rates['loop']:.1f} images/s, "
            f"Studio {rates['Studio']:.1f} images/s, ratio {ratios[-1]:.3f}",
            flush=True,
        )
    print(f"{case.network}: median ratio {statistics.median(ratios):.3f}")


Step = Callable[[int, Any, Any], object]


def rate(step: Step, batches: list[tuple[Any, Any]]) -> float:
    """Return the images per second of whole passes through the batches."""
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        for number, (images, targets) in enumerate(batches):
            step(number, images, targets)
            done += len(images)
    return done / (time.perf_counter() - began)


def batch_of(case: Case, seed: int) -> tuple[Any, Any]:
    """Return images with rectangles of the color of their class, and their boxes."""
    random = np.random.default_rng(seed)
    images = random.integers(90, 130, (case.batch, case.side, case.side, 3), np.uint8)
    targets = boxes.empty(case.batch, OBJECTS)
    for image, rows in zip(images, targets, strict=True):
        for row in rows[: random.integers(1, OBJECTS + 1)]:
            label = int(random.integers(CLASSES))
            width, height = random.integers(case.side // 12, case.side // 3, 2)
            left, top = (
                random.integers(0, case.side - width),
                random.integers(0, case.side - height),
            )
            image[top : top + height, left : left + width, label] = 230
            row[:] = label, left, top, left + width, top + height, 0
    return images, targets


def model_of(case: Case) -> Any:
    from studio.engine.compute.build import build

    spec = NETWORKS[case.network].build((case.side, case.side, 3), CLASSES)
    return build(spec, seed=0)


def studio_step(case: Case) -> Step:
    import keras

    from studio.engine.compute.tasks.detection import LearnsBoxes
    from studio.engine.compute.tasks.learning import TRAINING_STEPS

    names = tuple(f"class {number}" for number in range(CLASSES))
    store: Any = SimpleNamespace(shape=(case.side, case.side, 3), classes=names)
    learning = LearnsBoxes(store)
    model = model_of(case)
    loss = learning.loss(TrainingPlan(dataset="none"), mixed=False)
    optimizer = keras.optimizers.Adam(RATE)
    model.compile(optimizer, loss, metrics=learning.metrics(mixed=False))

    def step(_number: int, images: Any, targets: Any) -> object:
        with TRAINING_STEPS.running():
            return model.train_on_batch(images, targets)

    return step


def bare_step(case: Case, batches: list[tuple[Any, Any]]) -> Step:
    import keras
    import tensorflow as tf

    from studio.engine.compute.tasks.box_geometry import Grid
    from studio.engine.compute.tasks.detection import Assigner

    model, optimizer = model_of(case), keras.optimizers.Adam(RATE)
    grid = Grid(case.side, case.side)
    assigner = Assigner(grid, CLASSES)
    ready = []
    for images, targets in batches:
        outputs = model(images, training=False)
        found = assigner(targets, outputs[..., :CLASSES], grid.corners(outputs))
        sizes = found.boxes[..., 2:] - found.boxes[..., :2]
        ready.append((found.labels, found.boxes, sizes[..., 0] * sizes[..., 1]))
    places = grid.places(ready[0][0].shape[1])
    centers, strides = tf.constant(places[:, :2]), tf.constant(places[:, 2:])

    @tf.function  # type: ignore[untyped-decorator]  # TensorFlow's
    def train(images: Any, labels: Any, corners: Any, areas: Any) -> Any:
        with tf.GradientTape() as tape:
            outputs = model(images, training=True)
            scores = tf.clip_by_value(outputs[..., :CLASSES], 1e-7, 1 - 1e-7)
            entropy = -labels * tf.math.log(scores) - (1 - labels) * tf.math.log(1 - scores)
            sides = outputs[..., CLASSES:] * strides
            least, most = centers - sides[..., :2], centers + sides[..., 2:]
            common = tf.minimum(most, corners[..., 2:]) - tf.maximum(least, corners[..., :2])
            common = tf.reduce_prod(tf.maximum(common, 0.0), axis=-1)
            union = tf.reduce_prod(most - least, axis=-1) + areas - common
            hull = tf.maximum(most, corners[..., 2:]) - tf.minimum(least, corners[..., :2])
            hull = tf.reduce_prod(hull, axis=-1)
            overlap = common / union - (hull - union) / hull
            weights = tf.reduce_sum(labels, axis=-1)
            total = tf.maximum(tf.reduce_sum(weights, axis=-1), 1.0)
            losses = tf.reduce_sum(entropy, axis=(1, 2))
            losses += 2 * tf.reduce_sum(weights * (1 - overlap), axis=-1)
            loss = tf.reduce_mean(losses / total)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def step(number: int, images: Any, _targets: Any) -> object:
        return float(train(tf.constant(images), *ready[number]))

    return step


if __name__ == "__main__":
    main()
