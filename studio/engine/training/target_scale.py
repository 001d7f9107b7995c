"""Mean and deviation of the targets of the training images."""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.store import Store
from studio.engine.networks.answering import TargetScale
from studio.engine.networks.checks import LINEAR


def target_scale(store: Store) -> TargetScale | None:
    """Return how the targets of the training split lie; None for tasks without numbers."""
    if store.targets is None or store.task.activation != LINEAR:
        return None
    values = store.targets[store.rows("train")].astype(np.float64)
    if not len(values):
        return None
    deviation = values.std(axis=0)
    # A target that never changes is learned as it is.
    deviation[deviation < np.finfo(np.float32).tiny] = 1.0
    return TargetScale(tuple(values.mean(axis=0).tolist()), tuple(deviation.tolist()))
