"""Adding images to a dataset that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.pictures import picture_folder, small_recipe
from studio.engine.datasets.edits import Edit, Exclude, Move
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import FIXED, recipe_to_add
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress


def imported(recipe: DatasetRecipe, folder: Path) -> Store:
    folder.mkdir()
    import_dataset(recipe, folder, SilentProgress())
    return Store.open(folder)


def test_existing_names_stay_as_edited(tmp_path: Path) -> None:
    old = small_recipe(picture_folder(tmp_path / "in"), encoding="png", seed=4)
    store = imported(old, tmp_path / "old")
    out, moved = store.rows("train")[:2].tolist()
    edits: list[Edit] = [Exclude(rows=str(out)), Move(rows=str(moved), split="test")]
    edit_dataset(tmp_path / "old", edits)
    more = picture_folder(tmp_path / "more", 5, ("b", "c"))

    before = Store.open(tmp_path / "old")
    recipe = recipe_to_add(tmp_path / "old", old, before.counts(), [more])
    both = imported(recipe, tmp_path / "new")

    assert both.classes == ["a", "b", "c"]
    assert len(both.labels) == len(before.paths) - 1 + 10
    for name in ("train", "val", "test"):
        stored = {before.paths[row] for row in before.rows(name).tolist()}
        now = {both.paths[row] for row in both.rows(name).tolist()}
        assert stored <= now
    assert all(getattr(recipe, name) == getattr(old, name) for name in (*FIXED, "seed"))


def test_limits_and_locations_of_the_old_recipe_are_not_asked_for_again(tmp_path: Path) -> None:
    imported(small_recipe(picture_folder(tmp_path / "in")), tmp_path / "old")
    old = small_recipe(tmp_path, max_per_class=3, val_source="/v", only_classes=["a"])
    recipe = recipe_to_add(tmp_path / "old", old, {"val": 2}, ["https://h/x/", tmp_path / "more"])
    assert recipe.source == str(tmp_path / "old")
    assert recipe.more_sources == ["https://h/x/", str(tmp_path / "more")]
    assert (recipe.max_per_class, recipe.val_source, recipe.only_classes) == (None, "", [])
    assert (recipe.val_percent, recipe.test_percent) == (old.val_percent, 0.0)


def test_no_dataset_is_added_to_itself(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="duplicate every image"):
        recipe_to_add(tmp_path, small_recipe(tmp_path), {}, [tmp_path / "x", tmp_path])


def test_no_image_is_moved_into_a_split_that_was_emptied(tmp_path: Path) -> None:
    old = small_recipe(picture_folder(tmp_path / "in"))
    store = imported(old, tmp_path / "old")
    for row in store.rows("val").tolist():
        edit_dataset(tmp_path / "old", [Move(rows=str(row), split="train")])
    counts = Store.open(tmp_path / "old").counts()
    more = picture_folder(tmp_path / "more", 5)
    both = imported(recipe_to_add(tmp_path / "old", old, counts, [more]), tmp_path / "new")
    assert both.counts() == {"train": 22, "val": 0, "test": 0}
