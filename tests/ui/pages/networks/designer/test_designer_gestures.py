"""Gestures on the canvas: what a hand does becomes a change of the drawing."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from helpers.hands import Hands
from studio.engine.networks.edits import CLASSES
from studio.engine.networks.spec import INPUT
from studio.engine.networks.zoo import ZOO
from studio.ui.context import AppContext
from studio.ui.pages.networks.designer.designer import Designer
from studio.ui.pages.networks.designer.inspector import show_figures
from studio.ui.widgets.notices import Notice

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def inputs(designer: Designer, node_id: str) -> tuple[str, ...]:
    return designer.spec().node(node_id).inputs


def free_point(designer: Designer) -> QPointF:
    return designer.scene.graphics.boxes[INPUT].box().center() + QPointF(260, 40)


def test_a_layer_dragged_onto_a_wire_goes_into_it(designer: Designer, hands: Hands) -> None:
    new = hands.drag_layer("conv2d", hands.middle_of_wire("rescaling_1", "flatten_1"))
    assert inputs(designer, new) == ("rescaling_1",)
    assert inputs(designer, "flatten_1") == (new,)
    assert designer.drawing.selection == (new,)
    boxes = designer.scene.graphics.boxes
    tops = [boxes[key].pos().y() for key in ("rescaling_1", new, "flatten_1", "predictions")]
    assert all(b - a >= 48 + 20 for a, b in pairwise(tops))
    assert designer.inspector.node.name.text() == new


def test_a_layer_is_dragged_wired_and_all_of_it_undone(designer: Designer, hands: Hands) -> None:
    start = designer.spec()
    new = hands.drag_layer("conv2d", free_point(designer))
    assert inputs(designer, new) == ()
    hands.wire(INPUT, new)
    assert inputs(designer, new) == (INPUT,)
    hands.wire(new, "rescaling_1")
    assert inputs(designer, "rescaling_1") == (new,)
    for _ in range(3):
        hands.key(Qt.Key.Key_Z, CONTROL)
    assert designer.spec() == start
    assert not designer.is_dirty
    for _ in range(3):
        designer.commands.actions["redo"].trigger()
    assert inputs(designer, "rescaling_1") == (new,)


def test_a_wire_is_drawn_from_the_input_back_too(designer: Designer, hands: Hands) -> None:
    new = hands.drag_layer("flatten", free_point(designer))
    boxes = designer.scene.graphics.boxes
    hands.drag_on_canvas(boxes[new].port("in"), boxes["rescaling_1"].port("out"))
    assert inputs(designer, new) == ("rescaling_1",)


def test_only_boxes_that_take_a_wire_light_up(designer: Designer, hands: Hands) -> None:
    viewport = designer.view.viewport()
    port = designer.scene.graphics.boxes["flatten_1"].port("out")
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=hands.on_screen(port))
    lit = {key for key, box in designer.scene.graphics.boxes.items() if box.style.lit}
    assert lit == {"predictions", CLASSES}
    hands.key(Qt.Key.Key_Escape)
    assert not any(box.style.lit for box in designer.scene.graphics.boxes.values())
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=hands.on_screen(port))
    assert not designer.is_dirty


def test_a_wire_that_would_close_a_circle_is_not_drawn(designer: Designer, hands: Hands) -> None:
    hands.wire("predictions", "rescaling_1")
    assert not designer.is_dirty


def test_a_wire_dropped_on_nothing_offers_layers(designer: Designer, hands: Hands) -> None:
    port = designer.scene.graphics.boxes["rescaling_1"].port("out")
    hands.drag_on_canvas(port, free_point(designer))
    assert designer.search.isVisible()
    QTest.keyClicks(designer.search.edit, "max pool")
    QTest.keyClick(designer.search.edit, Qt.Key.Key_Return)
    assert not designer.search.isVisible()
    assert inputs(designer, "max_pool_1") == ("rescaling_1",)


def test_escape_closes_the_list_of_layers(designer: Designer, hands: Hands) -> None:
    designer.commands.actions["add"].trigger()
    assert designer.search.isVisible()
    QTest.keyClick(designer.search.edit, Qt.Key.Key_Escape)
    assert not designer.search.isVisible()
    assert not designer.is_dirty


def test_keys_of_the_list_leave_the_canvas_alone(designer: Designer, hands: Hands) -> None:
    hands.click_box("flatten_1")
    start = designer.spec()
    search = designer.search
    designer.commands.actions["find"].trigger()
    last = search.list.count() - 1
    for key, row in (
        (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_Down, 1),
        (Qt.Key.Key_PageDown, last),
        (Qt.Key.Key_Down, last),
        (Qt.Key.Key_PageUp, 0),
        (Qt.Key.Key_PageUp, 0),
    ):
        QTest.keyClick(search.edit, key)
        assert search.list.currentRow() == row
    QTest.keyClicks(search.edit, "no such layer")
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_F2):
        QTest.keyClick(search.edit, key)
    search.list.setFocus()
    QTest.keyClick(search.list, Qt.Key.Key_Up)
    assert search.isVisible()
    assert designer.spec() == start
    assert not designer.is_dirty


def test_a_click_on_a_figure_leaves_the_focus_on_the_canvas(
    designer: Designer, hands: Hands
) -> None:
    hands.click_box("flatten_1")
    facts = designer.inspector.node.facts
    show_figures(facts, [("Parameters", "1024", "")], stale=False)
    value = next(each for each in facts.findChildren(QLabel) if each.text() == "1024")
    assert value.isVisible()
    assert value.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    QTest.mouseClick(value, Qt.MouseButton.LeftButton)
    assert designer.view.hasFocus()


def test_boxes_are_moved_by_steps_and_undone_in_one_go(designer: Designer, hands: Hands) -> None:
    before = designer.spec().positions["flatten_1"]
    box = designer.scene.graphics.boxes["flatten_1"]
    hands.drag_on_canvas(box.box().center(), box.box().center() + QPointF(83, 37))
    after = designer.spec().positions["flatten_1"]
    assert (after[0] - before[0], after[1] - before[1]) == (80, 40)
    wire = designer.scene.graphics.wires["rescaling_1", "flatten_1"]
    assert wire.path().pointAtPercent(1) == box.port("in")
    designer.drawing.undo()
    assert designer.spec().positions["flatten_1"] == before


def test_several_are_selected_with_a_rubber_band_and_moved_together(
    designer: Designer, hands: Hands
) -> None:
    boxes = designer.scene.graphics.boxes
    first, last = boxes[INPUT].box(), boxes["rescaling_1"].box()
    hands.drag_on_canvas(first.topLeft() - QPointF(30, 12), last.bottomRight() + QPointF(30, 4))
    assert set(designer.drawing.selection) == {INPUT, "rescaling_1"}
    positions = dict(designer.spec().positions)
    hands.drag_on_canvas(last.center(), last.center() + QPointF(40, 0))
    for key in (INPUT, "rescaling_1"):
        assert designer.spec().positions[key][0] == positions[key][0] + 40
    assert designer.spec().positions["flatten_1"] == positions["flatten_1"]


def test_arrow_keys_move_and_are_one_change(designer: Designer, hands: Hands) -> None:
    hands.click_box("flatten_1")
    before = designer.spec().positions["flatten_1"]
    for _ in range(3):
        hands.key(Qt.Key.Key_Right)
    hands.key(Qt.Key.Key_Down, SHIFT)
    assert designer.spec().positions["flatten_1"] == (before[0] + 24, before[1] + 1)
    hands.key(Qt.Key.Key_Z, CONTROL)
    assert designer.spec().positions["flatten_1"] == before


def test_a_layer_is_deleted_and_the_wire_closes(designer: Designer, hands: Hands) -> None:
    hands.click_box("flatten_1")
    hands.key(Qt.Key.Key_Delete)
    assert inputs(designer, "predictions") == ("rescaling_1",)
    assert "flatten_1" not in designer.scene.graphics.boxes


def test_a_wire_is_selected_and_deleted(designer: Designer, hands: Hands) -> None:
    hands.click(hands.middle_of_wire("rescaling_1", "flatten_1"))
    assert designer.drawing.wire == ("rescaling_1", "flatten_1")
    hands.key(Qt.Key.Key_Delete)
    assert inputs(designer, "flatten_1") == ()


def test_copy_cut_paste_and_duplicate(designer: Designer, hands: Hands) -> None:
    hands.click_box("flatten_1")
    hands.click_box("predictions", CONTROL)
    hands.key(Qt.Key.Key_C, CONTROL)
    assert len(json.loads(QGuiApplication.clipboard().text())["nodes"]) == 2
    hands.key(Qt.Key.Key_V, CONTROL)
    new = designer.drawing.selection
    assert len(new) == 2
    assert inputs(designer, new[1]) == (new[0],)
    hands.key(Qt.Key.Key_X, CONTROL)
    assert len(designer.spec().nodes) == 3
    hands.key(Qt.Key.Key_V, CONTROL)
    designer.commands.actions["duplicate"].trigger()
    assert len(designer.spec().nodes) == 7


def test_foreign_text_is_not_pasted_and_the_reason_shown(
    designer: Designer, hands: Hands, context: AppContext, qtbot: QtBot
) -> None:
    QGuiApplication.clipboard().setText('{"studio": "network layers", "nodes": "evil"}')
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=2000) as text:
        hands.key(Qt.Key.Key_V, CONTROL)
    assert text.args is not None
    assert isinstance(text.args[0], Notice)
    assert not designer.is_dirty


def test_tab_goes_through_the_layers_and_leaves(designer: Designer, hands: Hands) -> None:
    designer.drawing.select([])
    assert designer.view.accessibleDescription().startswith("Layers from input to output: 3")
    seen = []
    for _ in range(3):
        hands.key(Qt.Key.Key_Tab)
        seen.append(designer.drawing.selection)
    assert seen == [("rescaling_1",), ("flatten_1",), ("predictions",)]
    assert "predictions" in designer.view.accessibleDescription()
    hands.key(Qt.Key.Key_Tab)
    assert not designer.view.hasFocus()


def test_find_jumps_to_a_layer_in_a_folded_block(designer: Designer, hands: Hands) -> None:
    designer.open(ZOO["squeezenet"].build((64, 64, 3), 10))
    designer.commands.actions["fold"].trigger()
    assert "fire4_concat" not in designer.scene.graphics.boxes
    hands.key(Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(designer.search.edit, "fire4_con")
    QTest.keyClick(designer.search.edit, Qt.Key.Key_Return)
    assert designer.drawing.selection == ("fire4_concat",)
    assert "fire4_concat" in designer.scene.graphics.boxes
    assert "fire5_concat" not in designer.scene.graphics.boxes


def test_blocks_fold_by_their_button_and_move_as_one(designer: Designer, hands: Hands) -> None:
    designer.open(ZOO["squeezenet"].build((64, 64, 3), 10))
    before = dict(designer.spec().positions)
    hands.click(designer.scene.graphics.frames["#conv1"].fold_button().center())
    folded = designer.scene.graphics.boxes["#conv1"]
    hands.drag_on_canvas(folded.box().center(), folded.box().center() + QPointF(40, 0))
    after = designer.spec().positions
    for key in ("conv1", "pool1"):
        assert after[key] == (before[key][0] + 40, before[key][1])
    assert after["fire2_concat"] == before["fire2_concat"]
    QTest.mouseDClick(
        designer.view.viewport(),
        Qt.MouseButton.LeftButton,
        pos=hands.on_screen(folded.box().center()),
    )
    assert "conv1" in designer.scene.graphics.boxes


def test_a_block_from_the_palette_is_a_frame_wired_in(designer: Designer, hands: Hands) -> None:
    point = hands.middle_of_wire("rescaling_1", "flatten_1")
    assert hands.drag_layer("block:residual", point)
    spec = designer.spec()
    blocks = {node.block for node in spec.nodes} - {"head", ""}
    assert blocks == {"residual_1"}
    (last,) = inputs(designer, "flatten_1")
    assert spec.node(last).block == "residual_1"
    assert "#residual_1" in designer.scene.graphics.frames


def boxes_and_frames_are_apart(designer: Designer) -> bool:
    """No box stands in the frame of a block that it is not in."""
    graphics = designer.scene.graphics
    return not any(
        frame.rect().intersects(box.box())
        for key, frame in graphics.frames.items()
        for box in graphics.boxes.values()
        if box.key not in graphics.picture.inside[key]
    )


def test_room_is_made_for_what_is_added(designer: Designer, hands: Hands) -> None:
    for name in ("conv2d", "block:inception", "max_pool", "block:fire", "dropout"):
        hands.drag_layer(name, hands.middle_of_wire(*before_the_head(designer)))
        assert boxes_and_frames_are_apart(designer), name
    designer.commands.actions["right"].trigger()
    designer.drawing.add("conv2d", (0.0, 0.0), before_the_head(designer))
    assert boxes_and_frames_are_apart(designer)
    assert designer.spec().node("conv2d_2").block == ""


def before_the_head(designer: Designer) -> tuple[str, str]:
    (source,) = inputs(designer, "flatten_1")
    return source, "flatten_1"


def test_a_layer_within_a_block_becomes_part_of_it(designer: Designer, hands: Hands) -> None:
    new = hands.drag_layer("dropout", hands.middle_of_wire("flatten_1", "predictions"))
    assert designer.spec().node(new).block == "head"
    assert boxes_and_frames_are_apart(designer)


def test_freezing_by_key_and_up_to_a_layer(designer: Designer, hands: Hands) -> None:
    hands.click_box("flatten_1")
    hands.key(Qt.Key.Key_F)
    assert designer.spec().node("flatten_1").frozen
    assert designer.scene.graphics.boxes["flatten_1"].style.frozen
    designer.commands.actions["freeze_to"].trigger()
    assert [node.frozen for node in designer.spec().nodes] == [True, True, False]


def test_a_note_is_written_and_removed(designer: Designer, hands: Hands) -> None:
    designer.commands.actions["note"].trigger()
    QTest.keyClicks(designer.inspector.note.text, "look here")
    assert designer.spec().comments[0].text == "look here"
    designer.view.setFocus()
    hands.key(Qt.Key.Key_Delete)
    assert designer.spec().comments == ()


@pytest.mark.parametrize("turns", [3, -3])
def test_the_wheel_with_control_zooms_at_the_pointer(designer: Designer, turns: int) -> None:
    point = designer.view.viewport().rect().center()
    QTest.mouseMove(designer.view.viewport(), point)
    there = designer.view.mapToScene(point)
    before = designer.view.scale_now
    designer.view.zoom_by(1.2**turns)
    assert (designer.view.scale_now > before) == (turns > 0)
    after = designer.view.mapToScene(point)
    assert abs(after.x() - there.x()) < 80


def test_the_overview_shows_and_moves_what_is_in_sight(designer: Designer) -> None:
    assert not designer.overview.isVisible()
    designer.open(ZOO["squeezenet"].build((64, 64, 3), 10))
    assert designer.overview.isVisible()
    before = designer.view.seen().top()
    QTest.mouseClick(
        designer.overview,
        Qt.MouseButton.LeftButton,
        pos=QPoint(designer.overview.width() // 2, designer.overview.height() - 10),
    )
    assert designer.view.seen().top() > before
    designer.view.fit()
    assert not designer.overview.isVisible() or designer.view.scale_now < 0.06


def test_the_middle_button_pans(designer: Designer) -> None:
    designer.open(ZOO["squeezenet"].build((64, 64, 3), 10))
    viewport = designer.view.viewport()
    before = designer.view.seen().topLeft()
    QTest.mousePress(viewport, Qt.MouseButton.MiddleButton, pos=QPoint(300, 300))
    QTest.mouseMove(viewport, QPoint(300, 220))
    QTest.mouseRelease(viewport, Qt.MouseButton.MiddleButton, pos=QPoint(300, 220))
    assert designer.view.seen().top() > before.y() + 50
    assert designer.drawing.selection == ()


def test_escape_gives_a_drag_from_the_palette_up(designer: Designer) -> None:
    source = designer.palette_list.list
    start = source.point_of("conv2d")
    QTest.mousePress(source.viewport(), Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(source.viewport(), start + QPoint(300, 40))
    QTest.keyClick(source, Qt.Key.Key_Escape)
    QTest.mouseRelease(source.viewport(), Qt.MouseButton.LeftButton, pos=start + QPoint(300, 40))
    assert not designer.is_dirty


def test_enter_in_the_search_adds_before_the_head(designer: Designer) -> None:
    QTest.keyClicks(designer.palette_list.search, "depthwise")
    QTest.keyClick(designer.palette_list.search, Qt.Key.Key_Return)
    assert inputs(designer, "flatten_1") == ("depthwise_conv2d_1",)
    assert inputs(designer, "depthwise_conv2d_1") == ("rescaling_1",)
