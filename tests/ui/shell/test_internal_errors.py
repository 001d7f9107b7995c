"""Internal errors: one dialog at a time, and what fails to paint is disabled."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QGraphicsRectItem,
    QGraphicsScene,
    QGraphicsView,
    QListWidget,
    QStyledItemDelegate,
    QStyleOptionGraphicsItem,
    QStyleOptionViewItem,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.ui.app import StudioApp
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.window_process import BugReport
from studio.ui.theme.theme import Theme
from studio.ui.widgets.painting import PaintedWidget


@pytest.fixture
def caught(
    studio: StudioApp, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    """The window with its hooks, without reports on standard error."""
    hooks = sys.excepthook, threading.excepthook
    monkeypatch.setattr(sys, "__excepthook__", lambda *_: None)
    studio.catch_bugs()
    yield window
    studio._hook.uninstall()
    sys.excepthook, threading.excepthook = hooks


def reports(window: MainWindow) -> list[BugReport]:
    return [each for each in window.findChildren(BugReport) if each.isVisible()]


def fail(text: str) -> None:
    try:
        raise RuntimeError(text)  # noqa: TRY301
    except RuntimeError as error:
        sys.excepthook(RuntimeError, error, error.__traceback__)


def test_a_second_error_is_counted_in_the_open_dialog(caught: MainWindow) -> None:
    for number in range(50):
        fail(f"wrong {number}")
    try:
        raise ValueError("another kind")  # noqa: TRY301
    except ValueError as error:
        sys.excepthook(ValueError, error, error.__traceback__)
    (report,) = reports(caught)
    assert "wrong 0" in report.text.toPlainText()
    assert "wrong 1" not in report.text.toPlainText(), "it is the same line of the program"
    assert "another kind" in report.text.toPlainText()
    assert report.more.text() == "More errors since then: 50"


def test_a_closed_error_does_not_come_back(caught: MainWindow) -> None:
    fail("wrong")
    reports(caught)[0].reject()
    fail("wrong again")
    assert reports(caught) == []


class FailingWidget(PaintedWidget):
    tries = 0

    def paint(self, painter: QPainter) -> None:
        self.tries += 1
        raise RuntimeError("one wrong paint")


class FailingEvent(QWidget):
    tries = 0

    def paintEvent(self, _event: object) -> None:  # noqa: N802 - its name there
        painter = QPainter(self)
        self.tries += 1
        raise RuntimeError(f"one wrong paint with {painter}")


@pytest.mark.parametrize("kind", ["painted", "plain"])
def test_a_widget_that_fails_to_paint_is_disabled(
    kind: str, caught: MainWindow, theme: Theme, qtbot: QtBot
) -> None:
    widget = FailingWidget(theme) if kind == "painted" else FailingEvent()
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: not widget.updatesEnabled())
    for _ in range(5):
        widget.repaint()
    assert widget.tries == 1
    assert len(reports(caught)) == 1


class FailingDelegate(QStyledItemDelegate):
    tries = 0

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.tries += 1
        raise RuntimeError("one wrong row")


def test_a_list_whose_rows_fail_to_paint_is_disabled(caught: MainWindow, qtbot: QtBot) -> None:
    view = QListWidget()
    delegate = FailingDelegate(view)
    view.setItemDelegate(delegate)
    view.addItem("a")
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(lambda: delegate.tries > 0)
    tries = delegate.tries
    for _ in range(5):
        view.viewport().repaint()
    assert delegate.tries == tries
    assert len(reports(caught)) == 1


class FailingItem(QGraphicsRectItem):
    tries = 0

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        self.tries += 1
        raise RuntimeError("one wrong item")


def test_a_drawn_item_that_fails_to_paint_is_hidden(caught: MainWindow, qtbot: QtBot) -> None:
    scene = QGraphicsScene()
    item = FailingItem(0, 0, 20, 20)
    scene.addItem(item)
    view = QGraphicsView(scene)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(lambda: not item.isVisible())
    tries = item.tries
    view.viewport().repaint()
    assert item.tries == tries
    assert len(reports(caught)) == 1
