"""Losses and metrics of boxes on a backend, written as JSON: `python -m helpers.box_losses`."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import CROWD, DIFFICULT, empty, positions_of

CLASSES = 3
HEIGHT, WIDTH = 48, 64
POSITIONS = 6 * 8 + 3 * 4 + 2 * 2
PLANS: dict[str, dict[str, Any]] = {
    "plain": {},
    "focal": {"gamma": 2.0},
    "weighted": {"weights": np.array([0.5, 2.0, 1.0])},
}

PARTS = "labels", "boxes", "valid"
"""Parts of an assignment."""


def batch(seed: int = 0, images: int = 4) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return boxes, shape (n, 7, 6), and outputs, shape (n, 64, 7).

    There are difficult objects, crowds and one of 3x3 pixels; the second image has none. Many of
    the predicted boxes are near an object.
    """
    random = np.random.default_rng(seed)
    boxes = empty(images, 7)
    for image in range(images):
        for at in range(0 if image == 1 else 5):
            wide, high = random.uniform(8, 30, 2)
            left, top = random.uniform(0, (WIDTH - wide, HEIGHT - high))
            label = random.integers(CLASSES)
            boxes[image, at] = [label, left, top, left + wide, top + high, 0]
    boxes[0, 1, 5], boxes[2, 1, 5] = DIFFICULT, CROWD
    boxes[3, 0] = [1, 14.5, 20.5, 17.5, 23.5, 0]
    places = positions_of(POSITIONS, HEIGHT, WIDTH)
    scores = random.uniform(0.005, 0.95, (images, POSITIONS, CLASSES)) ** 6
    distances = random.uniform(0.2, 3.0, (images, POSITIONS, 4))
    for image in range(images):
        for at in range(0, POSITIONS, 2):
            box = boxes[image, random.integers(5)]
            x, y, stride = places[at]
            if box[0] >= 0 and box[1] < x < box[3] and box[2] < y < box[4]:
                exact = np.array([x - box[1], y - box[2], box[3] - x, box[4] - y]) / stride
                distances[image, at] = exact * random.uniform(0.75, 1.25, 4)
                scores[image, at, int(box[0])] = random.uniform(0.3, 0.99)
    return boxes, np.concatenate([scores, distances], axis=-1).astype(np.float32)


def crowded() -> NDArray[np.float32]:
    """Return boxes of images with far more objects than are compared at once, shape (4, 150, 6).

    Some are equal, difficult or crowds; one image has none.
    """
    random = np.random.default_rng(3)
    boxes = empty(4, 150)
    sides = random.uniform(3, 14, (4, 150, 2))
    corner = random.uniform(0, 1, (4, 150, 2)) * ([WIDTH, HEIGHT] - sides)
    boxes[..., 0] = random.integers(CLASSES, size=(4, 150))
    boxes[..., 1:5] = np.concatenate([corner, corner + sides], axis=-1)
    boxes[..., 5] = random.choice([0, 0, 0, 0, 0, 0, DIFFICULT, CROWD], (4, 150))
    boxes[0, 100:] = boxes[0, :50]
    boxes[0, 100:, 0] = (boxes[0, 100:, 0] + 1) % CLASSES
    boxes[1] = empty(1, 150)[0]
    boxes[2, 70:] = empty(1, 80)[0]
    return boxes


def measured() -> dict[str, Any]:
    """Return the losses of a batch, and the metrics of two, on the chosen backend."""
    import keras

    from studio.engine.compute.tasks.box_geometry import Grid
    from studio.engine.compute.tasks.detection import (
        Assigner,
        BoxLoss,
        MeanPrecision,
        PrecisionAt50,
        decoded_of,
    )

    boxes, outputs = batch()
    numbers = keras.ops.convert_to_numpy
    grid = Grid(HEIGHT, WIDTH)
    assigner = Assigner(grid, CLASSES)
    given = keras.ops.convert_to_tensor(outputs)
    found: dict[str, Any] = {}
    for name, values in PLANS.items():
        loss = BoxLoss(assigner, **values)
        found[name] = numbers(loss.call(boxes, given))
        parts = loss.parts(boxes, given, is_last=True)
        found[f"{name}_parts"] = [numbers(parts.classes), numbers(parts.boxes)]
    assigned = assigner(boxes, given[..., :CLASSES], grid.corners(given))
    found |= {name: numbers(getattr(assigned, name)) for name in PARTS}
    many = assigner(crowded(), given[..., :CLASSES], grid.corners(given))
    found |= {f"crowded_{name}": numbers(getattr(many, name)) for name in PARTS}
    found["decoded"] = numbers(decoded_of(given, grid))
    counted = MeanPrecision(grid, CLASSES)
    for seed in (0, 1):
        boxes, outputs = batch(seed)
        counted.update_state(boxes, keras.ops.convert_to_tensor(outputs))
    found["map"], found["ap50"] = (
        numbers(each.result()) for each in (counted, PrecisionAt50(counted))
    )
    return {name: np.asarray(value).tolist() for name, value in found.items()}


if __name__ == "__main__":
    from studio.engine.compute.backends.prepare import prepare_backend

    prepare_backend(sys.argv[1], deterministic=True, seed=0, threads=1)
    sys.stdout.write(json.dumps(measured()))
