"""Click to segment on the canvases: clicks, boxes, undo, accept and cancel, with the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.tasks.annotations import IGNORE
from studio.ui.pages.label.tools.instance_canvas import InstanceCanvasEditor
from studio.ui.theme.theme import Theme
from studio.ui.widgets.canvas.editor import BoxEditor, CanvasEditor, MaskCanvasEditor
from studio.ui.widgets.canvas.mask_image import Region
from studio.ui.widgets.canvas.masks import Tool
from studio.ui.widgets.canvas.prompting import FailedText, FoundObject, PromptMark
from studio.ui.widgets.canvas.pyramid import ImagePyramid

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
PLAIN, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
SIZE = QSize(200, 120)


class Squares(QObject):
    """Finds a square of 20 pixels around each click, and what is in a box but for its edge.

    Attributes:
        waits: True to keep the answers until they are called.
        answers: Those that were kept.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.reason = ""
        self.state = ""
        self.prepared = 0
        self.waits = False
        self.answers: list[Callable[[], None]] = []

    def _answer(self, answer: Callable[[], None]) -> None:
        if self.waits:
            self.answers.append(answer)
        else:
            answer()

    def prepare(self) -> None:
        self.prepared += 1

    def drop(self) -> None:
        pass

    def find(self, marks: Sequence[PromptMark], found: FoundObject, failed: FailedText) -> None:
        inside = np.zeros((SIZE.height(), SIZE.width()), np.bool_)
        for mark in marks:
            if mark.end is None:
                x, y = int(mark.point.x()), int(mark.point.y())
                inside[max(0, y - 10) : y + 10, max(0, x - 10) : x + 10] = mark.is_inside
            else:
                ends = (mark.point.x(), mark.point.y(), mark.end.x(), mark.end.y())
                left, top, right, bottom = map(round, ends)
                inside[top + 2 : bottom - 2, left + 2 : right - 2] = True
        whole = Region((0, 0, SIZE.width(), SIZE.height()), inside)
        self._answer(partial(found, whole if inside.any() else None))

    def find_all(
        self,
        boxes: Callable[[], Sequence[tuple[float, float, float, float]]],
        found: Callable[[Sequence[Region | None]], None],
        failed: FailedText,
    ) -> None:
        regions: list[Region | None] = []
        for left, top, right, bottom in boxes():
            area = (int(left) + 2, int(top) + 2, int(right) - 2, int(bottom) - 2)
            shape = (area[3] - area[1], area[2] - area[0])
            regions.append(Region(area, np.ones(shape, np.bool_)) if min(shape) > 0 else None)
        self._answer(partial(found, regions))


def make_boxes(theme: Theme) -> CanvasEditor:
    return BoxEditor(theme, 100)


def make_masks(theme: Theme) -> CanvasEditor:
    return MaskCanvasEditor(theme, IGNORE)


MAKERS = [make_boxes, make_masks, InstanceCanvasEditor]


@pytest.fixture
def squares() -> Squares:
    return Squares()


@pytest.fixture
def shown(theme: Theme, qtbot: QtBot, squares: Squares) -> Callable[..., CanvasEditor]:
    def showing(make: Callable[[Theme], CanvasEditor], reason: str = "") -> CanvasEditor:
        editor = make(theme)
        qtbot.addWidget(editor)
        editor.resize(760, 560)
        editor.canvas.set_classes(["cell", "debris"], ["#e69f00", "#0072b2"])
        image = QImage(SIZE, QImage.Format.Format_RGB32)
        image.fill(QColor("#202020"))
        squares.reason = reason
        editor.set_outliner(squares)
        editor.show()
        editor.show_value(ImagePyramid(image), None)
        editor.canvas.setFocus()
        return editor

    return showing


def click(
    editor: CanvasEditor,
    x: float,
    y: float,
    button: Qt.MouseButton = LEFT,
    keys: Qt.KeyboardModifier = PLAIN,
) -> None:
    place = editor.canvas.to_window(QPointF(x, y)).toPoint()
    QTest.mouseClick(editor.canvas, button, keys, place)


def drag(editor: CanvasEditor, start: tuple[float, float], end: tuple[float, float]) -> None:
    first, last = (editor.canvas.to_window(QPointF(*each)).toPoint() for each in (start, end))
    QTest.mousePress(editor.canvas, LEFT, PLAIN, first)
    QTest.mouseMove(editor.canvas, (first + last) / 2)
    QTest.mouseMove(editor.canvas, last)
    QTest.mouseRelease(editor.canvas, LEFT, PLAIN, last)


def drawn(editor: CanvasEditor) -> int:
    """Return the number of drawn pixels, or of the pixels in boxes."""
    value = editor.value()
    if isinstance(editor, BoxEditor):
        return int(((value[:, 3] - value[:, 1]) * (value[:, 4] - value[:, 2])).sum())
    return int(
        ((value != IGNORE) & (value != 0)).sum()
        if value.dtype == np.int32
        else (value != IGNORE).sum()
    )


@pytest.mark.parametrize("make", MAKERS)
def test_an_object_is_marked_refined_undone_and_accepted(
    make: Callable[[Theme], CanvasEditor], shown: Callable[..., CanvasEditor], squares: Squares
) -> None:
    editor = shown(make)
    prompting = editor.canvas.prompting
    editor.choose_class(1)
    QTest.keyClick(editor.canvas, Qt.Key.Key_S)
    assert squares.prepared == 1
    click(editor, 50, 50)
    assert prompting.region is not None
    assert int(prompting.region.inside.sum()) == 400
    click(editor, 60, 50)
    click(editor, 70, 50, keys=SHIFT)
    click(editor, 70, 50, RIGHT)
    assert [mark.is_inside for mark in prompting.marks] == [True, True, False, False]
    assert int(prompting.region.inside.sum()) == 400
    assert drawn(editor) == 0
    QTest.keyClick(editor.canvas, Qt.Key.Key_Backspace)
    editor.step("undo")
    editor.step("undo")
    assert len(prompting.marks) == 1
    editor.canvas.grab()
    QTest.keyClick(editor.canvas, Qt.Key.Key_Return)
    assert not prompting.is_active
    assert drawn(editor) > 0
    editor.canvas.undo()
    assert drawn(editor) == 0
    click(editor, 50, 50)
    QTest.keyClick(editor.canvas, Qt.Key.Key_Escape)
    assert not prompting.is_active
    drag(editor, (20, 20), (80, 60))
    assert prompting.marks[0].end is not None
    click(editor, 80, 60)
    assert len(prompting.marks) == 2
    editor.canvas.grab()
    QTest.keyClick(editor.canvas, Qt.Key.Key_Enter)
    assert drawn(editor) > 1500


@pytest.mark.parametrize("make", MAKERS)
def test_an_object_of_earlier_marks_is_not_accepted(
    make: Callable[[Theme], CanvasEditor], shown: Callable[..., CanvasEditor], squares: Squares
) -> None:
    editor = shown(make)
    texts: list[str] = []
    editor.failed.connect(texts.append)
    QTest.keyClick(editor.canvas, Qt.Key.Key_S)
    click(editor, 50, 50)
    assert "Enter accepts" in editor.segment_text.text()
    squares.waits = True
    click(editor, 55, 50, RIGHT)
    assert editor.segment_text.isHidden()
    QTest.keyClick(editor.canvas, Qt.Key.Key_Return)
    assert drawn(editor) == 0
    assert "Press Enter when it is shown" in texts[-1]
    squares.answers.pop()()
    assert texts[-1] == ""
    QTest.keyClick(editor.canvas, Qt.Key.Key_Backspace)
    QTest.keyClick(editor.canvas, Qt.Key.Key_Return)
    assert drawn(editor) == 0
    squares.answers.pop()()
    QTest.keyClick(editor.canvas, Qt.Key.Key_Return)
    assert drawn(editor) > 0


@pytest.mark.parametrize("make", MAKERS)
def test_without_a_model_the_tool_is_disabled_with_the_reason_and_files_are_offered(
    make: Callable[[Theme], CanvasEditor],
    shown: Callable[..., CanvasEditor],
    squares: Squares,
    qtbot: QtBot,
) -> None:
    editor = shown(make, reason="Choose the files first.")
    texts: list[str] = []
    editor.failed.connect(texts.append)
    assert editor.segment_button is not None
    assert not editor.segment_button.isEnabled()
    assert editor.segment_button.toolTip() == "Choose the files first."
    QTest.keyClick(editor.canvas, Qt.Key.Key_S)
    assert texts[-1] == "Choose the files first."
    click(editor, 50, 50)
    assert not editor.canvas.prompting.is_active
    with qtbot.waitSignal(editor.files_requested):
        QTest.mouseClick(editor.files_button, LEFT)
    squares.reason = ""
    squares.changed.emit()
    assert editor.segment_button.isEnabled()
    assert editor.files_button.isHidden()


def test_the_keyboard_alone_marks_an_object(shown: Callable[..., CanvasEditor]) -> None:
    editor = shown(InstanceCanvasEditor)
    for key in (Qt.Key.Key_S, Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Down):
        QTest.keyClick(editor.canvas, key)
    QTest.keyClick(editor.canvas, Qt.Key.Key_Return, SHIFT)
    assert [mark.is_inside for mark in editor.canvas.prompting.marks] == [True, False]
    QTest.keyClick(editor.canvas, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert drawn(editor) > 0


def test_every_box_gets_the_outline_of_its_object(shown: Callable[..., CanvasEditor]) -> None:
    editor = shown(make_boxes)
    assert isinstance(editor, BoxEditor)
    editor.boxes.paste(np.array([[0, 10, 10, 50, 50, 1], [1, 60, 10, 62, 12, 0]], np.float32))
    QTest.keyClick(editor.canvas, Qt.Key.Key_S, SHIFT)
    assert editor.value().tolist() == [[0, 12, 12, 48, 48, 1], [1, 60, 10, 62, 12, 0]]
    editor.canvas.undo()
    assert editor.value()[0].tolist() == [0, 10, 10, 50, 50, 1]


def test_objects_are_outlined_again_by_their_boxes(shown: Callable[..., CanvasEditor]) -> None:
    editor = shown(InstanceCanvasEditor)
    assert isinstance(editor, InstanceCanvasEditor)
    labels = np.zeros((SIZE.height(), SIZE.width()), np.int32)
    labels[20:60, 20:60] = 257
    labels[20:60, 60:64] = 512
    editor.show_value(editor.canvas.pyramid, labels)
    editor.masks.choose_tool(Tool.SELECT)
    QTest.keyClick(editor.canvas, Qt.Key.Key_S, SHIFT)
    found = editor.value()
    assert (found == 257).sum() == 36 * 36
    assert (found == 512).sum() == 40 * 4
    editor.canvas.undo()
    assert (editor.value() == labels).all()


def test_outlines_of_boxes_that_were_changed_meanwhile_are_dropped(
    shown: Callable[..., CanvasEditor], squares: Squares
) -> None:
    editor = shown(make_boxes)
    assert isinstance(editor, BoxEditor)
    texts: list[str] = []
    editor.failed.connect(texts.append)
    editor.boxes.paste(np.array([[0, 10, 10, 50, 50, 0]], np.float32))
    squares.waits = True
    editor.outline_all()
    QTest.keyClick(editor.canvas, Qt.Key.Key_Right)
    squares.answers.pop()()
    assert editor.value().tolist() == [[0, 11, 10, 51, 50, 0]]
    assert "Outline again" in texts[-1]


def test_outlines_change_only_their_own_rectangles(
    shown: Callable[..., CanvasEditor], squares: Squares
) -> None:
    editor = shown(InstanceCanvasEditor)
    assert isinstance(editor, InstanceCanvasEditor)
    texts: list[str] = []
    editor.failed.connect(texts.append)
    labels = np.zeros((SIZE.height(), SIZE.width()), np.int32)
    labels[20:60, 20:60] = 257
    editor.show_value(editor.canvas.pyramid, labels)
    squares.waits = True
    editor.outline_all()
    click(editor, 100, 90)
    before = editor.value().copy()
    squares.answers.pop()()
    found = editor.value().copy()
    assert (found == 257).sum() == 36 * 36
    assert (found[:, 62:] == before[:, 62:]).all()
    assert found[90, 100] > 0
    assert max(each.after.size for each in editor.masks.mask_image._before[-1]) <= 40 * 40
    assert texts == []
    editor.canvas.undo()
    assert (editor.value() == before).all()
    editor.canvas.redo()
    editor.masks.choose_tool(Tool.ERASER)
    editor.outline_all()
    click(editor, 30, 40)
    before = editor.value().copy()
    assert before[40, 30] == 0
    squares.answers.pop()()
    assert (editor.value() == before).all()
    assert "Outline again" in texts[-1]
