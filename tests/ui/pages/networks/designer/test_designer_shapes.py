"""With the real engine host: shapes, problems with their layers, hints, backbones, models."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.hands import Hands
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import InputShape
from studio.engine.networks.zoo import ZOO
from studio.ui.context import AppContext
from studio.ui.pages.networks.designer import palette
from studio.ui.pages.networks.designer.designer import Designer
from studio.ui.pages.networks.designer.palette import choices

pytestmark = pytest.mark.slow
WAIT = 120_000


def wait_for_figures(designer: Designer, qtbot: QtBot) -> None:
    qtbot.waitUntil(
        lambda: not designer.examiner.is_busy and not designer.drawing.is_stale, timeout=WAIT
    )


def type_into(designer: Designer, field: str, value: int) -> None:
    form = designer.inspector.node.form
    assert form is not None
    form.editor(field).set_value(value)
    form.editor(field).changed.emit()


def test_a_shape_error_names_its_layer_and_can_be_fixed(
    open_designer: Callable[..., Designer],
    make_hands: Callable[[Designer], Hands],
    qtbot: QtBot,
) -> None:
    designer = open_designer()
    hands = make_hands(designer)
    wait_for_figures(designer, qtbot)
    boxes = designer.scene.graphics.boxes
    assert boxes["flatten_1"].style.detail == "3072"
    assert designer.strip.texts() == []

    conv = hands.drag_layer("conv2d", hands.middle_of_wire("rescaling_1", "flatten_1"))
    pool = hands.drag_layer("max_pool", hands.middle_of_wire(conv, "flatten_1"))
    assert boxes["rescaling_1"].style.stale
    wait_for_figures(designer, qtbot)
    assert boxes[conv].style.detail == "32 × 32 × 32"
    assert boxes[pool].style.detail == "16 × 16 × 32"

    type_into(designer, "size", 64)
    wait_for_figures(designer, qtbot)
    line = next(text for text in designer.strip.texts() if text.startswith(f"{pool}:"))
    assert "32x32x32" in line
    assert boxes[pool].style.trouble == "serious"
    assert not designer.toolbar.train.isEnabled()
    designer.drawing.select([])
    row = designer.strip.rows[0]
    QTest.mouseClick(row.node_button, Qt.MouseButton.LeftButton)
    assert designer.drawing.selection == (pool,)

    type_into(designer, "size", 4)
    wait_for_figures(designer, qtbot)
    assert boxes[pool].style.trouble == ""
    assert boxes[pool].style.detail == "8 × 8 × 32"
    assert designer.toolbar.train.isEnabled()
    assert "parameters" in designer.strip.totals.shown_text()
    assert (
        "896" in designer.inspector.node.facts.facts.values() or pool in designer.drawing.selection
    )

    for _ in range(4):
        hands.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_for_figures(designer, qtbot)
    assert not designer.is_dirty
    assert boxes["flatten_1"].style.detail == "3072"


@pytest.mark.thorough
def test_a_hint_is_taken_by_one_click_and_undone(
    open_designer: Callable[..., Designer], qtbot: QtBot
) -> None:
    designer = open_designer()
    designer.open(ZOO["lenet"].build((28, 28, 1), 10))
    wait_for_figures(designer, qtbot)
    before = designer.spec()
    row = next(row for row in designer.strip.rows if row.action_button is not None)
    assert row.action_button is not None
    row.action_button.click()
    assert designer.spec() != before
    assert set(designer.spec().positions) >= {node.id for node in designer.spec().nodes}
    wait_for_figures(designer, qtbot)
    assert designer.drawing.examination is not None
    assert designer.drawing.examination.works
    designer.drawing.undo()
    assert designer.spec() == before


@pytest.mark.thorough
def test_a_backbone_opens_into_its_layers(
    open_designer: Callable[..., Designer], qtbot: QtBot
) -> None:
    designer = open_designer()
    net = GraphBuilder("mine", InputShape(height=96, width=96, channels=3), 5)
    net.add("rescaling").add("backbone", architecture="mobilenet_v2")
    net.add("global_average_pool").add("dense", units=5, activation="softmax")
    designer.open(net.spec())
    designer.commands.actions["expand"].trigger()
    qtbot.waitUntil(lambda: len(designer.spec().nodes) > 100, timeout=WAIT)
    assert all(node.layer != "backbone" for node in designer.spec().nodes)
    wait_for_figures(designer, qtbot)
    assert designer.drawing.examination is not None
    assert designer.drawing.examination.works
    designer.drawing.undo()
    assert len(designer.spec().nodes) == 4


def test_the_palette_is_searched_in_the_language_of_the_window(
    open_designer: Callable[..., Designer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(palette, "translated", lambda text: text.replace("Dense", "Densa"))
    layers = open_designer().palette_list.list
    layers.filter("densa")
    assert layers.first() == "dense"
    layers.filter("dense")
    assert layers.first() == "dense"


@pytest.mark.thorough
def test_every_layer_of_the_palette_can_be_dropped_on_a_wire(
    open_designer: Callable[..., Designer], qtbot: QtBot, context: AppContext
) -> None:
    designer = open_designer()
    for choice in choices():
        designer.open_new()
        new = designer.drawing.add(choice.name, (0.0, 0.0), ("rescaling_1", "flatten_1"))
        assert new, choice.name
        assert set(new) <= set(designer.spec().positions)
    wait_for_figures(designer, qtbot)
    assert context.background.is_idle
