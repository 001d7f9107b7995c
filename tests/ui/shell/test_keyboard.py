"""The whole window by the keyboard alone: every page, and on it every control, with its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from helpers.digits import Digits
from studio.ui.app import StudioApp
from studio.ui.pages import PAGES
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
MOST_TABS = 400


@pytest.fixture
def full(
    theme: Theme, settings: Settings, untouched: Digits, qtbot: QtBot
) -> Iterator[MainWindow]:
    """A window with a dataset and a trained run."""
    app = StudioApp(settings, theme)
    window = app.open(untouched.workspace.root)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    qtbot.waitUntil(lambda: window.context.jobs.is_loaded, timeout=10_000)
    yield window
    app.close()


def focusable(window: MainWindow) -> set[QWidget]:
    """What the Tab key has to reach; of several choices it reaches one, and arrows the others."""
    return {
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and not isinstance(widget, QRadioButton)
        and not widget.visibleRegion().isEmpty()
    }


def reached(window: MainWindow) -> set[QWidget]:
    """What has the focus in turn while Tab is pressed, until it begins again."""
    seen: set[QWidget] = set()
    for _ in range(MOST_TABS):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        if focus is None or focus in seen:
            return seen
        seen.add(focus)
    return seen


def name_of(widget: QWidget) -> str:
    spoken = widget.accessibleName() or str(getattr(widget, "text", str)())
    return spoken


def press_page(window: MainWindow, number: int) -> None:
    digit = Qt.Key(int(Qt.Key.Key_0) + (number + 1) % 10)
    QTest.keyClick(window, Qt.Key.Key_Comma if PAGES[number].is_last else digit, CONTROL)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(PAGES)), ids=[page.name for page in PAGES])
def test_every_control_of_a_page_is_reached_and_has_a_name(
    full: MainWindow, qtbot: QtBot, number: int
) -> None:
    press_page(full, number)
    qtbot.waitUntil(lambda: full.current_page == PAGES[number].name)
    qtbot.waitUntil(lambda: full.context.background.is_idle, timeout=20_000)
    wanted = focusable(full)

    seen = reached(full)

    missed = [f"{widget} in {widget.parent()}" for widget in wanted - seen if widget.isVisible()]
    assert missed == []
    assert [str(widget) for widget in seen if not name_of(widget)] == []


def test_f6_goes_from_part_to_part_and_back_to_where_it_was(
    window: MainWindow, qtbot: QtBot
) -> None:
    button = window.page("home").folder  # type: ignore[attr-defined]
    button.setFocus()

    places = []
    for _ in range(3):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_F6)
        focus = QApplication.focusWidget()
        parts = (window.rail, window.top_bar, window._stack)
        places.append([part.isAncestorOf(focus) for part in parts].index(True))

    assert places == [0, 1, 2], "the tray is not there"
    assert QApplication.focusWidget() is button
    QTest.keyClick(button, Qt.Key.Key_F6, SHIFT)
    assert window.top_bar.isAncestorOf(QApplication.focusWidget())
