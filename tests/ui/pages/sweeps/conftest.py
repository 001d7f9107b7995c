"""The page of sweeps in a window, with a workspace that was looked through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import add_dataset, picture_folder
from pytestqt.qtbot import QtBot

from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.sweeps.page import View


@pytest.fixture
def dataset(workspace: Workspace, tmp_path: Path) -> Record:
    """A small dataset with validation images."""
    source = picture_folder(tmp_path / "shapes", {"round": 12, "square": 12})
    return add_dataset(workspace, "shapes", source, val_percent=25)


@pytest.fixture
def open_page(qtbot: QtBot, context: AppContext) -> Callable[[], View]:
    """Opens the page and waits until the workspace is known."""
    windows = []  # Python would delete a window without a reference

    def make() -> View:
        view = View(context)
        windows.append(show_in_window(qtbot, view))
        with qtbot.waitSignal(context.jobs.loaded, timeout=10_000):
            context.jobs.start()
        return view

    return make
