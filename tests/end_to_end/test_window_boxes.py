"""The way of a beginner with boxes: import, small detector, report, predicted boxes; by clicks."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from helpers.box_datasets import NAMES, shapes, write_boxes
from helpers.window_training import train_recommended
from helpers.windows import OpenWindow, check, choose_target, click, drag_and_drop, page_of
from studio.engine.datasets.store import Store
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.navigation import page_intent
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.evaluation.page import View as EvaluationPage
from studio.ui.pages.evaluation.report import OutputsPanel
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.shell.main_window import MainWindow
from studio.ui.widgets.overlay import BoxLayer

pytestmark = pytest.mark.slow

COUNT, SIDE = 48, 64
EPOCHS = 1


@pytest.mark.thorough
def test_pictures_with_boxes_become_a_network_and_a_table_of_counts(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(tmp_path / "workspace").window
    assert window is not None
    store = import_folder(window, qtbot, write_boxes(tmp_path / "src", *shapes(COUNT, SIDE)))
    shown = train_recommended(window, qtbot, "small_detector", "mAP", EPOCHS)
    shown.box.setCurrentIndex(1)
    assert shown.key.isVisible()
    assert [row.name for row in shown.table.content.rows] == ["All classes", *NAMES]
    evaluate(window, qtbot)
    predict(window, qtbot, store)
    table = tmp_path / "counts.csv"
    choose_target(monkeypatch, table)
    save_counts(window, qtbot, table)


def import_folder(window: MainWindow, qtbot: QtBot, folder: Path) -> Store:
    """A folder of images with text files of YOLO is recognized when it is dropped."""
    window.open(page_intent("datasets", ""))
    page = page_of(window, "datasets", DatasetsPage)
    drag_and_drop(window, [folder])
    qtbot.waitUntil(page.sheet.import_button.isVisible, timeout=20_000)
    assert page.sheet.recipe.task.buttons["detection"].isChecked()
    qtbot.waitUntil(page.sheet.import_button.isEnabled, timeout=20_000)
    click(page.sheet.import_button)
    jobs = window.context.jobs

    def is_imported() -> bool:
        return [entry.state for entry in jobs.entries(RecordKind.DATASET)] == [State.COMPLETED]

    qtbot.waitUntil(is_imported, timeout=60_000)
    entry = jobs.entries(RecordKind.DATASET)[0]
    gallery = page.panel.gallery
    qtbot.waitUntil(lambda: len(gallery.cards()) == len(NAMES), timeout=20_000)
    assert [card.name for card in gallery.cards()] == list(NAMES)
    return Store.open(entry.record.folder)


def evaluate(window: MainWindow, qtbot: QtBot) -> None:
    """The report has images with errors of each kind; a cell of the matrix leads to its own."""
    click(page_of(window, "train", TrainPage).dashboard.run_actions.test_button)
    panel = page_of(window, "evaluation", EvaluationPage).panel_of(OutputsPanel)
    qtbot.waitUntil(panel.isVisible, timeout=60_000)
    assert {"map", "ap50"} <= set(panel.tiles.texts)
    assert panel.worst.grid.images()
    opened = panel.open_report
    assert opened.together is not None
    counts = opened.together.counts
    choose_kind(panel, "missed")
    qtbot.waitUntil(partial(has_kind, panel, int(counts[:, -1].sum())), timeout=20_000)
    panel.tabs.setCurrentIndex(1)
    row, column = divmod(int(counts.argmax()), len(counts))
    panel.matrix.chosen.emit((row, column))
    qtbot.waitUntil(lambda: bool(panel.drawer.grid.images()), timeout=20_000)
    window.show_page("train")


def choose_kind(panel: OutputsPanel, kind: str) -> None:
    box = panel.worst.box
    box.setCurrentIndex(box.findData(kind))
    box.activated.emit(box.currentIndex())


def has_kind(panel: OutputsPanel, number: int) -> bool:
    """True if all images that are shown have boxes of the chosen kind, `number` together."""
    captions = [image.caption.split() for image in panel.worst.grid.images()]
    are_counted = all(words[-1] in ("box", "boxes") for words in captions)
    return are_counted and sum(int(words[0]) for words in captions) == number


def predict(window: MainWindow, qtbot: QtBot, store: Store) -> None:
    """A dropped picture has its boxes over it; a lower score shows more, and a class is hidden."""
    click(page_of(window, "train", TrainPage).dashboard.run_actions.predict_button)
    page = page_of(window, "predict", PredictPage)
    drag_and_drop(window, [Path(store.origin(int(store.rows("test")[0])))])
    qtbot.waitUntil(lambda: page.batch is not None and page.batch.is_complete, timeout=60_000)
    panel = page.card.overlay
    qtbot.waitUntil(panel.isVisible, timeout=20_000)
    qtbot.waitUntil(panel.scores.isVisible, timeout=20_000)
    assert list(panel.legend.fractions()) == store.classes

    def shown() -> int:
        layer = page.preview.view.layer()
        return len(layer.boxes) if isinstance(layer, BoxLayer) else 0

    panel.scores.slider.setValue(1)
    qtbot.waitUntil(lambda: shown() > 0, timeout=20_000)
    before = shown()
    click(panel.scores.reset_button)
    assert panel.scores.score is None
    panel.scores.slider.setValue(100)
    qtbot.waitUntil(lambda: shown() < before, timeout=20_000)
    panel.scores.slider.setValue(1)
    qtbot.waitUntil(lambda: shown() == before, timeout=20_000)
    for row in range(len(store.classes)):
        check(panel.legend, row, is_checked=False)
    qtbot.waitUntil(lambda: shown() == 0, timeout=20_000)


def save_counts(window: MainWindow, qtbot: QtBot, table: Path) -> None:
    """The table has a row for the picture, with its number of boxes and that of each class."""
    page = page_of(window, "predict", PredictPage)
    assert page.batch is not None
    assert page.preview.bar.save_button.isVisible()
    page.saver.menu(page.batch).actions()[-1].trigger()
    qtbot.waitUntil(table.is_file, timeout=20_000)
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    found = page.batch.predictions[0].objects
    assert found is not None
    assert [row["boxes"] for row in rows] == [str(len(found.given))]
    assert {f"count {name}" for name in NAMES} <= set(rows[0])
