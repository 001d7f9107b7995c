"""A network is drawn in the real window by hand, trained by a real worker, and asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from helpers.hands import Hands
from helpers.windows import OpenWindow
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import request_import
from studio.engine.jobs.states import State
from studio.engine.networks.library import saved
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.pages.networks.page import View as NetworksPage
from studio.ui.pages.train.page import View as TrainPage
from studio.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow


def click(widget: QWidget) -> None:
    assert widget.isVisible()
    assert widget.isEnabled()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_what_was_drawn_is_trained(open_window: OpenWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window = open_window(tmp_path / "workspace").window
    assert window is not None
    import_shapes(window, tmp_path / "shapes", qtbot)

    window.show_page("networks")
    page = window.findChild(NetworksPage)
    assert page is not None
    qtbot.waitUntil(page.details.isVisible, timeout=10_000)
    click(page.draw_button)
    spec = draw(page, qtbot)
    click(page.designer.toolbar.train)

    qtbot.waitUntil(lambda: bool(window.findChildren(TrainPage)), timeout=10_000)
    trains = window.findChildren(TrainPage)
    new_run = trains[0].new_run
    qtbot.waitUntil(lambda: new_run.networks.entry.group == "own", timeout=10_000)
    qtbot.waitUntil(new_run.train_button.isEnabled, timeout=10_000)
    assert [network.spec.nodes for network in saved(window.context.workspace)] == [spec.nodes]
    new_run.cards.form.set_values({"epochs": 3})
    click(new_run.train_button)

    board = trains[0].dashboard
    qtbot.waitUntil(lambda: board.entry is not None, timeout=20_000)
    entry = board.entry
    assert entry is not None
    qtbot.waitUntil(lambda: entry.state == State.COMPLETED, timeout=120_000)
    assert isinstance(entry.plan, TrainingPlan)
    assert entry.plan.design is not None
    assert entry.plan.design.nodes == spec.nodes
    assert len(entry.history.epochs) == 3
    assert "model" in entry.history.artifacts


def import_shapes(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    """Sixty pictures of two classes, imported by a worker."""
    for name, color in (("red", (200, 40, 40)), ("blue", (40, 40, 200))):
        (folder / name).mkdir(parents=True)
        for index in range(30):
            shade = tuple(part + index for part in color)
            Image.new("RGB", (32, 32), shade).save(folder / name / f"{index}.png")
    recipe = DatasetRecipe(source=str(folder), width=32, height=32)
    jobs = window.context.jobs
    request_import(jobs.queue, recipe, "shapes")
    jobs.wake()

    def is_imported() -> bool:
        return [entry.state for entry in jobs.entries(RecordKind.DATASET)] == [State.COMPLETED]

    qtbot.waitUntil(is_imported, timeout=60_000)


def draw(page: NetworksPage, qtbot: QtBot) -> NetworkSpec:
    """A convolution dragged onto a wire; taken back, and done again."""
    designer = page.designer
    hands = Hands(designer)
    qtbot.waitUntil(designer.isVisible, timeout=5000)
    reader = next(node.id for node in designer.spec().nodes if "rescaling_1" in node.inputs)
    # The first figures change the height of the canvas.
    qtbot.waitUntil(lambda: "parameters" in designer.strip.totals.shown_text(), timeout=60_000)
    new = hands.drag_layer("conv2d", hands.middle_of_wire("rescaling_1", reader))

    designer.commands.actions["undo"].trigger()
    assert new not in {node.id for node in designer.spec().nodes}
    designer.commands.actions["redo"].trigger()
    assert designer.spec().node(new).inputs == ("rescaling_1",)
    assert designer.spec().node(reader).inputs == (new,)
    qtbot.waitUntil(designer.toolbar.train.isEnabled, timeout=60_000)
    return designer.spec()
