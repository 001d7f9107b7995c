"""Augmentation of images of 16 bits, of fractions and of many channels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.datasets.augment.augmenter import Augmenter, one_hot, preview
from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan, check_augmentation
from studio.engine.errors import StudioError
from studio.engine.pixel_format import PixelFormat

CAMERA = PixelFormat.uniform("uint16", 5, 100, 4095)
FRACTIONS = PixelFormat.uniform("float32", 2, -1, 1)
BYTES = PixelFormat.bytes_of(3)
ROWS = np.arange(6)


def images(pixels: PixelFormat, count: int = 6) -> NDArray[Any]:
    random = np.random.default_rng(0).uniform(0, 255, (count, 20, 24, pixels.channels))
    return pixels.from_levels(random.astype(np.float32))


def changed(pixels: PixelFormat, **values: object) -> NDArray[Any]:
    plan = AugmentationPlan.parse(values)
    return Augmenter(plan, 3, pixels=pixels).changed(images(pixels), ROWS, 0)


@pytest.mark.parametrize("pixels", [CAMERA, FRACTIONS])
@pytest.mark.parametrize("name", ["horizontal_flip", "vertical_flip"])
def test_flips_are_exact(pixels: PixelFormat, name: str) -> None:
    axis = 1 if name == "horizontal_flip" else 0
    found = changed(pixels, **{name: True})
    assert found.dtype == pixels.dtype
    flips = 0
    for image, original in zip(found, images(pixels), strict=True):
        flipped = np.flip(original, axis)
        is_flipped = np.allclose(image, flipped, rtol=0, atol=1e-6)
        assert is_flipped or np.array_equal(image, original)
        flips += is_flipped
    assert 0 < flips < len(found)


@pytest.mark.parametrize("pixels", [CAMERA, FRACTIONS])
@pytest.mark.parametrize(
    "values",
    [
        {"rotation": 40, "fill": "black"},
        {"brightness": 30},
        {"contrast": 50},
        {"blur": 2},
        {"noise": 5},
        {"shot_noise": 5},
        {"channel_intensity": 50},
        {"erasing": 40},
    ],
)
def test_changes_happen_in_the_range_of_the_dataset(
    pixels: PixelFormat, values: dict[str, object]
) -> None:
    """A dataset with a range is changed as one whose pixels are on the scale of a network."""
    levels = PixelFormat.uniform("float32", pixels.channels, 0, 255)
    plan = AugmentationPlan.parse(values)
    originals = images(pixels)
    on_levels = Augmenter(plan, 3, pixels=levels)
    expected: NDArray[Any] = on_levels.changed(pixels.levels(originals), ROWS, 0)
    found = changed(pixels, **values)
    assert found.dtype == pixels.dtype
    assert not np.array_equal(found, originals)
    assert np.allclose(found, pixels.from_levels(expected), rtol=1e-5, atol=1)


def test_the_border_is_the_lowest_value() -> None:
    found = changed(CAMERA, rotation=45, fill="black")
    assert (found[:, 0, 0] == 100).all(axis=1).any()


def test_mixed_images_keep_their_values() -> None:
    plan = AugmentationPlan(mix_up=1)
    labels = one_hot(np.array([0, 1] * 3, np.int32), 2)
    mixed, soft = Augmenter(plan, 1, pixels=CAMERA).mixed(images(CAMERA), labels, 0, 0)
    assert mixed.dtype == np.uint16
    assert mixed.max() > 255
    assert np.allclose(soft.sum(axis=1), 1)


def test_channels_get_factors_of_their_own() -> None:
    flat = np.full((4, 8, 8, 3), 100, np.uint8)
    plan = AugmentationPlan(channel_intensity=50)
    found = Augmenter(plan, 1, pixels=BYTES).changed(flat, np.arange(4), 0)
    assert len(np.unique(found[0].reshape(-1, 3), axis=0)) == 1
    assert len(np.unique(found[0, 0, 0])) == 3


@pytest.mark.parametrize("name", ["hue", "saturation", "rand_augment", "aug_mix"])
def test_what_needs_colors_or_8_bits_is_refused(name: str) -> None:
    plan = AugmentationPlan.parse({name: 5})
    (problem,) = check_augmentation(plan, (20, 24, 5), 8, CAMERA)
    assert problem.where == name
    assert problem.serious
    assert check_augmentation(plan, (20, 24, 3), 8, BYTES) == []
    with pytest.raises(StudioError, match="5 channels of the type uint16"):
        preview(images(CAMERA), plan, 0, 0, pixels=CAMERA)


def test_a_preset_leaves_out_changes_of_colors_that_images_lack() -> None:
    bands = PixelFormat.uniform("uint16", 5, 0, 4095)
    color = PixelFormat.bytes_of(3)
    strong = PRESETS["strong"]

    assert strong.left_out(bands) == ["hue", "saturation"]
    assert not check_augmentation(strong.plan_for(bands), (64, 64, 5), 8, bands)
    assert check_augmentation(strong.plan, (64, 64, 5), 8, bands)
    assert strong.plan_for(color) == strong.plan
    assert strong.plan_for(bands).erasing == strong.plan.erasing
