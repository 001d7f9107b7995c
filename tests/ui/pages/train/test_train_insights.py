"""The tabs that look into the validations of a run: back in time, cell by cell, layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from page_records import add_dataset, began, epochs_done
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.datasets.display import display_of
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import Event
from studio.engine.training.history import InsightStored, TrainingBegan
from studio.engine.training.insights import (
    Insight,
    LayerNorm,
    PicturePredictions,
    ValidationPredictions,
    insight_path,
    write_insight,
)
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.pages.train.dashboard.insights import ConfusionSection, Mistakes, Norms, Samples
from studio.ui.pages.train.dashboard.section import RunSection
from studio.ui.pages.train.page import View
from studio.ui.widgets.picture_grid import KEY_ROLE, WRONG_ROLE
from studio.ui.widgets.pictures import to_image

EPOCHS = 3
T = TypeVar("T", bound=RunSection)


@dataclass(frozen=True, slots=True)
class InsightRun:
    """A run whose validations were kept: in epoch e, image e alone is mistaken."""

    run: Record
    store: Store

    def insight(self, epoch: int) -> Insight:
        rows = self.store.rows("val")
        truth = self.store.labels[rows]
        predicted = truth.copy()
        predicted[epoch] = 1 - truth[epoch]
        scores = np.full(len(rows), 0.5 + epoch / 10, np.float32)
        answers = ValidationPredictions(rows, truth, predicted, scores, len(rows))
        fractions = np.array([[0.6 + epoch / 10, 0.4 - epoch / 10]] * 2, np.float32)
        predictions = np.stack([truth[:2], 1 - truth[:2]], axis=1).astype(np.int32)
        norms = tuple(
            LayerNorm(name, 5.0 + epoch, factor / epoch, 0.1 / epoch)
            for name, factor in (("first", 1.0), ("second", 2.0))
        )
        pictures = PicturePredictions(rows[:2], truth[:2], predictions, fractions)
        return Insight(float(epoch), 2 * epoch, 2, answers, pictures, norms)

    def keep(self, epoch: int) -> list[Event]:
        path = write_insight(self.run.folder, self.insight(epoch))
        location = path.relative_to(self.run.folder).as_posix()
        return [InsightStored(epoch=epoch, step=2 * epoch, path=location)]

    def row(self, epoch: int) -> int:
        """The image that was mistaken in an epoch."""
        return int(self.store.rows("val")[epoch])


def _add(workspace: Workspace, shapes: Path, **values: object) -> InsightRun:
    dataset = add_dataset(workspace, "shapes", shapes, val_percent=40)
    plan = TrainingPlan.parse({"dataset": dataset.id, "epochs": EPOCHS, **values})
    run = workspace.create(RecordKind.RUN, "run", plan.to_json())
    frame = TrainingBegan(
        epochs=EPOCHS,
        steps_per_epoch=2,
        train_images=64,
        val_images=16,
        parameters=1000,
        trainable_parameters=1000,
        backend="tensorflow",
        device="cpu",
    )
    inspected = InsightRun(run, Store.open(dataset.folder))
    events: list[Event] = []
    if plan.insights:
        for epoch in range(1, EPOCHS + 1):
            events += inspected.keep(epoch)
    append_events(run, [*began(), frame, *events, *epochs_done([0.5, 0.6, 0.7])])
    return inspected


@pytest.fixture
def inspected(workspace: Workspace, shapes: Path) -> InsightRun:
    return _add(workspace, shapes)


def _section(view: View, kind: type[T]) -> T:
    """Open a tab."""
    return view.dashboard.details.open(kind)


def test_the_slider_shows_the_mistakes_of_another_epoch(
    inspected: InsightRun, open_page: Callable[[], View], qtbot: QtBot
) -> None:
    view = open_page()
    section = _section(view, Mistakes)

    def shown() -> list[int]:
        return [image.row for image in section.tiles.images()]

    qtbot.waitUntil(lambda: shown() == [inspected.row(3)], timeout=10_000)
    assert section.slider.text() == "Epoch 3"
    QTest.keyClick(section.slider.slider, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: shown() == [inspected.row(2)], timeout=10_000)
    assert section.slider.text() == "Epoch 2"
    (tile,) = section.tiles.tiles()
    qtbot.waitUntil(lambda: not tile.image().isNull(), timeout=10_000)
    assert tile.image() == to_image(
        inspected.store.images[inspected.row(2)], display_of(inspected.store)
    )
    truth = inspected.store.labels[inspected.row(2)]
    ((name, score),) = tile.predictions()
    assert name == inspected.store.classes[1 - truth]
    assert score == pytest.approx(0.7)
    # The other tabs show the same validation.
    assert _section(view, ConfusionSection).slider.text() == "Epoch 2"


def test_a_cell_of_the_matrix_shows_its_pictures(
    inspected: InsightRun, open_page: Callable[[], View], qtbot: QtBot
) -> None:
    view = open_page()
    section = _section(view, ConfusionSection)
    qtbot.waitUntil(lambda: bool(section.grid.images()), timeout=10_000)

    counts = inspected.insight(3).confusion()
    found = section.view.counts()
    assert found is not None
    assert found.tolist() == counts.tolist()
    assert [image.row for image in section.grid.images()] == [inspected.row(3)], (
        "the mistake first"
    )
    center = section.view.plot.cell_rect((0, 0)).center().toPoint()
    QTest.mouseClick(section.view.plot, Qt.MouseButton.LeftButton, pos=center)
    assert len(section.grid.images()) == counts[0, 0]
    assert "predicted correctly" in section.read_out.text()
    section.slider.back_button.click()
    qtbot.waitUntil(
        lambda: len(section.grid.images()) == inspected.insight(2).confusion()[0, 0],
        timeout=10_000,
    )
    assert section.view.plot.current() == (0, 0), "the chosen cell stays"
    section.view.bar.copy_action.trigger()
    assert QGuiApplication.clipboard().text().count("\n") == 3


def test_only_wrong_predictions_of_a_cell_are_marked(
    inspected: InsightRun, open_page: Callable[[], View], qtbot: QtBot
) -> None:
    view = open_page()
    section = _section(view, ConfusionSection)
    qtbot.waitUntil(lambda: bool(section.grid.images()), timeout=10_000)
    counts = inspected.insight(3).confusion()

    marked: dict[int, bool] = {}
    for cell in np.ndindex(*counts.shape):
        truth, predicted = cell
        center = section.view.plot.cell_rect((truth, predicted)).center().toPoint()
        QTest.mouseClick(section.view.plot, Qt.MouseButton.LeftButton, pos=center)
        model = section.grid.model()
        indices = [model.index(row, 0) for row in range(len(section.grid.images()))]
        marked |= {index.data(KEY_ROLE): index.data(WRONG_ROLE) for index in indices}

    rows = inspected.store.rows("val").tolist()
    assert marked == {row: row == inspected.row(3) for row in rows}


def test_only_wrong_predictions_are_outlined_on_tiles(
    inspected: InsightRun, open_page: Callable[[], View], qtbot: QtBot
) -> None:
    view = open_page()
    view.context.theme.mode = "light"
    bad = view.context.theme.palette.bad.lower()
    mistakes = _section(view, Mistakes).tiles
    qtbot.waitUntil(lambda: len(mistakes.tiles()) == 1, timeout=10_000)
    (wrong,) = mistakes.tiles()
    outlined = {"wrong": bad in _left_edge(wrong)}
    samples = _section(view, Samples).tiles
    qtbot.waitUntil(lambda: len(samples.tiles()) == 2, timeout=10_000)
    right = samples.tiles()[0]
    outlined["right"] = bad in _left_edge(right)

    assert outlined == {"wrong": True, "right": False}
    assert "wrong" in wrong.accessibleDescription()
    assert "wrong" not in right.accessibleDescription()


def _left_edge(tile: QWidget) -> set[str]:
    """Colors from the left edge of a tile into its picture, at half of the height."""
    shot = tile.grab().toImage()
    return {shot.pixelColor(x, shot.height() // 2).name() for x in range(14)}


def test_fixed_pictures_and_norms_over_time(
    inspected: InsightRun, open_page: Callable[[], View], qtbot: QtBot
) -> None:
    view = open_page()
    samples = _section(view, Samples)
    qtbot.waitUntil(lambda: len(samples.tiles.tiles()) == 2, timeout=10_000)
    assert samples.tiles.tiles()[0].predictions()[0][1] == pytest.approx(0.9)
    samples.slider.slider.setValue(0)
    qtbot.waitUntil(
        lambda: samples.tiles.tiles()[0].predictions()[0][1] == pytest.approx(0.7), timeout=10_000
    )

    norms = _section(view, Norms)
    chart = norms.chart
    qtbot.waitUntil(lambda: chart.keys() == ["first", "second"], timeout=10_000)
    qtbot.waitUntil(lambda: len(chart.curve_data("second")[0]) == EPOCHS, timeout=10_000)
    x, y = chart.curve_data("second")
    assert x.tolist() == [1, 2, 3]
    assert y.tolist() == pytest.approx([2, 1, 2 / 3])
    assert norms.table.texts()[0][1] == "6.00", "of the first epoch"
    norms.box.setCurrentIndex(norms.box.findData("weight"))
    assert chart.curve_data("first")[1].tolist() == [6, 7, 8]
    norms.table.selectRow(1)
    assert chart.keys() == ["second"]


def test_new_insights_are_shown_unless_an_older_epoch_is_selected(
    inspected: InsightRun, open_page: Callable[[], View], qtbot: QtBot
) -> None:
    view = open_page()
    section = _section(view, Mistakes)
    text = section.slider.text
    qtbot.waitUntil(lambda: text() == "Epoch 3", timeout=10_000)

    append_events(inspected.run, inspected.keep(4))
    qtbot.waitUntil(lambda: text() == "Epoch 4", timeout=10_000)
    section.slider.slider.setValue(1)
    append_events(inspected.run, inspected.keep(5))
    qtbot.waitUntil(lambda: section.slider.slider.maximum() == 4, timeout=10_000)
    assert text() == "Epoch 2"
    qtbot.waitUntil(
        lambda: [image.row for image in section.tiles.images()] == [inspected.row(2)],
        timeout=10_000,
    )


def test_checkpoints_without_their_files_are_skipped(
    inspected: InsightRun, open_page: Callable[[], View], qtbot: QtBot
) -> None:
    insight_path(inspected.run.folder, 4).unlink()
    view = open_page()
    section = _section(view, Mistakes)

    qtbot.waitUntil(lambda: section.slider.slider.maximum() == 1, timeout=10_000)
    section.slider.back_button.click()
    assert section.slider.text() == "Epoch 1"


def test_a_run_without_checkpoints_says_so(
    workspace: Workspace, shapes: Path, open_page: Callable[[], View], qtbot: QtBot
) -> None:
    _add(workspace, shapes, insights=False)
    view = open_page()

    section = _section(view, ConfusionSection)

    qtbot.waitUntil(lambda: "switched off" in section.nothing.text(), timeout=10_000)
    assert section.nothing.isVisible()
    assert not section.slider.isVisible()
