"""Learns from the validation images what the outputs of a trained model are worth."""

from __future__ import annotations

import keras
import numpy as np

from studio.engine.compute.scoring import scores_of
from studio.engine.datasets.store import Store
from studio.engine.progress import Progress
from studio.engine.tasks.answer import Calibration

_AT_ONCE = 64
_MOST = 10_000
"""Validation images that thresholds and intervals are taken from; more change little."""


def calibrate(model: keras.Model, store: Store, progress: Progress) -> Calibration:
    """Run a model over validation images, for the thresholds and intervals of its task.

    Raises:
        BadDataError: An image is damaged.
        Cancelled: Through `progress`.
    """
    rows = store.rows("val")
    if store.targets is None or not len(rows):
        return Calibration()
    if len(rows) > _MOST:
        rows = rows[np.linspace(0, len(rows) - 1, _MOST).astype(np.int64)]
    what = "Measuring the outputs on validation images"
    outputs = list(scores_of(model, store, rows, _AT_ONCE, progress, what))
    return store.task.predictor.calibrated(np.concatenate(outputs), store.targets[rows])
