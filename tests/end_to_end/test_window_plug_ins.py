"""Tasks of other packages from import to prediction and to labels, by clicks in the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.plug_ins import VALUES, draw_hands, installed
from helpers.target_datasets import squares
from helpers.windows import OpenWindow, click, drag_and_drop, page_of
from studio.engine.datasets.store import Store
from studio.engine.jobs.states import State
from studio.engine.labeling.project import Labeling
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind
from studio.ui.navigation import ImportImages, StartLabeling
from studio.ui.pages.datasets.page import View as DatasetsPage
from studio.ui.pages.label.page import View as LabelPage
from studio.ui.pages.label.tools.numbers import NumberTools
from studio.ui.pages.predict.page import View as PredictPage
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.shell.main_window import MainWindow
from studio.ui.tasks import view_of

pytestmark = pytest.mark.slow

LONG = 120_000


@pytest.fixture(autouse=True)
def plug_ins(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path / "plug-ins"):
        yield


def draw_images(folder: Path, task: str) -> tuple[Path, Path, Path | None]:
    """Return what is imported, the folder of images, and the masks of a task."""
    if task == "angle":
        return draw_hands(folder, 60, 32), folder, None
    tables = squares(folder, 60)
    return folder / "pictures", folder / "pictures", tables[task]


@pytest.mark.thorough  # `test_conformance` and `predict/test_added_task` always run
@pytest.mark.parametrize("task", VALUES)
def test_a_task_of_a_package_is_imported_trained_and_predicted(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot, task: str
) -> None:
    window = open_window(tmp_path / "workspace").window
    assert window is not None
    source, images, masks = draw_images(tmp_path / "images", task)
    store = import_images(window, qtbot, source, masks, task)
    train(window, qtbot, task)
    predict(window, qtbot, min(images.glob("*.png")), store)
    label(window, qtbot, images, store)


def import_images(
    window: MainWindow, qtbot: QtBot, source: Path, masks: Path | None, task: str
) -> Store:
    """The sheet offers the task by the words of its view."""
    jobs = window.context.jobs
    qtbot.waitUntil(lambda: jobs.is_loaded)
    window.open(ImportImages(path=source))
    page = page_of(window, "datasets", DatasetsPage)
    recipe, ready = page.sheet.recipe, page.sheet.import_button
    if masks is not None:
        page.sheet.search_with_annotations(masks)
    qtbot.waitUntil(lambda: recipe.isVisible() and recipe.found is not None, timeout=LONG)
    button = recipe.task.buttons[task]
    assert button.text() == view_of(TASKS[task]).words(TASKS[task]).choice
    click(button)
    qtbot.waitUntil(ready.isEnabled, timeout=LONG)
    click(ready)

    def is_imported() -> bool:
        return [entry.state for entry in jobs.entries(RecordKind.DATASET)] == [State.COMPLETED]

    qtbot.waitUntil(is_imported, timeout=LONG)
    store = Store.open(jobs.entries(RecordKind.DATASET)[0].record.folder)
    assert store.task.name == task
    return store


def train(window: MainWindow, qtbot: QtBot, task: str) -> None:
    """The dashboard shows the metric of the task."""
    datasets = page_of(window, "datasets", DatasetsPage)
    start = datasets.panel.train_button
    qtbot.waitUntil(lambda: start.isVisible() and start.isEnabled(), timeout=LONG)
    click(start)
    page = page_of(window, "train", TrainPage)
    form = page.new_run
    qtbot.waitUntil(form.train_button.isEnabled, timeout=LONG)
    form.cards.form.set_values({"epochs": 1})
    qtbot.waitUntil(form.train_button.isEnabled, timeout=LONG)
    click(form.train_button)
    board = page.dashboard
    qtbot.waitUntil(lambda: board.entry is not None, timeout=LONG)
    run = board.entry
    assert run is not None
    qtbot.waitUntil(lambda: run.state.is_finished, timeout=400_000)
    assert run.state == State.COMPLETED, run.history.reason
    assert board.charts.metric_chart.title == TASKS[task].metrics[0].label


def predict(window: MainWindow, qtbot: QtBot, picture: Path, store: Store) -> None:
    """A dropped picture has the parts of a prediction of the task."""
    predict_button = page_of(window, "train", TrainPage).dashboard.run_actions.predict_button
    qtbot.waitUntil(lambda: predict_button.isVisible() and predict_button.isEnabled())
    click(predict_button)
    page = page_of(window, "predict", PredictPage)
    drag_and_drop(window, [picture])
    qtbot.waitUntil(lambda: page.batch is not None and page.batch.is_complete, timeout=LONG)
    batch = page.batch
    assert batch is not None
    assert batch.prediction is not None
    assert {type(part) for part in batch.prediction.parts} == set(store.task.predictor.parts)
    if store.task.geometry.part_type is None:
        assert page.card.headline.text().endswith("°")
    else:
        qtbot.waitUntil(lambda: page.preview.view.layer() is not None, timeout=LONG)
        assert page.card.overlay.legend.isVisible()


def label(window: MainWindow, qtbot: QtBot, images: Path, store: Store) -> None:
    """The form of new labelings offers the task; an image gets its label."""
    window.open(StartLabeling(paths=(images,)))
    page = page_of(window, "label", LabelPage)
    form = page.form
    form.task.choose(store.task.name)
    if form.classes.isVisible():
        form.classes.setPlainText("\n".join(store.classes))
    qtbot.waitUntil(form.create_button.isEnabled)
    click(form.create_button)
    qtbot.waitUntil(lambda: page.view is not None, timeout=LONG)
    view = page.view
    assert view is not None
    qtbot.waitUntil(lambda: view.session.picture is not None, timeout=LONG)
    first, tools = view.session.current, view.single.tools
    if isinstance(tools, NumberTools):
        QTest.keyClicks(tools.numbers.fields[0], "90")
        QTest.keyClick(tools.numbers.fields[0], Qt.Key.Key_Return)
    else:
        control = Qt.KeyboardModifier.ControlModifier
        QTest.keyClick(view.single.canvas, Qt.Key.Key_Return, control)
    (record,) = window.context.workspace.records(RecordKind.LABELING)
    qtbot.waitUntil(lambda: Labeling(record).value_of(first) is not None, timeout=LONG)
