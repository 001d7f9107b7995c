"""What a preflight knows beside its measurements: features, fewer images."""

from __future__ import annotations

import copy

import numpy as np

from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.jobs.event import Event
from studio.engine.jobs.events import ProgressMade

FEATURED = 256
"""Images whose features are computed where the frozen layers go through them once, at least."""
FEATURED_BATCHES = 10


class FeaturePace:
    """Hears how fast features are computed."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None
        self._last = (0.0, 0)

    def hear(self, event: Event) -> None:
        """An event of the journal."""
        if isinstance(event, ProgressMade) and event.what == "Computing features":
            self._last = (event.t, event.done)
            self._first = self._first or self._last

    @property
    def seconds(self) -> float:
        """How long they were computed."""
        return 0.0 if self._first is None else self._last[0] - self._first[0]

    @property
    def image_seconds(self) -> float:
        """Seconds of each image; 0 where all were kept from before."""
        if self._first is None or self._last[1] <= self._first[1]:
            return 0.0
        return self.seconds / (self._last[1] - self._first[1])


def some_of(store: Store, batch_size: int) -> Store:
    """A dataset of fewer images, spread evenly: features of all would take as long as a run."""
    some, kept = copy.copy(store), np.full_like(store.split, SKIPPED)
    for name in SPLIT_NAMES[:2]:
        rows = store.rows(name)
        most = max(FEATURED, FEATURED_BATCHES * batch_size) if name == "train" else FEATURED
        if len(rows) > most:
            rows = rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]
        kept[rows] = store.split[rows]
    some.split = kept
    return some
