"""The training page in a window, with a workspace that was looked through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import picture_folder
from pytestqt.qtbot import QtBot

from studio.ui.context import AppContext
from studio.ui.pages.train.page import View


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "shapes", {"round": 24, "square": 16})


@pytest.fixture
def open_page(qtbot: QtBot, context: AppContext) -> Callable[[], View]:
    windows = []  # Python would delete a window that nobody holds

    def make() -> View:
        view = View(context)
        windows.append(show_in_window(qtbot, view))
        with qtbot.waitSignal(context.jobs.loaded, timeout=10_000):
            context.jobs.start()
        return view

    return make
