"""The canvas of objects: drawing, splitting, merging, erasing, and undo; with many objects."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.ui.pages.label.tools.instance_canvas import InstanceCanvas, InstanceCanvasEditor
from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.masks import Tool
from studio.ui.widgets.canvas.pyramid import ImagePyramid

SIZE = QSize(200, 120)


def labels() -> NDArray[np.int32]:
    """Two squares of class 0 that touch, and one of class 1 with a hole."""
    found = np.zeros((120, 200), np.int32)
    found[20:60, 20:60] = 256
    found[20:60, 60:100] = 2 * 256
    found[70:110, 120:170] = 3 * 256 + 1
    found[85:95, 140:150] = 0
    return found


@pytest.fixture(name="editor")
def _editor(theme: Theme, qtbot: QtBot) -> InstanceCanvasEditor:
    editor = InstanceCanvasEditor(theme)
    qtbot.addWidget(editor)
    editor.resize(700, 500)
    editor.canvas.set_classes(["cell", "debris"], ["#e69f00", "#0072b2"])
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor("#202020"))
    editor.show_value(ImagePyramid(image), labels())
    editor.show()
    qtbot.waitExposed(editor)
    return editor


def at(canvas: InstanceCanvas, x: float, y: float) -> QPointF:
    """Return a position of the picture in the window."""
    return canvas.to_window(QPointF(x, y))


def click(
    canvas: InstanceCanvas,
    x: float,
    y: float,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Click a position of the picture."""
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, modifier, at(canvas, x, y).toPoint())


def drag(canvas: InstanceCanvas, *points: tuple[float, float]) -> None:
    """Press at the first point, move over the others, and release at the last."""
    places = [at(canvas, *each).toPoint() for each in points]
    button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mousePress(canvas, button, none, places[0])
    for each in places[1:]:
        QTest.mouseMove(canvas, each)
    QTest.mouseRelease(canvas, button, none, places[-1])


def values(canvas: InstanceCanvas) -> list[int]:
    """Return the objects that there are."""
    found: list[int] = np.unique(canvas.value()[canvas.value() > 0]).tolist()
    return found


def test_a_stroke_is_a_new_object_that_covers_no_other(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    canvas.choose_class(1)
    canvas.set_brush_size(12)
    before = canvas.value().copy()
    drag(canvas, (110, 40), (60, 40), (150, 40))
    new = [each for each in values(canvas) if each not in (256, 512, 769)]
    assert len(new) == 1
    assert new[0] % 256 == 1
    assert (canvas.value()[before > 0] == before[before > 0]).all()
    assert canvas.value()[40, 130] == new[0]
    editor.step("undo")
    assert (canvas.value() == before).all()
    editor.step("redo")
    assert values(canvas) == sorted([256, 512, 769, *new])


def test_selected_objects_are_merged_deleted_and_get_classes(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    QTest.keyClick(canvas, Qt.Key.Key_V)
    assert canvas.tool is Tool.SELECT
    click(canvas, 40, 40)
    assert canvas.selected == [256]
    click(canvas, 80, 40, Qt.KeyboardModifier.ShiftModifier)
    assert canvas.selected == [256, 512]
    assert editor.merge_button.isEnabled()
    QTest.keyClick(canvas, Qt.Key.Key_M)
    assert values(canvas) == [256, 769]
    editor.choose_class(1)
    assert values(canvas) == [257, 769]
    assert canvas.selected == [257]
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert values(canvas) == [769]
    for _ in range(3):
        editor.step("undo")
    assert (canvas.value() == labels()).all()


def test_a_line_splits_an_object(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    QTest.keyClick(canvas, Qt.Key.Key_X)
    drag(canvas, (15, 40), (40, 40), (59, 40))
    parts = [each for each in values(canvas) if each not in (512, 769)]
    assert len(parts) == 2
    assert (canvas.value() > 0).sum() == (labels() > 0).sum(), "no pixel is lost"
    assert canvas.value()[25, 30] != canvas.value()[55, 30]


def test_a_line_beside_all_objects_says_what_to_do(
    editor: InstanceCanvasEditor, qtbot: QtBot
) -> None:
    canvas = editor.masks
    canvas.choose_tool(Tool.SPLIT)
    with qtbot.waitSignal(editor.failed):
        drag(canvas, (110, 5), (190, 5))
    assert (canvas.value() == labels()).all()


def test_escape_and_another_tool_end_a_line_of_the_keyboard(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_B):
        for each in (Qt.Key.Key_X, Qt.Key.Key_Right, Qt.Key.Key_Return):
            QTest.keyClick(canvas, each)
        assert canvas._cut_line is not None
        QTest.keyClick(canvas, key)
        assert canvas._cut_line is None
    assert (canvas.value() == labels()).all()


def test_redo_paste_and_take_end_the_selection(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    for change in (canvas.redo, partial(canvas.paste, labels()), partial(canvas.take, labels())):
        canvas.select([256])
        change()
        assert (canvas.selected, canvas.mask_image.target) == ([], 0)


def test_a_part_is_colored_as_the_whole(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    for area in ((25, 25, 58, 58), (30, 30, 200, 120), (62, 20, 64, 22)):
        whole = canvas._colored.copy()
        canvas._repaint_area(area)
        assert (canvas._colored == whole).all()


def test_holes_are_filled(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    canvas.choose_tool(Tool.FILL)
    click(canvas, 125, 80)
    assert canvas.value()[90, 145] == 769


def test_the_eraser_spares_what_is_not_selected(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    canvas.select([256])
    canvas.choose_tool(Tool.ERASER)
    canvas.set_brush_size(20)
    drag(canvas, (60, 25), (60, 55))
    assert canvas.value()[40, 55] == 0
    assert canvas.value()[40, 62] == 512


def test_a_polygon_is_an_object(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    canvas.choose_tool(Tool.POLYGON)
    for x, y in ((120, 10), (190, 10), (190, 60), (120, 60)):
        click(canvas, x, y)
    canvas.close_polygon()
    new = canvas.value()[30, 150]
    assert new > 769
    assert canvas.grab().toImage().pixelColor(at(canvas, 150, 30).toPoint()).red() > 60


def test_a_box_is_an_object(editor: InstanceCanvasEditor) -> None:
    canvas = editor.masks
    canvas.choose_tool(Tool.BOX)
    drag(canvas, (120, 10), (190, 60))
    assert canvas.value()[30, 150] > 769


def test_a_box_becomes_an_outline(editor: InstanceCanvasEditor, qtbot: QtBot) -> None:
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor("#101010"))
    for x in range(130, 160):
        for y in range(20, 50):
            image.setPixelColor(x, y, QColor("#f0f0f0"))
    editor.show_value(ImagePyramid(image), None)
    canvas = editor.masks
    canvas.choose_tool(Tool.CUT)
    with qtbot.waitSignal(editor.changed, timeout=20_000):
        drag(canvas, (122, 12), (150, 40), (168, 58))
    assert values(canvas) == [256]
    assert abs(int((canvas.value() > 0).sum()) - 900) < 90


def test_a_proposal_takes_free_numbers(editor: InstanceCanvasEditor) -> None:
    proposal = np.zeros((120, 200), np.int32)
    proposal[100:118, 10:40] = 256
    editor.show_proposal(proposal)
    editor.take_proposal()
    assert values(editor.masks) == [256, 512, 769, 4 * 256]


def test_a_stroke_is_fast_among_2000_objects(editor: InstanceCanvasEditor) -> None:
    """Processor time of one move of the brush in a picture of 4 megapixels."""
    rows, columns = np.mgrid[:2000, :2000]
    numbers = (rows // 44) * 45 + columns // 44 + 1
    inside = (rows % 44 - 22) ** 2 + (columns % 44 - 22) ** 2 < 300
    many = np.where(inside, numbers * 256, 0).astype(np.int32)
    image = QImage(2000, 2000, QImage.Format.Format_RGB32)
    image.fill(0)
    editor.show_value(ImagePyramid(image), many)
    canvas = editor.masks
    assert len(values(canvas)) > 2000
    canvas.mask_image.begin()
    canvas._stroke(QPointF(100, 100), QPointF(101, 100))
    begin = time.process_time()
    for step in range(50):
        canvas._stroke(QPointF(100 + 4 * step, 100), QPointF(104 + 4 * step, 100))
    assert (time.process_time() - begin) / 50 < 0.01
