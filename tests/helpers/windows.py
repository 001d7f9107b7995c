"""What tests of windows share."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl, SignalInstance
from PySide6.QtGui import QCursor, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import CheckParamsCb, SignalBlocker

from helpers.waiting import patience
from studio.ui.app import StudioApp
from studio.ui.pages.page import Page
from studio.ui.shell.main_window import MainWindow
from studio.ui.widgets.table import Table

OpenWindow = Callable[[Path], StudioApp]


def choose_target(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Choose a file in each dialog that asks for one to write."""
    monkeypatch.setattr(QFileDialog, "exec", lambda _dialog: 1)
    monkeypatch.setattr(QFileDialog, "selectedFiles", lambda _dialog: [str(path)])


class PatientQtBot(QtBot):
    """Waits longer for what must come: how long that takes says nothing about the code.

    The pointer begins in the last corner: a control under it, where an earlier test has left it,
    would be drawn in another way.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        super().__init__(request)
        QCursor.setPos(QGuiApplication.primaryScreen().geometry().bottomRight())

    def waitUntil(  # noqa: N802 - its name there
        self, callback: Callable[[], bool | None], *, timeout: int = 5000
    ) -> None:
        """As `QtBot.waitUntil`, for at least the time that the machine needs."""
        super().waitUntil(callback, timeout=_longer(timeout))

    def waitSignal(  # noqa: N802 - its name there
        self,
        signal: SignalInstance,
        *,
        timeout: int = 5000,
        raising: bool | None = None,
        check_params_cb: CheckParamsCb | None = None,
    ) -> SignalBlocker:
        """As `QtBot.waitSignal`, for at least the time that the machine needs if it must come."""
        limit = timeout if raising is False else _longer(timeout)
        return super().waitSignal(
            signal, timeout=limit, raising=raising, check_params_cb=check_params_cb
        )


def _longer(milliseconds: int) -> int:
    return max(milliseconds, int(patience(20) * 1000))


@contextmanager
def garbage_in_the_main_thread(app: QApplication) -> Iterator[None]:
    """Collect garbage after the block only.

    Windows that a test leaves behind are reference cycles. A collection that happens to start in
    a background thread would destroy them there, which Qt does not survive. The product guards
    itself in the same way (`studio.ui.shell.window_process`). What was there before is left out:
    to look through all of TensorFlow, where another test has loaded it, takes a second or two.
    """
    gc.disable()
    gc.freeze()
    yield
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    gc.enable()


PageT = TypeVar("PageT", bound=Page)


def click(widget: QWidget) -> None:
    """A click with the left button, on a control that a person could reach."""
    assert widget.isVisible()
    assert widget.isEnabled()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def drag_and_drop(window: MainWindow, paths: Sequence[Path]) -> None:
    """Drag files into the middle of the window and let go, as a file manager does."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    center = QPointF(window.rect().center())
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(center.toPoint(), action, data, button, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(center, action, data, button, none))


def page_of(window: MainWindow, name: str, kind: type[PageT]) -> PageT:
    """The page of a name, which is of a kind."""
    page = window.page(name)
    assert isinstance(page, kind)
    return page


def check(table: Table[Any], row: int, *, is_checked: bool) -> None:
    """Tick or clear the box in the first column of a table.

    Args:
        table: The table.
        row: Row as shown.
        is_checked: The new state.
    """
    state = Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked
    role = Qt.ItemDataRole.CheckStateRole
    assert table.content.setData(table.content.index(row, 0), state, role)
