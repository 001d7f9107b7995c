"""Images that show the same: pixel by pixel, or nearly."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import AuditPlan, Finding
from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.fingerprints import Statistic
from studio.engine.datasets.groups import connected_groups
from studio.engine.datasets.store import Store
from studio.engine.progress import Progress

# Finds nearly equal images among millions without comparing all with all.
#
# Candidates come from sorted neighborhoods (Charikar, "Similarity estimation techniques from
# rounding algorithms", 2002): the 64 bit outlines are sorted several times, each time with their
# bits in another order, and each is compared with those next to it. What begins with other bits in
# one order stands close by in another. Time grows as N log N. A candidate counts when its
# thumbnail, 256 points with brightness and contrast taken out, correlates and its color is alike.

ORDERS = 24
NEIGHBORS = 32
MAX_PAIRS = 200_000
COLOR_TOLERANCE = 24.0

# How alike images of this dataset are anyway: a pair must be this many times closer than the
# tenth-nearest image usually is. Handwritten digits, all alike, need 0.99, photographs 0.96.
_USUAL_RANK = 10
_TIMES_CLOSER = 9.0
_CLOSEST_ASKED = 0.0075
_SAMPLE, _REFERENCES = 384, 32_768
_BATCH = 16_384


class HasFingerprints(Protocol):
    """Fingerprints of images, see `Fingerprints`."""

    @property
    def pixel_hash(self) -> NDArray[np.uint64]:
        """Hashes of the pixels, shape (N, 2)."""

    @property
    def outline(self) -> NDArray[np.uint64]:
        """Perceptual hashes, shape (N,)."""

    @property
    def thumbs(self) -> NDArray[np.int8]:
        """Normalized thumbnails, shape (N, 256)."""

    @property
    def channel_mean(self) -> Statistic:
        """Mean of each channel, shape (N, C)."""

    @property
    def flat(self) -> NDArray[np.bool_]:
        """Images without structure, shape (N,)."""


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Pairs that look nearly the same.

    Attributes:
        pairs: Indices into the measures, the smaller first, K x 2, sorted.
        similarity: Correlation of each pair, K.
        asked: The similarity that was requested last.
        is_cut: True if there are more pairs than are kept.
    """

    pairs: NDArray[np.int64]
    similarity: NDArray[np.float64]
    asked: float
    is_cut: bool


def find_neighbors(
    measures: HasFingerprints,
    candidates: NDArray[np.int64],
    max_bits: int,
    min_similarity: float,
    progress: Progress,
) -> Neighbors:
    """Find pairs of nearly equal images.

    Args:
        measures: Measures of all images.
        candidates: Indices of the images to compare, ascending.
        max_bits: Maximum number of different bits of the outline.
        min_similarity: Minimum correlation, 0 to 1.
        progress: Receives the progress and may cancel.
    """
    comparer = _Comparer(measures)
    asked = max(min_similarity, comparer.unusual_similarity(candidates))
    outlines = measures.outline[candidates]
    known: dict[tuple[int, int], float] = {}
    is_cut = False
    images = len(candidates)  # progress counts images, as everywhere in the audit
    # The same orders each time: an audit says the same of the same dataset.
    random = np.random.Generator(np.random.PCG64(0))
    for order in range(ORDERS):
        progress.check()
        progress.advance(order * images // ORDERS, images, "Searching for duplicates")
        found = _close(outlines, random.permutation(64), max_bits)
        is_cut = not comparer.add(known, candidates[found], asked, progress)
        if is_cut:
            break
    progress.advance(images, images, "Searching for duplicates")
    pairs = np.array(sorted(known), np.int64).reshape(-1, 2)
    similarity = np.array([known[first, second] for first, second in pairs.tolist()])
    return Neighbors(pairs, similarity, asked, is_cut)


class _Comparer:
    """Correlates thumbnails."""

    def __init__(self, measures: HasFingerprints) -> None:
        self._thumbs = measures.thumbs
        mean = measures.channel_mean
        self._tint = mean - mean.mean(axis=1, keepdims=True)

    def unusual_similarity(self, candidates: NDArray[np.int64]) -> float:
        """From which similarity on a pair is more than two images of the same kind."""
        if len(candidates) <= _USUAL_RANK:
            return 0.0
        random = np.random.Generator(np.random.PCG64(1))
        asking = random.permutation(candidates)[:_SAMPLE]
        others = random.permutation(candidates)[:_REFERENCES]
        one, two = self._unit(np.sort(asking)), self._unit(np.sort(others))
        nearest = np.partition(one @ two.T, -_USUAL_RANK - 1, axis=1)[:, -_USUAL_RANK - 1]
        distance = float(np.median(1 - nearest)) / _TIMES_CLOSER
        return 1 - max(distance, _CLOSEST_ASKED)

    def add(
        self,
        known: dict[tuple[int, int], float],
        found: NDArray[np.int64],
        asked: float,
        progress: Progress,
    ) -> bool:
        """Add sufficiently similar pairs to `known`; return False once there are too many."""
        for start in range(0, len(found), _BATCH):
            progress.check()
            pairs = found[start : start + _BATCH]
            first, second = pairs[:, 0], pairs[:, 1]
            alike = np.einsum("ij,ij->i", self._unit(first), self._unit(second))
            tint = np.abs(self._tint[first] - self._tint[second]).max(axis=1)
            close = (alike >= asked) & (tint <= COLOR_TOLERANCE)
            for pair, value in zip(pairs[close].tolist(), alike[close].tolist(), strict=True):
                known[pair[0], pair[1]] = value
            if len(known) >= MAX_PAIRS:
                return False
        return True

    def _unit(self, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        thumbs = self._thumbs[indices].astype(np.float32)
        unit: NDArray[np.float32] = thumbs / np.maximum(
            np.linalg.norm(thumbs, axis=1, keepdims=True), 1e-6
        )
        return unit


def _close(
    outlines: NDArray[np.uint64], order: NDArray[np.int64], max_bits: int
) -> NDArray[np.int64]:
    """Return pairs that are close to each other when sorted by their bits in that order."""
    bits = np.unpackbits(outlines.view(np.uint8).reshape(-1, 8), axis=1)
    shuffled = np.ascontiguousarray(np.packbits(bits[:, order], axis=1))
    indices = np.argsort(shuffled.view(">u8")[:, 0], kind="stable")
    ordered = outlines[indices]
    found = []
    for step in range(1, min(NEIGHBORS, len(indices) - 1) + 1):
        differing = np.bitwise_count(ordered[step:] ^ ordered[:-step])
        near = np.flatnonzero(differing <= max_bits)
        first, second = indices[near], indices[near + step]
        # One number per pair: sorting numbers is much faster than sorting pairs.
        found.append(np.minimum(first, second) * len(indices) + np.maximum(first, second))
    keys = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
    return np.stack(np.divmod(keys, max(1, len(indices))), axis=1)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Pairs of rows; first the one to keep: that of training before validation before test.

    Attributes:
        exact: The same pixel by pixel: each copy with the first of its group, K x 2.
        near: Nearly the same, L x 2.
        near_similarity: Similarity of each near pair, 0 to 1, shape (L,).
        is_cut: True if there are more near pairs than are kept.
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


def find_duplicates(
    store: Store, measures: Measures, plan: AuditPlan, progress: Progress
) -> Duplicates:
    """Find all images that show the same.

    Args:
        store: The dataset.
        measures: Measures of its images.
        plan: Threshold for near duplicates.
        progress: Receives the progress and may cancel.
    """
    rank = store.split[measures.rows].astype(np.int64)
    found = find_pairs(measures, rank, plan.near_bits, plan.near_similarity / 100, progress)
    return replace(found, exact=measures.rows[found.exact], near=measures.rows[found.near])


def find_pairs(
    prints: HasFingerprints,
    rank: NDArray[np.int64],
    max_bits: int,
    min_similarity: float,
    progress: Progress,
) -> Duplicates:
    """Find all pairs of images that show the same, as indices.

    Args:
        prints: Fingerprints of the images.
        rank: The lower of a pair comes first, shape (N,); equal ones by their index.
        max_bits: Maximum number of different bits of the outline.
        min_similarity: Minimum correlation, 0 to 1.
        progress: Receives the progress and may cancel.
    """
    first = _first_of_group(prints, rank)
    copies = np.flatnonzero(first != np.arange(len(first)))
    copies = copies[np.lexsort((copies, first[copies]))]
    exact = np.stack([first[copies], copies], axis=1)
    unique = np.flatnonzero((first == np.arange(len(first))) & ~prints.flat)
    found = find_neighbors(prints, unique, max_bits, min_similarity, progress)
    near, similarity = _with_copies(found.pairs, found.similarity, exact, rank)
    return Duplicates(exact, near, similarity, is_cut=found.is_cut or len(near) >= MAX_PAIRS)


def near_duplicate_pairs(prints: HasFingerprints, progress: Progress) -> NDArray[np.int64]:
    """Return all pairs of equal or nearly equal images by the defaults of an audit, shape (K, 2).

    Args:
        prints: Fingerprints of the images.
        progress: Receives the progress and may cancel.
    """
    plan = AuditPlan(dataset="")
    rank = np.zeros(len(prints.outline), np.int64)
    return find_pairs(prints, rank, plan.near_bits, plan.near_similarity / 100, progress).all


def _first_of_group(measures: HasFingerprints, rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each image the first one with the same pixels: lowest split, then lowest row."""
    count = len(measures.outline)
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
    for original, copy in exact.tolist():
        copies[original].append(copy)
    whole: list[tuple[int, int]] = []
    values: list[float] = []
    for (one, other), value in zip(pairs.tolist(), similarity.tolist(), strict=True):
        more = [(one, copy) for copy in copies.get(other, ())]
        more += [(copy, other) for copy in copies.get(one, ())]
        for pair in [(one, other), *more]:
            low, high = sorted(pair, key=lambda index: (int(rank[index]), index))
            whole.append((low, high))
            values.append(value)
        if len(whole) >= MAX_PAIRS:
            break
    return np.array(whole, np.int64).reshape(-1, 2), np.array(values)


def shown_order(finding: Finding) -> NDArray[np.int64]:
    """Return the rows of a finding, each once; pairs that share an image stay together."""
    if not finding.pairs:
        rows = np.array(finding.rows, np.int64)
        _, first = np.unique(rows, return_index=True)
        return rows[np.sort(first)]
    rows, indices = np.unique(np.array(finding.pairs, np.int64), return_inverse=True)
    order = np.argsort(connected_groups(indices.reshape(-1, 2), len(rows)), kind="stable")
    return rows[order].astype(np.int64)
