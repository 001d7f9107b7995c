"""How long a model takes for one image."""

from __future__ import annotations

import statistics
import time

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.models import score

RUNS = 50


def latency_ms(model: keras.Model, pixels: NDArray[np.uint8]) -> float:
    """Median time for one image on this machine, milliseconds.

    Args:
        model: Takes the pixels as they are.
        pixels: The image, shape (1, height, width, channels).
    """
    score(model, pixels)  # the first call compiles
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        score(model, pixels)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)
