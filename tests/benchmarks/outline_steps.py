"""What learning outlines costs: training steps of Studio against a loop with ready targets.

Both train the same network from the same weights on the same batches, in turns, in one process.
Studio makes the targets of label images, as the threads that read images do, computes the loss,
and measures its parts, and mask AP of two images, in every step; the loop is written by hand with
TensorFlow, gets its targets from before, and measures nothing. Prints the images per second and
their ratio for each turn, and that of processor time. Aim: 0.9.

    python tests/benchmarks/outline_steps.py [--turns 3] [--side 256]
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from boxes import SECONDS, Step

from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.networks.zoo.stars import STAR_UNET
from studio.engine.tasks import TASKS
from studio.engine.tasks.instance_labels import values_of
from studio.engine.tasks.instances.task import INSTANCES
from studio.engine.training.plan import TrainingPlan

BATCH = 4
BATCHES = 4
CELLS = 40
RATE = 2e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--side", type=int, default=256)
    options = parser.parse_args()
    prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)
    TASKS.setdefault(INSTANCES.name, INSTANCES)
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    batches = [batch_of(options.side, number) for number in range(BATCHES)]
    steps = {"Studio": studio_step(options.side), "loop": bare_step(options.side, batches)}
    for step in steps.values():  # compile, and ask for memory
        for number in (0, 1):
            step(number, *batches[number])
    walls, processors = [], []
    for turn in range(options.turns):
        names = list(steps) if turn % 2 else list(reversed(steps))
        rates = {name: rate(steps[name], batches) for name in names}
        walls.append(rates["Studio"][0] / rates["loop"][0])
        processors.append(rates["Studio"][1] / rates["loop"][1])
        print(
            f"turn {turn + 1}: loop {rates['loop'][0]:.2f} images/s, Studio "
            f"{rates['Studio'][0]:.2f} images/s, ratio {walls[-1]:.3f}, of processor time "
            f"{processors[-1]:.3f}",
            flush=True,
        )
    print(
        f"{STAR_UNET.name}, {options.side} px: median ratio {statistics.median(walls):.3f}, of "
        f"processor time {statistics.median(processors):.3f}"
    )


def rate(step: Step, batches: list[tuple[Any, Any]]) -> tuple[float, float]:
    """Return the images per second of whole passes, and per second of processor time."""
    done, began, worked = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < SECONDS:
        for number, (images, labels) in enumerate(batches):
            step(number, images, labels)
            done += len(images)
    return done / (time.perf_counter() - began), done / (time.process_time() - worked)


def batch_of(side: int, seed: int) -> tuple[Any, Any]:
    """Return gray images with discs, and their label images."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side]
    images = random.integers(20, 50, (BATCH, side, side, 1), np.uint8)
    targets = []
    for image in images:
        numbers = np.zeros((side, side), np.int32)
        for number in range(1, CELLS + 1):
            left, top = random.uniform(0, side, 2)
            numbers[np.hypot(x - left, y - top) < random.uniform(5, 14)] = number
        image[numbers > 0] += 120
        targets.append(np.where(numbers > 0, values_of(numbers, np.zeros_like(numbers)), 0))
    return images, np.stack(targets).astype(np.int32)


def model_of(side: int) -> Any:
    from studio.engine.compute.build import build

    return build(STAR_UNET.build((side, side, 1), 1), seed=0)


def studio_step(side: int) -> Step:
    import keras

    from studio.engine.compute.tasks.instances import LearnsInstances
    from studio.engine.compute.tasks.learning import TRAINING_STEPS

    store: Any = SimpleNamespace(shape=(side, side, 1), classes=("cell",))
    learning = LearnsInstances(store)
    model = model_of(side)
    loss = learning.loss(TrainingPlan(dataset="none"), mixed=False)
    model.compile(keras.optimizers.Adam(RATE), loss, metrics=learning.metrics(mixed=False))

    def step(_number: int, images: Any, labels: Any) -> object:
        with TRAINING_STEPS.running():
            return model.train_on_batch(images, learning.prepared(labels))

    return step


def bare_step(side: int, batches: list[tuple[Any, Any]]) -> Step:
    import keras
    import tensorflow as tf

    from studio.engine.tasks.instances.star_targets import RAY, SCORE, star_targets

    model, optimizer = model_of(side), keras.optimizers.Adam(RATE)
    ready = []
    for _, labels in batches:
        truth = np.stack([star_targets(each) for each in labels])
        score = truth[..., SCORE : SCORE + 1]
        ready.append((tf.constant(score), tf.constant(truth[..., RAY:])))

    @tf.function  # type: ignore[untyped-decorator]  # TensorFlow's
    def train(images: Any, score: Any, distances: Any) -> Any:
        with tf.GradientTape() as tape:
            outputs = model(images, training=True)
            sure = tf.clip_by_value(outputs[..., :1], 1e-7, 1 - 1e-7)
            entropy = -score * tf.math.log(sure) - (1 - score) * tf.math.log(1 - sure)
            given = outputs[..., 1:] * 2.0
            both = tf.reduce_sum(tf.square(tf.minimum(given, distances)), axis=-1)
            either = tf.reduce_sum(tf.square(tf.maximum(given, distances)), axis=-1)
            lost = -tf.math.log((both + 1e-7) / (either + 1e-7)) * score[..., 0]
            total = tf.reduce_sum(score, axis=(1, 2, 3)) + 1.0
            losses = 4.0 * tf.reduce_mean(entropy, axis=(1, 2, 3))
            loss = tf.reduce_mean(losses + tf.reduce_sum(lost, axis=(1, 2)) / total)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def step(number: int, images: Any, _labels: Any) -> object:
        return float(train(tf.constant(images), *ready[number]))

    return step


if __name__ == "__main__":
    main()
