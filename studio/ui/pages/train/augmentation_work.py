"""Pictures of what augmentation does to a dataset. Called in background threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.ui.shared.dataset_pictures import to_image

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.store import Store

PICTURES = 4


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be shown; two equal wishes have equal pictures.

    Attributes:
        folder: Of the dataset.
        version: Of the dataset; None for the newest.
        plan: What is done to the images.
        seed: Of the training plan.
        epoch: From 0.
    """

    folder: Path
    version: int | None
    plan: AugmentationPlan
    seed: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Pictures:
    """Training images as they are and as training sees them, with the class of each."""

    before: list[QImage]
    after: list[QImage]
    classes: list[str]


@dataclass(frozen=True, slots=True)
class _Sample:
    version: int
    rows: NDArray[np.int64]
    images: NDArray[np.uint8]
    classes: list[str]


class PreviewSource:
    """The same few training images of one dataset, read once; any thread may ask."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._guard = threading.Lock()
        self._sample: _Sample | None = None

    def pictures(self, wish: Wish) -> Pictures:
        """Make the pictures of a wish with the function that training uses.

        Returns:
            None of them where the dataset has no training images.

        Raises:
            StudioError: The dataset is damaged, or the plan does not fit its images.
        """
        from studio.engine.datasets.augment.augmenter import preview  # noqa: PLC0415 - NumPy

        sample = self._read(wish.version)
        if not len(sample.rows):
            return Pictures([], [], [])
        changed = preview(sample.images, wish.plan, wish.seed, wish.epoch, sample.rows)
        return Pictures(
            [to_image(pixels) for pixels in sample.images],
            [to_image(pixels) for pixels in changed],
            sample.classes,
        )

    def _read(self, version: int | None) -> _Sample:
        from studio.engine.datasets.edits import current_version  # noqa: PLC0415 - NumPy
        from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

        with self._guard:
            wanted = current_version(self.folder) if version is None else version
            if self._sample is None or self._sample.version != wanted:
                store = Store.open(self.folder, wanted)
                rows = sample_rows(store, PICTURES)
                classes = [store.classes[store.labels[row]] for row in rows]
                self._sample = _Sample(wanted, rows, store.images[rows], classes)
            return self._sample


def sample_rows(store: Store, limit: int) -> NDArray[np.int64]:
    """Rows of training images, of as many classes as there are; the same each time.

    Returns:
        At most `limit` different rows.
    """
    import numpy as np  # noqa: PLC0415

    rows = store.rows("train")
    labels = store.labels[rows]
    by_class = [rows[labels == index] for index in np.unique(labels)]
    first = [group[0] for group in by_class]
    if len(first) >= limit:
        return np.array(first, np.int64)[np.arange(limit) * len(first) // limit]
    # Fewer classes than places: go round, so that all of them are seen.
    longest = max((len(group) for group in by_class), default=0)
    turns = (
        group[turn]
        for turn in range(min(limit, longest))
        for group in by_class
        if turn < len(group)
    )
    return np.fromiter(turns, np.int64)[:limit]
