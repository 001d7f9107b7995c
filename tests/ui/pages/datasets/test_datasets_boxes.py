"""Datasets with boxes: imported with a preview, drawn over pictures, filtered and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from dataset_browsing import is_sound
from page_checks import (
    only,
    show_in_window,
)
from page_records import add_dataset, picture_folder, start_jobs
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from helpers.box_datasets import NAMES, shapes, write_boxes
from helpers.windows import check
from studio.engine.datasets.audit.findings import DoubtedBox, Finding
from studio.engine.datasets.store import Store
from studio.engine.tasks.annotations import default_colors
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import ImportImages
from studio.ui.pages.datasets.browsing.images import DatasetImages
from studio.ui.pages.datasets.importing.sheet import ImportSheet
from studio.ui.pages.datasets.page import View
from studio.ui.tasks.detection.data import BoxFields, ObjectFilter
from studio.ui.widgets.overlay import BoxOverlay, OverlaidImage

COUNT = 12


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve pictures with squares and discs; two have none."""
    images, boxes = shapes(COUNT)
    return write_boxes(tmp_path_factory.mktemp("src") / "shapes", images, boxes)


def has_boxes(image: QImage) -> bool:
    """Return True if lines in the color of a class are drawn on a picture."""
    colors = {QColor(color).rgb() for color in default_colors(NAMES)}
    width, height = image.width(), image.height()
    found = (image.pixel(x, y) in colors for x in range(width) for y in range(height))
    return sum(found) > 8


@pytest.fixture
def shown(
    qtbot: QtBot, context: AppContext, workspace: Workspace, source: Path
) -> Iterator[tuple[View, Record]]:
    record = add_dataset(workspace, "shapes", source, task="detection")
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    page.show_record(record.id)
    qtbot.waitUntil(lambda: bool(page.panel.gallery.cards()), timeout=10_000)
    yield page, record
    context.background.close()
    window.close()


def test_an_import_proposes_boxes_and_shows_them_in_the_preview(
    qtbot: QtBot, open_page: Callable[[], View], source: Path
) -> None:
    view = open_page()
    view.open(ImportImages(source))
    sheet: ImportSheet = view.sheet
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=20_000)
    task = sheet.recipe.task
    assert task.buttons["detection"].isChecked()
    assert "boxes" in task.proposal.text()
    assert only(task, BoxFields).table.names() == list(NAMES)
    line = sheet.recipe.preview._lines[0]
    qtbot.waitUntil(lambda: line.after.layer() is not None, timeout=20_000)
    assert any(name in line.caption.text() for name in NAMES)
    is_sound(qtbot, view)
    # Before anything is written, and again beside the dataset.
    qtbot.waitUntil(lambda: len(sheet.recipe.samples.samples) == 9, timeout=20_000)
    assert sum(has_boxes(each.image) for each in sheet.recipe.samples.samples) >= 7
    qtbot.waitUntil(sheet.import_button.isEnabled, timeout=20_000)
    sheet.import_button.click()
    qtbot.waitUntil(lambda: len(view.panel.gallery.cards()) == len(NAMES), timeout=60_000)
    (entry,) = view.context.jobs.entries(RecordKind.DATASET)
    assert Store.open(entry.record.folder).task.name == DETECTION.name
    samples = view.panel.about.samples.samples
    assert len(samples) == 9
    assert sum(has_boxes(each.image) for each in samples) >= 7


def test_images_without_boxes_beside_them_ask_for_their_annotations(
    qtbot: QtBot, open_page: Callable[[], View], source: Path, tmp_path: Path
) -> None:
    view = open_page()
    view.open(ImportImages(source / "images"))
    sheet = view.sheet
    qtbot.waitUntil(sheet.search.annotations_button.isVisible, timeout=20_000)
    (tmp_path / "nothing").mkdir()
    sheet.search_with_annotations(tmp_path / "nothing")
    qtbot.waitUntil(
        lambda: "No masks or boxes" in sheet.search.problem.message.text(), timeout=20_000
    )
    sheet.search_with_annotations(source / "labels")
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=20_000)
    assert sheet.recipe.task.buttons["detection"].isChecked()
    assert only(sheet.recipe.task, BoxFields).location.text() == str(source / "labels")


def test_who_has_boxes_is_asked_for_them_where_only_folders_of_classes_are_found(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    view = open_page()
    view.open(ImportImages(picture_folder(tmp_path / "pets", {"a": 2, "b": 2}), annotated=True))
    sheet = view.sheet
    qtbot.waitUntil(sheet.search.annotations_button.isVisible, timeout=20_000)
    assert "no boxes or masks" in sheet.search.problem.message.text()


def test_doubted_boxes_of_a_finding_are_painted_dashed(
    qtbot: QtBot, shown: tuple[View, Record]
) -> None:
    view, record = shown
    row = int(np.flatnonzero(~Store.open(record.folder).is_empty)[0])
    box = DoubtedBox(box=(1, 2, 7, 8), predicted=NAMES[1], score=0.93)
    finding = Finding(
        kind="missing_boxes", severity="warning", message="", suggestion="", count=1,
        rows=[row], paths=["a.png"], boxes=[[box]],
    )  # fmt: skip
    pictures = DatasetImages(record.folder)
    plain = pictures.overlay(row)
    assert isinstance(plain, BoxOverlay)

    assert pictures.show_doubts(finding)
    assert not pictures.show_doubts(finding)

    doubted = pictures.overlay(row)
    assert isinstance(doubted, BoxOverlay)
    assert doubted.counts() == plain.counts()
    (added,) = doubted.boxes[len(plain.boxes) :]
    assert (added.label, added.left, added.bottom, added.dashed) == (1, 1, 8, True)
    assert added.text.startswith(f"{NAMES[1]} 93")
    assert pictures.show_doubts(None)
    again = pictures.overlay(row)
    assert isinstance(again, BoxOverlay)
    assert again.boxes == plain.boxes
    view.panel.findings.images_requested.emit(finding)
    qtbot.waitUntil(view.panel.browser.isVisible, timeout=10_000)
    assert view.panel.browser.bar.chip.button.text() == "Missing boxes"


def test_cards_table_and_charts_count_objects(qtbot: QtBot, shown: tuple[View, Record]) -> None:
    view, record = shown
    targets = Store.open(record.folder).targets
    panel = view.panel
    assert panel.summary.text() == f"{COUNT} images · 16×16 color · 2 classes"
    cards = panel.gallery.cards()
    assert [card.name for card in cards] == list(NAMES)
    qtbot.waitUntil(lambda: bool(cards[1].mosaic.images()), timeout=10_000)
    panel.about_button.click()
    model = panel.about.classes.model()
    heads = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    assert heads == ["Class", "By split", "Images", "Objects ▼", "Per image"]
    counted = {model.index(row, 0).data(): model.index(row, 3).data() for row in range(2)}
    assert counted == {name: str(targets[:, at].sum()) for at, name in enumerate(NAMES)}
    titles = [chart.figure.title for chart in panel.about.charts if not chart.isHidden()]
    assert titles == ["Box size", "Aspect ratio", "Objects per image"]
    is_sound(qtbot, view)


def test_images_are_filtered_and_drawn_with_boxes(
    qtbot: QtBot, shown: tuple[View, Record]
) -> None:
    view, record = shown
    store = Store.open(record.folder)
    targets = store.targets
    browser = view.panel.browser
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        view.panel.gallery.class_activated.emit(-1)
    chosen = only(browser.bar, ObjectFilter)
    chosen.box.setCurrentIndex(2)
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        chosen.box.activated.emit(2)
    model = browser._model
    assert model is not None
    assert model.rows.tolist() == np.flatnonzero(targets.sum(axis=1) == 0).tolist()
    chosen.box.setCurrentIndex(1)
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        chosen.box.activated.emit(1)
    assert len(model.rows) == np.count_nonzero(targets.sum(axis=1))
    is_sound(qtbot, view)

    browser.grid.choose(np.array([0]))
    details = browser.details
    row = int(browser.grid.chosen()[0])
    legend = details.overlay.legend
    qtbot.waitUntil(lambda: bool(details.facts) and details.picture.layer() is not None)
    wanted = [str(number) if number else "–" for number in targets[row].tolist()]
    assert list(legend.fractions().values()) == wanted
    pictures = browser._pictures
    assert pictures is not None
    before = pictures.load(row)
    assert isinstance(before, OverlaidImage)
    check(legend, 0, is_checked=False)
    after = pictures.load(row)
    assert isinstance(after, OverlaidImage)
    assert after.style.hidden == {0}
