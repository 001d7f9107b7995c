"""What the model of a run took the images for, looked through beside their labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from dataset_browsing import rows_shown
from page_checks import cut_buttons, nameless_controls, show_in_window, unexplained_buttons
from page_records import start_jobs
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot
from trained_run import TrainedRun

from studio.engine.datasets.store import Store
from studio.engine.evaluation.evaluated_classes import Predictions, predictions_of
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.browsing.images import DatasetImages, ImageQuery, RunPredictions
from studio.ui.pages.datasets.page import View
from studio.ui.tasks.classification.view import of_class
from studio.ui.widgets.picture_grid import WRONG_ROLE

pytestmark = pytest.mark.slow


@pytest.fixture
def workspace(trained_run: TrainedRun, tmp_path: Path) -> Workspace:
    return trained_run.copy_to(tmp_path / "workspace")


@pytest.fixture
def view(qtbot: QtBot, context: AppContext) -> Iterator[View]:
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    panel = page.panel
    qtbot.waitUntil(lambda: panel.stack.currentWidget() is panel.gallery, timeout=10_000)
    with qtbot.waitSignal(panel.browser.listed, timeout=10_000):
        panel.gallery.class_activated.emit(-1)
    yield page
    window.close()


def choose_run(qtbot: QtBot, view: View) -> None:
    view.panel.browser.bar.predictions_button.click()
    menu = view.panel.browser.bar.predictions_button.findChild(QMenu)
    assert menu is not None
    (action,) = menu.actions()
    assert action.text() == "lenet-digits"
    action.trigger()
    menu.close()


# A menu that opens: the offscreen platform has no other windows to be above of.
@pytest.mark.qt_log_ignore("does not support", extend=True)
def test_a_run_is_measured_once_and_its_mistakes_are_shown_surest_first(
    qtbot: QtBot, view: View, trained_run: TrainedRun
) -> None:
    browser, bar = view.panel.browser, view.panel.browser.bar
    workspace = view.context.workspace
    everything = rows_shown(browser)
    choose_run(qtbot, view)
    qtbot.waitUntil(lambda: "lenet-digits" in bar.predictions.line.text(), timeout=10_000)
    with qtbot.waitSignal(browser.listed, timeout=120_000):
        pass

    record = workspace.record(RecordKind.RUN, trained_run.run)
    assert record is not None
    predictions = predictions_of(workspace, record)
    store = Store.open(workspace.root / "datasets" / trained_run.dataset)
    assert predictions is not None
    assert len(predictions.rows) == len(everything), "every split was measured"
    mistakes = predictions.wrong(store.labels).tolist()
    assert 0 < len(mistakes) < len(everything) / 5
    assert rows_shown(browser) == mistakes
    label, score = predictions.answer(mistakes[0]) or (-1, 0.0)
    caption = browser.grid.model().index(0, 0).data()
    assert caption.startswith(f"{store.classes[label]} · ")
    assert f"{score * 100:.1f}" in caption
    assert browser.grid.model().index(0, 0).data(WRONG_ROLE) is True
    assert not nameless_controls(browser)
    assert not unexplained_buttons(browser)
    assert not cut_buttons(browser)

    taken = bar.predictions.box.findText("Predicted: 3")
    bar.predictions.box.setCurrentIndex(taken)
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        bar.predictions.box.activated.emit(taken)
    assert sorted(rows_shown(browser)) == predictions.taken_for(3).tolist()

    with qtbot.waitSignal(browser.listed, timeout=10_000):
        bar.predictions.button.click()
    assert rows_shown(browser) == everything
    assert bar.order_box.findData("score") < 0

    measured = len(workspace.records(RecordKind.EVALUATION))
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        choose_run(qtbot, view)
    assert rows_shown(browser) == mistakes
    assert len(workspace.records(RecordKind.EVALUATION)) == measured, "it is known already"


def test_predictions_go_with_the_other_filters(
    workspace: Workspace, trained_run: TrainedRun
) -> None:
    folder = workspace.root / "datasets" / trained_run.dataset
    store = Store.open(folder)
    rows = store.rows("val")
    # As if every image were predicted as the class after its own, more confidently with every row.
    answers = RunPredictions(
        "r",
        Predictions(
            rows,
            ((store.labels[rows] + 1) % 10).astype(np.int32),
            np.linspace(0, 1, len(rows), dtype=np.float32),
        ),
        4,
    )
    query = ImageQuery(target=partial(of_class, 3), split="val", answers=answers, order="score")
    found = DatasetImages(folder).select(query).rows
    expected = rows[store.labels[rows] == 3][::-1]
    assert found.tolist() == expected.tolist()
    nothing = ImageQuery(target=partial(of_class, 5), answers=answers)
    assert len(DatasetImages(folder).select(nothing).rows) == 0
