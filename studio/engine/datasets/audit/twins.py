"""Images that show the same: pixel by pixel, or nearly."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.audit.neighbors import MOST_PAIRS, find_neighbors
from studio.engine.datasets.audit.plan import AuditPlan
from studio.engine.datasets.store import Store
from studio.engine.progress import Progress


@dataclass(frozen=True, slots=True)
class Twins:
    """Pairs of rows; first the one to keep: that of training before validation before test.

    Attributes:
        exact: The same pixel by pixel: each copy with the first of its group, K x 2.
        near: Nearly the same, L x 2.
        near_similarity: Of each of those, 0 to 1, L.
        is_cut: Whether there are more near pairs than are kept.
    """

    exact: NDArray[np.int64]
    near: NDArray[np.int64]
    near_similarity: NDArray[np.float64]
    is_cut: bool

    @property
    def all(self) -> NDArray[np.int64]:
        """Exact and near pairs, one after the other."""
        return np.concatenate([self.exact, self.near])

    @property
    def similarity(self) -> NDArray[np.float64]:
        """Of each pair of `all`."""
        return np.concatenate([np.ones(len(self.exact)), self.near_similarity])


def find_twins(store: Store, measures: Measures, plan: AuditPlan, progress: Progress) -> Twins:
    """Find all images that show the same.

    Args:
        store: The dataset.
        measures: Of its images.
        plan: What counts as nearly the same.
        progress: Who listens, and may cancel.
    """
    rank = store.split[measures.rows].astype(np.int64)
    first = _first_of_group(measures, rank)
    copies = np.flatnonzero(first != np.arange(len(first)))
    copies = copies[np.lexsort((copies, first[copies]))]
    exact = np.stack([first[copies], copies], axis=1)
    unique = np.flatnonzero((first == np.arange(len(first))) & ~measures.flat)
    found = find_neighbors(measures, unique, plan.near_bits, plan.near_similarity / 100, progress)
    near, similarity = _with_copies(found.pairs, found.similarity, exact, rank)
    return Twins(
        measures.rows[exact],
        measures.rows[near],
        similarity,
        is_cut=found.is_cut or len(near) >= MOST_PAIRS,
    )


def _first_of_group(measures: Measures, rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each image the first one with the same pixels: lowest split, then lowest row."""
    count = len(measures.rows)
    high, low = measures.pixel_hash[:, 0], measures.pixel_hash[:, 1]
    order = np.lexsort((np.arange(count), rank, low, high))
    begins = np.ones(count, np.bool_)
    begins[1:] = (np.diff(high[order]) != 0) | (np.diff(low[order]) != 0)
    first = np.empty(count, np.int64)
    first[order] = order[begins][np.cumsum(begins) - 1]
    return first


def _with_copies(
    pairs: NDArray[np.int64],
    similarity: NDArray[np.float64],
    exact: NDArray[np.int64],
    rank: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Near pairs were sought among the first of each group; their copies are near, too."""
    copies: dict[int, list[int]] = defaultdict(list)
    for kept, copy in exact.tolist():
        copies[kept].append(copy)
    whole: list[tuple[int, int]] = []
    values: list[float] = []
    for (one, other), value in zip(pairs.tolist(), similarity.tolist(), strict=True):
        more = [(one, copy) for copy in copies.get(other, ())]
        more += [(copy, other) for copy in copies.get(one, ())]
        for pair in [(one, other), *more]:
            low, high = sorted(pair, key=lambda index: (int(rank[index]), index))
            whole.append((low, high))
            values.append(value)
        if len(whole) >= MOST_PAIRS:
            break
    return np.array(whole, np.int64).reshape(-1, 2), np.array(values)
