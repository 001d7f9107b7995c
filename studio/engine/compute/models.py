"""Runs models over images."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

# The largest values that glibc reaches by itself.
_MMAP_THRESHOLD: Final = -3, 32 * 1024 * 1024
_TRIM_THRESHOLD: Final = -1, 64 * 1024 * 1024


def _found() -> Callable[[int, int], Any] | None:
    """Return the function of the C library; None if it has none or the user set the limits."""
    if sys.platform != "linux" or keras.backend.backend() != "tensorflow":
        return None
    return getattr(ctypes.CDLL(None), "mallopt", None)


_mallopt = _found()


def keep_freed_memory() -> None:
    """Let memory that a step gives back be used by the next; takes a microsecond.

    Call it once a generator is in use: TensorFlow changes it at the beginning of the first.
    """
    if _mallopt is not None:
        _mallopt(*_MMAP_THRESHOLD)
        _mallopt(*_TRIM_THRESHOLD)


Scores = NDArray[np.float32]


def score(model: keras.Model, pixels: NDArray[np.uint8]) -> Scores:
    """Class scores of pictures.

    Uses the compiled function of one batch; `model.predict` builds a pipeline around it that
    costs ten times as much for one picture.

    Args:
        model: A classifier that ends in a softmax.
        pixels: uint8, shape (n, height, width, channels).

    Returns:
        float32, shape (n, classes).
    """
    return np.asarray(model.predict_on_batch(pixels), dtype=np.float32)
