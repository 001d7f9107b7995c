"""What a batch gets is what each image would get, operation by operation, from Pillow."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.augment import affine
from studio.engine.datasets.augment.affine import Affine
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.augment.draws import Draws, key_of
from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan, Fill
from studio.engine.datasets.augment.steps import warped

Images = NDArray[np.uint8]
SEED, EPOCH = 7, 3


def pictures(count: int, height: int, width: int, channels: int) -> Images:
    """Edges, even areas and smooth ramps."""
    random = np.random.default_rng(1)
    coarse = random.integers(0, 256, (count, 6, 6, 3), np.uint8)
    made = [
        Image.fromarray(each).resize((width, height), Image.Resampling.NEAREST) for each in coarse
    ]
    made[::2] = [
        Image.fromarray(e).resize((width, height), Image.Resampling.BICUBIC) for e in coarse[::2]
    ]
    return np.stack([np.asarray(each) for each in made])[..., :channels].copy()


def by_pillow(image: Images, matrix: Affine, fill: Fill) -> Images:
    """One resampling by Pillow in double precision, with the surroundings as pixels."""
    height, width, channels = image.shape
    pad = 2 * max(height, width)
    level = {"reflect": 0, "black": 0, "gray": 128, "white": 255}[fill]
    a, b, c, d, e, f = matrix
    c += width / 2 - a * width / 2 - b * height / 2
    f += height / 2 - d * width / 2 - e * height / 2
    if fill == "reflect":
        image = np.pad(image, ((pad, pad), (pad, pad), (0, 0)), mode="symmetric")
        c, f = c + pad, f + pad
    planes = [
        # In floating point, because Pillow cuts whole numbers.
        Image.fromarray(image[:, :, channel].astype(np.float32)).transform(
            (width, height),
            Image.Transform.AFFINE,
            (a, b, c, d, e, f),
            Image.Resampling.BILINEAR,
            fillcolor=level,
        )
        for channel in range(channels)
    ]
    values = np.stack([np.asarray(plane) for plane in planes], axis=-1)
    result: Images = np.rint(values).astype(np.uint8)
    return result


def light_by_pillow(image: Images, plan: AugmentationPlan, row: int) -> Images:
    """The light preset, with the draws of every operation by itself."""
    height, width, _ = image.shape
    key = key_of(SEED, EPOCH, row)
    turn = affine.rotation(Draws(key, "rotation").around(plan.rotation))
    size = affine.zoom(1 + Draws(key, "zoom").around(plan.zoom / 100))
    draws = Draws(key, "translation")
    share = plan.translation / 100
    right, down = draws.around(share) * width, draws.around(share) * height
    move = affine.translation(right, down)
    matrix = affine.chain(affine.chain(turn, size), move)
    shift = 255 * Draws(key, "brightness").around(plan.brightness / 100)
    factor = Draws(key, "contrast").between(1 - plan.contrast / 100, 1 + plan.contrast / 100)
    turned = by_pillow(image, matrix, plan.fill)
    bright = turned.astype(float) + shift
    mean = bright.mean(axis=(0, 1))
    result: Images = np.clip((bright - mean) * factor + mean + 0.5, 0, 255).astype(np.uint8)
    return result


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("height", "width"), [(96, 96), (30, 47), (1, 5)])
def test_a_batch_is_what_the_operations_give_one_by_one(
    height: int, width: int, channels: int
) -> None:
    images = pictures(20, height, width, channels)
    plan = PRESETS["light"].plan
    rows = np.arange(20) * 13

    together = Augmenter(plan, SEED).changed(images.copy(), rows, EPOCH)

    expected = [light_by_pillow(i, plan, r) for i, r in zip(images, rows.tolist(), strict=True)]
    difference = np.abs(together.astype(int) - np.stack(expected))
    # Contrast multiplies the one level by which resampling in whole numbers may differ.
    assert difference.max() <= 2
    assert (difference > 1).mean() < 0.005
    assert (difference > 0).mean() < 0.02


@pytest.mark.parametrize("channels", [1, 3])
def test_colors_alone_are_those_of_the_operations(channels: int) -> None:
    images = pictures(20, 24, 31, channels)
    plan = PRESETS["light"].plan.changed(rotation=0.0, zoom=0.0, translation=0.0)

    together = Augmenter(plan, SEED).changed(images.copy(), np.arange(20), EPOCH)

    expected = [light_by_pillow(image, plan, row) for row, image in enumerate(images)]
    assert np.abs(together.astype(int) - np.stack(expected)).max() <= 1


@pytest.mark.parametrize("fill", ["reflect", "black", "gray", "white"])
@pytest.mark.parametrize("channels", [1, 3])
def test_maps_of_every_kind_are_those_of_pillow(fill: Fill, channels: int) -> None:
    maps = [
        affine.rotation(37.3),
        affine.zoom(0.31),
        affine.zoom(4.7),  # beyond the mirror image of the mirror image
        affine.chain(affine.shear(25.1, -11.7), affine.translation(-39.3, 51.9)),
        affine.chain(affine.flip(horizontal=True, vertical=True), affine.rotation(-151.2)),
    ]
    images = pictures(len(maps), 41, 58, channels)

    for image, matrix in zip(images, maps, strict=True):
        difference = np.abs(
            warped(image, matrix, fill).astype(int) - by_pillow(image, matrix, fill)
        )
        assert difference.max() <= 1
