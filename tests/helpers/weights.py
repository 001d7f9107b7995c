"""Small files of weights, written without Keras."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import h5py
import numpy as np

Shapes = Sequence[tuple[int, ...]]

CONVOLUTION: Shapes = ((3, 3, 1, 4), (4,))


@functools.cache
def hdf5_bytes() -> bytes:
    """Return a small HDF5 file, the same at each call."""
    file = io.BytesIO()
    with h5py.File(file, "w") as opened:
        opened["layers/dense/vars/0"] = np.arange(64, dtype="f4")
    return file.getvalue()


def weights_file(path: Path, layers: Iterable[Shapes] = (CONVOLUTION,)) -> Path:
    """Write a file of Keras 2 whose layers have weights of such shapes, full of zeros."""
    names: list[str] = []
    with h5py.File(path, "w") as file:
        for shapes in layers:
            names.append(f"layer_{len(names)}")
            group = file.create_group(names[-1])
            parts = [f"{names[-1]}/weight_{at}" for at in range(len(shapes))]
            for part, shape in zip(parts, shapes, strict=True):
                group.create_dataset(part, shape, "f4")
            group.attrs["weight_names"] = np.array(parts, "S")
        file.attrs["layer_names"] = np.array(names, "S")
    return path
