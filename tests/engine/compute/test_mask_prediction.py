"""Masks of pictures of any size: whole, cropped, with borders, and tile by tile without seams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.compute.backends.prepare import prepare_backend

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after the backend is chosen

from studio.engine.datasets.decode import load_parts, tiles_for, tiles_of  # noqa: E402
from studio.engine.datasets.recipe import DatasetRecipe  # noqa: E402
from studio.engine.datasets.sources.base import Tile  # noqa: E402
from studio.engine.tasks.annotations import IGNORE  # noqa: E402
from studio.engine.tasks.pixel_maps import (  # noqa: E402
    labels_of_tiles,
    labels_of_whole,
)
from studio.engine.tasks.tiling import TiledPicture  # noqa: E402


def _recipe(width: int, height: int, **values: object) -> DatasetRecipe:
    fields = {"source": "", "task": "segmentation", "width": width, "height": height}
    return DatasetRecipe.parse(fields | values)


def _halves(width: int, height: int) -> NDArray[np.float32]:
    """Maps of two classes: the right half is the second."""
    maps = np.zeros((height, width, 2), np.float32)
    maps[:, : width // 2, 0] = 1
    maps[:, width // 2 :, 1] = 1
    return maps


def test_a_squashed_picture_gets_a_mask_of_its_own_size() -> None:
    labels = labels_of_whole(_halves(8, 8), (40, 24), _recipe(8, 8))

    assert labels.shape == (24, 40)
    assert (labels[:, :20] == 0).all()
    assert (labels[:, 20:] == 1).all()


def test_what_a_crop_cut_off_has_no_class() -> None:
    labels = labels_of_whole(_halves(8, 8), (40, 24), _recipe(8, 8, resize="crop"))

    assert (labels[:, :8] == IGNORE).all()
    assert (labels[:, 32:] == IGNORE).all()
    assert (labels[:, 8:20] == 0).all()
    assert (labels[:, 20:32] == 1).all()


def test_a_border_is_no_part_of_the_picture() -> None:
    maps = _halves(8, 8)
    maps[:2] = maps[6:] = (0, 1)  # the border of a picture twice as wide as high

    labels = labels_of_whole(maps, (40, 20), _recipe(8, 8, resize="fill"))

    assert labels.shape == (20, 40)
    assert (labels[:, :20] == 0).all()


@pytest.mark.parametrize("full", [(64, 64), (100, 70), (40, 90), (20, 17)])
@pytest.mark.parametrize("network", [32, 16])
def test_tiles_of_a_picture_give_the_mask_of_the_whole(
    full: tuple[int, int], network: int
) -> None:
    """A network that tells bright pixels is right wherever a tile begins."""
    width, height = full
    random = np.random.default_rng(1)
    blocks = random.integers(0, 2, (height // 8 + 1, width // 8 + 1))
    truth = np.kron(blocks, np.ones((8, 8), np.uint8))[:height, :width]
    padded = np.zeros((max(height, 32), max(width, 32)), np.uint8)
    padded[:height, :width] = truth
    recipe = _recipe(network, network, tile_size=32)
    tiles = tiles_for(full, recipe)
    step = 32 // network

    def parts() -> list[Pixels]:
        cut = [padded[y : y + 32, x : x + 32] for x, y, _, _ in tiles]
        return [each[::step, ::step, None] for each in cut]

    def score(pixels: Pixels) -> NDArray[np.float32]:
        bright = pixels[..., 0].astype(np.float32)
        return np.stack([1 - bright, bright], axis=-1)

    labels = labels_of_tiles(TiledPicture(parts(), tiles, score, 3), full)

    assert labels.shape == (height, width)
    assert (labels == truth).mean() >= (1.0 if network == 32 else 0.85)


def test_no_seam_remains_where_tiles_meet() -> None:
    """Tiles whose borders are wrong are right together: the middle of another one counts more."""
    recipe = _recipe(32, 32, tile_size=32)
    full = (80, 80)
    tiles = tiles_for(full, recipe)

    def score(pixels: Pixels) -> NDArray[np.float32]:
        wrong = np.ones(pixels.shape[:3], np.float32)
        wrong[:, 2:-2, 2:-2] = 0
        return np.stack([1 - wrong, wrong], axis=-1)

    parts = [np.zeros((32, 32, 1), np.uint8)] * len(tiles)
    labels = labels_of_tiles(TiledPicture(parts, tiles, score, 4), full)

    assert (labels[2:-2, 2:-2] == 0).all()


def test_a_picture_of_four_times_the_input_has_no_seams(tmp_path: Path) -> None:
    """The tiles of a picture in a file give what the network gives for the whole."""
    side, full = 32, (128, 128)
    keras.utils.set_random_seed(5)
    wide: dict[str, Any] = {"padding": "same", "kernel_initializer": "he_normal"}
    model = keras.Sequential(
        [
            keras.Input((None, None, 3)),
            keras.layers.Rescaling(1 / 127.5, -1),
            keras.layers.Conv2D(12, 5, activation="relu", **wide),
            keras.layers.Conv2D(12, 5, activation="relu", **wide),
            keras.layers.Conv2D(1, 1),
        ]
    )
    noise = np.random.default_rng(0).integers(0, 256, (16, 16, 3), np.uint8)
    image = Image.fromarray(noise).resize(full, Image.Resampling.BICUBIC)
    image.save(tmp_path / "large.png")
    pixels = np.asarray(image)
    whole = np.asarray(model(pixels[None].astype(np.float32)))[0, :, :, 0]
    middle = float(np.median(whole))
    recipe = _recipe(side, side, tile_size=side)
    tiles = tiles_for(full, recipe)

    def score(part: Pixels) -> NDArray[np.float32]:
        second = 1 / (1 + np.exp(middle - np.asarray(model(part.astype(np.float32)))))
        return np.concatenate([1 - second, second], axis=-1)

    def differs(tiles: list[Tile]) -> NDArray[np.bool_]:
        parts = (part for part, _ in load_parts(tmp_path / "large.png", recipe, None, tiles))
        labels = labels_of_tiles(TiledPicture(parts, tiles, score, 8), full)
        found: NDArray[np.bool_] = labels != (whole > middle)
        return found

    wrong = differs(tiles)
    edges = sorted({x for left, *_ in tiles for x in (left, left + side)} - {0, full[0]})
    near = [x + step for x in edges for step in (-1, 0)]
    assert len(tiles) == 25
    assert wrong.mean() < 0.02
    assert wrong[:, near].mean() < 0.02
    assert wrong[near].mean() < 0.02
    # Tiles side by side would leave seams.
    assert differs(tiles_of(full, side, 0))[:, [31, 32, 63, 64, 95, 96]].mean() > 0.2
