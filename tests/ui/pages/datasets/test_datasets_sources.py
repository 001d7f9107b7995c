"""The import sheet with everything that is no folder of class folders."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest
from page_checks import cut_buttons, nameless_controls, unexplained_buttons
from page_records import picture_folder
from PIL import Image
from pytestqt.qtbot import QtBot

from helpers.sampling import sample
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import ProgressMade
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.datasets.importing import fields
from studio.ui.pages.datasets.importing import sheet as sheets
from studio.ui.pages.datasets.importing.sheet import ImportSheet
from studio.ui.pages.datasets.page import View
from studio.ui.shell.main_window import page_for

Open = Callable[[], View]
COUNTS = {"cat": 9, "dog": 14}


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "pets", COUNTS)


@pytest.fixture
def packed(tmp_path: Path, pets: Path) -> Path:
    return Path(shutil.make_archive(str(tmp_path / "my pets"), "zip", pets))


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
    """Twelve images for training and four for the test, of two numbered classes."""
    random = np.random.default_rng(3)
    path = tmp_path / "digits.npz"
    np.savez(
        path,
        x_train=random.integers(0, 255, (12, 8, 8), np.uint8),
        y_train=np.arange(12) % 2,
        x_test=random.integers(0, 255, (4, 8, 8), np.uint8),
        y_test=np.arange(4) % 2,
    )
    return path


def look_through(qtbot: QtBot, view: View, path: Path) -> ImportSheet:
    view.take_drop([path])
    return wait_until_found(qtbot, view.sheet)


def wait_until_found(qtbot: QtBot, sheet: ImportSheet) -> ImportSheet:
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=10_000)
    qtbot.waitUntil(lambda: bool(sheet.recipe.preview.after_images()), timeout=10_000)
    qtbot.waitUntil(
        lambda: not any(image.isNull() for image in sheet.recipe.preview.after_images()),
        timeout=10_000,
    )
    return sheet


def change(sheet: ImportSheet, field: str, value: object) -> None:
    editor = sheet.recipe.form.editor(field)
    editor.set_value(value)
    editor.changed.emit()


def wait_for_survey(qtbot: QtBot, sheet: ImportSheet) -> None:
    qtbot.waitUntil(lambda: sheet.recipe.is_surveyed, timeout=10_000)


def test_an_archive_is_offered_scanned_and_imported(
    qtbot: QtBot, context: AppContext, packed: Path, open_page: Open
) -> None:
    view = open_page()
    assert page_for([packed]) == "datasets"
    assert view.drop_offer([packed]) == "Import the images in “my pets.zip”"
    sheet = look_through(qtbot, view, packed)
    assert sheet.recipe.name.name() == "my pets"
    assert "Archive" in sheet.recipe.kind.text()
    assert sheet.recipe.classes.content.rows == [("cat", "9"), ("dog", "14")]
    sheet.import_button.click()
    gallery = view.panel.gallery
    qtbot.waitUntil(lambda: view.panel.stack.currentWidget() is gallery, timeout=60_000)
    (entry,) = context.jobs.entries(RecordKind.DATASET)
    assert sum(Store.open(entry.record.folder).counts().values()) == 23


@pytest.mark.thorough
def test_arrays_bring_their_splits_and_what_they_decide_is_switched_off(
    qtbot: QtBot, arrays: Path, open_page: Open
) -> None:
    view = open_page()
    sheet = look_through(qtbot, view, arrays)
    assert "12 for training, 4 for the test" in sheet.recipe.kind.text()
    form = sheet.recipe.form
    form.set_expert_shown(shown=True)
    assert not form.editor("test_percent").isEnabled()
    assert form.row("test_percent").note.text() == "4 images, as the source says"
    assert form.editor("val_percent").isEnabled()
    assert form.editor("labels_file").isEnabled()
    assert not form.editor("path_prefix").isEnabled()
    assert form.row("path_prefix").note.text()
    assert not form.editor("border").isEnabled()
    change(sheet, "resize", "fill")
    assert form.editor("border").isEnabled()
    assert not unexplained_buttons(view)
    assert not nameless_controls(view)
    assert not cut_buttons(view)


def test_a_labels_file_names_the_classes_at_once(
    qtbot: QtBot,
    tmp_path: Path,
    arrays: Path,
    open_page: Open,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("zero\none\n")
    sheet = look_through(qtbot, open_page(), arrays)
    monkeypatch.setattr(fields, "ask_file", lambda *_: labels)  # the native dialog
    sheet.recipe.form.set_expert_shown(shown=True)
    sheet.recipe.paths.buttons["labels_file"].click()
    assert not sheet.import_button.isEnabled()
    assert sheet.import_button.toolTip()
    wait_for_survey(qtbot, sheet)
    names = [name for name, _ in sheet.recipe.classes.content.rows]
    assert sorted(names) == ["one", "zero"]
    assert sheet.import_button.isEnabled()
    change(sheet, "labels_file", str(tmp_path / "gone.txt"))
    hint = sheet.recipe.form.row("labels_file").hint
    qtbot.waitUntil(lambda: "gone.txt" in hint.text(), timeout=10_000)
    assert not sheet.import_button.isEnabled()


@pytest.mark.thorough
def test_class_limits_change_what_will_be_imported(
    qtbot: QtBot, pets: Path, open_page: Open
) -> None:
    sheet = look_through(qtbot, open_page(), pets)
    change(sheet, "width", 40)
    change(sheet, "max_per_class", 5)
    wait_for_survey(qtbot, sheet)
    assert sheet.import_button.text() == "Import 10 images"
    recipe = sheet.recipe.recipe()
    assert recipe is not None
    assert recipe.width == 40, "what was set stays"
    change(sheet, "max_per_class", None)
    change(sheet, "min_per_class", 10)
    qtbot.waitUntil(lambda: sheet.recipe.is_refused, timeout=10_000)
    assert not sheet.import_button.isEnabled()


@pytest.mark.thorough
def test_separate_validation_images_are_counted_and_switch_their_share_off(
    qtbot: QtBot, tmp_path: Path, pets: Path, open_page: Open
) -> None:
    other = picture_folder(tmp_path / "val", {"cat": 2, "dog": 3})
    sheet = look_through(qtbot, open_page(), pets)
    change(sheet, "val_source", str(other))
    wait_for_survey(qtbot, sheet)
    assert sheet.import_button.text() == "Import 28 images"
    assert "5 for validation" in sheet.recipe.kind.text()
    assert not sheet.recipe.form.editor("val_percent").isEnabled()


@pytest.mark.thorough
def test_a_list_whose_paths_start_elsewhere_can_be_fixed(
    qtbot: QtBot, tmp_path: Path, pets: Path, open_page: Open
) -> None:
    lines = [f"{path.relative_to(pets)} {path.parent.name}" for path in pets.rglob("*.png")]
    (tmp_path / "lists").mkdir()
    file = tmp_path / "lists" / "all.txt"
    file.write_text("\n".join(lines))
    view = open_page()
    view.take_drop([file])
    search = view.sheet.search
    qtbot.waitUntil(search.problem.isVisible, timeout=5000)
    assert search.prefix_button.isVisible()
    view.sheet._ask_folder = lambda: pets  # type: ignore[method-assign]  # the native dialog
    search.prefix_button.click()
    sheet = wait_until_found(qtbot, view.sheet)
    assert sheet.import_button.text() == "Import 23 images"
    assert sheet.recipe.form.editor("path_prefix").value() == str(pets)


@pytest.mark.thorough
def test_a_file_is_chosen_from_the_start(
    qtbot: QtBot, packed: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = open_page()
    monkeypatch.setattr(sheets, "ask_file", lambda *_: packed)  # the native dialog
    view.start.file_button.click()
    wait_until_found(qtbot, view.sheet)
    assert view.sheet.import_button.text() == "Import 23 images"


@pytest.mark.thorough
def test_parquet_without_its_package_says_what_to_install(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open
) -> None:
    # The survey is another process, which is made to find no package either.
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "pyarrow.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"), prepend=os.pathsep)
    (tmp_path / "train.parquet").write_bytes(b"PAR1")
    view = open_page()
    view.take_drop([tmp_path / "train.parquet"])
    problem = view.sheet.search.problem
    qtbot.waitUntil(problem.isVisible, timeout=5000)
    assert "pyarrow" in problem.message.text()
    assert "pip install" in problem.hint.text()


@pytest.mark.thorough
def test_the_preview_follows_the_border_and_the_background(
    qtbot: QtBot, pets: Path, open_page: Open
) -> None:
    sheet = look_through(qtbot, open_page(), pets)
    change(sheet, "resize", "fill")
    change(sheet, "background", "#ff0000")

    def is_red() -> bool:
        return all(
            image.pixelColor(1, 0).name() == "#ff0000"
            for image in sheet.recipe.preview.after_images()
        )

    qtbot.waitUntil(is_red, timeout=5000)
    change(sheet, "border", "reflect")
    qtbot.waitUntil(lambda: not is_red(), timeout=5000)


@pytest.mark.parametrize("end", sample([State.STOPPED, State.LOST], ("lost",)))
def test_a_stopped_and_a_killed_import_of_an_archive_continue(
    qtbot: QtBot, context: AppContext, tmp_path: Path, open_page: Open, end: State
) -> None:
    Image.effect_noise((900, 700), 80).save(tmp_path / "noise.jpg", quality=90)
    with zipfile.ZipFile(tmp_path / "large.zip", "w") as archive:
        for index in range(400):
            archive.write(tmp_path / "noise.jpg", f"{'ab'[index % 2]}/{index}.jpg")
    view = open_page()
    look_through(qtbot, view, tmp_path / "large.zip").import_button.click()

    def is_under_way() -> bool:
        entries = context.jobs.entries(RecordKind.DATASET)
        made = entries[0].history.progress if entries else None
        return isinstance(made, ProgressMade) and 0 < made.done < made.total

    qtbot.waitUntil(is_under_way, timeout=30_000)
    progress = view.panel.progress
    qtbot.waitUntil(lambda: "images/s" in progress.line.text(), timeout=10_000)
    (entry,) = context.jobs.entries(RecordKind.DATASET)
    if end == State.STOPPED:
        progress.cancel_button.click()
    else:
        assert entry.history.started is not None
        psutil.Process(entry.history.started.pid).kill()
    ended = view.panel.ended
    qtbot.waitUntil(lambda: view.panel.stack.currentWidget() is ended, timeout=30_000)
    assert entry.state == end
    ended.restart_button.click()
    gallery = view.panel.gallery
    qtbot.waitUntil(lambda: view.panel.stack.currentWidget() is gallery, timeout=60_000)
    assert sum(Store.open(entry.record.folder).counts().values()) == 400
