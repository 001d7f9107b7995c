"""Datasets with masks: shown over the pictures, filtered, sorted and counted by pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from dataset_browsing import browse, is_sound, rows_shown
from mask_pictures import mask_folders
from page_checks import (
    only,
    show_in_window,
)
from page_records import add_dataset, start_jobs
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from helpers.plug_ins import installed
from helpers.windows import check
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.tasks import TASKS
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import ImportImages
from studio.ui.pages.datasets.importing.sheet import ImportSheet
from studio.ui.pages.datasets.page import View
from studio.ui.tasks import view_of
from studio.ui.tasks.region_fields import ClassColorTable
from studio.ui.tasks.segmentation.view import AreaFilter, MaskFields
from studio.ui.tasks.targets import TargetTable
from studio.ui.theme.theme import Theme
from studio.ui.widgets.overlay import OverlayStyle

COUNT = 12
NAMES = "background\ncell\nwall\n"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve pictures with squares of two classes; one mask is background alone."""
    folder = mask_folders(tmp_path_factory.mktemp("masks"), COUNT)
    (folder / "masks" / "classes.txt").write_text(NAMES, encoding="utf-8")
    return folder


@pytest.fixture
def shown(
    qtbot: QtBot, context: AppContext, workspace: Workspace, source: Path
) -> Iterator[tuple[View, Record]]:
    record = add_dataset(workspace, "cells", source, task="segmentation")
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    panel = page.panel
    qtbot.waitUntil(lambda: panel.stack.currentWidget() is panel.gallery, timeout=10_000)
    qtbot.waitUntil(lambda: panel.editor.state is not None)
    yield page, record
    window.close()


def test_cards_and_table_count_images_and_pixels(qtbot: QtBot, shown: tuple[View, Record]) -> None:
    view, record = shown
    store = Store.open(record.folder)
    targets = store.targets
    panel = view.panel
    assert panel.summary.text() == "12 images · 16×16 color · 3 classes"
    cards = panel.gallery.cards()
    assert [card.name for card in cards] == ["background", "cell", "wall"]
    counts = [sum(card.bar.counts().values()) for card in cards]
    assert counts == (targets > 0).sum(axis=0).tolist()
    qtbot.waitUntil(lambda: bool(cards[1].mosaic.images()), timeout=10_000)
    panel.about_button.click()
    model = panel.about.classes.model()
    heads = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    assert heads == ["Class", "By split", "Images", "Pixels ▼"]
    fractions = {model.index(row, 0).data(): model.index(row, 3).data() for row in range(3)}
    total = targets.sum()
    for at, name in enumerate(store.classes):
        share = float(
            fractions[name].removesuffix("\N{NO-BREAK SPACE}%").removesuffix("%").strip()
        )
        assert share == pytest.approx(100 * targets[:, at].sum() / total, abs=0.01)
    assert panel.about.baseline.isHidden()
    is_sound(qtbot, view)


def test_images_are_filtered_and_sorted_by_the_area_of_a_class(
    qtbot: QtBot, shown: tuple[View, Record]
) -> None:
    view, record = shown
    pixels = Store.open(record.folder).targets
    browser = browse(qtbot, view, 1)
    is_sound(qtbot, view)
    area = pixels[rows_shown(browser), 1]
    assert (area > 0).all()
    assert (np.diff(area) <= 0).all(), "the largest area comes first"
    chosen = only(browser.bar, AreaFilter)
    assert chosen.box.currentText() == "cell"
    assert chosen.below.isVisible()
    with qtbot.waitSignal(browser.listed, timeout=5000):
        chosen.low.setValue(6.2)
    whole = np.flatnonzero(pixels[:, 1] / 256 >= 0.062)
    assert 0 < len(whole) < COUNT
    assert sorted(rows_shown(browser)) == whole.tolist()
    box = browser.bar.order_box
    box.setCurrentIndex(box.findData("1 smallest"))
    with qtbot.waitSignal(browser.listed):
        box.activated.emit(box.currentIndex())
    assert (np.diff(pixels[rows_shown(browser), 1]) >= 0).all()
    chosen.box.setCurrentIndex(1)
    with qtbot.waitSignal(browser.listed):
        chosen.box.activated.emit(1)
    assert rows_shown(browser) == np.flatnonzero(pixels[:, 1:].max(axis=1) == 0).tolist()
    assert chosen.below.isHidden()


def test_the_details_show_mask_and_legend_and_hidden_classes_leave_the_grid(
    qtbot: QtBot, shown: tuple[View, Record]
) -> None:
    view, record = shown
    store = Store.open(record.folder)
    browser = browse(qtbot, view)
    browser.grid.choose(np.array([3]))
    details = browser.details
    row = int(browser.grid.chosen()[0])
    pixels = store.targets[row]
    legend = details.overlay.legend
    qtbot.waitUntil(lambda: bool(details.facts) and all(legend.fractions().values()))
    assert list(legend.fractions()) == ["background", "cell", "wall"]
    assert "cell" not in details.facts, "the legend says it"
    qtbot.waitUntil(lambda: details.picture.layer() is not None)
    is_sound(qtbot, view)

    masks = store.required_regions
    top, left = map(int, np.argwhere(masks[row] == 1)[0])
    pictures = browser._pictures
    assert pictures is not None
    before, plain = pictures.load(row), pictures.picture(row)
    assert isinstance(before, QImage)
    assert before.pixelColor(left, top) != plain.pixelColor(left, top)
    check(legend, 1, is_checked=False)
    after = pictures.load(row)
    assert isinstance(after, QImage)
    assert after.pixelColor(left, top) == plain.pixelColor(left, top)
    view.context.settings.overlay = OverlayStyle("mask")
    assert pictures.style.mode == "mask"
    assert pixels.sum() == 256


def test_facts_captions_and_splits_show_fractions() -> None:
    task = TASKS["segmentation"]
    view = view_of(task)
    values = np.array([[60, 30, 10], [100, 0, 0], [0, 0, 0]], np.int32)
    table = TargetTable(task, ["background", "cell", "wall"], [], values)
    assert view.caption(table, 0).startswith("cell 30")
    assert view.caption(table, 1).startswith("background 100")
    assert view.caption(table, 2) == "No mask"
    facts = view.facts(table, 0)
    assert [name for name, _ in facts] == ["cell", "wall", "background"]
    assert str(facts[0][1]).endswith("30 px")
    assert view.order(table, "classes") is not None
    assert view.order(table, "name") is None
    headings, rows = view.balance(table, np.array([0, 0, 1], np.int8))
    assert headings[0] == "Share of pixels"
    assert rows[0][1].startswith("80")
    assert rows[0][2] == ""
    mean = [figure.mean for figure in view.figures(table, np.arange(3))]
    assert mean == pytest.approx([0.8, 0.15, 0.05])


def prepare(qtbot: QtBot, view: View, folder: Path) -> ImportSheet:
    """The sheet with what was found in a folder."""
    view.open(ImportImages(folder))
    sheet = view.sheet
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=20_000)
    qtbot.waitUntil(lambda: bool(sheet.recipe.preview.after_images()), timeout=20_000)
    return sheet


def recipe_of(sheet: ImportSheet) -> DatasetRecipe:
    recipe = sheet.recipe.recipe()
    assert recipe is not None
    return recipe


def test_an_import_proposes_masks_and_their_classes_can_be_named_and_colored(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    view = open_page()
    sheet = prepare(qtbot, view, mask_folders(tmp_path / "src", COUNT))
    task = sheet.recipe.task
    assert task.buttons["segmentation"].isChecked()
    assert "masks" in task.proposal.text()
    fields = only(task, MaskFields)
    assert fields.table.names() == ["0", "1", "2"]
    assert sheet.recipe.classes.isHidden()
    assert sheet.recipe.found_card.accessibleName() == "12 images with 3 classes"
    is_sound(qtbot, view)

    fields.table.content.setData(fields.table.content.index(1, 1), "cell")
    fields.table.set_color(2, "#ff00ff")
    qtbot.waitUntil(lambda: sheet.recipe.is_surveyed, timeout=20_000)
    qtbot.waitUntil(sheet.import_button.isEnabled, timeout=20_000)
    assert recipe_of(sheet).class_names == ["0", "cell", "2"]
    lines = sheet.recipe.preview._lines[:2]
    qtbot.waitUntil(lambda: not any(line.after.image().isNull() for line in lines), timeout=20_000)
    sheet.import_button.click()
    gallery = view.panel.gallery
    qtbot.waitUntil(lambda: len(gallery.cards()) == 3, timeout=60_000)
    (entry,) = view.context.jobs.entries(RecordKind.DATASET)
    store = Store.open(entry.record.folder)
    assert store.classes == ["0", "cell", "2"]
    assert store.colors[2] == "#ff00ff"


def test_images_without_masks_beside_them_ask_for_the_folder_of_the_masks(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    view = open_page()
    folder = mask_folders(tmp_path / "src", COUNT)
    view.open(ImportImages(folder / "images"))
    sheet = view.sheet
    qtbot.waitUntil(sheet.search.annotations_button.isVisible, timeout=20_000)
    sheet.search_with_annotations(folder / "masks")
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=20_000)
    fields = only(sheet.recipe.task, MaskFields)
    assert fields.location.text() == str(folder / "masks")
    assert recipe_of(sheet).annotations == str(folder / "masks")
    sheet.recipe.task.buttons["classification"].click()
    assert recipe_of(sheet).annotations == ""
    assert fields.isHidden()


def test_another_task_with_masks_keeps_their_folder(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    folder = mask_folders(tmp_path / "src", COUNT)
    with installed(tmp_path / "plug-ins"):
        view = open_page()
        view.open(ImportImages(folder / "images"))
        sheet = view.sheet
        qtbot.waitUntil(sheet.search.annotations_button.isVisible, timeout=20_000)
        sheet.search_with_annotations(folder / "masks")
        qtbot.waitUntil(sheet.import_button.isVisible, timeout=20_000)

        sheet.recipe.task.buttons["areas"].click()

        assert recipe_of(sheet).task == "areas"
        assert recipe_of(sheet).annotations == str(folder / "masks")


@pytest.mark.parametrize(
    ("fixed", "can_rename", "can_recolor"),
    [((), True, True), (("class_colors",), True, False), (("class_names",), False, True)],
)
def test_the_table_refuses_what_the_files_give(
    theme: Theme, qtbot: QtBot, fixed: tuple[str, ...], can_rename: bool, can_recolor: bool
) -> None:
    del theme
    table = ClassColorTable("Classes", "Given by the files.")
    qtbot.addWidget(table)
    table.show_classes(["a", "b"], ["#ff0000", "#00ff00"], fixed)
    color, name = (table.content.index(0, column) for column in (0, 1))
    tip = Qt.ItemDataRole.ToolTipRole
    assert bool(name.flags() & Qt.ItemFlag.ItemIsEditable) == can_rename
    assert ("Double-click" in color.data(tip)) == can_recolor
    assert ("after the import" in name.data(tip)) != can_rename
