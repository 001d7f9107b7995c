"""Runs the model.npz of this folder with NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
NAME = f"NumPy {np.__version__}"


def _relu(values: Floats) -> Floats:
    positive: Floats = np.maximum(values, 0)
    return positive


def _softmax(values: Floats) -> Floats:
    powers: Floats = np.exp(values - values.max(axis=-1, keepdims=True))
    total: Floats = powers.sum(axis=-1, keepdims=True)
    return powers / total


_ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "relu": _relu,
    "softmax": _softmax,
    "linear": lambda values: values,
}


def load(path: str) -> Callable[[Floats], Floats]:
    """A function from images, n x height x width x channels, to scores, n x classes."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in sorted(file.files)}

    def run(images: Floats) -> Floats:
        values: Floats = images.astype(np.float32).reshape(len(images), -1)
        for name, array in arrays.items():
            index, _, part = name.partition(" ")
            if part == "scale":
                values = values * array[0] + array[1]
            elif part == "kernel":
                values = values @ array + arrays[f"{index} bias"]
                values = _ACTIVATIONS[str(arrays[f"{index} activation"])](values)
        return values

    return run
