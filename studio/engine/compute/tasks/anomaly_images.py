"""Good images of a dataset, in batches: for a fit, and to compare candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.tasks.anomaly.drawn_defects import with_defects
from studio.engine.tasks.anomaly.targets import is_good
from studio.engine.training.history import RunContext
from studio.engine.training.plan import TrainingPlan

COMPARED: Final = 100
"""Validation images, at most, that candidates are compared on; each is drawn on three times."""
_HELD_OUT: Final = 0.2
"""Fraction of the training images that take their place where there are none."""
_LEAST: Final = 2
_AUGMENTED: Final = 2
"""Augmented copies of each training image, beside the image as it is."""


def divided(store: Store, seed: int) -> tuple[Rows, Rows]:
    """Return the good images to fit, and those that are held out to compare candidates.

    Args:
        store: The dataset.
        seed: Seed of the draw.

    Raises:
        BadDataError: There are too few.
    """
    good = is_good(store.targets)
    train, val = (rows[good[rows]] for rows in (store.rows("train"), store.rows("val")))
    random = np.random.default_rng(seed)
    if not len(val) and store.recipe.tile_size:
        raise BadDataError(
            "The threshold of whole images is measured on those for validation, but there are "
            "none.",
            "Assign some good images to the validation split, or import without tiles.",
            "dataset",
        )
    if not len(val):
        train = random.permutation(train)
        count = max(1, round(_HELD_OUT * len(train)))
        train, val = np.sort(train[count:]), np.sort(train[:count])
    if len(train) < _LEAST:
        raise BadDataError(
            "There are {count} good images to learn from; at least {least} are needed.",
            "Add images without defects to the training split.",
            "dataset",
            count=len(train),
            least=_LEAST,
        )
    if len(val) > COMPARED:
        val = np.sort(random.permutation(val)[:COMPARED])
    return train, val


@dataclass(frozen=True, slots=True)
class FitImages:
    """Images of a dataset in batches, with progress.

    Attributes:
        context: The running job.
        plan: Plan of the run.
        store: Its dataset.
    """

    context: RunContext
    plan: TrainingPlan
    store: Store

    def batches(
        self, rows: Rows, what: str, *, augmented: bool = False, skipped: int = 0
    ) -> Iterator[NDArray[Any]]:
        """Yield images as they are, then augmented copies if the plan has some.

        Args:
            rows: Rows of the dataset.
            what: Name of the progress step.
            augmented: Also yield augmented copies.
            skipped: Number of batches to begin after.
        """
        augmenter = Augmenter(self.plan.augmentation, self.plan.seed)
        rounds = 1 + (_AUGMENTED if augmented and not augmenter.is_idle else 0)
        size, done = self.plan.batch_size, 0
        for epoch in range(rounds):
            for start in range(0, len(rows), size):
                self.context.check()
                part = rows[start : start + size]
                done += len(part)
                skipped -= 1
                if skipped >= 0:
                    continue
                images = self.store.images[part]
                yield images if not epoch else augmenter.changed(images, part, epoch - 1)
                self.context.advance(done, rounds * len(rows), what)

    def with_defects(self, rows: Rows, what: str, seed: int) -> Iterator[NDArray[Any]]:
        """Yield copies of images with drawn defects.

        Args:
            rows: Rows of the dataset.
            what: Name of the progress step.
            seed: Seed of the defects.
        """
        random = np.random.default_rng((seed, 1))
        pixels = self.store.pixel_format
        for batch in self.batches(rows, what):
            limits = (
                (float(batch.min()), float(batch.max()))
                if pixels.per_image
                else (float(min(pixels.low)), float(max(pixels.high)))
            )
            drawn = [each for image in batch for each in with_defects(image, random, limits)]
            for start in range(0, len(drawn), self.plan.batch_size):
                yield np.stack(drawn[start : start + self.plan.batch_size])
