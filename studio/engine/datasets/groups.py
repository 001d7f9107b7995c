"""Groups of images that belong to the same split, such as near-duplicates.

A group is a whole number for each image; images with equal numbers stay together. Groups of
several origins, such as near-duplicates and the tiles of a picture, are joined by `joined_groups`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Groups = NDArray[np.int64]


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
