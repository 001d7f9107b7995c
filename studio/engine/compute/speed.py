"""Speed of networks of the library on this machine, measured in the engine host."""

from __future__ import annotations

import statistics
import time
from typing import Final

import keras
import numpy as np

from studio.engine.compute.build import build
from studio.engine.compute.models import score
from studio.engine.inference.library_speed import SpeedAnswer, SpeedRequest

_SECONDS: Final = 3.0
_MIN_RUNS, _MAX_RUNS = 3, 50


def measure_speed(request: SpeedRequest) -> SpeedAnswer:
    """Measure the usual time for one image; values of weights do not change it."""
    model = build(request.spec, seed=0)
    size = request.spec.input
    image = np.zeros((1, size.height, size.width, size.channels), np.float32)
    score(model, image)  # compiles
    times: list[float] = []
    while len(times) < _MIN_RUNS or (sum(times) < _SECONDS and len(times) < _MAX_RUNS):
        began = time.perf_counter()
        score(model, image)
        times.append(time.perf_counter() - began)
    return SpeedAnswer(
        milliseconds=1000 * statistics.median(times), backend=keras.backend.backend()
    )
