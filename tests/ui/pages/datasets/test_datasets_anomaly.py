"""Folders of good images in the import sheet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.datasets.recipe import DatasetRecipe
from studio.ui.navigation import ImportImages, StartLabeling
from studio.ui.pages.datasets.page import View
from studio.ui.tasks.anomaly.good_classes import GoodClasses


def pictures(folder: Path, *names: str, mark: bool = False) -> None:
    """Write small pictures, or masks with a marked pixel."""
    for name in names:
        pixels = np.zeros((16, 16), np.uint8)
        pixels[4:6, 4:6] = 255 if mark else 90
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(folder / name)


@pytest.mark.parametrize("is_labeled", [False, True])
def test_a_folder_of_good_images_is_imported_to_find_defects(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path, is_labeled: bool
) -> None:
    folder = "good/" if is_labeled else ""
    pictures(tmp_path / "parts", *(f"{folder}{number}.png" for number in range(6)))
    if is_labeled:
        pictures(tmp_path / "parts", "bent/0.png")
        pictures(tmp_path / "parts", "masks/bent/0.png", mark=True)
    view = open_page()
    view.open(ImportImages(tmp_path / "parts"))
    search = view.sheet.search
    if not is_labeled:
        qtbot.waitUntil(lambda: bool(search.task_buttons), timeout=20_000)
        (button,) = search.task_buttons.values()
        assert button.isVisible()
        button.click()
    qtbot.waitUntil(view.sheet.import_button.isVisible, timeout=20_000)

    assert view.sheet.recipe.task.buttons["anomaly"].isChecked()
    qtbot.waitUntil(view.sheet.import_button.isEnabled, timeout=20_000)


def test_images_without_classes_are_a_question_not_an_error(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    pictures(tmp_path / "photos", *(f"{number}.png" for number in range(6)))
    view = open_page()
    opened: list[object] = []
    view.context.navigator.open_requested.connect(opened.append)
    view.open(ImportImages(tmp_path / "photos"))
    search = view.sheet.search
    qtbot.waitUntil(search.label_button.isVisible, timeout=20_000)
    assert search.task_buttons["anomaly"].isVisible()
    assert search.annotations_button.isVisible()
    kinds = [each.property("kind") for each in (search.label_button, search.area.button)]
    assert kinds == ["primary", "normal"]

    search.label_button.click()

    assert opened == [StartLabeling((tmp_path / "photos",))]
    view.open(ImportImages(tmp_path / "missing"))
    qtbot.waitUntil(lambda: "missing" in search.problem.message.text(), timeout=20_000)
    assert not search.label_button.isVisible()
    assert not search.task_buttons["anomaly"].isVisible()


def test_the_task_of_the_first_step_is_not_asked_for_again(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    """Folders of classes, of which none is called good, are proposed as usual."""
    pictures(tmp_path / "parts", *(f"{number}.png" for number in range(6)))
    for name in ("cats", "dogs"):
        pictures(tmp_path / "pets", *(f"{name}/{number}.png" for number in range(6)))
    view = open_page()
    for folder, task in (("parts", "anomaly"), ("pets", "classification")):
        view.open(ImportImages(tmp_path / folder, task="anomaly"))
        qtbot.waitUntil(view.sheet.import_button.isVisible, timeout=20_000)
        assert view.sheet.recipe.task.buttons[task].isChecked()
        qtbot.waitUntil(view.sheet.import_button.isEnabled, timeout=20_000)


def test_another_folder_on_the_open_form_is_proposed_as_usual(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    pictures(tmp_path / "parts", *(f"{number}.png" for number in range(6)))
    view = open_page()
    sheet = view.sheet
    view.show_view(sheet)
    sheet.start(None, task="anomaly")
    sheet.take_drop([tmp_path / "parts"])
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=20_000)
    assert sheet.recipe.task.buttons["anomaly"].isChecked()
    pictures(tmp_path / "more", *(f"{number}.png" for number in range(6)))

    sheet.take_drop([tmp_path / "more"])

    qtbot.waitUntil(lambda: bool(sheet.search.task_buttons), timeout=20_000)


def test_a_canceled_search_is_not_started_again(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    """The folder would be found without the proposed task."""
    for name in ("cats", "dogs"):
        pictures(tmp_path / "pets", *(f"{name}/{number}.png" for number in range(6)))
    view = open_page()
    view.open(ImportImages(tmp_path / "pets", task="anomaly"))
    search = view.sheet.search

    search.cancel_button.click()

    qtbot.waitUntil(search.area.isVisible, timeout=20_000)


def test_a_repeated_import_keeps_its_settings_if_its_annotations_moved(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    pictures(tmp_path / "parts", *(f"{number}.png" for number in range(6)))
    gone = str(tmp_path / "gone.json")
    recipe = DatasetRecipe.parse(
        {"source": str(tmp_path / "parts"), "task": "detection", "annotations": gone}
    )
    view = open_page()
    view.show_view(view.sheet)
    view.sheet.start(None, task="anomaly", annotated=True)

    view.sheet.restart(recipe)

    qtbot.waitUntil(view.sheet.search.problem.isVisible, timeout=20_000)
    assert "gone.json" in view.sheet.search.problem.message.text()


def test_good_classes_are_named_where_no_folder_is_called_good(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    for name in ("polished", "scratched"):
        pictures(tmp_path / "parts", *(f"{name}/{number}.png" for number in range(6)))
    view = open_page()
    view.open(ImportImages(tmp_path / "parts"))
    qtbot.waitUntil(lambda: view.sheet.recipe.is_surveyed, timeout=20_000)
    fields = view.sheet.recipe.task
    fields.buttons["anomaly"].click()
    (part,) = view.sheet.findChildren(GoodClasses)
    qtbot.waitUntil(lambda: view.sheet.recipe.is_refused, timeout=20_000)
    assert part.names.isVisible()

    QTest.keyClicks(part.names, "polished")
    qtbot.waitUntil(lambda: view.sheet.recipe.is_surveyed, timeout=20_000)

    assert part.values() == {"good_classes": ["polished"]}
    fields.buttons["classification"].click()
    assert fields.values()["good_classes"] == []
