"""The chosen tab of a run stays when another run is shown."""

from __future__ import annotations

import pytest
from page_records import add_run, start_jobs
from pytestqt.qtbot import QtBot

from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.train.dashboard.details import RunDetails
from studio.ui.pages.train.dashboard.insights import ConfusionSection, Norms, TargetsSection


def test_the_tab_is_kept_by_its_kind(
    qtbot: QtBot, context: AppContext, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(workspace, "masks", "none", [0.5])
    add_run(workspace, "classes", "none", [0.5])
    start_jobs(qtbot, context)
    runs = {entry.name: entry for entry in context.jobs.entries(RecordKind.RUN)}
    tasks = {"masks": TASKS["segmentation"], "classes": DEFAULT_TASK}
    monkeypatch.setattr(context.jobs, "task_of", lambda entry: tasks[entry.name])
    details = RunDetails(context)
    qtbot.addWidget(details)
    details.show_run(runs["masks"], "none")
    details.open(TargetsSection)
    details.show_run(runs["classes"], "none")
    assert details.currentWidget() is details.table
    details.show_run(runs["masks"], "none")
    assert isinstance(details.currentWidget(), TargetsSection)
    details.open(Norms)
    details.show_run(runs["classes"], "none")
    assert isinstance(details.currentWidget(), Norms)
    details.open(ConfusionSection)
    details.show_run(runs["masks"], "none")
    assert details.currentWidget() is details.table
    details.setCurrentWidget(details.log)
    details.show_run(runs["classes"], "none")
    assert details.currentWidget() is details.log
