"""Size of the interface and of the window."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from studio.ui import app as app_module
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.shell.frame import BUTTON_HEIGHT
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.screen import FRAME, MIN_SIZE, apply_scale, fitted, min_size

SCREENS = (
    QRect(0, 0, 911, 512),  # 1366x768 at 150 %
    QRect(0, 0, 960, 540),  # 1920x1080 at 200 %
    QRect(1920, 40, 2560, 1400),
)


@given(
    window=st.tuples(*[st.integers(-5000, 5000)] * 2, *[st.integers(1, 5000)] * 2),
    screen=st.sampled_from(SCREENS),
)
def test_a_window_lies_on_its_screen(window: tuple[int, int, int, int], screen: QRect) -> None:
    before = QRect(*window)
    placed = fitted(before, screen)
    assert screen.contains(placed.marginsAdded(FRAME))
    assert placed.size() == before.size().boundedTo(screen.marginsRemoved(FRAME).size())
    if screen.marginsRemoved(FRAME).contains(before):
        assert placed == before


@pytest.mark.parametrize("screen", SCREENS)
def test_the_smallest_window_fits_every_screen(screen: QRect) -> None:
    size = min_size(screen)
    assert size.width() <= screen.width()
    assert size.height() + FRAME.top() <= screen.height()
    assert size.width() <= 900
    assert size.height() <= 560


@pytest.mark.parametrize(
    ("percent", "before", "expected"),
    [
        (0, {}, {}),
        (100, {}, {"QT_FONT_DPI": "96"}),
        (150, {}, {"QT_FONT_DPI": "96", "QT_SCALE_FACTOR": "1.5"}),
        (150, {"QT_SCALE_FACTOR": "2"}, {"QT_FONT_DPI": "96", "QT_SCALE_FACTOR": "3"}),
        (300, {"QT_SCALE_FACTOR": "9"}, {"QT_FONT_DPI": "96", "QT_SCALE_FACTOR": "4"}),
        (0, {"QT_SCALE_FACTOR": "no number"}, {"QT_SCALE_FACTOR": "no number"}),
    ],
)
def test_a_size_becomes_the_factor_of_qt(
    percent: int,
    before: dict[str, str],
    expected: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("QT_FONT_DPI", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    environment = dict(before)
    apply_scale(percent, environment)
    assert environment == expected


def test_the_text_size_of_the_system_enlarges_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_FONT_DPI", "144")
    environment = {"QT_FONT_DPI": "144"}
    assert apply_scale(0, environment) == 1.5
    assert environment == {"QT_FONT_DPI": "96", "QT_SCALE_FACTOR": "1.5"}


def test_the_first_window_fits_the_screen(window: MainWindow) -> None:
    available = window.screen().availableGeometry()
    assert available.contains(window.geometry())
    assert window.minimumWidth() <= min(900, available.width())


def test_a_page_that_needs_more_room_scrolls(window: MainWindow, qtbot: QtBot) -> None:
    window.setMinimumSize(200, 200)
    window.resize(420, 300)
    window.show_page("train")
    page = window.page("train")
    qtbot.waitUntil(lambda: page.width() >= page.minimumSizeHint().width() > 336)
    assert page.height() >= page.minimumSizeHint().height()
    assert window.width() == 420


def test_a_low_rail_shows_icons_and_keeps_every_page_in_sight(window: MainWindow) -> None:
    window.setMinimumSize(200, 200)
    window.resize(900, 480)
    window.rail.resize(window.rail.width(), 440)
    last: QToolButton = list(window.rail.buttons.values())[-1]
    assert last.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
    assert sum(each.height() for each in window.rail.buttons.values()) <= 440
    window.rail.resize(window.rail.width(), 900)
    assert last.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextUnderIcon


def test_place_and_page_survive_a_killed_process(
    studio: StudioApp, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(950, 600)
    expected = window.size()
    window.show_page("datasets")

    def is_written() -> None:
        stored = Settings(studio.settings.path)
        assert stored.page == "datasets"
        assert stored.geometry == window.saveGeometry()

    qtbot.waitUntil(is_written)
    reopened = StudioApp(Settings(studio.settings.path), studio.theme)
    again = reopened.open(window.context.workspace.root)
    assert again.size() == expected
    assert again.current_page == "datasets"
    reopened.close()


def test_another_workspace_opens_where_the_window_was(
    studio: StudioApp, window: MainWindow
) -> None:
    window.setGeometry(QRect(33, 44, 1000, 600))
    window.workspace_chosen.emit(window.context.workspace.root.parent / "other")
    assert studio.window is not None
    assert studio.window is not window
    assert studio.window.geometry() == window.geometry()


def test_another_size_takes_a_restart_without_the_present_factor(
    studio: StudioApp, window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    started: list[tuple[Path, dict[str, str]]] = []
    monkeypatch.setattr(app_module, "launch_window", lambda *args: started.append(args))
    monkeypatch.setitem(os.environ, "QT_SCALE_FACTOR", "1.25")  # by this process itself
    window.show_page("settings")
    group = window.page("settings").general  # type: ignore[attr-defined]
    assert group.restart_button.isHidden()
    group.scale.setCurrentIndex(group.scale.findData(150))
    group.scale.activated.emit(group.scale.currentIndex())
    assert not group.restart_button.isHidden()
    with qtbot.waitSignal(window.closed):
        group.restart_button.click()
    ((root, environment),) = started
    assert root == window.context.workspace.root
    assert "QT_SCALE_FACTOR" not in environment
    assert Settings(studio.settings.path).interface_percent == 150


def test_a_window_that_cannot_start_again_stays(
    studio: StudioApp, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(app_module, "launch_window", fail)
    window.context.navigator.restart_requested.emit()
    (card,) = window.notices.cards()
    assert card.notice.text == "Studio could not start again: no memory."
    assert studio.window is window


def test_another_theme_keeps_the_heights_of_the_rail(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(MIN_SIZE)
    buttons = window.rail.buttons.values()
    qtbot.waitUntil(lambda: max(button.height() for button in buttons) < BUTTON_HEIGHT)
    before = [button.height() for button in buttons]
    theme = window.context.theme
    theme.mode = "light" if theme.is_dark else "dark"
    QApplication.processEvents()
    assert [button.height() for button in buttons] == before
