"""Masks are turned and moved exactly as their images."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from mask_pictures import squares

from studio.engine.datasets.augment import affine
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import warped_mask
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.geometry import RegionBatch
from studio.engine.tasks.segmentation.task import SEGMENTATION

ROWS = np.arange(40)


def changed(**values: object) -> tuple[np.ndarray, np.ndarray]:
    """Augmented images, and masks, of pictures whose red tells the class."""
    pairs = [squares(seed, 33, 21) for seed in ROWS.tolist()]
    images, masks = (np.stack(each) for each in zip(*pairs, strict=True))
    plan = AugmentationPlan.parse(values)
    images = Augmenter(plan, 5).changed(images, ROWS, 3, RegionBatch(SEGMENTATION.geometry, masks))
    return images, masks


@pytest.mark.parametrize(
    "values",
    [
        {"horizontal_flip": True, "vertical_flip": True},
        {"quarter_turns": "half"},
        {"translation": 20.0},
        {"rotation": 40.0},
        {"zoom": 30.0},
        {"shear": 15.0},
        {"rescale": 20.0},
        {"rotation": 10.0, "zoom": 10.0, "horizontal_flip": True, "brightness": 0.0},
    ],
    ids="+".join,
)
@pytest.mark.parametrize("fill", ["black", "white"])
def test_each_pixel_keeps_its_class(values: dict[str, object], fill: str) -> None:
    images, masks = changed(**values, fill=fill)
    inside = masks != IGNORE

    def error(truth: np.ndarray) -> float:
        both = inside & (truth != IGNORE)
        return float(np.abs(images[..., 0] - 60.0 * truth)[both].mean())

    assert inside.mean() > 0.6
    # Borders are mixed in the image alone; a mask that was moved by a pixel would fit far worse.
    assert error(masks) < 2.5
    for axis, shift in ((1, 1), (1, -1), (2, 1), (2, -1)):
        assert error(np.roll(masks, shift, axis)) > 1.8 * error(masks)
    outside = cv2.erode(np.moveaxis((~inside).astype(np.uint8), 0, 2), np.ones((3, 3))) > 0
    filled = images[..., 0][np.moveaxis(outside, 2, 0)]
    assert (filled == {"black": 0, "white": 255}[fill]).all()


def test_flips_are_exact_and_nothing_is_ignored() -> None:
    images, masks = changed(horizontal_flip=True)
    assert np.array_equal(images[..., 0] // 60, masks)


def test_reflected_borders_belong_to_no_class() -> None:
    _, masks = changed(translation=40.0, fill="reflect")
    assert (masks == IGNORE).any()


def test_colors_and_noise_leave_masks_alone() -> None:
    before = np.stack([squares(seed, 33, 21)[1] for seed in ROWS.tolist()])
    _, masks = changed(brightness=30.0, noise=5.0, blur=1.0, erasing=20.0)
    assert np.array_equal(masks, before)


def test_no_class_is_invented_between_two_others() -> None:
    mask = np.zeros((20, 20), np.uint8)
    mask[:, 10:] = 9
    turned = warped_mask(mask, affine.rotation(33))
    assert set(np.unique(turned)) == {0, 9, IGNORE}
    assert turned.shape == mask.shape
