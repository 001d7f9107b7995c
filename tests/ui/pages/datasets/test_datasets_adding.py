"""Adding images to a dataset, merging several places, and taking only some of what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    nameless_controls,
    styles,
    unexplained_buttons,
)
from page_records import add_dataset, picture_folder
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import FIXED, recipe_to_add
from studio.engine.datasets.versions import edit_dataset
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import ImportImages
from studio.ui.pages.datasets.importing.sheet import ImportSheet
from studio.ui.pages.datasets.page import View
from studio.ui.theme.theme import Theme

Open = Callable[[], View]


@pytest.fixture
def pets(workspace: Workspace, tmp_path: Path) -> Record:
    folder = picture_folder(tmp_path / "pets", {"cat": 10, "dog": 10})
    values = {"encoding": "png", "color": "gray", "seed": 5}
    record = add_dataset(workspace, "pets", folder, **values)
    edit_dataset(record.folder, [Exclude(rows="0")])
    return record


@pytest.fixture
def more(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "more", {"dog": 4, "owl": 5})


def opened(qtbot: QtBot, open_page: Open, record: Record) -> View:
    view = open_page()
    view.show_record(record.id)
    qtbot.waitUntil(view.panel.add_button.isEnabled, timeout=10_000)
    qtbot.waitUntil(lambda: view._target() is not None, timeout=10_000)
    return view


def wait(qtbot: QtBot, sheet: ImportSheet) -> None:
    """Until the recipe is shown, with what it finds."""
    qtbot.waitUntil(
        lambda: sheet.import_button.isVisible() and sheet.recipe.is_surveyed, timeout=10_000
    )


def recipe_of(sheet: ImportSheet) -> DatasetRecipe:
    recipe = sheet.recipe.recipe()
    assert recipe is not None
    return recipe


def test_images_are_added_with_the_recipe_of_the_command_line(
    qtbot: QtBot, context: AppContext, open_page: Open, pets: Record, more: Path
) -> None:
    view = opened(qtbot, open_page, pets)
    view.panel.add_button.click()
    sheet = view.sheet
    assert view.stack.currentWidget() is sheet
    words = sheet.target.words.text()
    for part in ("with the 19 images of “pets”", "version 1", "16×16 gray", "PNG"):
        assert part in words
    sheet.search.datasets_button.menu().actions()[0].trigger()
    assert "added to itself" in sheet.search.problem.message.text()
    sheet.search.area.paths_dropped.emit([more])
    wait(qtbot, sheet)
    assert sheet.import_button.text() == "Add 9 images"
    assert sheet.recipe.name.name() == "pets-2"
    assert sheet.recipe.locations.texts() == [("pets", "19 images"), (str(more), "9 images")]
    assert not sheet.recipe.locations.remove_buttons
    assert not sheet.recipe.only.isVisible()
    found = sheet.recipe.found
    assert found is not None
    assert {preview.path for preview in found.previews} == {more}
    for name in FIXED:
        assert not sheet.recipe.form.editor(name).isEnabled()
    entry = context.jobs.get(RecordKind.DATASET, pets.id)
    assert entry is not None
    assert isinstance(entry.plan, DatasetRecipe)
    counts = {"val": 1, "test": 1}
    assert recipe_of(sheet) == recipe_to_add(pets.folder, entry.plan, counts, [more])
    with qtbot.waitSignal(sheet.submitted, timeout=10_000):
        sheet.import_button.click()


@pytest.mark.thorough
def test_what_is_dropped_on_a_dataset_may_be_added_to_it(
    qtbot: QtBot, open_page: Open, pets: Record, tmp_path: Path
) -> None:
    one = picture_folder(tmp_path / "one", {"cat": 3})
    view = opened(qtbot, open_page, pets)
    assert view.drop_offer([one]) == "Import the images in “one”, or add them to “pets”"
    view.take_drop([one])
    sheet = view.sheet
    assert sheet.target.new_choice.isChecked()
    # One class is too few for a dataset, and enough to add.
    qtbot.waitUntil(sheet.search.problem.isVisible, timeout=10_000)
    sheet.target.add_choice.click()
    wait(qtbot, sheet)
    assert sheet.import_button.text() == "Add 3 images"
    sheet.target.new_choice.click()
    assert sheet.header.accessibleName() == "Import images"
    qtbot.waitUntil(sheet.search.problem.isVisible, timeout=10_000)
    view.list.import_button.click()
    assert not sheet.target.isVisible()


def test_nothing_can_be_added_to_what_is_not_shown(
    qtbot: QtBot, open_page: Open, pets: Record, more: Path
) -> None:
    view = opened(qtbot, open_page, pets)
    view.list.import_button.click()
    assert view.drop_offer([more]) == "Import the images in “more”"


@pytest.mark.thorough
def test_nodes_join_and_leave(
    qtbot: QtBot, open_page: Open, pets: Record, tmp_path: Path, more: Path
) -> None:
    view = opened(qtbot, open_page, pets)
    view.open(ImportImages(tmp_path / "pets"))
    sheet = view.sheet
    wait(qtbot, sheet)
    locations = sheet.recipe.locations
    assert locations.texts() == []
    locations.add_button.click()
    assert not sheet.import_button.isVisible()
    assert sheet.close_button.text() == "Back"
    sheet.search.area.paths_dropped.emit([tmp_path / "pets"])
    assert "already" in sheet.search.problem.message.text()
    sheet.search.area.paths_dropped.emit([tmp_path / "nothing"])
    sheet.close_button.click()
    assert sheet.import_button.text() == "Import 20 images"
    locations.add_button.click()
    (from_pets,) = sheet.search.datasets_button.menu().actions()
    assert from_pets.text() == "pets"
    sheet.search.area.paths_dropped.emit([more])
    wait(qtbot, sheet)
    assert sheet.import_button.text() == "Import 29 images"
    assert sheet.recipe.kind.text() == "2 locations"
    assert recipe_of(sheet).more_sources == [str(more)]
    qtbot.waitUntil(lambda: not cut_buttons(view), timeout=5000)
    assert not nameless_controls(view)
    (remove,) = locations.remove_buttons
    remove.click()
    wait(qtbot, sheet)
    assert sheet.import_button.text() == "Import 20 images"
    assert recipe_of(sheet).more_sources == []


@pytest.mark.thorough
def test_only_some_classes_and_splits_of_a_dataset(
    qtbot: QtBot, open_page: Open, workspace: Workspace, tmp_path: Path
) -> None:
    folder = picture_folder(tmp_path / "x", {"a": 10, "b": 10, "c": 10})
    record = add_dataset(workspace, "abc", folder)
    view = opened(qtbot, open_page, record)
    view.list.import_button.click()
    sheet = view.sheet
    sheet.search.datasets_button.menu().actions()[0].trigger()
    wait(qtbot, sheet)
    only = sheet.recipe.only
    assert sheet.recipe.name.name() == "abc-2"
    assert [box.isVisible() for box in only.boxes.values()] == [True, True, True]
    only.picker._on_item(only.picker.list.item(1))
    assert only.classes_button.text() == "2 of 3 classes"
    wait(qtbot, sheet)
    assert recipe_of(sheet).only_classes == ["a", "c"]
    assert sheet.import_button.text() == "Import 20 images"
    only.boxes["test"].click()
    only.boxes["val"].click()
    assert recipe_of(sheet).only_splits == ["train"]
    assert not only.boxes["train"].isEnabled()
    wait(qtbot, sheet)
    assert sheet.import_button.text() == "Import 14 images"
    only.picker.none_button.click()
    assert "two classes" in sheet.recipe.locations_problem.text()
    assert not sheet.import_button.isEnabled()
    only.picker.all_button.click()
    wait(qtbot, sheet)
    assert recipe_of(sheet).only_classes == []
    assert not unexplained_buttons(view)


def test_again_asks_for_the_whole_recipe_at_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, open_page: Open, pets: Record
) -> None:
    view = opened(qtbot, open_page, pets)
    server = "?endpoint=http%3A%2F%2Fminio%3A9000&region=eu"
    recipe = DatasetRecipe(
        source=f"s3://pets/cats{server}", more_sources=[f"s3://pets/dogs{server}"], width=20
    )
    asked: list[tuple[DatasetRecipe, bool]] = []

    def inspect(requested: DatasetRecipe, _known: object, *, suggest: bool, first: int) -> None:
        del first
        asked.append((requested, suggest))

    monkeypatch.setattr(view.sheet._survey, "inspect", inspect)
    view.sheet.restart(recipe)
    assert asked == [(recipe, False)]


@pytest.mark.thorough
def test_sources_of_one_class_each_can_be_imported_again(
    qtbot: QtBot, open_page: Open, workspace: Workspace, tmp_path: Path
) -> None:
    cats = picture_folder(tmp_path / "cats", {"cat": 6})
    dogs = picture_folder(tmp_path / "dogs", {"dog": 6})
    record = add_dataset(workspace, "both", cats, more_sources=[str(dogs)], only_splits=[])
    view = opened(qtbot, open_page, record)
    view.panel.clone_button.click()
    wait(qtbot, view.sheet)
    assert view.sheet.import_button.text() == "Import 12 images"
    assert recipe_of(view.sheet).width == 16


@pytest.mark.thorough
def test_the_sheet_fits(
    qtbot: QtBot, theme: Theme, open_page: Open, pets: Record, more: Path
) -> None:
    view = opened(qtbot, open_page, pets)
    assert not cut_buttons(view)
    view.take_drop([more])
    sheet = view.sheet
    wait(qtbot, sheet)
    sheet.target.add_choice.setFocus(Qt.FocusReason.TabFocusReason)
    sheet.target.add_choice.click()
    wait(qtbot, sheet)
    assert not nameless_controls(view)
    assert not unexplained_buttons(view)
    assert not cut_buttons(view)
    assert fits_smallest_window(view)
    assert set(styles(view, theme)) == {"dark", "light"}
