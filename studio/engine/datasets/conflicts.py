"""Identical images whose annotations differ: at most one of them is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.fingerprints import Fingerprints
from studio.engine.messages import Text, message


def conflict_warnings(
    fingerprints: Fingerprints,
    rows: Sequence[int],
    values: NDArray[Any],
    path: Callable[[int], str],
) -> list[Text]:
    """Return a sentence about identical images with different classes or targets.

    Images without structure, such as black ones, are not compared.

    Args:
        fingerprints: Of N images; zero for those that were not decoded.
        rows: Indexes of the images of the dataset.
        values: Class or targets of each image, shape (N, K).
        path: Returns the path of an image.
    """
    known = np.array(rows, np.int64)
    known = known[fingerprints.pixel_hash[known].any(axis=1) & ~fingerprints.flat[known]]
    if not len(known):
        return []
    _, groups = np.unique(fingerprints.pixel_hash[known], axis=0, return_inverse=True)
    groups = groups.reshape(-1)
    _, firsts = np.unique(groups, return_index=True)
    first = known[firsts[groups]]
    differs = (values[known] != values[first]).any(axis=1)
    if not differs.any():
        return []
    index = int(np.flatnonzero(differs)[0])
    return [
        message(
            "{count:,} images are identical to others that have another class or other targets; "
            "the first are {first} and {other}. At most one of each is right: check them, or "
            "leave one out.",
            one="{other} is identical to {first}, but has another class or other targets. At most "
            "one of them is right: check them, or leave one out.",
            count=int(differs.sum()),
            first=path(int(first[index])),
            other=path(int(known[index])),
        )
    ]
