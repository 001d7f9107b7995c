"""The page Label: pictures are labeled by keys, names, in a grid, and become a dataset."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from label_pages import PICTURES, Opener, press, stored
from page_checks import nameless_controls, show_in_window, unexplained_buttons
from PIL import Image
from PySide6.QtCore import QItemSelectionModel, QPointF, Qt
from PySide6.QtGui import QClipboard, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton
from pytestqt.qtbot import QtBot

from studio.engine.display_mapping import DisplayMapping
from studio.engine.errors import StudioError
from studio.engine.labeling import confirmed
from studio.engine.labeling.plan import LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import AssistStatus, CertainLimit, Proposal
from studio.engine.labeling.quality import Suspect
from studio.engine.labeling.sources import add_pictures
from studio.engine.labeling.values import (
    EXCLUDED,
    BoxesValue,
    ClassValue,
    InstancesValue,
    LabelsValue,
    MaskValue,
    NumbersValue,
    Value,
    Via,
)
from studio.engine.pixel_format import PixelFormat
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.request import PartSender
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.navigation import StartLabeling
from studio.ui.pages.label import assist, quality, seen, session
from studio.ui.pages.label.classes import items_data
from studio.ui.pages.label.page import View
from studio.ui.pages.label.tools.drawn import DrawnTools
from studio.ui.pages.label.tools.numbers import NumberTools
from studio.ui.pages.label.view import LabelView
from studio.ui.shared.media import Camera, FilePicture, read_file_picture
from studio.ui.widgets.notices import Notice

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


Proposer = Callable[[int], Proposal]


def test_only_what_can_be_labeled_is_offered(
    context: AppContext, qtbot: QtBot, folder: Path, tmp_path: Path
) -> None:
    page = View(context)
    _window = show_in_window(qtbot, page)
    notes = tmp_path / "notes.txt"
    notes.touch()
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty)
    assert page.drop_offer([notes]) == ""
    assert page.drop_offer([notes, folder]) == "Label animals"

    page.take_drop([notes, folder])

    assert page.form.paths == [folder]
    reason = "notes.txt cannot be added: it is not a folder, an image or a video."
    assert page.form.problem.text() == reason
    page.form.set_paths([next(folder.iterdir())])
    assert page.form.problem.text() == ""
    qtbot.waitUntil(lambda: page.form.drop.accessibleName().startswith("1 image in "))


def test_the_form_has_one_primary_button(context: AppContext, qtbot: QtBot, folder: Path) -> None:
    page = View(context)
    _window = show_in_window(qtbot, page)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty)
    page.take_drop([folder])
    buttons = [each for each in page.findChildren(QPushButton) if each.isVisible()]
    primary = [each.text() for each in buttons if each.property("kind") == "primary"]
    assert primary == ["Start labeling"]


def test_a_labeling_is_created_from_a_dropped_folder(
    context: AppContext, qtbot: QtBot, folder: Path, workspace: Workspace
) -> None:
    page = View(context)
    _window = show_in_window(qtbot, page)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty)
    assert page.drop_offer([folder]) == "Label animals"

    page.take_drop([folder])
    assert page.form.name.text() == "animals"
    page.form.classes.setPlainText("cat\ndog")
    page.form.create_button.click()

    qtbot.waitUntil(lambda: page.view is not None and len(page.view.session.labeling.items) > 0)
    assert page.view is not None
    labeling = page.view.session.labeling
    assert labeling.names == ("cat", "dog")
    assert len(labeling.items) == PICTURES
    qtbot.waitUntil(lambda: page.view is not None and page.view.session.current >= 0)
    assert page.focusWidget() is page.view.single.canvas


def test_a_labeling_for_the_webcam_begins_with_it(context: AppContext, qtbot: QtBot) -> None:
    page = View(context)
    _window = show_in_window(qtbot, page)
    page.open(StartLabeling(webcam=True))
    page.form.classes.setPlainText("cat\ndog")
    page.form.create_button.click()
    qtbot.waitUntil(lambda: page.view is not None)
    assert page.view is not None
    assert page.view.tabs.currentWidget() is page.view.webcam


def test_a_labeling_starts_with_the_folder_of_the_home_page(
    context: AppContext, qtbot: QtBot, folder: Path
) -> None:
    page = View(context)
    _window = show_in_window(qtbot, page)
    page.open(StartLabeling((folder,)))
    assert page.form.paths == [folder]
    qtbot.waitUntil(lambda: bool(page.form.mosaic.images()))
    assert page.form.drop.accessibleName() == f"{PICTURES} images in animals"
    page.open(StartLabeling())
    assert page.form.paths == []


def test_pictures_in_foreign_folders_are_opened_only_after_a_question(
    context: AppContext, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Labeling.create(context.workspace, "pets", LabelingPlan()) as labeling:
        add_pictures(labeling, [folder])
    read: list[Path] = []

    def reading(path: Path, _side: int, _display: object, _plane: int) -> FilePicture:
        read.append(path)
        return FilePicture(QImage(4, 4, QImage.Format.Format_RGB32))

    monkeypatch.setattr(session, "read_file_picture", reading)
    (labeling.record.folder / confirmed.FILE).unlink()
    page = View(context)
    _window = show_in_window(qtbot, page)

    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.question)
    assert str(folder) in page.question.accessibleDescription()
    assert not read
    page.refresh()
    page.confirm_button.click()

    qtbot.waitUntil(lambda: bool(read))
    assert page.view is not None
    assert {path.parent for path in read} == {folder}
    assert stored(context).unconfirmed_folders == []


def test_images_added_by_mistake_are_left_out_at_once(
    context: AppContext, qtbot: QtBot, opened: Opener, folder: Path, tmp_path: Path
) -> None:
    view = opened("classification", "cat", "dog")
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    Image.new("RGB", (8, 8), "red").save(tmp_path / "red.png")
    view.sources.add_paths([tmp_path / "red.png"])
    qtbot.waitUntil(lambda: bool(notices))
    assert notices[0].action is not None
    notices[0].action()
    (item,) = stored(context).labels
    assert item == PICTURES
    assert view.session.labeling.labels[item].value == EXCLUDED


def test_frames_of_dropped_videos_are_asked_for_once(
    qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    view = opened("classification", "cat", "dog")
    for name, colors in (("a", ("red", "lime")), ("b", ("blue", "white"))):
        frames = [Image.new("RGB", (8, 8), color) for color in colors]
        frames[0].save(tmp_path / f"{name}.gif", save_all=True, append_images=frames[1:])
    asked = view.sources.frames

    view.sources.add_paths([tmp_path / "a.gif", tmp_path / "b.gif"])
    assert asked.isVisible()
    for wrong in ("", "0", "two", "100001"):
        asked.field.setText(wrong)
        asked.ok_button.click()
        assert asked.problem.text() == "Enter a whole number from 1 to 100,000."
    assert len(view.session.labeling.undecided()) == PICTURES
    asked.field.setText("2")
    asked.ok_button.click()

    assert not asked.isVisible()
    qtbot.waitUntil(lambda: len(view.session.labeling.undecided()) == PICTURES + 2)


def test_frames_of_a_video_dropped_with_images_are_asked_for_after_them(
    context: AppContext, qtbot: QtBot, folder: Path, tmp_path: Path
) -> None:
    """The first image in an empty labeling takes the focus."""
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "lime")]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    Labeling.create(context.workspace, "pets", LabelingPlan()).close()
    page = View(context)
    _window = show_in_window(qtbot, page)
    qtbot.waitUntil(lambda: page.view is not None)
    view = page.view
    assert view is not None
    asked, items = view.sources.frames, view.session.labeling.items

    view.sources.add_paths([folder, tmp_path / "a.gif"])
    qtbot.waitUntil(lambda: len(items) == PICTURES and not view.busy.isVisible())
    assert asked.isVisible()
    page.hide()
    asked.hide()
    page.show()
    assert asked.isVisible(), "the question stays open until it is answered"
    asked.field.setText("1")
    asked.ok_button.click()
    qtbot.waitUntil(lambda: len(items) == PICTURES + 2)

    view.sources.add_paths([tmp_path / "a.gif"])
    QTest.keyClick(asked.field, Qt.Key.Key_Escape)
    assert not asked.isVisible()
    view.sources.ask_frames()
    assert not asked.isVisible()


def test_images_dropped_meanwhile_are_added_afterwards(
    context: AppContext, qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    view = opened("classification", "cat", "dog")
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    for color in ("red", "blue"):
        Image.new("RGB", (8, 8), color).save(tmp_path / f"{color}.png")
        view.sources.add_paths([tmp_path / f"{color}.png"])

    qtbot.waitUntil(lambda: len(notices) == 2)

    assert [each.text for each in notices] == ["Images added"] * 2
    assert len(view.session.labeling.undecided()) == PICTURES + 2
    assert not view.busy.isVisible()


def test_stopping_leaves_out_what_waits_and_says_so(
    context: AppContext, qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    view = opened("classification", "cat", "dog")
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    for color in ("red", "blue"):
        Image.new("RGB", (8, 8), color).save(tmp_path / f"{color}.png")
        view.sources.add_paths([tmp_path / f"{color}.png"])
    view.sources.cancel()

    qtbot.waitUntil(lambda: not view.busy.isVisible())

    assert notices[0].text == "Stopped adding images"
    assert len(view.session.labeling.undecided()) <= PICTURES + 1


def test_a_picture_read_with_the_display_before_is_read_again(
    opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, gate = opened("classification", "cat").session, threading.Event()
    read: list[DisplayMapping | None] = []

    def read_late(
        path: Path, side: int, display: DisplayMapping | None, plane: int
    ) -> FilePicture:
        found = read_file_picture(path, side, display, plane)
        if path == current:
            read.append(display)
            assert gate.wait(10)
        return found

    current = shown.labeling.file_of(shown.current)
    monkeypatch.setattr(session, "read_file_picture", read_late)
    first = DisplayMapping.of(PixelFormat.bytes_of(3))
    second = first.with_window(0, 10, 100)
    shown.set_display(first)
    qtbot.waitUntil(lambda: read == [first])
    with qtbot.waitSignal(shown.displayed):
        shown.set_display(second)
    gate.set()

    qtbot.waitUntil(lambda: read == [first, second] and shown.picture is not None)


def test_the_form_says_what_is_wrong(context: AppContext, qtbot: QtBot) -> None:
    page = View(context)
    _window = show_in_window(qtbot, page)
    page.open(StartLabeling())
    page.form.classes.setPlainText("cat\nCat")
    page.form.create_button.click()

    assert "named twice" in page.form.problem.text()
    assert not context.workspace.records(RecordKind.LABELING)


def test_keys_label_and_advance(context: AppContext, opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    session, canvas = view.session, view.single.canvas
    first = session.current

    press(canvas, Qt.Key.Key_2)
    second = session.current
    press(canvas, Qt.Key.Key_1)

    assert second != first
    labels = stored(context).labels
    assert labels[first].value == ClassValue(index=1)
    assert labels[second].value == ClassValue(index=0)
    assert labels[second].via == "key"
    assert labels[second].seconds is not None


def test_every_picture_is_shown_once(context: AppContext, opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    seen = set()
    for _ in range(PICTURES):
        seen.add(view.session.current)
        press(view.single.canvas, Qt.Key.Key_1)

    assert seen == set(range(PICTURES))
    assert view.session.current == -1
    assert view.single.empty.isVisible()
    assert view.single.dataset_button.isVisible()


def test_skipped_pictures_come_again(opened: Opener) -> None:
    view = opened("classification", "cat")
    skipped = view.session.current
    press(view.single.canvas, Qt.Key.Key_PageDown)
    for _ in range(PICTURES - 1):
        assert view.session.current != skipped
        press(view.single.canvas, Qt.Key.Key_1)

    assert view.session.current == skipped


def test_undo_shows_the_picture_again(context: AppContext, opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    canvas, first = view.single.canvas, view.session.current
    press(canvas, Qt.Key.Key_2)
    press(canvas, Qt.Key.Key_Z, modifiers=CONTROL)

    assert view.session.current == first
    assert stored(context).value_of(first) is None
    press(canvas, Qt.Key.Key_Z, modifiers=CONTROL | SHIFT)
    assert stored(context).value_of(first) == ClassValue(index=1)


def test_back_corrects_a_label(context: AppContext, opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    canvas, first = view.single.canvas, view.session.current
    press(canvas, Qt.Key.Key_2)
    press(canvas, Qt.Key.Key_PageUp)
    assert view.session.current == first
    assert view.single.state.text() == "Label: dog"
    press(canvas, Qt.Key.Key_1)
    assert stored(context).value_of(first) == ClassValue(index=0)


@pytest.mark.qt_log_ignore("does not support (raise|grabbing|propagate)", extend=True)
def test_a_typed_name_adds_a_class(context: AppContext, opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    first = view.session.current
    QTest.keyClicks(view.single.canvas, "h")
    field = view.single.classes.field
    QTest.keyClicks(field, "orse")
    press(field, Qt.Key.Key_Return)
    second = view.session.current
    QTest.keyClicks(field, "ho")
    press(field, Qt.Key.Key_Return)

    found = stored(context)
    assert found.names == ("cat", "dog", "horse")
    assert found.value_of(first) == ClassValue(index=2)
    assert found.value_of(second) == ClassValue(index=2)
    assert found.labels[first].via == "typed"


def test_an_unusable_picture_is_left_out(context: AppContext, opened: Opener) -> None:
    view = opened("classification", "cat")
    first = view.session.current
    press(view.single.canvas, Qt.Key.Key_Delete, modifiers=CONTROL)

    assert stored(context).value_of(first) == EXCLUDED
    assert view.session.current != first


def test_several_labels_are_toggled_and_confirmed(context: AppContext, opened: Opener) -> None:
    view = opened("multi_label", "red", "blue", "green")
    canvas, first = view.single.canvas, view.session.current
    press(canvas, Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_2)
    assert view.session.current == first
    press(canvas, Qt.Key.Key_Return)
    second = view.session.current
    press(canvas, Qt.Key.Key_Return)

    found = stored(context)
    assert found.value_of(first) == LabelsValue(indices=(0, 2))
    assert found.value_of(second) == LabelsValue()


@pytest.mark.parametrize("unfit", ["x", "nan"])
def test_numbers_are_typed(context: AppContext, opened: Opener, unfit: str) -> None:
    view = opened("regression", "age", "weight")
    tools = view.single.tools
    assert isinstance(tools, NumberTools)
    first, fields = view.session.current, tools.numbers.fields
    QTest.keyClicks(fields[0], "12.5")
    press(fields[0], Qt.Key.Key_Return)
    QTest.keyClicks(fields[1], unfit)
    press(fields[1], Qt.Key.Key_Return)
    assert view.session.current == first
    assert view.single.hint.text()

    fields[1].clear()
    QTest.keyClicks(fields[1], "3")
    press(fields[1], Qt.Key.Key_Return)
    assert stored(context).value_of(first) == NumbersValue(numbers=(12.5, 3.0))
    assert view.session.current != first


def test_enter_accepts_a_proposal(context: AppContext, opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    first = view.session.current
    proposals = {item: Proposal(item, ClassValue(index=1), 0.9) for item in range(PICTURES)}
    view.session.set_assist(AssistStatus(labels=20, proposals=proposals))
    assert view.single.proposal.text().startswith("dog?")
    press(view.single.canvas, Qt.Key.Key_Return)

    label = stored(context).labels[first]
    assert label.value == label.proposed == ClassValue(index=1)
    assert label.via == "proposal"


def select(view: LabelView, *items: int) -> None:
    assert view.grid is not None
    grid, model = view.grid.grid, view.grid.model
    chosen = grid.selectionModel()
    chosen.clearSelection()
    for item in items:
        index = model.index(model.items.index(item), 0)
        chosen.select(index, QItemSelectionModel.SelectionFlag.Select)


def test_many_are_labeled_in_the_grid(context: AppContext, opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    assert view.grid is not None
    view.tabs.setCurrentWidget(view.grid)
    select(view, 1, 3, 4)
    press(view.grid.grid, Qt.Key.Key_2)

    labels = stored(context).labels
    assert {item for item, label in labels.items() if label.value.kind == "class"} == {1, 3, 4}
    assert len({label.step for label in labels.values()}) == 1
    assert view.grid.model.items == [0, 2, 5]

    view.grid.classes.list.dropped.emit(0, [0, 5])
    assert stored(context).value_of(5) == ClassValue(index=0)
    press(view.grid.grid, Qt.Key.Key_Z, modifiers=CONTROL)
    assert stored(context).value_of(5) is None


def test_dragged_pictures_name_themselves(opened: Opener) -> None:
    view = opened("classification", "cat")
    assert view.grid is not None
    model = view.grid.model
    data = model.mimeData([model.index(2, 0), model.index(4, 0)])
    assert data.data(data.formats()[0]) == items_data([2, 4]).data(data.formats()[0])


def test_boxes_are_saved_one_by_one(context: AppContext, opened: Opener) -> None:
    view = opened("detection", "cat", "dog")
    editor = view.single.editor
    assert editor is not None
    first = view.session.current
    press(view.single.canvas, Qt.Key.Key_2, Qt.Key.Key_N)
    value = stored(context).value_of(first)
    assert isinstance(value, BoxesValue)
    assert len(value.boxes) == 1
    assert value.boxes[0][0] == 1

    press(view.single.canvas, Qt.Key.Key_N)
    assert len(editor.value()) == 2
    press(view.single.canvas, Qt.Key.Key_Z, modifiers=CONTROL)
    assert len(editor.value()) == 1
    assert stored(context).value_of(first) == value
    press(view.single.canvas, Qt.Key.Key_Return)
    assert view.session.current != first


def test_a_picture_without_objects_is_confirmed(
    context: AppContext, opened: Opener, qtbot: QtBot
) -> None:
    view = opened("detection", "cat")
    first = view.session.current
    press(view.single.canvas, Qt.Key.Key_Return)
    assert stored(context).value_of(first) == BoxesValue()


@pytest.mark.parametrize(
    ("task", "kind"), [("segmentation", MaskValue), ("instances", InstancesValue)]
)
def test_masks_are_saved_while_they_are_drawn(
    context: AppContext,
    opened: Opener,
    qtbot: QtBot,
    task: str,
    kind: type[MaskValue | InstancesValue],
) -> None:
    view = opened(task, "cat", "dog")
    canvas, first = view.single.canvas, view.session.current
    press(canvas, Qt.Key.Key_2)
    start = canvas.to_window(QPointF(10, 10)).toPoint()
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(canvas, canvas.to_window(QPointF(50, 10)).toPoint())
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start)
    qtbot.waitUntil(lambda: stored(context).value_of(first) is not None)
    press(canvas, Qt.Key.Key_PageDown)
    assert view.session.current != first
    press(canvas, Qt.Key.Key_PageUp)
    tools = view.single.tools
    assert isinstance(tools, DrawnTools)
    qtbot.waitUntil(lambda: tools._drawn_for == first)

    value = stored(context).value_of(first)
    assert isinstance(value, kind)
    mask = stored(context).read_mask(value)
    assert mask[10, 30] & 255 == 1  # objects have their number in the other bits
    assert view.single.editor is not None
    assert np.array_equal(view.single.editor.value(), mask)


def test_labels_become_a_dataset(context: AppContext, opened: Opener, qtbot: QtBot) -> None:
    view = opened("classification", "cat", "dog")
    assert not view.dataset_button.isEnabled()
    for number in range(PICTURES):
        press(view.single.canvas, Qt.Key.Key_1 if number % 2 else Qt.Key.Key_2)
    with qtbot.waitSignal(context.navigator.open_requested):
        view._make_dataset("pets")
    (record,) = context.workspace.records(RecordKind.DATASET)
    assert record.name == "pets"


def test_annotations_are_exported(
    context: AppContext, opened: Opener, qtbot: QtBot, tmp_path: Path
) -> None:
    view = opened("classification", "cat", "dog")
    press(view.single.canvas, Qt.Key.Key_1)
    with qtbot.waitSignal(context.navigator.notice_requested):
        view.export_to("csv", tmp_path)
    assert "cat" in (tmp_path / "pets.csv").read_text("utf-8")


def test_what_another_process_labels_appears(
    context: AppContext, opened: Opener, qtbot: QtBot
) -> None:
    view = opened("classification", "cat", "dog")
    other = stored(context)
    other.label(3, ClassValue(index=0))
    view.session.refresh()
    qtbot.waitUntil(lambda: view.single.progress_text.text() == "1 of 6 labeled")
    assert view.session.labeling.value_of(3) == ClassValue(index=0)


@pytest.mark.parametrize(
    "task", ["classification", "multi_label", "regression", "segmentation", "detection"]
)
def test_every_control_has_a_name_and_a_reason(opened: Opener, task: str) -> None:
    view = opened(task, "cat", "dog")
    for at in range(view.tabs.count()):
        view.tabs.setCurrentIndex(at)
        assert nameless_controls(view) == []
        assert unexplained_buttons(view) == []


def test_a_labeling_goes_to_the_trash_and_comes_back(
    context: AppContext, opened: Opener, qtbot: QtBot
) -> None:
    view = opened("classification", "cat")
    (page,) = view.window().findChildren(View)
    page.trash_button.click()
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty)
    assert not context.workspace.records(RecordKind.LABELING)


def test_quality_lists_unlikely_labels(context: AppContext, opened: Opener, qtbot: QtBot) -> None:
    view = opened("classification", "cat", "dog")
    first = view.session.current
    press(view.single.canvas, Qt.Key.Key_1)
    view.session.set_assist(AssistStatus(labels=20, given={first: 0.02}))
    view.tabs.setCurrentWidget(view.quality)
    qtbot.waitUntil(lambda: [each.row for each in view.quality.model.images] == [first])
    assert view.quality.model.caption(0).replace("\N{NO-BREAK SPACE}", " ") == "cat · 2 %"
    view.quality.grid.setCurrentIndex(view.quality.model.index(0, 0))
    press(view.quality.grid, Qt.Key.Key_Return)
    assert view.session.current == first
    assert view.tabs.currentWidget() is view.single


def test_two_annotators_are_compared(context: AppContext, opened: Opener, qtbot: QtBot) -> None:
    view = opened("classification", "cat", "dog")
    (record,) = context.workspace.records(RecordKind.LABELING)
    for name, shift in (("Ana", 0), ("Ben", 1)):
        with Labeling(record, name) as labeling:
            for item in range(4):
                labeling.label(item, ClassValue(index=(item + shift * (item == 3)) % 2))
    view.session.labeling.refresh()
    view.tabs.setCurrentWidget(view.quality)
    view.quality.what.setCurrentIndex(1)
    qtbot.waitUntil(lambda: [each.row for each in view.quality.model.images] == [3])
    assert view.quality.model.caption(0) == "dog / cat"
    assert "75" in view.quality.summary.text()


def test_the_result_of_an_earlier_check_is_ignored(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened("classification", "cat", "dog")
    (record,) = context.workspace.records(RecordKind.LABELING)
    for name in ("Ana", "Ben"):
        with Labeling(record, name) as labeling:
            labeling.label(0, ClassValue(index=int(name == "Ben")))
    view.session.labeling.refresh()
    may_end = threading.Event()

    def slow_look(*_: object) -> list[Suspect]:
        may_end.wait(20)
        return []

    monkeypatch.setattr(quality, "second_look", slow_look)
    view.tabs.setCurrentWidget(view.quality)
    view.quality.what.setCurrentIndex(1)
    qtbot.waitUntil(lambda: [each.row for each in view.quality.model.images] == [0])
    may_end.set()
    qtbot.waitUntil(lambda: context.background.is_idle)
    assert [each.row for each in view.quality.model.images] == [0]


def test_another_annotator_sees_own_labels_alone(
    context: AppContext, opened: Opener, qtbot: QtBot
) -> None:
    view = opened("classification", "cat", "dog")
    press(view.single.canvas, Qt.Key.Key_1)
    (page,) = view.window().findChildren(View)
    view.quality.annotator.setText("Ana")
    view.quality.annotator.editingFinished.emit()
    qtbot.waitUntil(lambda: page.view is not None and page.view is not view)
    assert page.view is not None
    assert page.view.session.labeling.annotator == "Ana"
    assert page.view.session.labeling.labeled_count == 0


class GivenCamera(Camera):
    """A camera whose frames are given."""


def test_a_held_class_collects_examples(context: AppContext, opened: Opener, qtbot: QtBot) -> None:
    view = opened("classification", "cat", "dog")
    view.tabs.setCurrentWidget(view.webcam)
    camera = GivenCamera(view)
    view.webcam.use(camera)
    frame = QImage(64, 48, QImage.Format.Format_RGB32)
    frame.fill(QColor("teal"))
    camera.frame.emit(frame)

    QTest.keyPress(view.webcam, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: len(stored(context).items) >= PICTURES + 2)
    QTest.keyRelease(view.webcam, Qt.Key.Key_2)

    found = stored(context)
    assert found.value_of(PICTURES) == ClassValue(index=1)
    assert found.labels[PICTURES].via == "captured"
    assert found.items[PICTURES].origin == "webcam"
    view.webcam.stop()
    assert not view.webcam.is_on


def test_the_picture_in_the_clipboard_is_added(
    context: AppContext, opened: Opener, qtbot: QtBot
) -> None:
    view = opened("classification", "cat")
    image = QImage(32, 24, QImage.Format.Format_RGB32)
    image.fill(QColor("navy"))
    view.sources.add_image(image, "clipboard")
    qtbot.waitUntil(lambda: len(stored(context).items) == PICTURES + 1)
    assert stored(context).items[PICTURES].width == 32
    qtbot.waitUntil(lambda: view.single.progress.maximum() == PICTURES + 1)


def test_an_empty_clipboard_offers_no_picture(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, menu = opened("classification", "cat"), QMenu()
    monkeypatch.setattr(QClipboard, "mimeData", lambda _clipboard: None)
    view.sources.fill(menu)
    paste = next(each for each in menu.actions() if each.text() == "Image in the clipboard")
    assert not paste.isEnabled()


def certain(*items: int, index: int = 1) -> AssistStatus:
    """Return proposals of one class, the first one the most certain."""
    proposals = {
        item: Proposal(item, ClassValue(index=index), 0.99 - item / 100) for item in items
    }
    return AssistStatus(labels=20, proposals=proposals, certain=CertainLimit(0.9, 0.04, 20))


def test_a_page_of_certain_proposals_is_corrected_and_accepted(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen, "MIN_SECONDS", 0.0)
    view = opened("classification", "cat", "dog")
    grid = view.grid
    assert grid is not None
    view.session.set_assist(certain(*range(PICTURES)))
    view.assist.review_button.click()
    assert view.tabs.currentWidget() is grid
    assert grid.model.items == list(range(PICTURES))
    assert "About 4" in grid.hint.text()
    qtbot.waitUntil(lambda: grid.accept_button.text() == f"Accept {PICTURES}")

    select(view, 2)
    press(grid.grid, Qt.Key.Key_1)
    assert grid.model.items == [0, 1, 3, 4, 5]
    # What was corrected changes the other proposals; the page stays.
    view.session.set_assist(certain(0, 1, 3, 4, 5, index=0))
    assert grid.model.caption(0).startswith("cat?")
    select(view, 5)
    press(grid.grid, Qt.Key.Key_Delete)
    assert grid.model.items == [0, 1, 3, 4]
    qtbot.waitUntil(lambda: grid.accept_button.text() == "Accept 4")
    press(grid.grid, Qt.Key.Key_Return)

    labels = stored(context).labels
    assert {item: label.via for item, label in labels.items()} == {
        2: "key",
        **dict.fromkeys((0, 1, 3, 4), "group"),
    }
    assert labels[0].value == ClassValue(index=0)
    assert labels[0].step == labels[4].step
    view.tabs.setCurrentWidget(view.single)
    assert view.session.current == 5
    view.tabs.setCurrentWidget(grid)
    # What was left for later does not come again on the next page.
    view.session.set_assist(certain(5))
    assert grid.model.items == []
    assert not grid.accept_button.isEnabled()


def test_undo_brings_the_accepted_page_back(
    opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen, "MIN_SECONDS", 0.0)
    view = opened("classification", "cat", "dog")
    grid = view.grid
    assert grid is not None

    def accept(count: int) -> None:
        qtbot.waitUntil(lambda: len(grid.grid.visible_rows()) == count)
        grid._seen.update()
        press(grid.grid, Qt.Key.Key_Return)

    view.session.set_assist(certain(0, 1, 2))
    view.assist.review_button.click()
    accept(3)
    view.session.set_assist(certain(3, 4, 5))
    assert grid.model.items == [3, 4, 5]
    view.session.step("undo")
    assert grid.model.items == [0, 1, 2]
    view.session.set_assist(certain(*range(PICTURES)))
    accept(3)
    assert grid.model.items == []
    view.session.set_assist(certain(3, 4, 5))
    assert grid.model.items == [3, 4, 5]


class GivenFeatures:
    """An assistant that knows the features of all pictures: pairs are alike."""

    def __init__(self, labeling: Labeling) -> None:
        self.labeling = labeling

    def finish(self, _is_cancelled: object) -> None:
        """Nothing is to do."""

    def features(self) -> tuple[np.ndarray, np.ndarray]:
        values = np.eye(PICTURES // 2, dtype=np.float32).repeat(2, axis=0)
        return np.arange(PICTURES), values


def test_labels_spread_to_similar_pictures(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen, "MIN_SECONDS", 0.0)
    view = opened("classification", "cat", "dog")
    grid = view.grid
    assert grid is not None
    monkeypatch.setattr(view.runner, "obtain", lambda: GivenFeatures(view.session.labeling))
    assert not grid.spread_button.isEnabled()
    view.session.label([2], ClassValue(index=1), "key")
    view.session.label([4], ClassValue(index=0), "key")
    view.tabs.setCurrentWidget(grid)
    grid.spread_button.click()
    qtbot.waitUntil(lambda: grid.model.items == [3, 5])
    assert grid.model.caption(0).startswith("dog?")

    qtbot.waitUntil(grid.accept_button.isEnabled)
    grid.accept_button.click()
    labels = stored(context).labels
    assert labels[3].value == ClassValue(index=1)
    assert labels[5].value == ClassValue(index=0)
    assert labels[3].via == "propagated"
    qtbot.waitUntil(lambda: grid.empty.accessibleDescription().startswith("No unlabeled image"))


class ScriptedAssistant(GivenFeatures):
    """Learns in two steps, and is the less certain the earlier a picture was added."""

    def __init__(self, labeling: Labeling) -> None:
        super().__init__(labeling)
        self.updates = self.relearned = 0
        self.failure: StudioError | None = None

    def update(self) -> AssistStatus:
        if self.failure is not None:
            raise self.failure
        self.updates += 1
        return self.status(is_current=self.updates % 2 == 0)

    def relearn(self) -> AssistStatus:
        self.relearned += 1
        return self.status(is_current=True)

    def status(self, *, is_current: bool) -> AssistStatus:
        undecided = self.labeling.undecided()
        return AssistStatus(
            labels=self.labeling.labeled_count,
            proposals={
                item: Proposal(item, ClassValue(index=1), 0.6 + item / 20) for item in undecided
            },
            is_current=is_current,
        )


def test_the_assistant_learns_after_each_decision(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assist, "_EARLY", 2)
    view = opened("classification", "cat", "dog")
    session = view.session
    scripted = ScriptedAssistant(session.labeling)
    monkeypatch.setattr(view.runner, "assistant", scripted)
    session.label([0, 1], ClassValue(index=0), "key")
    qtbot.waitUntil(
        # The status of the assistant of before may still come.
        lambda: scripted.updates >= 2 and session.assist.labels == 2 and session.assist.is_current
    )
    before = scripted.relearned
    view.assist.order.setCurrentIndex(view.assist.order.findData("uncertainty"))

    def shows_least_certain() -> bool:
        session.show_item(5)
        session.show_next()
        return session.current == 2

    qtbot.waitUntil(shows_least_certain)
    proposal = session.proposal
    assert proposal is not None
    assert proposal.value == ClassValue(index=1)

    press(view.single.canvas, Qt.Key.Key_Return)
    assert session.labeling.value_of(2) == ClassValue(index=1)
    qtbot.waitUntil(lambda: scripted.relearned > before and session.assist.labels == 3)
    assert 2 not in session.assist.proposals

    scripted.failure = StudioError("The weights of the network are missing.")
    session.label([3], ClassValue(index=0), "key")
    qtbot.waitUntil(lambda: "are missing" in view.assist.problem.text())
    scripted.failure, updates = None, scripted.updates
    session.label([4], ClassValue(index=0), "key")
    qtbot.waitUntil(lambda: scripted.updates > updates and session.assist.labels == 5)
    qtbot.waitUntil(lambda: not view.assist.problem.text())


def choose_run(view: LabelView, monkeypatch: pytest.MonkeyPatch, proposed: Proposer) -> None:
    """Let a run propose what a function says."""

    def predicted(
        _session: object,
        _run: RunChoice,
        items: Sequence[int],
        sender: PartSender[list[Proposal]],
    ) -> None:
        sender.send([proposed(item) for item in items])

    monkeypatch.setattr("studio.ui.pages.label.run_proposals._predicted", predicted)
    view.run_proposals.choose(RunChoice("r1", "run", Path(), None, is_training=False))


def test_a_run_proposes_labels(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened("multi_label", "cat", "dog")
    value = LabelsValue.of([0, 1])
    choose_run(view, monkeypatch, lambda item: Proposal(item, value, 0.8))
    qtbot.waitUntil(lambda: len(view.session.proposals) == PICTURES)
    assert view.single.proposal.text().startswith("cat, dog?")
    first = view.session.current
    press(view.single.canvas, Qt.Key.Key_Return)
    assert stored(context).value_of(first) == value

    view.run_proposals.choose(None)
    assert not view.session.proposals


def test_a_run_proposes_boxes(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened("detection", "cat", "dog")
    editor, first = view.single.editor, view.session.current
    assert editor is not None
    box = (1.0, 5.0, 6.0, 40.0, 30.0, 0.0)
    value = BoxesValue(boxes=(box,))
    choose_run(view, monkeypatch, lambda item: Proposal(item, value, 0.8))
    qtbot.waitUntil(lambda: editor.canvas.proposal is not None)
    assert stored(context).value_of(first) is None
    press(view.single.canvas, Qt.Key.Key_Return)
    assert stored(context).labels[first].via == "proposal"
    assert stored(context).value_of(first) == value

    qtbot.waitUntil(lambda: editor.canvas.proposal is not None)
    second = view.session.current
    press(view.single.canvas, Qt.Key.Key_N)
    press(view.single.canvas, Qt.Key.Key_A)
    found = stored(context).labels[second]
    assert isinstance(found.value, BoxesValue)
    assert len(found.value.boxes) == 2
    assert found.value.boxes[1] == box
    assert found.via == "drawn"


def test_a_run_proposes_masks(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened("segmentation", "cat", "dog")
    editor, first = view.single.editor, view.session.current
    assert editor is not None
    mask = np.full((60, 80), 1, np.uint8)
    choose_run(view, monkeypatch, lambda item: Proposal(item, None, 0.0, mask=mask))
    qtbot.waitUntil(lambda: editor.canvas.proposal is not None)
    assert view.single.proposal.text() == "Proposed mask"
    press(view.single.canvas, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: stored(context).value_of(first) is not None)
    found = stored(context)
    value = found.value_of(first)
    assert isinstance(value, MaskValue)
    assert np.array_equal(found.read_mask(value), mask)


def test_what_is_drawn_is_written_when_the_window_closes(
    context: AppContext, opened: Opener
) -> None:
    view = opened("segmentation", "cat", "dog")
    first = view.session.current
    mask = np.full((60, 80), 1, np.uint8)
    view.session.write_mask(first, np.zeros_like(mask))
    view.session.write_mask(first, mask)
    context.background.close()
    found = stored(context)
    value = found.value_of(first)
    assert isinstance(value, MaskValue)
    assert np.array_equal(found.read_mask(value), mask)


def test_a_labeling_gets_another_name_and_notes(
    context: AppContext, opened: Opener, qtbot: QtBot
) -> None:
    view = opened("classification", "cat")
    (page,) = view.window().findChildren(View)
    page.rename()
    page._ask_name.field.setText("animals")
    page._ask_name.ok_button.click()
    page.edit_notes()
    page._ask_notes.field.setText("From the garden")
    page._ask_notes.ok_button.click()
    (record,) = context.workspace.records(RecordKind.LABELING)
    qtbot.waitUntil(lambda: record.info().notes == "From the garden")
    qtbot.waitUntil(lambda: record.name == "animals")
    qtbot.waitUntil(lambda: page.list.item(0).text() == "animals")
    qtbot.waitUntil(lambda: view.header._subtitle.text() == "From the garden")
    assert page.view is view


def test_a_mask_waits_until_its_picture_is_labeled(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The drawn mask is shown also if the user returns to the picture while it is written."""
    view = opened("segmentation", "cat")
    session, first = view.session, view.session.current
    label, waited = session.labeling.label, []

    def watched(item: int, value: Value | None, via: Via) -> tuple[int, ...]:
        waited.append(first in session._masks._waiting)
        return label(item, value, via)

    monkeypatch.setattr(session.labeling, "label", watched)
    session._masks.put(first, np.zeros((60, 80), np.uint8))
    assert session._masks.write_all() == [first]
    assert waited == [True]
    assert session.unwritten_mask(first) is None
