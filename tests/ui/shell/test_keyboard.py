"""The whole window by the keyboard alone: every page, and on it every control, with its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QButtonGroup, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from helpers.digits import Digits
from studio.ui.app import StudioApp
from studio.ui.pages import PAGES
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
MAX_TABS = 400


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
        and not is_one_of_several(widget)
        and not widget.visibleRegion().isEmpty()
    }


def is_one_of_several(widget: QWidget) -> bool:
    if isinstance(widget, QRadioButton):
        return True
    if not isinstance(widget, QAbstractButton) or widget.isChecked():
        return False
    groups = [each for each in widget.window().findChildren(QButtonGroup) if each.exclusive()]
    return any(widget in group.buttons() for group in groups)


def reached(window: MainWindow) -> set[QWidget]:
    """What has the focus in turn while Tab is pressed, until it begins again."""
    seen: set[QWidget] = set()
    for _ in range(MAX_TABS):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        if focus is None or focus in seen:
            return seen
        seen.add(focus)
    return seen


def name_of(widget: QWidget) -> str:
    return widget.accessibleName() or str(getattr(widget, "text", str)())


def press_page(window: MainWindow, number: int) -> None:
    """Open a page by its keys; one that has none is a command of the palette."""
    if not list(PAGES)[number].keys:
        window.commands.run(list(PAGES)[number].command.name)
        return
    *modifiers, key = list(PAGES)[number].keys.split("+")
    pressed = CONTROL | SHIFT if "Shift" in modifiers else CONTROL
    QTest.keyClick(window, Qt.Key.Key_Comma if key == "," else Qt.Key(ord(key)), pressed)


@pytest.mark.slow
def test_every_control_of_every_page_is_reached_and_has_a_name(
    full: MainWindow, qtbot: QtBot
) -> None:
    missed, nameless = [], []
    for number, page in enumerate(PAGES):
        press_page(full, number)
        qtbot.waitUntil(lambda name=page.name: full.current_page == name)  # type: ignore[misc]
        before = focusable(full)
        seen = reached(full)
        # The page may have filled further meanwhile.
        requested = before & focusable(full)
        missed += [(page.name, *names_of(each)) for each in requested - seen if each.isVisible()]
        nameless += [(page.name, *names_of(each)) for each in seen if not name_of(each)]
    assert not missed, "\n".join(map(str, missed))
    assert not nameless, "\n".join(map(str, nameless))


def names_of(widget: QWidget) -> tuple[str, ...]:
    kinds = [type(widget).__name__, name_of(widget)]
    parent = widget.parentWidget()
    while parent is not None and len(kinds) < 6:
        kinds.append(type(parent).__name__)
        parent = parent.parentWidget()
    return tuple(kinds)


def test_f6_goes_from_part_to_part_and_back_to_where_it_was(
    window: MainWindow, qtbot: QtBot
) -> None:
    button = window.page("home").start.folders  # type: ignore[attr-defined]
    button.setFocus()
    parts = (window.rail, window.top_bar, window._stack)

    def offset() -> int:
        focus = QApplication.focusWidget()
        assert focus is not None
        return [part.isAncestorOf(focus) for part in parts].index(True)

    positions = []
    for _ in parts:
        QTest.keyClick(window, Qt.Key.Key_F6)
        positions.append(offset())
    assert positions == [0, 1, 2], "the tray is not there"
    assert QApplication.focusWidget() is button
    QTest.keyClick(window, Qt.Key.Key_F6, SHIFT)
    assert offset() == 1
