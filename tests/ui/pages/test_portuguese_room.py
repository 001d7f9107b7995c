"""Portuguese words are longer: nothing of a page is cut by them in the smallest window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from page_checks import (
    SCROLL_BAR,
    cut_boxes,
    cut_buttons,
    cut_columns,
    fits_smallest_window,
    show_in_window,
)
from page_records import add_dataset, picture_folder, start_jobs
from PIL import Image
from pytestqt.qtbot import QtBot

from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.language import Translation
from studio.ui.navigation import PlanRun, PlanSweep
from studio.ui.pages.datasets.page import View as DatasetsView
from studio.ui.pages.sweeps.page import View as SweepsView
from studio.ui.pages.train.page import View as TrainView
from studio.ui.pages.train.plan.new_run import NewRun
from studio.ui.theme.tokens import SPACE


@pytest.fixture
def portuguese(qtbot: QtBot) -> Iterator[Translation]:
    made = Translation()
    made.use("pt_BR")
    yield made
    made.remove()


@pytest.fixture
def shapes(workspace: Workspace, tmp_path: Path) -> str:
    source = picture_folder(tmp_path / "shapes", {"redondo": 24, "quadrado": 16})
    return add_dataset(workspace, "formas", source, width=32, height=32, val_percent=25).id


@pytest.mark.usefixtures("portuguese")
def test_the_form_of_a_new_run(context: AppContext, shapes: str, qtbot: QtBot) -> None:
    view = TrainView(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    view.open(PlanRun(dataset=shapes))
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    qtbot.waitUntil(view.new_run.recommended.isVisible)
    assert fits_smallest_window(view, SCROLL_BAR), "with jobs in the tray the page scrolls"
    assert cut_columns(view) == []
    assert cut_buttons(view) == []
    view.new_run.more.set_open(shown=True)
    for is_expert in (False, True):
        context.theme.is_expert = is_expert
        qtbot.waitUntil(view.new_run.cards.form.isVisible)
        # What opens is laid out with the next events.
        qtbot.waitUntil(lambda: cut_columns(view) == [])
        qtbot.waitUntil(lambda: cut_buttons(view) == [])
    window.close()


@pytest.mark.usefixtures("portuguese")
@pytest.mark.parametrize("width", [859, 908, 972])
def test_the_import_sheet_of_deep_images(
    context: AppContext, tmp_path: Path, qtbot: QtBot, width: int
) -> None:
    """The histogram of values and the images with their labels pushed the preview out."""
    for name in ("long", "round"):
        (tmp_path / "deep" / name).mkdir(parents=True)
        for number in range(8):
            pixels = np.full((64, 64), 300 * number, np.uint16)
            Image.fromarray(pixels).save(tmp_path / "deep" / name / f"{number}.png")
    # A list of datasets takes room beside the sheet.
    add_dataset(context.workspace, "a", picture_folder(tmp_path / "a", {"b": 4, "c": 4}))
    view = DatasetsView(context)
    window = show_in_window(qtbot, view, width, 500)
    start_jobs(qtbot, context)
    view.take_drop([tmp_path / "deep"])
    recipe = view.sheet.recipe
    qtbot.waitUntil(recipe.value_range.isVisible, timeout=20_000)
    qtbot.waitUntil(recipe.samples_card.isVisible, timeout=20_000)
    qtbot.waitUntil(lambda: recipe.found_card.height() > 0)
    assert cut_columns(view) == []
    window.close()


@pytest.mark.parametrize("form", ["run", "sweep"])
def test_no_warning_pushes_the_primary_button_out_of_sight(
    context: AppContext, shapes: str, qtbot: QtBot, form: str
) -> None:
    """The button was below a summary with warnings about the origins of images."""
    view = TrainView(context) if form == "run" else SweepsView(context)
    window = show_in_window(qtbot, view, 860, 500)
    start_jobs(qtbot, context)
    view.open(PlanRun(dataset=shapes) if form == "run" else PlanSweep())
    shown = view.new_run if isinstance(view, TrainView) else view.new_sweep
    button = shown.train_button if isinstance(shown, NewRun) else shown.start_button
    qtbot.waitUntil(button.isEnabled, timeout=10_000)
    shown.forecast.setMinimumHeight(600)
    qtbot.waitUntil(lambda: shown.forecast.height() >= 600)
    assert button.visibleRegion().boundingRect().height() == button.height()
    window.close()


@pytest.mark.usefixtures("portuguese")
def test_the_images_of_a_dataset(context: AppContext, shapes: str, qtbot: QtBot) -> None:
    view = DatasetsView(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(view.panel.train_button.isEnabled, timeout=5000)
    view.panel.gallery.class_activated.emit(0)
    assert view.current_record == shapes
    assert fits_smallest_window(view)
    assert cut_boxes(view) == []
    assert cut_buttons(view) == []

    view.panel.legend.split_button.click()
    assert cut_columns(view) == []
    assert cut_buttons(view) == []
    window.close()


@pytest.mark.usefixtures("portuguese", "shapes")
def test_the_form_of_a_new_sweep(context: AppContext, qtbot: QtBot) -> None:
    view = SweepsView(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(view.new_button.isEnabled, timeout=5000)
    view.open(PlanSweep())
    (row,) = view.new_sweep.space.rows
    row.form_box.setCurrentIndex(row.form_box.findData(True))
    row.form_box.activated.emit(row.form_box.currentIndex())
    qtbot.waitUntil(row.low.isVisible, timeout=5000)
    edit = row.field_box.lineEdit()
    assert edit is not None
    for box in (edit, row.low, row.high, row.step, row.count):
        room = box.width() - 2 * SPACE.s
        text = box.text() or box.placeholderText()
        assert box.fontMetrics().horizontalAdvance(text) <= room, text
    for choice in (row.form_box, row.scale):
        assert choice.shown_text() == choice.currentText()
    assert cut_buttons(view) == []
    window.close()
