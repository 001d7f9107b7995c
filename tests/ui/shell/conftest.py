"""The whole window, opened on a workspace of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.workspace import Workspace
from studio.ui import app as app_module
from studio.ui.app import StudioApp
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow
from studio.ui.theme.theme import Theme


@pytest.fixture(autouse=True)
def cold_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No engine host is started before it is asked: a window that closes waits for its start."""
    monkeypatch.setattr(app_module, "WARM_UP_MS", 10**8)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings" / "window.ini")


@pytest.fixture
def studio(
    theme: Theme, settings: Settings, workspace: Workspace, qtbot: QtBot
) -> Iterator[StudioApp]:
    app = StudioApp(settings, theme)
    app.open(workspace.root)
    yield app
    app.close()


@pytest.fixture
def window(studio: StudioApp, qtbot: QtBot) -> MainWindow:
    """The window, with the focus in it."""
    assert studio.window is not None
    studio.window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is studio.window)
    return studio.window
