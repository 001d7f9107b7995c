"""Targets of the rows of a dataset, beside its images: `targets.npy`, shape (rows, outputs)."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.errors import BadDataError
from studio.engine.files import read_failure
from studio.engine.tasks.targets import Targets, Values

TARGETS_NAME = "targets.npy"


def read_targets(folder: Path, kind: Targets, shape: tuple[int, int]) -> Values:
    """Read the targets of all rows, shape (rows, outputs), not writable.

    Raises:
        BadDataError: The file is missing, damaged or of another dataset.
    """
    path = folder / TARGETS_NAME
    try:
        values: Values = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = read_failure(error)
        raise BadDataError(
            f"The targets of the dataset in {folder} cannot be read: {reason}.",
            "Import the images again.",
            str(path),
        ) from error
    if values.shape != shape or values.dtype != kind.dtype:
        raise BadDataError(
            f"{path} holds {values.dtype} of shape {values.shape}; the dataset has "
            f"{kind.dtype} of shape {shape}.",
            "Import the images again.",
            str(path),
        )
    values.setflags(write=False)
    return values


def class_counts(
    kind: Targets | None,
    labels: NDArray[np.int32],
    values: Values | None,
    split: NDArray[np.int8],
    outputs: int,
) -> dict[str, list[int]]:
    """Count the images of each split by class, label or quantity.

    Args:
        kind: What the values mean; None for classes.
        labels: Class of each row, shape N.
        values: Targets of each row, shape (N, outputs); None for classes.
        split: Of each row, shape N.
        outputs: Number of classes, labels or quantities.
    """
    counts = {}
    for index, name in enumerate(SPLIT_NAMES):
        rows = split == index
        if kind is None or values is None:
            counts[name] = np.bincount(labels[rows], minlength=outputs).tolist()
        else:
            counts[name] = [int(kind.has(values[rows], each).sum()) for each in range(outputs)]
    return counts
