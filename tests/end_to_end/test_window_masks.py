"""The way of a beginner with masks: sample, small U-Net, predicted mask, report; by clicks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from helpers.window_training import train_recommended
from helpers.windows import OpenWindow, check, click, drag_and_drop, page_of
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
from studio.ui.widgets.overlay import MaskLayer, OverlayStyle

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

SAMPLE = "shapes_segmentation"
EPOCHS = 2


def test_a_sample_with_masks_becomes_a_network_and_a_predicted_mask(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window = open_window(tmp_path / "workspace").window
    assert window is not None
    store = import_sample(window, qtbot)
    train_recommended(window, qtbot, "small_unet", "Mean IoU", EPOCHS)
    predict(window, qtbot, store)
    evaluate(window, qtbot)


def import_sample(window: MainWindow, qtbot: QtBot) -> Store:
    """The card of the sample makes the dataset; its classes are shown with their pictures."""
    window.open(page_intent("datasets", ""))
    page = page_of(window, "datasets", DatasetsPage)
    qtbot.waitUntil(page.start.samples_button.isVisible)
    click(page.start.samples_button)
    card = page.samples.cards[SAMPLE]
    assert "pixel" in card.cost.text()
    click(card.button)
    jobs = window.context.jobs

    def is_imported() -> bool:
        return [entry.state for entry in jobs.entries(RecordKind.DATASET)] == [State.COMPLETED]

    qtbot.waitUntil(is_imported, timeout=120_000)
    entry = jobs.entries(RecordKind.DATASET)[0]
    qtbot.waitUntil(lambda: page.current_record == entry.record.id, timeout=20_000)
    store = Store.open(entry.record.folder)
    gallery = page.panel.gallery
    qtbot.waitUntil(lambda: len(gallery.cards()) == len(store.classes), timeout=20_000)
    assert [card.name for card in gallery.cards()] == store.classes
    return store


def predict(window: MainWindow, qtbot: QtBot, store: Store) -> None:
    """A picture that is dropped has its mask over it, and a legend with the areas."""
    click(page_of(window, "train", TrainPage).dashboard.run_actions.predict_button)
    page = page_of(window, "predict", PredictPage)
    row = int(store.rows("test")[0])
    drag_and_drop(window, [Path(store.origin(row))])
    qtbot.waitUntil(lambda: page.batch is not None and page.batch.is_complete, timeout=60_000)

    def image() -> QImage:
        layer = page.preview.view.layer()
        return layer.image if isinstance(layer, MaskLayer) else QImage()

    window.context.settings.overlay = OverlayStyle("mask")
    qtbot.waitUntil(lambda: not image().isNull(), timeout=20_000)
    assert page.card.overlay.isVisible()
    fractions = page.card.overlay.legend.fractions()
    assert list(fractions) == store.classes
    assert "px" in fractions["background"]
    before = image().cacheKey()
    check(page.card.overlay.legend, 0, is_checked=False)
    qtbot.waitUntil(lambda: image().cacheKey() != before, timeout=20_000)


def evaluate(window: MainWindow, qtbot: QtBot) -> None:
    """The report shows every class, and a cell of the matrix leads to its images."""
    window.show_page("train")
    click(page_of(window, "train", TrainPage).dashboard.run_actions.test_button)
    panel = page_of(window, "evaluation", EvaluationPage).panel_of(OutputsPanel)
    qtbot.waitUntil(panel.isVisible, timeout=120_000)
    assert "mean_iou" in panel.tiles.texts
    assert panel.worst.grid.images()
    panel.tabs.setCurrentIndex(1)
    panel.matrix.chosen.emit((0, 0))
    qtbot.waitUntil(lambda: bool(panel.drawer.grid.images()), timeout=20_000)
