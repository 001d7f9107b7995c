"""Tiles that are proposed where resizing would lose small objects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from mask_pictures import save
from PIL import Image

from studio.engine.datasets import gather, suggestion
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.array_files import NpzSource
from studio.engine.datasets.sources.base import Scan, SourceImage
from studio.engine.datasets.suggestion import suggest_recipe
from studio.engine.datasets.survey import SurveyQuestion, survey
from studio.engine.progress import SilentProgress
from studio.engine.tasks.instances.task import INSTANCES

SENTENCE = (
    "Images of 256 × 256 to 640 × 640 pixels are cut into 24 tiles of 256 × 256 pixels with an "
    "overlap of 32. With a tile size of 0, all images are resized to one size instead."
)


def cells(root: Path, sides: Sequence[int], side: int) -> Path:
    """Write square pictures of some sides, with label images of two rows of square cells."""
    for number, length in enumerate(sides):
        labels = np.zeros((length, length), np.uint16)
        for column, left in enumerate(range(4, length - side, 2 * side)):
            for row in range(2):
                top = 4 + 2 * side * row
                labels[top : top + side, left : left + side] = (
                    1000 * (number + 1) + 2 * column + row
                )
        save((200 * (labels > 0)).astype(np.uint8), root / f"images/{number:03}.png")
        (root / "labels").mkdir(exist_ok=True)
        Image.fromarray(labels).save(root / f"labels/{number:03}.png")
    return root


def proposed(root: Path, chosen: Sequence[str] = ()) -> DatasetRecipe:
    return suggest_recipe(root, source=source_for(root, INSTANCES), chosen=chosen)


def test_pictures_of_different_sizes_with_small_objects_are_cut_into_tiles(tmp_path: Path) -> None:
    root = cells(tmp_path, [256] * 6 + [640] * 2, 18)
    recipe = proposed(root)
    assert (recipe.width, recipe.height) == (256, 256)
    assert (recipe.tile_size, recipe.tile_overlap) == (256, 32)


@pytest.mark.parametrize("field", ["width", "height", "tile_size"])
def test_a_chosen_size_wins(tmp_path: Path, field: str) -> None:
    recipe = proposed(cells(tmp_path, [256] * 6 + [640] * 2, 18), [field])
    assert (recipe.width, recipe.tile_size, recipe.tile_overlap) == (320, 0, 0)


@pytest.mark.parametrize(
    ("sides", "side"),
    [
        pytest.param([256] * 8, 18, id="no picture is shrunk"),
        pytest.param([256] * 6 + [360] * 2, 40, id="objects stay large enough"),
        pytest.param([256] * 6 + [2000] * 2, 100, id="too large for tiles"),
        pytest.param([256] * 6 + [360] * 2, 10, id="objects were too small before"),
    ],
)
def test_pictures_that_lose_nothing_are_resized(
    tmp_path: Path, sides: Sequence[int], side: int
) -> None:
    assert proposed(cells(tmp_path, sides, side)).tile_size == 0


@pytest.mark.parametrize(
    ("side", "large", "small", "expected"),
    [
        pytest.param(330, 40, 15, 320, id="too small before"),
        pytest.param(330, 40, 16, 352, id="hardly shrunk"),
        pytest.param(416, 40, 18, 416, id="usual size"),
        pytest.param(640, 60, 16, 640, id="largest size"),
    ],
)
def test_pictures_of_one_size_keep_it_rather_than_becoming_tiles(
    side: int, large: int, small: int, expected: int
) -> None:
    sides = np.array([large] * 9 + [small], float)
    objects = np.stack([sides, sides, np.full(10, float(side))], axis=1)
    sizes = [(side, side)] * 10
    recipe = suggestion._for_objects(DatasetRecipe(source="x"), sizes, objects, 16.0)
    if suggestion._loses_objects(recipe, objects):
        recipe = suggestion._in_tiles(recipe, sizes, objects, len(sizes))
    assert (recipe.width, recipe.height, recipe.tile_size) == (expected, expected, 0)


def test_tiles_that_multiply_the_pixels_are_not_proposed() -> None:
    sizes = [(330, 330)] * 9 + [(380, 380)]
    objects = np.array([[16.5, 16.5, 340.0]] * 10)
    recipe = DatasetRecipe(source="x", width=320, height=320)
    assert suggestion._in_tiles(recipe, sizes, objects, len(sizes)) == recipe


def test_a_dataset_of_too_many_tiles_is_resized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = cells(tmp_path, [256] * 6 + [640] * 2, 18)
    monkeypatch.setattr(suggestion, "_MAX_TILES", 23)
    assert proposed(root).tile_size == 0
    monkeypatch.setattr(suggestion, "_MAX_TILES", 24)
    assert proposed(root).tile_size == 256


def test_survey_and_report_count_the_tiles_and_give_the_reason(tmp_path: Path) -> None:
    root = cells(tmp_path, [256] * 6 + [640] * 2, 18)
    asked = DatasetRecipe(source=str(root), task="instances")
    found = survey(SurveyQuestion(asked, suggest=True, max_images=2), SilentProgress())
    assert (found.recipe.tile_size, found.count) == (256, 24)
    assert [str(each) for each in found.warnings] == [SENTENCE]
    report = preview_import(found.recipe, SilentProgress())
    assert report.count == 24
    assert [str(each) for each in report.warnings] == [SENTENCE]


def test_pictures_that_are_not_cut_are_no_tiles(tmp_path: Path) -> None:
    root = cells(tmp_path / "cells", [360], 18)
    np.savez(tmp_path / "more.npz", images=np.zeros((3, 360, 360), np.uint8))
    places = (root, source_for(root, INSTANCES)), (tmp_path / "more.npz", NpzSource())
    parts = [gather.Part(path, source, None, "source") for path, source in places]
    items = [SourceImage("images/000.png", "", None)]
    items += [SourceImage(f"images/{row}", "", None, part=1) for row in range(3)]
    scan = Scan(items)
    recipe = DatasetRecipe(source=str(root), tile_size=256, tile_overlap=32)

    gather._tile(parts, scan, recipe, SilentProgress())

    assert len(scan.items) == 7
    (warning,) = map(str, scan.warnings)
    assert warning.startswith("Images of 360 × 360 pixels are cut into 4 tiles of 256 × 256")
