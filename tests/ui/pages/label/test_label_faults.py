"""Damaged files, locks of other programs and failures on the page Label."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from label_pages import Opener, press, stored
from page_checks import show_in_window
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.engine.errors import BadDataError, StudioError
from studio.engine.labeling.journal import ITEMS_NAME, LOCK_NAME
from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.recovery import recover
from studio.engine.labeling.values import ClassValue
from studio.ui.context import AppContext
from studio.ui.pages.label import session as session_module
from studio.ui.pages.label import writes
from studio.ui.pages.label.page import View
from studio.ui.pages.label.view import LabelView
from studio.ui.widgets.notices import Notice

HOLD = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def lock_of_another_program(labeling: Labeling) -> Iterator[None]:
    """Hold the lock of a labeling in another process."""
    command = [sys.executable, "-c", HOLD, str(labeling.record.folder / LOCK_NAME)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
        process.stdin.close()


@pytest.fixture
def notices(context: AppContext) -> list[Notice]:
    """Notices that the page shows."""
    shown: list[Notice] = []
    context.navigator.notice_requested.connect(shown.append)
    return shown


def damage(folder: Path) -> None:
    with (folder / ITEMS_NAME).open("a", encoding="utf-8") as file:
        file.write('{"half a line\n')


@pytest.fixture
def page_with_damaged(context: AppContext, qtbot: QtBot, opened: Opener) -> tuple[View, LabelView]:
    """The page with one that can be opened, after another one could not."""
    view = opened("classification", "cat")
    (page,) = view.window().findChildren(View)
    with Labeling.create(context.workspace, "damaged", LabelingPlan()) as other:
        damage(other.record.folder)
    page.refresh()
    qtbot.waitUntil(lambda: page.list.count() == 2)
    row = next(row for row in range(2) if page.list.item(row).text() == "damaged")
    page.list.setCurrentRow(row)
    assert not page.trash_button.isEnabled()
    return page, view


def test_a_labeling_that_cannot_be_opened_leaves_the_shown_one(
    page_with_damaged: tuple[View, LabelView], qtbot: QtBot, notices: list[Notice]
) -> None:
    page, view = page_with_damaged
    qtbot.waitUntil(lambda: len(notices) == 1)
    assert "damaged" in notices[0].text

    def shows_the_open_one() -> bool:
        return page.list.currentRow() >= 0 and page.list.currentItem().text() == "pets"

    qtbot.waitUntil(shows_the_open_one)
    assert page.view is view
    assert page.current_record == view.session.labeling.record.id
    assert page.trash_button.isEnabled()
    page.refresh()
    qtbot.waitUntil(shows_the_open_one)
    assert view.header._title.text() == "pets"
    page.rename()
    assert page._ask_name.field.text() == "pets"


def test_a_labeling_that_cannot_be_opened_first(
    context: AppContext, qtbot: QtBot, notices: list[Notice]
) -> None:
    """It is tried once; pictures that were dropped for it go to no other one."""
    with Labeling.create(context.workspace, "damaged", LabelingPlan()) as other:
        damage(other.record.folder)
    page = View(context)
    _window = show_in_window(qtbot, page)
    qtbot.waitUntil(lambda: len(notices) == 1)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty)
    page._dropped = (other.record.id, [Path("pictures")])
    page.refresh()
    plan = LabelingPlan(classes=[LabelClass(name="cat")])
    with Labeling.create(context.workspace, "pets", plan) as labeling:
        page.show_record(labeling.record.id)
    qtbot.waitUntil(lambda: page.view is not None)
    assert len(notices) == 1
    assert page.view is not None
    assert page.view.cancel_button.isHidden()


def test_an_annotator_that_cannot_be_used(
    opened: Opener, qtbot: QtBot, notices: list[Notice]
) -> None:
    view = opened("classification", "cat")
    (page,) = view.window().findChildren(View)
    view.quality.annotator.setText("Ana, Ben")
    view.quality.annotator.editingFinished.emit()
    qtbot.waitUntil(lambda: len(notices) == 1)
    assert page.view is view
    assert view.quality.annotator.text() == ""


def test_a_damaged_line_is_said_once(
    opened: Opener,
    qtbot: QtBot,
    notices: list[Notice],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_module, "_REFRESH_MS", 1)
    view = opened("classification", "cat", "dog")
    items = view.session.labeling.record.folder / ITEMS_NAME
    whole = items.read_bytes()
    first = view.session.current
    damage(items.parent)
    qtbot.waitUntil(lambda: len(notices) == 1)
    qtbot.waitUntil(lambda: view.session._timer == 0)
    assert len(notices) == 1
    # A label that cannot be saved does not show the next picture.
    press(view.single.canvas, Qt.Key.Key_1)
    assert view.session.current == first
    items.write_bytes(whole)
    assert notices[0].action is not None
    notices[0].action()
    assert view.session._timer
    press(view.single.canvas, Qt.Key.Key_1)
    assert view.session.labeling.value_of(first) == ClassValue(index=0)


def test_only_a_visible_labeling_is_polled(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened("classification", "cat")
    threads: list[str] = []
    assert view.session._timer > 0
    view.window().hide()
    assert view.session._timer == 0
    monkeypatch.setattr(view.session, "refresh", lambda: threads.append("read"))
    view.window().show()
    assert view.session._timer > 0
    assert threads == ["read"]


def test_another_program_that_writes_does_not_stop_the_window(
    context: AppContext, opened: Opener, qtbot: QtBot
) -> None:
    view = opened("classification", "cat", "dog")
    session, canvas = view.session, view.single.canvas
    first = session.current
    with lock_of_another_program(session.labeling):
        start = time.monotonic()
        press(canvas, Qt.Key.Key_1)
        view.single.classes.field.named.emit("bird")
        press(canvas, Qt.Key.Key_2)
        assert time.monotonic() - start < 2
        assert session.current == first
        qtbot.waitUntil(view.waiting.isVisible)
    qtbot.waitUntil(lambda: not view.waiting.isVisible())
    assert session.labeling.names == ("cat", "dog", "bird")
    # Made in their order, each for the picture that was shown.
    label = stored(context).label_of(first)
    assert label is not None
    assert label.value == ClassValue(index=1)
    assert label.step == 2
    assert session.current != first


def test_labels_wait_longer_than_the_limit(
    context: AppContext,
    opened: Opener,
    qtbot: QtBot,
    notices: list[Notice],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writes, "LOCK_SECONDS", 0.3)
    view = opened("classification", "cat", "dog")
    first = view.session.current
    with lock_of_another_program(view.session.labeling):
        press(view.single.canvas, Qt.Key.Key_1)
        qtbot.waitUntil(lambda: len(notices) >= 1)
        assert "Nothing is lost" in notices[0].hint
    qtbot.waitUntil(lambda: view.session.current != first)
    assert stored(context).value_of(first) == ClassValue(index=0)


def unsaved(labeling: Labeling) -> list[Path]:
    return list(labeling.record.folder.glob("unsaved-*.json"))


def test_labels_that_wait_when_the_labeling_is_closed(
    context: AppContext, opened: Opener, qtbot: QtBot, notices: list[Notice]
) -> None:
    view = opened("classification", "cat", "dog")
    (page,) = view.window().findChildren(View)
    first, labeling = view.session.current, view.session.labeling
    with lock_of_another_program(labeling):
        press(view.single.canvas, Qt.Key.Key_1)
        page._close()
        qtbot.waitUntil(lambda: bool(unsaved(labeling)))
        qtbot.waitUntil(lambda: len(notices) == 1)
        assert "One label is not in the labeling yet" in str(notices[0].text)
        assert stored(context).value_of(first) is None
    page.show_record(labeling.record.id)
    qtbot.waitUntil(lambda: len(notices) == 2)
    assert "One label was added" in str(notices[1].text)
    assert stored(context).value_of(first) == ClassValue(index=0)
    assert not unsaved(labeling)


def test_labels_that_wait_when_the_window_closes(
    context: AppContext, opened: Opener, qtbot: QtBot
) -> None:
    """The thread that tries to write is asked to end, and what is left is stored."""
    view = opened("classification", "cat", "dog")
    first, labeling = view.session.current, view.session.labeling
    with lock_of_another_program(labeling):
        press(view.single.canvas, Qt.Key.Key_1)
        qtbot.waitUntil(view.waiting.isVisible)
        context.background.close()
        assert unsaved(labeling)
    with stored(context) as found:
        assert recover(found).items == [first]
        assert found.value_of(first) == ClassValue(index=0)


def test_a_labeling_that_cannot_go_to_the_trash_is_shown_again(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened("classification", "cat")
    (page,) = view.window().findChildren(View)
    record_id = view.session.labeling.record.id

    def in_use(*_: object) -> None:
        raise StudioError("The labeling is open in another program.")

    monkeypatch.setattr("studio.ui.shared.records.trash_all", in_use)
    page.trash_button.click()
    qtbot.waitUntil(lambda: page.view is not None and page.current_record == record_id)
    assert page.list.count() == 1


def test_a_picture_that_could_not_be_read_is_read_again(
    context: AppContext, opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = opened("classification", "cat")
    session = view.session
    failures: list[object] = []
    context.background.failed.connect(failures.append)
    read = session_module._read

    def fails(*_: object) -> None:
        raise BadDataError("The disk does not answer.")

    monkeypatch.setattr(session_module, "_read", fails)
    session._pictures.clear()
    session.show_item(session.current)
    qtbot.waitUntil(lambda: len(failures) >= 1)
    monkeypatch.setattr(session_module, "_read", read)
    qtbot.waitUntil(lambda: not session._reading)
    session.show_item(session.current)
    qtbot.waitUntil(lambda: session.picture is not None)
