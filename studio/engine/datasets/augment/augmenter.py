"""Does what an augmentation plan says, to images and to batches."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.datasets.augment.boxes import MOSAIC_PARTS, Boxes, Read, mosaic
from studio.engine.datasets.augment.color import ColorMap, arrays_of
from studio.engine.datasets.augment.draws import Draws, key_of, row_keys, states_of
from studio.engine.datasets.augment.operations import OPERATIONS, Fractions
from studio.engine.datasets.augment.plan import AugmentationPlan, check_augmentation
from studio.engine.datasets.augment.steps import Steps, render
from studio.engine.errors import raise_if_serious
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks.geometry import RegionBatch

MOSAIC_UNTIL = 0.85
"""Share of the epochs that may have mosaics: the last ones train with images as they are
predicted, after Z. Ge et al., "YOLOX", arXiv:2107.08430, section 2.1."""

AUGMENT_VERSION = 3
"""Changes with the pixels that the same plan and seed give. 1 changed one image after the other;
2 changed batches in whole numbers; 3 resamples with OpenCV. They differ by a few gray levels."""


def one_hot(labels: NDArray[np.int32], classes: int) -> Fractions:
    """Return labels as one-hot vectors, float32, shape (n, classes).

    Args:
        labels: Class indices, shape (n,).
        classes: Number of classes.
    """
    return np.equal.outer(labels, np.arange(classes)).astype(np.float32)


class Augmenter:
    """Changes training images. Has no state, so that any number of threads may use one.

    Args:
        plan: The augmentation.
        seed: Determines the augmentation of an image, with the epoch and the row of the image.
        on_device: The training step changes the images, as `table` says.
        epochs: Epochs of the training; the last ones are without mosaics. None to have them in
            all.
        pixels: Number format of the images; None for gray or color of 8 bits.

    Raises:
        StudioError: The plan names an operation that is not installed, or that fails.
    """

    def __init__(
        self,
        plan: AugmentationPlan,
        seed: int,
        *,
        on_device: bool = False,
        epochs: int | None = None,
        pixels: PixelFormat | None = None,
    ) -> None:
        self.plan = plan
        self.on_device = on_device
        self._seed = seed
        self._pixels = pixels
        self._plain_from = math.inf if epochs is None else MOSAIC_UNTIL * epochs
        if plan.added:
            OPERATIONS[plan.added]  # says why it is not there
        on = [operation for operation in OPERATIONS if operation.is_on(plan)]
        self._changes = [(each.name, change) for each in on if (change := each.changing)]
        self._mixes = [(each.name, mix) for each in on if (mix := each.mixing)]

    @property
    def is_idle(self) -> bool:
        """True if images are returned unchanged."""
        return not self._changes and not self._mixes and not self.joins

    @property
    def mixes(self) -> bool:
        """True if `mixed` combines images, so that labels are soft (fractions of classes)."""
        return bool(self._mixes)

    @property
    def joins(self) -> bool:
        """True if `joined` makes mosaics."""
        return self.plan.mosaic > 0

    def joined(
        self,
        images: Pixels,
        boxes: Boxes,
        rows: NDArray[np.int64],
        epoch: int,
        pool: NDArray[np.int64],
        read: Read,
    ) -> None:
        """Turn some images into mosaics of themselves and three others, in place.

        Args:
            images: Shape (n, height, width, channels).
            boxes: Their boxes, shape (n, M, 6), with as many places as a mosaic may have boxes.
            rows: Rows of the images in their dataset, shape (n,).
            epoch: From 0.
            pool: Rows that the others are drawn from.
            read: Returns the images and boxes of rows.
        """
        if not self.joins or epoch >= self._plain_from:
            return
        states = states_of(row_keys(self._seed, epoch, rows), "mosaic")
        for at, state in enumerate(states):
            draws = Draws(state)
            if not draws.chance(self.plan.mosaic / 100):
                continue
            drawn = [pool[draws.below(len(pool))] for _ in range(MOSAIC_PARTS - 1)]
            own, first = draws.below(MOSAIC_PARTS), rows[at]
            parts = np.array([*drawn[:own], first, *drawn[own:]], np.int64)
            images[at], boxes[at] = mosaic(
                *read(parts), draws, boxes.shape[1], self.plan.least_visible
            )

    def changed(
        self,
        images: Pixels,
        rows: NDArray[np.int64],
        epoch: int,
        regions: RegionBatch | None = None,
    ) -> Pixels:
        """Change images independently of each other.

        Args:
            images: Shape (n, height, width, channels). Belongs to the augmenter from now.
            rows: Rows of the images in their dataset, shape (n,).
            epoch: From 0.
            regions: Regions of the images; turned and moved in place.

        Returns:
            Of the same type and shape.
        """
        if not self._changes:
            return images
        height, width, channels = images.shape[1:]
        boxes = None if regions is None else regions.boxes
        steps = self._drawn((height, width, channels), rows, epoch, boxes)
        return render(images, steps, regions, self.plan.least_visible, self._pixels)

    def table(
        self, shape: tuple[int, int, int], rows: NDArray[np.int64], epoch: int
    ) -> NDArray[np.float32]:
        """Draw what `changed` would do, for a device that does it.

        Args:
            shape: Height, width and channels of the images.
            rows: Rows of the images in their dataset, shape (n,).
            epoch: From 0.

        Returns:
            float32, shape (n, values): the map of each image as `affine` describes it, then the
            factors of its colors, those of its mean color, and what is added, see
            `color.arrays_of`.

        Raises:
            ValueError: The plan has more than maps and linear changes of color, or needs boxes.
        """
        steps = self._drawn(shape, rows, epoch)
        needs_boxes = self.joins or self.plan.object_crop > 0
        if self._mixes or needs_boxes or not all(step.is_affine for step in steps):
            raise ValueError(
                "Only maps and linear changes of color that need no boxes can be put in a table."
            )
        colors = arrays_of([step.color or ColorMap() for step in steps], shape[2])
        parts = [np.array([step.matrix for step in steps]), *colors]
        return np.concatenate([part.reshape(len(rows), -1) for part in parts], 1, dtype=np.float32)

    def _drawn(
        self,
        shape: tuple[int, int, int],
        rows: NDArray[np.int64],
        epoch: int,
        boxes: Boxes | None = None,
    ) -> list[Steps]:
        """Return the changes of each image."""
        height, width, channels = shape
        fill = self.plan.fill
        if boxes is not None and fill == "reflect":
            fill = "gray"  # mirrored objects would have no boxes
        drawn = [Steps(height, width, channels, fill) for _ in rows]
        if boxes is not None:
            for own, steps in zip(boxes, drawn, strict=True):
                steps.boxes = own
        keys = row_keys(self._seed, epoch, rows)
        for name, change in self._changes:
            for state, steps in zip(states_of(keys, name), drawn, strict=True):
                change(self.plan, Draws(state), steps)
        return drawn

    def mixed(
        self, images: Pixels, labels: Fractions, epoch: int, batch: int
    ) -> tuple[Pixels, Fractions]:
        """Mix the images of a batch and their labels; where several ways are on, by one of them.

        Args:
            images: Shape (n, height, width, channels). Belongs to the augmenter from now.
            labels: Shares of the classes, float32, shape (n, classes).
            epoch: From 0.
            batch: Index of the batch in its epoch, from 0.
        """
        if not self._mixes:
            return images, labels
        key = key_of(self._seed, epoch, batch)
        name, mix = self._mixes[Draws(key, "mix").below(len(self._mixes))]
        return mix(self.plan, Draws(key, name), images, labels)


# What training will see, for a picture of it before training begins.


def preview(
    images: Pixels,
    plan: AugmentationPlan,
    seed: int,
    epoch: int,
    rows: NDArray[np.int64] | None = None,
    regions: RegionBatch | None = None,
    pixels: PixelFormat | None = None,
) -> Pixels:
    """Change images exactly as training does, whose functions these are.

    Only what makes images: whitening and the mean are subtracted by the network, and no picture.
    The images count as the first batch where batches are mixed.

    Args:
        images: Shape (n, height, width, channels); left as they are.
        plan: The augmentation.
        seed: The seed of the training plan.
        epoch: From 0.
        rows: Rows of the images in their dataset; 0, 1, ... when left out.
        regions: Regions of the images; turned and moved in place, and joined in mosaics with those
            of the other images here, for which there should be room.
        pixels: Number format of the images; None for gray or color of 8 bits.

    Returns:
        Of the same type, shape (n, height, width, channels); with `plan.crop`, the part in
        `plan.window`. Regions stay whole.

    Raises:
        StudioError: The plan does not fit the images.
    """
    height, width, channels = images.shape[1:]
    raise_if_serious(check_augmentation(plan, (height, width, channels), len(images), pixels))
    augmenter = Augmenter(plan, seed, pixels=pixels)
    rows = np.arange(len(images)) if rows is None else rows
    changed = images.copy()
    boxes = None if regions is None else regions.boxes
    if boxes is not None:
        _join_each_other(augmenter, changed, boxes, rows, epoch)
    changed = augmenter.changed(changed, rows, epoch, regions)
    labels = one_hot(np.zeros(len(images), np.int32), 1)
    changed, _ = augmenter.mixed(changed, labels, epoch, 0)
    return changed[:, *plan.window(height, width)]


def _join_each_other(
    augmenter: Augmenter, images: Pixels, boxes: Boxes, rows: NDArray[np.int64], epoch: int
) -> None:
    """Make mosaics of a few images, in place: only these are there to be drawn."""
    originals, own = images.copy(), boxes.copy()
    position = {row: at for at, row in enumerate(rows.tolist())}

    def read(parts: NDArray[np.int64]) -> tuple[Pixels, Boxes]:
        chosen = [position[row] for row in parts.tolist()]
        return originals[chosen], own[chosen]

    augmenter.joined(images, boxes, rows, epoch, rows, read)
