"""Losses and metrics of masks on a backend, written as JSON: `python -m helpers.mask_losses`."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

IGNORE = 255
CLASSES = 3
PLANS: dict[str, dict[str, Any]] = {
    "cross_entropy": {},
    "smoothed": {"smoothing": 0.1},
    "focal": {"gamma": 2.0},
    "weighted": {"weights": np.array([0.5, 2.0, 1.0])},
    "dice": {"dice": 1.0},
    "sum": {"dice": 0.25, "gamma": 1.5, "weights": np.array([0.5, 2.0, 1.0]), "smoothing": 0.1},
}


def batch(seed: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return masks, shape (4, 6, 5), with ignored pixels, and probabilities of three classes.

    The second mask has no disc, the third is ignored as a whole.
    """
    random = np.random.default_rng(seed)
    masks = random.integers(0, CLASSES, (4, 6, 5)).astype(np.uint8)
    masks[random.random(masks.shape) < 0.2] = IGNORE
    masks[1][masks[1] == 2] = 0
    masks[2] = IGNORE
    logits = random.normal(size=(*masks.shape, CLASSES))
    fractions = np.exp(logits)
    return masks, (fractions / fractions.sum(axis=-1, keepdims=True)).astype(np.float32)


def measured() -> dict[str, Any]:
    """Return the losses of a batch, and the metrics of two, on the chosen backend."""
    import keras

    from studio.engine.compute.tasks.segmentation import (
        MeanDice,
        MeanIoU,
        PixelAccuracy,
        PixelLoss,
        pixels_of,
    )

    masks, fractions = batch()
    numbers = keras.ops.convert_to_numpy
    found: dict[str, Any] = {
        name: numbers(
            PixelLoss(CLASSES, **values).call(masks, keras.ops.convert_to_tensor(fractions))
        )
        for name, values in PLANS.items()
    }
    counted = MeanIoU(CLASSES)
    metrics: list[Any] = [
        counted,
        MeanDice(counted, "mean_dice"),
        PixelAccuracy(counted, "pixel_accuracy"),
    ]
    for seed in (0, 1):
        each = batch(seed)
        for metric in metrics:
            metric.update_state(each[0], keras.ops.convert_to_tensor(each[1]))
    found |= {metric.name: numbers(metric.result()) for metric in metrics}
    found["pixels"] = numbers(pixels_of(masks, keras.ops.convert_to_tensor(fractions), (1, 2)))
    return {name: np.asarray(value).tolist() for name, value in found.items()}


if __name__ == "__main__":
    from studio.engine.compute.backends.prepare import prepare_backend

    prepare_backend(sys.argv[1], deterministic=True, seed=0, threads=1)
    sys.stdout.write(json.dumps(measured()))
