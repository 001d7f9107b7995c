"""The page of the trash: what is listed, restored, and deleted only after a question."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from helpers.runs import fake_run
from studio.engine.workspace import InTrashError, RecordKind, Workspace
from studio.ui.pages.trash.page import View
from studio.ui.shared.records import Trash
from studio.ui.shell.main_window import MainWindow
from studio.ui.widgets.notices import Notice


@pytest.fixture
def view(window: MainWindow, workspace: Workspace, qtbot: QtBot) -> View:
    for kind, name in (
        (RecordKind.RUN, "first"),
        (RecordKind.RUN, "second"),
        (RecordKind.DATASET, "<b>flowers"),
    ):
        workspace.trash(workspace.create(kind, name, "{}"))
    window.show_page("trash")
    page = window.page("trash")
    assert isinstance(page, View)
    qtbot.waitUntil(lambda: len(page.table.texts()) == 3)
    return page


def _select(view: View, *names: str) -> None:
    rows = view.table.content.rows
    view.table.select(*(row.entry.record.folder for row in rows if row.entry.info.name in names))


def test_an_empty_trash_says_so(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("trash")
    page = window.page("trash")
    assert isinstance(page, View)

    qtbot.waitUntil(page.empty.isVisible)
    assert not page.empty_button.isEnabled()
    assert not any(button.isChecked() for button in window.rail.buttons.values())
    window.show_page("home")
    assert window.rail.buttons["home"].isChecked()


def test_records_are_restored(view: View, workspace: Workspace, qtbot: QtBot) -> None:
    assert not view.restore_button.isEnabled()
    _select(view, "first", "<b>flowers")

    view.restore_button.click()

    qtbot.waitUntil(lambda: len(view.table.texts()) == 1)
    assert [record.name for record in workspace.records(RecordKind.RUN)] == ["first"]
    assert [r.name for r in workspace.records(RecordKind.DATASET)] == ["<b>flowers"]


def test_a_needed_record_in_the_trash_is_restored_from_the_error(
    window: MainWindow, workspace: Workspace, qtbot: QtBot
) -> None:
    trashed = workspace.trash(workspace.create(RecordKind.DATASET, "flowers", "{}"))
    with qtbot.waitSignal(window.context.navigator.notice_requested) as shown:
        window.context.background.failed.emit(InTrashError(trashed))
    notice: Notice = shown.args[0]
    assert (notice.text, notice.action_text) == (
        'The dataset "flowers" is in the trash.',
        "Restore",
    )
    assert notice.action is not None
    notice.action()
    qtbot.waitUntil(lambda: bool(workspace.records(RecordKind.DATASET)))


def test_the_notice_names_what_still_needs_the_record(
    window: MainWindow, workspace: Workspace, qtbot: QtBot
) -> None:
    dataset = workspace.create(RecordKind.DATASET, "flowers", "{}")
    for name in "abcd":
        fake_run(workspace, name, [0.5], dataset=dataset.id)
    with qtbot.waitSignal(window.context.navigator.notice_requested) as shown:
        Trash(window.context, window).throw(dataset, "flowers")
    notice: Notice = shown.args[0]
    assert notice.hint.startswith("Still needed by: run “")
    assert notice.hint.endswith("1 more.")


def test_deleting_forever_asks_first(view: View, workspace: Workspace, qtbot: QtBot) -> None:
    _select(view, "second")
    view.delete_button.click()
    assert "1 record" in view.question.text()
    assert "cannot be undone" in view.question.text()
    view.cancel_button.click()
    assert not view.question.isVisible()
    assert len(workspace.trashed(RecordKind.RUN)) == 2

    view.delete_button.click()
    view.confirm_button.click()

    qtbot.waitUntil(lambda: len(view.table.texts()) == 2)
    assert [record.name for record in workspace.trashed(RecordKind.RUN)] == ["first"]


def test_the_whole_trash_is_emptied(view: View, workspace: Workspace, qtbot: QtBot) -> None:
    view.empty_button.click()
    assert "3 records" in view.question.text()

    view.confirm_button.click()

    qtbot.waitUntil(view.empty.isVisible)
    assert all(workspace.trashed(kind) == [] for kind in RecordKind)


def test_searching_hides_and_never_deletes_what_is_hidden(view: View, qtbot: QtBot) -> None:
    view.table.selectAll()
    view.search.setText("FIRST")

    assert [row.entry.info.name for row in view.table.selected] == ["first"]
    view.search.setText("nothing")
    assert not view.delete_button.isEnabled()


def test_a_name_taken_meanwhile_gets_a_number(
    view: View, workspace: Workspace, qtbot: QtBot
) -> None:
    workspace.create(RecordKind.RUN, "First", "{}")
    _select(view, "first")

    view.restore_button.click()

    qtbot.waitUntil(lambda: len(view.table.texts()) == 2)
    names = sorted(record.name for record in workspace.records(RecordKind.RUN))
    assert names == ["First", "first-2"]


def test_the_settings_lead_there(window: MainWindow) -> None:
    window.show_page("settings")
    window.page("settings").caches.trash_button.click()  # type: ignore[attr-defined]  # its View

    assert window.current_page == "trash"
