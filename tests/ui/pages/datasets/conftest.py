"""The page, and a dataset with everything in it that an audit finds, audited and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flawed_pictures import flawed_folder
from page_checks import show_in_window
from page_records import add_dataset, start_jobs
from pytestqt.qtbot import QtBot

from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.page import View


@pytest.fixture
def open_page(qtbot: QtBot, context: AppContext) -> Callable[[], View]:
    windows = []  # Python would delete a window without a reference

    def make() -> View:
        view = View(context)
        windows.append(show_in_window(qtbot, view))
        start_jobs(qtbot, context)
        return view

    return make


@pytest.fixture
def flawed(tmp_path: Path) -> Path:
    return flawed_folder(tmp_path / "flowers")


@pytest.fixture
def audited(workspace: Workspace, flawed: Path) -> Record:
    """Without validation and test images, so that leaks cannot hide the other findings."""
    splits = {"val_percent": 0.0, "test_percent": 0.0}
    record = add_dataset(workspace, "flowers", flawed, width=32, height=32, **splits)
    audit_dataset(record.folder, AuditPlan(dataset=record.id), SilentProgress())
    return record


@pytest.fixture
def audited_view(qtbot: QtBot, context: AppContext, audited: Record) -> Iterator[View]:
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    panel = page.panel
    qtbot.waitUntil(
        lambda: (
            panel.stack.currentWidget() is panel.gallery
            and panel.audits.facts is not None
            and panel.editor.state is not None
        ),
        timeout=10_000,
    )
    yield page
    window.close()
