"""Number, size and shape of the objects of a dataset: what a network for them has to see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import instance_table
from studio.engine.tasks.instances.star_targets import NUMBER, PEAK, RAY, star_targets
from studio.engine.tasks.stars import areas_of

OBJECTS: Final = "objects"
"""Mean number of objects of an image."""
DIAMETER, SMALL_DIAMETER, LARGE_DIAMETER = "diameter", "small_diameter", "large_diameter"
"""Median, and the 10th and 90th percentile, of the diameters of circles with the same areas, in
pixels of the dataset."""
STAR_SHARE: Final = "star_share"
"""Mean share of the area of an object that a star-convex outline around its middle covers."""


def facts_of(images: Iterable[Instances]) -> dict[str, float]:
    """Return the figures of the objects of some images; empty without objects.

    Args:
        images: Label images, shape (height, width) each.
    """
    counts, areas, fractions = [], [], []
    for labels in images:
        table = instance_table(labels)
        counts.append(len(table))
        truth = star_targets(labels)
        peaks = truth[truth[..., PEAK] > 0]
        whole = table.areas[peaks[:, NUMBER].astype(np.int64) - 1]
        covered = areas_of(np.abs(peaks[:, RAY:]).astype(np.float64))
        areas.append(table.areas)
        fractions.append(np.minimum(covered / whole, 1))
    every = np.concatenate([np.zeros(0), *areas])
    if not len(every):
        return {}
    diameters = np.sqrt(4 * every / np.pi)
    small, middle, large = np.percentile(diameters, (10, 50, 90))
    found = {
        OBJECTS: float(np.mean(counts)),
        SMALL_DIAMETER: float(small),
        DIAMETER: float(middle),
        LARGE_DIAMETER: float(large),
    }
    known = np.concatenate(fractions)
    if len(known):  # objects between the positions of the grid have none
        found[STAR_SHARE] = float(known.mean())
    return {name: round(value, 3) for name, value in found.items()}
