"""Click to segment on the page, with a small model in its own process."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from label_pages import Opener
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.segment_models import write_sam
from studio.engine.errors import StudioError
from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.segmenting.requests import ENCODE, SEGMENT, EncodeAnswer, SegmentModel
from studio.engine.labeling.values import BoxesValue, InstancesValue
from studio.ui.pages.label.tools.drawn import DrawnTools
from studio.ui.widgets.canvas.prompting import PromptMark

pytestmark = pytest.mark.slow


def test_a_click_outlines_an_object_and_the_next_picture_is_prepared(
    opened: Opener, qtbot: QtBot, tmp_path: Path
) -> None:
    view = opened("instances", "corner")
    tools, canvas = view.single.tools, view.single.canvas
    assert isinstance(tools, DrawnTools)
    button = tools.drawing.segment_button
    assert button is not None
    assert not button.isEnabled()
    assert "ONNX" in button.toolTip()
    tools.segment.use_folder(tmp_path)
    qtbot.waitUntil(lambda: "must hold two ONNX files" in button.toolTip())
    tools.segment.use_folder(write_sam(tmp_path / "model"))
    qtbot.waitUntil(button.isEnabled)
    assert tools.drawing.files_button.isHidden()
    first = view.session.current
    QTest.keyClick(canvas, Qt.Key.Key_S)
    qtbot.waitUntil(lambda: len(tools.segment.prepared) == 2, timeout=60_000)
    assert (first, 0) in tools.segment.prepared
    assert tools.segment.state == ""
    place = canvas.to_window(QPointF(10, 10)).toPoint()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    prompting = tools.drawing.canvas.prompting
    qtbot.waitUntil(lambda: prompting.region is not None, timeout=60_000)
    assert prompting.region is not None
    left, top, right, bottom = prompting.region.area
    assert (left, top) == (0, 0)
    assert 16 <= right <= 22
    assert 16 <= bottom <= 22
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.session.labeling.value_of(first) is not None)
    value = view.session.labeling.value_of(first)
    assert isinstance(value, InstancesValue)
    assert len(value.objects) == 1


def test_files_of_another_model_disable_the_tool_with_the_error(
    opened: Opener, qtbot: QtBot, tmp_path: Path
) -> None:
    view = opened("detection", "corner")
    tools = view.single.tools
    assert isinstance(tools, DrawnTools)
    folder = write_sam(tmp_path / "model")
    (folder / "small.decoder.onnx").write_bytes((folder / "small.encoder.onnx").read_bytes())
    tools.segment.use_folder(folder)
    button = tools.drawing.segment_button
    assert button is not None
    qtbot.waitUntil(button.isEnabled)
    QTest.keyClick(view.single.canvas, Qt.Key.Key_S)
    qtbot.waitUntil(lambda: not button.isEnabled(), timeout=60_000)
    assert "not a decoder of SAM" in button.toolTip()
    assert not tools.drawing.files_button.isHidden()


def test_all_boxes_become_a_labeling_of_outlines(
    opened: Opener, qtbot: QtBot, tmp_path: Path
) -> None:
    view = opened("detection", "corner")
    tools, outlines = view.single.tools, view.outlines
    assert isinstance(tools, DrawnTools)
    assert outlines is not None
    assert outlines.reason == "Label some images first."
    view.session.decide(BoxesValue(boxes=((0, 0, 0, 22, 22, 0),)), "drawn", advances=False)
    qtbot.waitUntil(lambda: view.session.labeling.labeled_count == 1)
    assert "ONNX" in outlines.reason
    tools.segment.use_folder(write_sam(tmp_path / "model"))
    qtbot.waitUntil(lambda: outlines.reason == "")
    navigator = view.context.navigator
    with qtbot.waitSignal(navigator.notice_requested, timeout=60_000) as notice:
        view.outline_action.trigger()
    assert "One object outlined" in str(notice.args)
    workspace = view.context.workspace
    with Labeling.find(workspace, "pets outlines") as made:
        value = made.value_of(0)
        assert isinstance(value, InstancesValue)
        assert made.read_mask(value)[5, 5] == 256
        assert made.read_mask(value)[40, 40] == 0


class _Waiting(EngineHost):
    """Keeps all questions open."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, Any, Future[Any]]] = []

    def ask(self, op: str, question: Any, _answer: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.asked.append((op, question, future))
        return future


@pytest.mark.parametrize("change", ["model", "look"])
def test_answers_of_a_model_or_look_before_are_dropped(
    change: str, opened: Opener, qtbot: QtBot
) -> None:
    view = opened("instances", "corner")
    tools = view.single.tools
    assert isinstance(tools, DrawnTools)
    segment, host = tools.segment, _Waiting()
    segment.host = host
    files = [SegmentModel(encoder=f"{at}.onnx", decoder=f"{at}.onnx") for at in (0, 1)]

    def wait_for(number: int) -> None:
        qtbot.waitUntil(lambda: len(host.asked) == number)

    texts: list[str] = []
    segment._on_model(files[0])
    segment.prepare()
    wait_for(1)
    mark = PromptMark(QPointF(10, 10))
    segment.find([mark], lambda _region: texts.append("found"), texts.append)
    wait_for(2)
    if change == "model":
        segment._on_model(files[1])
    else:
        view.session.displayed.emit()
    wait_for(3)
    assert texts == ["The model or the look of the image was changed meanwhile. Try again."]
    error = StudioError("Not a decoder of SAM.", "Choose another one.", "model")
    for (op, _, future), expected in zip(host.asked[:2], (ENCODE, SEGMENT), strict=True):
        assert op == expected
        future.set_exception(error)
    op, question, future = host.asked[2]
    assert op == ENCODE
    assert question.model == files[change == "model"]
    future.set_result(EncodeAnswer())
    wait_for(4)
    assert segment.prepared == {(view.session.current, 0)}
    assert segment.model == question.model
    assert len(texts) == 1


def test_the_process_ends_after_the_idle_time_that_was_set_since(opened: Opener) -> None:
    view = opened("instances", "corner")
    tools = view.single.tools
    assert isinstance(tools, DrawnTools)
    view.context.settings.engine_minutes = 2
    assert tools.segment.host._idle_seconds == 120
