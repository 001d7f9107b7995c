"""Counts origins in splits, and images whose origin training images have, too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.datasets.origins.facts import MeasuredOn, OriginFacts
from studio.engine.datasets.origins.record import Origins

_SPLITS = ("train", "val", "test")


def origin_facts(origins: Origins, split: NDArray[np.int8]) -> OriginFacts:
    """Return the facts about origins and splits.

    Args:
        origins: Origins of the images.
        split: Split of each image, shape (N,); negative for images that are left out.
    """
    rows = np.flatnonzero(split >= 0)
    labels, own = origins.labels[rows], split[rows]
    values, inverse, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    counted = (sizes > 1) | (values < len(origins.names))
    used = counted[inverse]
    in_split = {
        name: len(np.unique(labels[used & (own == index)])) for index, name in enumerate(_SPLITS)
    }
    return OriginFacts(
        kind=origins.kind,
        column=origins.column,
        groups=int(counted.sum()),
        images=int(sizes[counted].sum()),
        splits=in_split,
        common={
            name: len(
                rows_with_common_origin(
                    origins, np.flatnonzero(split == 0), np.flatnonzero(split == index)
                )
            )
            for index, name in enumerate(_SPLITS)
            if index
        },
    )


def rows_with_common_origin(origins: Origins, train: Rows, rows: Rows) -> Rows:
    """Return the rows whose origins training images have, too.

    Args:
        origins: Origins of the images.
        train: Rows of the training images.
        rows: Rows of other images.
    """
    return rows[is_known(origins, train, rows)]


def is_known(origins: Origins, train: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Return for each of some rows if training images have its origin, too, shape (n,).

    Args:
        origins: Origins of the images of the dataset.
        train: Rows of the training images.
        rows: Rows of the measured images.
    """
    return np.isin(origins.labels[rows], origins.labels[train])


def measured_on(origins: Origins, train: Rows, rows: Rows) -> MeasuredOn:
    """Return the relation of measured images to the training images.

    Args:
        origins: Origins of the images of the dataset.
        train: Rows of the training images.
        rows: Rows of the measured images.
    """
    return MeasuredOn(
        kind=origins.kind,
        groups=len(np.unique(origins.labels[rows])),
        images=len(rows),
        common=len(rows_with_common_origin(origins, train, rows)),
    )
