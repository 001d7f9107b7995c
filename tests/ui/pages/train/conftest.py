"""The training page in a window, with a workspace that was looked through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import add_dataset, picture_folder
from pytestqt.qtbot import QtBot

from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.train.page import View
from studio.ui.pages.train.plan.new_run import NewRun


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "shapes", {"round": 24, "square": 16})


@pytest.fixture
def open_page(qtbot: QtBot, context: AppContext) -> Callable[[], View]:
    windows = []  # Python would delete a window without a reference

    def make() -> View:
        view = View(context)
        windows.append(show_in_window(qtbot, view))
        with qtbot.waitSignal(context.jobs.loaded, timeout=10_000):
            context.jobs.start()
        return view

    return make


@pytest.fixture
def new_run(
    open_page: Callable[[], View], workspace: Workspace, shapes: Path, qtbot: QtBot
) -> NewRun:
    """A run planned on a dataset in color."""
    add_dataset(workspace, "shapes", shapes, width=32, height=32, val_percent=25)
    view = open_page()
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    return view.new_run
