"""Checks of masks: what they hold, whatever their images show."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.store import Store
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import IGNORE, Mask, is_background

_AT_ONCE = 256


def smallest_regions(
    store: Store, rows: NDArray[np.int64], progress: Progress
) -> NDArray[np.int64]:
    """Return the pixels of the smallest connected region of a class in each mask, M.

    Regions touch at sides or corners. Those of ignored pixels and of the background don't count;
    a mask without any other has 0.

    Args:
        store: A dataset with masks.
        rows: Rows of the masks, M.
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: Through `progress`.
    """
    masks = store.required_masks
    ground = [label for label, name in enumerate(store.classes) if is_background(name)]
    found = np.zeros(len(rows), np.int64)
    with ThreadPoolExecutor(os.cpu_count() or 1, "regions") as pool:
        for start in range(0, len(rows), _AT_ONCE):
            progress.check()
            part = masks[rows[start : start + _AT_ONCE]]
            smallest = pool.map(lambda mask: _smallest(mask, ground), part)
            found[start : start + len(part)] = list(smallest)
            progress.advance(start + len(part), len(rows), "Checking the masks")
    return found


def _smallest(mask: Mask, ground: list[int]) -> int:
    areas: list[int] = []
    for label in np.flatnonzero(np.bincount(mask.ravel(), minlength=256)).tolist():
        if label != IGNORE and label not in ground:
            region = (mask == label).view(np.uint8)
            _, _, statistics, _ = cv2.connectedComponentsWithStats(region, connectivity=8)
            areas.append(int(statistics[1:, cv2.CC_STAT_AREA].min()))
    return min(areas, default=0)


def without_objects(store: Store, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which masks have no pixel of a class other than the background, M.

    Args:
        store: A dataset with masks.
        rows: Rows of the masks, M.
    """
    objects = [label for label, name in enumerate(store.classes) if not is_background(name)]
    found: NDArray[np.bool_] = store.required_targets[rows][:, objects].sum(axis=1) == 0
    return found
