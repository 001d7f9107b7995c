"""From a dataset's file to batches: memory-mapped, seeded, without state.

Measured with 20,000 images of 96x96x3: gathering rows of the memory map gives 449,000 images per
second in one thread, and adds no visible time to a training step. Augmentation with the
light preset costs 150 microseconds per image, and decoding hundreds where the dataset keeps PNG
or JPEG; both are done by threads, ahead of training; Pillow and NumPy let them run side by side.
"""

from __future__ import annotations

import copy
import math
import os
from types import TracebackType
from typing import Any, Self

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.allocator import keep_freed_memory
from studio.engine.compute.tasks import learning_of
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.training.balance import balanced_order

MOST_THREADS = 8
"""Threads that augment or decode at most; a tenth of it needs Python's lock: more do not help."""

Batch = tuple[Any, NDArray[Any]]
"""Pixels, or pixels with the table of what the device does to them; and targets."""


class SplitBatches(keras.utils.PyDataset):  # type: ignore[misc]  # Keras ships no types
    """The images of one split as batches of (pixels, targets).

    Pixels are uint8, shape (batch, height, width, channels); the network scales them. Targets are
    those of the task, see `tasks.learning`. The last batch of an epoch may be smaller.

    The order of an epoch depends on (seed, epoch) alone, and augmentation on that and the image,
    so a resumed run sees exactly what the interrupted one would have seen. Keras must be told
    `shuffle=False`: it would permute the batches with a generator of its own.

    Args:
        store: The dataset.
        split: `"train"`, `"val"` or `"test"`.
        batch_size: Images per batch.
        seed: Shuffles every epoch; None keeps the order of the dataset.
        augmenter: Changes the images; only for `"train"`. One whose work the device does leaves
            them, and (pixels, `Augmenter.table`) stand in the place of pixels.
        mixed: Give targets as `Learning.mixable` returns them; so they are in any case where the
            augmenter mixes images.
        balanced: Draw all classes equally often, or images by their rarest label; needs a seed.

    Attributes:
        task: The task of the dataset.
        labels: Class of each row of the dataset.

    Raises:
        ValueError: Images that measure a network were to be augmented.
    """

    def __init__(
        self,
        store: Store,
        split: str,
        batch_size: int,
        seed: int | None,
        augmenter: Augmenter | None = None,
        *,
        mixed: bool = False,
        balanced: bool = False,
    ) -> None:
        if augmenter is not None and split != "train":
            raise ValueError(f"Only training images are augmented, not those of {split!r}.")
        self._augmenter = None if augmenter is None or augmenter.is_idle else augmenter
        works = self._augmenter is not None or store.is_encoded
        threads = max(2, min(os.cpu_count() or 2, MOST_THREADS)) if works else 1
        super().__init__(workers=threads, use_multiprocessing=False)
        self.task = store.task
        self.labels = store.labels
        self._images = store.images
        self._rows = store.rows(split)
        self._learning = learning_of(store)
        self._targets = self._learning.targets
        self._mixed = mixed or (self._augmenter is not None and self._augmenter.mixes)
        self._batch_size = batch_size
        self._seed = seed
        self._strata = store.strata if balanced else None
        self._order = self._rows
        self._epoch = 0
        self.failure: BadDataError | None = None
        self.set_epoch(0)

    def __len__(self) -> int:
        return math.ceil(len(self._rows) / self._batch_size)

    def __getitem__(self, index: int) -> Batch:
        keep_freed_memory()
        start = index * self._batch_size
        rows = self._order[start : start + self._batch_size]
        images, targets = self._read(rows), self._targets[rows]
        if self._augmenter is not None and self._augmenter.on_device:
            table = self._augmenter.table(images.shape[1:], rows, self._epoch)
            return (images, table), targets
        if self._augmenter is not None:
            images = self._augmenter.changed(images, rows, self._epoch)
        if not self._mixed:
            return images, targets
        targets = self._learning.mixable(targets)
        if self._augmenter is not None:
            images, targets = self._augmenter.mixed(images, targets, self._epoch, index)
        return images, targets

    def plain(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return images as they are, and their targets as the loss takes them.

        Args:
            rows: Rows of the dataset, n.
        """
        targets = self._targets[rows]
        return self._read(rows), self._learning.mixable(targets) if self._mixed else targets

    def _read(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        try:
            return self._images[rows]
        except BadDataError as error:
            self.failure = error
            raise

    @property
    def is_mixed(self) -> bool:
        """True if targets come as `Learning.mixable` returns them."""
        return self._mixed

    @property
    def count(self) -> int:
        """Images per epoch."""
        return len(self._rows)

    def images_in(self, start: int, end: int) -> int:
        """Images in the batches from index `start` up to, and without, `end`."""
        return min(end * self._batch_size, self.count) - start * self._batch_size

    def resized(self, batch_size: int) -> Self:
        """The same images in batches of another size."""
        other = copy.copy(self)
        other._batch_size = batch_size  # noqa: SLF001 - of our own class
        other.set_epoch(0)
        return other

    def set_epoch(self, epoch: int) -> None:
        """Take the order of that epoch, from 0. Call before its first batch is read."""
        self._epoch = epoch
        if self._seed is not None:
            generator = np.random.Generator(np.random.PCG64((self._seed, epoch)))
            if self._strata is not None:
                self._order = self._rows[balanced_order(self._strata[self._rows], generator)]
            else:
                self._order = self._rows[generator.permutation(len(self._rows))]


class ClearFailures:
    """Around `evaluate`: raises the error of a damaged image instead of what Keras makes of it.

    TensorFlow reads the batches inside a graph, and gives any error as text in one of its own.

    Args:
        batches: All that are read inside.
    """

    def __init__(self, *batches: SplitBatches) -> None:
        self._batches = batches

    def __enter__(self) -> None:
        """Nothing happens before."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Look for the cause.

        Raises:
            BadDataError: An image was damaged.
        """
        failures = [each.failure for each in self._batches if each.failure is not None]
        if error is not None and failures and error is not failures[0]:
            raise failures[0] from error
