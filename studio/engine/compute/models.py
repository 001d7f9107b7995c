"""Runs models over images, and keeps those that were used recently."""

from __future__ import annotations

import ctypes
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Final, Generic, TypeVar

import keras
import numpy as np

from studio.engine.arrays import Pixels, ScoreRows
from studio.engine.compute.backends import chosen

# The largest values that glibc reaches by itself.
_MMAP_THRESHOLD: Final = -3, 32 * 1024 * 1024
_TRIM_THRESHOLD: Final = -1, 64 * 1024 * 1024


def _found() -> Callable[[int, int], Any] | None:
    """Return the function of the C library; None if it has none or the user set the limits."""
    if sys.platform != "linux" or not chosen.backend().grows_its_heap:
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


def score(model: keras.Model, pixels: Pixels) -> ScoreRows:
    """Class scores of pictures.

    Uses the compiled function of one batch; `model.predict` builds a pipeline around it that
    costs ten times as much for one picture.

    Args:
        model: A classifier that ends in a softmax, or an `ExportedModel`.
        pixels: Shape (n, height, width, channels).

    Returns:
        float32, shape (n, classes).
    """
    return np.asarray(model.predict_on_batch(pixels), dtype=np.float32)


_BYTES: Final = np.dtype(np.uint8)
_MOST_CONSTANTS: Final = 2**25
"""Parameters that are stored a second time for speed; 128 MiB."""


def outputs_of(model: keras.Model, pixels: Pixels) -> list[ScoreRows]:
    """Return all outputs of a model for images; see `score`.

    Args:
        model: A model of images, or an `ExportedModel`.
        pixels: Shape (n, height, width, channels).
    """
    outputs = model.predict_on_batch(pixels)
    every = outputs if isinstance(outputs, list | tuple) else (outputs,)
    return [np.asarray(each, dtype=np.float32) for each in every]


def single_scorer(
    model: keras.Model, dtype: np.dtype[Any] = _BYTES
) -> Callable[[Pixels], list[ScoreRows]]:
    """Return a function that runs one image at a time with the results of `outputs_of`.

    TensorFlow reads every variable again in each call, which takes MobileNetV2 at 224 x 224 a
    third of its time. Constants are not read, but need the memory of the weights once more: large
    models, where reading hardly counts, go without.

    Args:
        model: A model of images. Later changes of its weights have no effect.
        dtype: Type of the pixels.

    Returns:
        Function from pixels of shape (1, height, width, channels) to float32 outputs of
        shape (1, ...).
    """
    if model.count_params() > _MOST_CONSTANTS:
        return partial(outputs_of, model)
    return chosen.backend().constant_function(model, dtype) or partial(outputs_of, model)


Value = TypeVar("Value")


class RecentlyUsed(Generic[Value]):
    """Cache of values that take long to compute; the least recently used are dropped.

    Args:
        most: Number of values that are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return a value.

        Args:
            key: Key of the value.
            make: Makes the value if it is not kept.
        """
        if key not in self._values:
            self._values[key] = make()
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        self._values.move_to_end(key)
        return self._values[key]
