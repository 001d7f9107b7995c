"""Copies labels to the pictures that are nearest in feature space, for confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Features
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import Proposal

MOST: Final = 24
MIN_ALIKE: Final = 0.2
"""Minimum cosine similarity of standardized features; unrelated pictures have about 0."""


def propagated(
    labeling: Labeling,
    features: tuple[NDArray[np.int64], Features],
    sources: Sequence[int],
    most: int = MOST,
    least: float = MIN_ALIKE,
) -> list[Proposal]:
    """Return the undecided pictures nearest to labeled ones, with the values of these.

    Accept them with `via="propagated"` after a person confirmed them.

    Args:
        labeling: The labeling.
        features: Result of `Assistant.features`.
        sources: Labeled pictures whose values are copied.
        most: Greatest number of pictures.
        least: Least likeness, -1 to 1; the probability of the proposals is the likeness.

    Returns:
        The nearest first; none of masks, which belong to one picture.
    """
    items, values = features
    row_of = {item: row for row, item in enumerate(items.tolist())}
    labels = labeling.labels
    given = [item for item in sources if item in labels and item in row_of]
    given = [item for item in given if not labels[item].value.belongs_to_one]
    undecided = [item for item in labeling.undecided() if item in row_of]
    if not given or not undecided:
        return []
    likeness = (
        values[[row_of[item] for item in undecided]] @ values[[row_of[item] for item in given]].T
    )
    best = likeness.argmax(axis=1)
    nearest = likeness.max(axis=1)
    found = []
    for number in np.argsort(-nearest, kind="stable")[:most].tolist():
        if nearest[number] < least:
            break
        value = labels[given[int(best[number])]].value
        found.append(Proposal(undecided[number], value, float(min(nearest[number], 1.0))))
    return found
