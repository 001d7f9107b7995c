"""Candidates of a fit to good images: ways of comparing, and how well they tell drawn defects."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.compute.tasks.anomaly_methods import SHARED, Comparison, DistanceMaps
from studio.engine.errors import BadDataError
from studio.engine.messages import Message, message
from studio.engine.networks.zoo.good_images import MEAN, NEAREST, PATCHES, Branch
from studio.engine.tasks.anomaly.prediction import threshold_for
from studio.engine.tasks.anomaly.report import auroc
from studio.engine.training.history import ComparedMethod, MethodsCompared

Comparisons = dict[tuple[str, str], Comparison]
"""Fitted comparisons by the name of their branch and their variant."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way of comparing, and how well it tells drawn defects.

    Attributes:
        kind: Kind of its branches.
        variant: Variant of their comparisons, see `Method.comparisons`.
        scales: Distance of good images that counts as 1, by the name of the map.
        comparisons: The comparisons, by the name of the map.
        auroc: AUROC of good images and drawn defects.
        good: Scores of good images, shape (n,).
        drawn: Scores of drawn defects, shape (m,).
    """

    kind: str
    variant: str
    scales: dict[str, float]
    comparisons: Mapping[str, Comparison]
    auroc: float
    good: NDArray[np.float64]
    drawn: NDArray[np.float64]

    @property
    def maps(self) -> str:
        """Names of its maps."""
        return ", ".join(self.scales)


Sides = dict[tuple[str, str], list[list[DistanceMaps]]]
"""Distances of good images, and of drawn defects, by branch and variant."""


def combinations(
    branches: Sequence[Branch], fitted: Comparisons
) -> Iterator[tuple[tuple[Branch, ...], str]]:
    """Yield branches of the same kind with a variant of it.

    Args:
        branches: Branches of the network.
        fitted: Fitted comparisons by the names of the branches and variants.
    """
    for _, group in itertools.groupby(branches, key=lambda each: each.kind):
        alike = list(group)
        variants = [variant for name, variant in fitted if name == alike[0].name]
        for variant, count in itertools.product(variants, range(1, len(alike) + 1)):
            for used in itertools.combinations(alike, count):
                yield used, variant


def best(compared: Sequence[Candidate], branches: Sequence[Branch]) -> Candidate:
    """Return the best candidate; of equal ones, that with more maps, then with coarser ones.

    On magnetic tiles, both maps and the coarser one measured better.

    Args:
        compared: The candidates.
        branches: All branches, those of the finest map of a kind first.
    """
    maps = [each.map for each in branches]
    return max(
        compared,
        key=lambda each: (each.auroc, len(each.scales), max(map(maps.index, each.scales))),
    )


def threshold_of_good(good: NDArray[np.float64]) -> float:
    """Return the threshold of good images.

    Raises:
        BadDataError: It is 0, so that no score could be measured by it.
    """
    limit = threshold_for(good)
    if not limit > 0:
        raise no_difference()
    return limit


def no_difference() -> BadDataError:
    """Return the error for good images that are all the same to the network."""
    return BadDataError(
        "The network sees no difference between the good images, so that there is no threshold.",
        "Add images of other good parts, or choose another network.",
        "dataset",
    )


def candidate_of(
    used: Sequence[Branch], variant: str, fitted: Comparisons, distances: Sides
) -> Candidate:
    """Return a candidate: each map counts in parts of its own threshold.

    Args:
        used: Its branches.
        variant: Variant of their comparisons.
        fitted: All fitted comparisons.
        distances: Distances of all comparisons.
    """
    sides = [
        {each.map: np.concatenate(distances[each.name, variant][side]) for each in used}
        for side in (0, 1)
    ]
    good = sides[0]
    scales = {name: threshold_of_good(highest(each)) * len(used) for name, each in good.items()}
    scores = [highest(combined(side, scales)) for side in sides]
    comparisons = {each.map: fitted[each.name, variant] for each in used}
    return Candidate(used[0].kind, variant, scales, comparisons, auroc(*scores), *scores)


def combined(distances: Mapping[str, DistanceMaps], scales: Mapping[str, float]) -> DistanceMaps:
    """Return the sum of maps, each in parts of its scale, in the size of the first.

    Args:
        distances: Distances by the name of the map.
        scales: Distance that counts as 1, by the name of the map; of the maps that are used.
    """
    parts = [distances[name] / scale for name, scale in scales.items()]
    whole: DistanceMaps = np.sum([_resized(each, parts[0].shape[1:]) for each in parts], axis=0)
    return whole


def highest(maps: DistanceMaps) -> NDArray[np.float64]:
    """Return the highest value of each map, shape (n,)."""
    found: NDArray[np.float64] = maps.reshape(len(maps), -1).max(axis=1)
    return found


def _resized(maps: NDArray[np.float64], size: tuple[int, ...]) -> NDArray[np.float64]:
    """Return maps at another size, as the network resizes them."""
    if maps.shape[1:] == size:
        return maps
    resized = keras.ops.image.resize(maps[..., None].astype(np.float32), size)
    return np.asarray(keras.ops.convert_to_numpy(resized), np.float64)[..., 0]


def compared_methods(
    compared: Sequence[Candidate], chosen: Candidate, rows: Rows
) -> MethodsCompared:
    """Return the event about what was compared.

    Args:
        compared: All candidates.
        chosen: One of them.
        rows: Held-out good images.
    """
    limit = threshold_of_good(chosen.good)
    return MethodsCompared(
        methods=tuple(
            ComparedMethod(name=way_of(each), maps=each.maps, score=each.auroc)
            for each in compared
        ),
        chosen=next(index for index, each in enumerate(compared) if each is chosen),
        rows=tuple(rows.tolist()),
        good=tuple((chosen.good / limit).tolist()),
        drawn=tuple((chosen.drawn / limit).tolist()),
    )


def way_of(candidate: Candidate) -> Message:
    """Return a few words about the way of comparing of a candidate."""
    memory = max(each.memory for each in candidate.comparisons.values())
    if candidate.kind == PATCHES:
        return message("the nearest of {count:,} patches of good images", count=memory)
    if candidate.kind == NEAREST:
        return message("the nearest of {count:,} good images", count=memory)
    if candidate.kind == MEAN:
        return message("a Gaussian of the mean of the features")
    if candidate.variant == SHARED:
        return message("one Gaussian for all positions, for parts that may move")
    return message("a Gaussian at each position, for aligned parts")
