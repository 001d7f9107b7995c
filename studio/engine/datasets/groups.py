"""Groups of images that belong to the same split, such as near-duplicates.

A group is a whole number for each image; images with equal numbers stay together. Groups of
several origins, such as near-duplicates and the tiles of a picture, are joined by `joined_groups`.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.files import read_failure, write_array
from studio.engine.messages import Message, as_message, message

Groups = NDArray[np.int64]
GROUPS_NAME = "groups.npy"
"""Groups of the images of a dataset, beside its file; missing if no images belong together."""


@dataclass(frozen=True, slots=True)
class Units:
    """Images as indivisible units: the groups.

    Attributes:
        first: Index of the first image of each unit, shape (U,).
        unit_of: Unit of each image, shape (N,).
        sizes: Number of images of each unit, shape (U,).
    """

    first: NDArray[np.int64]
    unit_of: NDArray[np.int64]
    sizes: NDArray[np.int64]


def separate_groups(count: int) -> Groups:
    """Return a group for each image."""
    return np.arange(count, dtype=np.int64)


def connected_groups(pairs: NDArray[np.integer], count: int) -> Groups:
    """Return the groups of images that are connected by pairs, by their lowest index.

    Args:
        pairs: Indices of images that belong together, shape (P, 2).
        count: Number of images.

    Returns:
        Lowest index of the group of each image, shape (count,).
    """
    group = separate_groups(count)
    while len(pairs):
        lowest = group[pairs].min(axis=1)
        before = group.copy()
        np.minimum.at(group, pairs[:, 0], lowest)
        np.minimum.at(group, pairs[:, 1], lowest)
        group = group[group]  # halves the length of chains
        if np.array_equal(group, before):
            break
    return group


def joined_groups(*groups: Groups) -> Groups:
    """Return the smallest groups that keep all of several groupings together.

    Args:
        *groups: Groups of the same images, each of shape (N,).
    """
    count = len(groups[0])
    pairs = [np.zeros((0, 2), np.int64)]
    for each in groups:
        units = units_of(each)
        pairs.append(np.stack([units.first[units.unit_of], separate_groups(count)], axis=1))
    return connected_groups(np.concatenate(pairs), count)


def units_of(groups: Groups) -> Units:
    """Return the groups as units, in the order of their first images."""
    _, first, inverse, sizes = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Units(first[order].astype(np.int64), rank[inverse], sizes[order].astype(np.int64))


def write_groups(folder: Path, groups: Groups) -> None:
    """Write the groups of the images of a dataset, if any images belong together.

    Args:
        folder: Folder of the dataset.
        groups: Group of each image, shape (N,).

    Raises:
        DiskFullError: No space was left.
    """
    if len(np.unique(groups)) < len(groups):
        write_array(folder / GROUPS_NAME, groups)


def read_groups(folder: Path, count: int) -> Groups | None:
    """Read the groups of the images of a dataset; None if no images belong together.

    Args:
        folder: Folder of the dataset.
        count: Number of images of the dataset.

    Raises:
        BadDataError: The file is damaged or of another dataset.
    """
    path = folder / GROUPS_NAME
    try:
        groups = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, EOFError) as error:
        reason = as_message(read_failure(error))
        raise _damaged(path, reason) from error
    if groups.shape != (count,) or groups.dtype != np.int64:
        reason = message("it has {dtype} of shape {shape}", dtype=groups.dtype, shape=groups.shape)
        raise _damaged(path, reason)
    return np.asarray(groups, np.int64)


def _damaged(path: Path, reason: Message) -> BadDataError:
    return BadDataError(
        "The groups of images in {file} cannot be read: {reason}.",
        "Import the images again.",
        str(path),
        file=path,
        reason=reason,
    )
