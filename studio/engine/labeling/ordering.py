"""The order in which undecided pictures are shown."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Features
from studio.engine.labeling.certain import certainty
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import AssistStatus

Order = Literal["order", "random", "uncertainty", "diversity"]
ORDERS: Final[tuple[Order, ...]] = ("order", "random", "uncertainty", "diversity")
MAX_DIVERSE: Final = 200
"""Pictures that are chosen one by one for diversity; the others follow at random."""
_LABELED: Final = 500


def ordered(
    labeling: Labeling,
    order: Order,
    status: AssistStatus | None = None,
    features: tuple[NDArray[np.int64], Features] | None = None,
    seed: int = 0,
) -> list[int]:
    """Return the undecided pictures, the first to be shown first.

    Args:
        labeling: The labeling.
        order: "order" as they were added; "random"; "uncertainty" the least certain proposals
            first; "diversity" pictures that are least like labeled ones, and each other, first.
        status: State of the assistance, for "uncertainty"; random as long as there are no
            proposals.
        features: Result of `Assistant.features`, for "diversity"; random as long as there are
            none.
        seed: The same seed gives the same order of the same pictures.
    """
    undecided = labeling.undecided()
    if order == "order":
        return undecided
    # Drawn for all pictures, so that the rest keeps its order while pictures are labeled.
    ranks = np.random.default_rng(seed).permutation(len(labeling.items))
    drawn = sorted(undecided, key=lambda item: int(ranks[item]))
    if order == "uncertainty" and status is not None and status.proposals:
        proposals = status.proposals
        return sorted(
            drawn, key=lambda item: certainty(proposals[item]) if item in proposals else 2.0
        )
    if order == "diversity" and features is not None and len(features[0]):
        return _diverse(labeling, drawn, *features)
    return drawn


def _diverse(
    labeling: Labeling, drawn: list[int], items: NDArray[np.int64], values: Features
) -> list[int]:
    """Return pictures by the greedy choice of the farthest one (k-center, Gonzalez 1985)."""
    row_of = {item: row for row, item in enumerate(items.tolist())}
    candidates = [item for item in drawn if item in row_of]
    if not candidates:
        return drawn
    points = values[[row_of[item] for item in candidates]]
    labeled = [row_of[item] for item in list(labeling.labels) if item in row_of][-_LABELED:]
    nearest: NDArray[np.float32] = np.full(len(candidates), -1, np.float32)
    if labeled:
        nearest = (points @ values[labeled].T).max(axis=1)
    chosen: list[int] = []
    for _ in range(min(MAX_DIVERSE, len(candidates))):
        best = int(nearest.argmin())
        chosen.append(candidates[best])
        nearest = np.maximum(nearest, points @ points[best])
        nearest[best] = np.inf
    first = set(chosen)
    return chosen + [item for item in drawn if item not in first]
