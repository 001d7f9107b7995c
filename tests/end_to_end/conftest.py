"""The real window, offscreen, on a workspace of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.windows import OpenWindow, PatientQtBot, garbage_in_the_main_thread
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme


def pytest_itemcollected(item: pytest.Item) -> None:
    """The plugin without a screen complains about every top-level window that has a size."""
    item.add_marker(pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True))


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """The plugin's, which waits longer."""
    return PatientQtBot(request)


@pytest.fixture
def open_window(qtbot: QtBot, tmp_path: Path) -> Iterator[OpenWindow]:
    """Opens windows as `studio` does; all are closed at the end of the test."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme = Theme("light")
    theme.apply(app)
    opened: list[StudioApp] = []

    def open_one(root: Path) -> StudioApp:
        studio = StudioApp(Settings(tmp_path / "window.ini"), theme)
        opened.append(studio)
        studio.open(root)
        return studio

    yield open_one
    for studio in opened:
        studio.close()
    app.setStyleSheet("")
    theme.deleteLater()


@pytest.fixture(autouse=True)
def main_thread_garbage(qapp: QApplication) -> Iterator[None]:
    """No garbage of windows is collected in another thread."""
    with garbage_in_the_main_thread(qapp):
        yield
