"""The import sheet, from a folder to a gallery, with the real worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    styles,
    unexplained_buttons,
)
from page_records import add_dataset, picture_folder
from PIL import Image
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import ProgressMade
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.navigation import ImportImages, OpenSample
from studio.ui.pages.datasets.importing.sheet import ImportSheet
from studio.ui.pages.datasets.page import View
from studio.ui.shell.screen import FRAME
from studio.ui.theme.theme import Theme

Open = Callable[[], View]
COUNTS = {"cat": 9, "dog and cat": 14, "Übel": 7}


@pytest.fixture
def animals(tmp_path: Path) -> Path:
    """Three classes and one file that is no image."""
    folder = picture_folder(tmp_path / "animals", COUNTS)
    (folder / "cat" / "broken.png").write_bytes(b"no image")
    (folder / "empty").mkdir()
    return folder


def wait_for_recipe(qtbot: QtBot, view: View) -> ImportSheet:
    """The sheet, when the search is over and the previews are there."""
    sheet = view.sheet
    assert view.stack.currentWidget() is sheet
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=10_000)
    qtbot.waitUntil(lambda: are_shown(sheet), timeout=10_000)
    return sheet


def are_shown(sheet: ImportSheet) -> bool:
    images = sheet.recipe.preview.after_images()
    return bool(images) and not any(image.isNull() for image in images)


def edit_name(sheet: ImportSheet, name: str) -> None:
    sheet.recipe.name.edit.setText(name)
    sheet.recipe.name.edit.textEdited.emit(name)


def only_entry(context: AppContext) -> RecordDocument:
    (entry,) = context.jobs.entries(RecordKind.DATASET)
    return entry


def test_the_sheet_opens_with_its_first_question_in_sight(
    qtbot: QtBot, animals: Path, open_page: Open
) -> None:
    """The focus in the field of the name scrolled it away."""
    view = open_page()
    window = view.window()
    window.resize(1000, 600)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    view.setFocus()
    view.take_drop([animals])
    sheet = wait_for_recipe(qtbot, view)
    focus = QApplication.focusWidget()
    assert focus is not None
    assert sheet.isAncestorOf(focus)
    assert sheet.recipe.verticalScrollBar().maximum() > 0
    assert sheet.recipe.verticalScrollBar().value() == 0


def test_a_folder_becomes_a_gallery(
    qtbot: QtBot, context: AppContext, animals: Path, open_page: Open
) -> None:
    view = open_page()
    assert view.drop_offer([animals]) == "Import the images in “animals”"
    view.take_drop([animals])
    sheet = wait_for_recipe(qtbot, view)
    rows = sheet.recipe.classes.content.rows
    assert rows == [("cat", "10"), ("dog and cat", "14"), ("Übel", "7")]
    assert sheet.import_button.text() == "Import 31 images"
    assert sheet.recipe.name.name() == "animals"
    assert "Folders without images: 1 (empty)" in sheet.recipe.warnings.text()
    # Everything is examined before anything is written.
    qtbot.waitUntil(lambda: len(sheet.recipe.samples.samples) == 9, timeout=20_000)
    rows = sheet.recipe.classes.content.rows
    assert rows == [("cat", "9"), ("dog and cat", "14"), ("Übel", "7")]
    assert sheet.recipe.skipped.table.content.rows[0][0] == "cat/broken.png"
    assert sheet.recipe.facts.facts["Splits from"] == "random 70/20/10 (seed 0)"
    samples, sheet_warnings = sheet.recipe.samples.samples, sheet.recipe.warnings.text()
    assert not any(sample.image.isNull() for sample in samples)
    assert {sample.caption for sample in samples} <= set(COUNTS)
    assert not context.jobs.entries(RecordKind.DATASET)
    sheet.import_button.click()
    qtbot.waitUntil(lambda: view.stack.currentWidget() is view.panel, timeout=10_000)
    gallery = view.panel.gallery
    qtbot.waitUntil(
        lambda: (
            len(gallery.cards()) == 3 and all(card.mosaic.images() for card in gallery.cards())
        ),
        timeout=60_000,
    )
    assert {card.name: sum(card.bar.counts().values()) for card in gallery.cards()} == COUNTS
    assert view.panel.skipped.table.content.rows[0][0] == "cat/broken.png"
    entry = only_entry(context)
    assert view.current_record == entry.record.id
    assert len(Store.open(entry.record.folder).rows("train")) > 15
    assert view.list.cards()[0].mosaic.images()
    about = view.panel.about
    assert [each.caption for each in about.samples.samples] == [each.caption for each in samples]
    assert about.facts.facts["Splits from"] == "random 70/20/10 (seed 0)"
    assert about.warnings.text() == sheet_warnings


def test_the_preview_is_what_the_recipe_makes(
    qtbot: QtBot, animals: Path, open_page: Open
) -> None:
    view = open_page()
    view.open(ImportImages(animals))
    sheet = wait_for_recipe(qtbot, view)
    values: dict[str, object] = {"width": 20, "height": 10, "color": "gray"}
    for name, value in values.items():
        editor = sheet.recipe.form.editor(name)
        editor.set_value(value)
        editor.changed.emit()

    def is_new() -> bool:
        images = sheet.recipe.preview.after_images()
        return bool(images) and all(
            (image.width(), image.height(), image.isGrayscale()) == (20, 10, True)
            for image in images
        )

    qtbot.waitUntil(lambda: "20×10 gray" in sheet.outcome.text(), timeout=5000)
    qtbot.waitUntil(is_new, timeout=5000)
    recipe = sheet.recipe.recipe()
    assert isinstance(recipe, DatasetRecipe)
    assert (recipe.width, recipe.height, recipe.color) == (20, 10, "gray")
    assert recipe.source == str(animals)


@pytest.mark.thorough
def test_a_recipe_that_cannot_be_has_no_import(
    qtbot: QtBot, animals: Path, open_page: Open
) -> None:
    view = open_page()
    view.open(ImportImages(animals))
    sheet = wait_for_recipe(qtbot, view)
    editor = sheet.recipe.form.editor("val_percent")
    editor.set_value(95.0)
    editor.changed.emit()
    assert not sheet.import_button.isEnabled()
    assert sheet.import_button.toolTip()
    editor.set_value(0.0)
    editor.changed.emit()
    assert sheet.import_button.isEnabled()
    assert "Nothing will measure" in sheet.recipe.form.row("val_percent").hint.text()


def test_a_used_name_is_reported_beside_the_field(
    qtbot: QtBot, workspace: Workspace, animals: Path, open_page: Open
) -> None:
    add_dataset(workspace, "animals", animals)
    view = open_page()
    view.open(ImportImages(animals))
    sheet = wait_for_recipe(qtbot, view)
    assert sheet.recipe.name.name() == "animals-2"
    edit_name(sheet, "Animals")
    hint = sheet.recipe.name.hint
    assert hint.isVisible()
    assert "already taken" in hint.text()
    assert not sheet.import_button.isEnabled()
    assert not unexplained_buttons(view)
    edit_name(sheet, "other")
    assert not hint.isVisible()
    assert sheet.import_button.isEnabled()


@pytest.mark.thorough
def test_a_name_that_another_window_used_meanwhile_is_reported_too(
    qtbot: QtBot, context: AppContext, workspace: Workspace, animals: Path, open_page: Open
) -> None:
    view = open_page()
    view.open(ImportImages(animals))
    sheet = wait_for_recipe(qtbot, view)
    context.jobs.close()  # so that this window cannot know of the other's dataset
    add_dataset(workspace, "animals", animals)
    sheet.import_button.click()
    qtbot.waitUntil(sheet.recipe.name.hint.isVisible, timeout=5000)
    assert "already taken" in sheet.recipe.name.hint.text()
    assert view.stack.currentWidget() is sheet


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"only": 3}, "only one class"),
        ({}, "empty folder"),
        (None, "does not exist"),
    ],
)
def test_a_folder_that_cannot_be_imported_says_why(
    qtbot: QtBot, tmp_path: Path, open_page: Open, counts: dict[str, int] | None, message: str
) -> None:
    folder = tmp_path / "folder"
    if counts is not None:
        folder.mkdir()
        picture_folder(folder, counts)
    view = open_page()
    view.open(ImportImages(folder))
    problem = view.sheet.search.problem
    qtbot.waitUntil(problem.isVisible, timeout=5000)
    assert message in problem.message.text()
    assert problem.hint.text()
    assert view.sheet.search.area.isVisible(), "another folder can be chosen at once"
    assert not view.sheet.import_button.isVisible()


def test_loose_files_are_refused_with_a_way_out(
    qtbot: QtBot, tmp_path: Path, open_page: Open
) -> None:
    file = tmp_path / "a.png"
    Image.new("RGB", (4, 4)).save(file)
    view = open_page()
    assert view.drop_offer([file]) == ""
    view.list.import_button.click()
    view.sheet.search.area.paths_dropped.emit([file])
    assert (
        "“a.png” cannot be imported: unsupported file type"
        in view.sheet.search.problem.message.text()
    )


def test_a_search_can_be_cancelled(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, animals: Path, open_page: Open
) -> None:
    view = open_page()
    view.open(ImportImages(animals))
    assert view.sheet.search.currentIndex() == 1
    view.sheet.search.cancel_button.click()
    qtbot.waitUntil(lambda: view.sheet.search.currentIndex() == 0, timeout=5000)
    assert not view.sheet.import_button.isVisible()
    assert not view.sheet.search.problem.isVisible()


@pytest.mark.thorough
def test_the_answer_of_an_earlier_folder_is_dropped(
    qtbot: QtBot, tmp_path: Path, animals: Path, open_page: Open
) -> None:
    other = picture_folder(tmp_path / "other", {"a": 2, "b": 2})
    view = open_page()
    view.take_drop([animals])
    view.take_drop([other])
    sheet = wait_for_recipe(qtbot, view)
    qtbot.waitUntil(lambda: view.context.background.is_idle, timeout=5000)
    assert sheet.import_button.text() == "Import 4 images"
    assert sheet.recipe.name.name() == "other"


def test_the_folder_is_asked_for_and_remembered(
    qtbot: QtBot, context: AppContext, animals: Path, open_page: Open
) -> None:
    view = open_page()
    view.sheet._ask_folder = lambda: animals  # type: ignore[method-assign]  # the native dialog
    view.start.area.button.click()
    wait_for_recipe(qtbot, view)
    assert context.settings.folder("images") == animals.parent


def test_not_now_leads_back(
    qtbot: QtBot, workspace: Workspace, animals: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "animals", animals)
    view = open_page()
    qtbot.waitUntil(lambda: view.current_record == record.id)
    view.list.import_button.click()
    assert view.stack.currentWidget() is view.sheet
    view.sheet.close_button.click()
    assert view.stack.currentWidget() is view.panel
    assert view.current_record == record.id
    qtbot.waitUntil(view.panel.gallery.isVisible, timeout=5000)


def test_an_import_can_be_cancelled_and_continued(
    qtbot: QtBot, context: AppContext, tmp_path: Path, open_page: Open
) -> None:
    picture = Image.effect_noise((900, 700), 80)
    for name in ("a", "b"):
        (tmp_path / "large" / name).mkdir(parents=True)
        for index in range(250):
            picture.save(tmp_path / "large" / name / f"{index}.jpg", quality=90)
    view = open_page()
    view.take_drop([tmp_path / "large"])
    wait_for_recipe(qtbot, view).import_button.click()
    progress = view.panel.progress

    def is_under_way() -> bool:
        entries = context.jobs.entries(RecordKind.DATASET)
        made = entries[0].history.progress if entries else None
        return isinstance(made, ProgressMade) and 0 < made.done < made.total

    qtbot.waitUntil(is_under_way, timeout=30_000)
    assert view.panel.stack.currentWidget() is progress
    progress.cancel_button.click()
    ended = view.panel.ended
    qtbot.waitUntil(lambda: view.panel.stack.currentWidget() is ended, timeout=30_000)
    entry = only_entry(context)
    assert entry.state == State.STOPPED
    assert ended.restart_button.text() == "Continue"
    ended.restart_button.click()
    gallery = view.panel.gallery
    qtbot.waitUntil(lambda: view.panel.stack.currentWidget() is gallery, timeout=60_000)
    assert sum(Store.open(entry.record.folder).counts().values()) == 500


def test_the_digits_are_imported_once(
    qtbot: QtBot, context: AppContext, workspace: Workspace, open_page: Open
) -> None:
    view = open_page()
    view.start.sample_button.click()
    assert view.start.is_busy
    qtbot.waitUntil(view.panel.gallery.isVisible, timeout=60_000)
    qtbot.waitUntil(lambda: len(view.panel.gallery.cards()) == 10, timeout=10_000)
    assert [card.name for card in view.panel.gallery.cards()] == [str(n) for n in range(10)]
    entry = only_entry(context)
    assert entry.name == "digits"
    assert (workspace.root / "samples" / "digits").is_dir()
    view.open(OpenSample("digits"))
    assert view.current_record == entry.record.id
    assert len(context.jobs.entries(RecordKind.DATASET)) == 1


def test_the_sheet_fits_and_every_control_has_a_name(
    qtbot: QtBot, theme: Theme, animals: Path, open_page: Open
) -> None:
    view = open_page()
    view.list.import_button.click()
    assert not nameless_controls(view)
    view.take_drop([animals])
    sheet = wait_for_recipe(qtbot, view)
    sheet.recipe.form.set_expert_shown(shown=True)
    assert not nameless_controls(view)
    assert not cut_buttons(view)
    assert fits_smallest_window(view)
    # The button that imports stays in sight at 1366x768 pixels and 150 %, without the top bar.
    top_bar, screen = 54, 768 / 1.5
    assert view.minimumSizeHint().height() <= screen - FRAME.top() - FRAME.bottom() - top_bar
    inside = sheet.recipe.widget()
    assert inside is not None
    assert inside.minimumSizeHint().width() <= sheet.recipe.viewport().width()
    images = styles(view, theme)
    assert lightness(images["dark"]) < 0.35
    assert lightness(images["light"]) > 0.65


def test_the_command_opens_the_dialog_of_the_system(
    qtbot: QtBot, open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    view = open_page()
    source = picture_folder(tmp_path / "asked for", {"a": 4, "b": 4})
    monkeypatch.setattr(view.sheet, "_ask_folder", lambda: source)
    view.open(ImportImages())
    qtbot.waitUntil(lambda: view.sheet.recipe.found is not None)
    assert view.stack.currentWidget() is view.sheet
