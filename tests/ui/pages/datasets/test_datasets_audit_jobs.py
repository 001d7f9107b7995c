"""Asking for an audit in the window, following it, and ending it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flawed_pictures import flawed_folder
from page_checks import cut_buttons, nameless_controls, unexplained_buttons
from page_records import add_dataset, add_unfinished_dataset, began
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import request_import
from studio.engine.datasets.versions import edit_dataset
from studio.engine.jobs.commands import CommandReader
from studio.engine.jobs.events import ProgressMade, Result, StateChanged
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.page import View

Open = Callable[[], View]


@pytest.fixture
def record(workspace: Workspace, tmp_path: Path) -> Record:
    """A dataset without an audit."""
    return add_dataset(workspace, "flowers", flawed_folder(tmp_path / "flowers"))


def add_audit(
    workspace: Workspace, dataset: Record, *events: StateChanged | ProgressMade
) -> Record:
    """An audit as far as its journal goes; there is no worker behind it."""
    plan = AuditPlan(dataset=dataset.id, dataset_version=0)
    record = workspace.create(RecordKind.AUDIT, "flowers", plan.to_json())
    append_events(record, [*began(), *events])
    return record


def wait_for_facts(qtbot: QtBot, view: View) -> None:
    qtbot.waitUntil(lambda: view.panel.audits.facts is not None, timeout=10_000)


@pytest.mark.thorough
def test_audit_now_finds_the_problems(qtbot: QtBot, record: Record, open_page: Open) -> None:
    """With a real worker, and again after an edit."""
    view = open_page()
    wait_for_facts(qtbot, view)
    bar = view.panel.findings_bar
    assert "Not audited yet" in bar.line.text()
    assert bar.audit_button.text() == "Audit now"
    assert not bar.show_button.isVisible()
    bar.audit_button.click()
    assert bar.cancel_button.isVisible()
    assert not bar.audit_button.isVisible()
    assert not unexplained_buttons(view)
    qtbot.waitUntil(lambda: bar.audit_button.text() == "Audit again", timeout=60_000)
    report = AuditReport.read(record.folder)
    assert report is not None
    assert "serious" in bar.line.text()
    assert len(view.panel.findings.rows) == len(report.findings)
    assert not bar.bar.isVisible()

    def is_marked() -> bool:
        card = view.list.card(record.id)
        return card is not None and card.mark.isVisible()

    qtbot.waitUntil(is_marked, timeout=10_000)
    edit_dataset(record.folder, [Exclude(rows="0")])
    view.panel.audits.reload()
    qtbot.waitUntil(lambda: bar.line.text().endswith("edited since the audit"), timeout=10_000)
    bar.audit_button.click()
    qtbot.waitUntil(
        lambda: (
            bar.audit_button.isVisible() and not bar.line.text().endswith("edited since the audit")
        ),
        timeout=60_000,
    )
    report = AuditReport.read(record.folder)
    assert report is not None
    assert report.dataset_version == 1


def test_after_an_import_the_findings_are_shown_without_a_click(
    qtbot: QtBot, context: AppContext, tmp_path: Path, open_page: Open
) -> None:
    recipe = DatasetRecipe(source=str(flawed_folder(tmp_path / "flowers")), width=32, height=32)
    request_import(context.jobs.queue, recipe, "flowers")
    view = open_page()
    bar = view.panel.findings_bar
    qtbot.waitUntil(bar.show_button.isVisible, timeout=60_000)
    assert "serious" in bar.line.text()
    bar.show_button.click()
    assert view.panel.findings.rows["exact_duplicates"].isVisible()
    assert not context.jobs.entries(RecordKind.AUDIT), "it is a part of the import"


def test_an_audit_is_followed_and_can_be_ended(
    qtbot: QtBot, workspace: Workspace, record: Record, open_page: Open
) -> None:
    audit = add_audit(workspace, record)
    view = open_page()
    wait_for_facts(qtbot, view)
    bar = view.panel.findings_bar
    assert bar.line.text() == "Audit: preparing…"
    append_events(audit, [ProgressMade(done=10, total=40, what="Checking every image")])
    qtbot.waitUntil(lambda: bar.line.text() == "Audit: 10 of 40 images", timeout=10_000)
    assert bar.bar.fraction() == 0.25
    assert not nameless_controls(view)
    assert not cut_buttons(view)
    listener = CommandReader(audit.folder, 1)
    bar.cancel_button.click()
    qtbot.waitUntil(lambda: "stop" in [each.command for each in listener.poll()], timeout=10_000)
    append_events(audit, [StateChanged(state=State.STOPPING, attempt=1)])
    qtbot.waitUntil(lambda: not bar.cancel_button.isEnabled(), timeout=10_000)
    assert not unexplained_buttons(view)
    append_events(audit, [StateChanged(state=State.STOPPED, attempt=1, reason="It was stopped.")])
    qtbot.waitUntil(bar.audit_button.isVisible, timeout=10_000)
    assert bar.audit_button.text() == "Audit now"
    assert "Not audited yet" in bar.line.text()


def test_an_audit_that_fails_says_why(
    qtbot: QtBot, workspace: Workspace, record: Record, open_page: Open
) -> None:
    audit = add_audit(workspace, record)
    view = open_page()
    wait_for_facts(qtbot, view)
    reason = "No space is left on the disk."
    ending = StateChanged(state=State.FAILED, attempt=1, reason=reason, hint="Make room.")
    append_events(audit, [ending])
    bar = view.panel.findings_bar
    qtbot.waitUntil(lambda: bar.line.text() == f"{reason} Make room.", timeout=10_000)
    assert bar.icon.mark == "warning"
    assert bar.audit_button.isVisible(), "the way out"


def test_the_audit_of_another_dataset_is_not_shown(
    qtbot: QtBot, workspace: Workspace, record: Record, tmp_path: Path, open_page: Open
) -> None:
    other = add_dataset(workspace, "others", flawed_folder(tmp_path / "others"))
    add_audit(workspace, other)
    view = open_page()
    view.show_record(record.id)
    wait_for_facts(qtbot, view)
    bar = view.panel.findings_bar
    assert bar.audit_button.isVisible()
    view.show_record(other.id)
    qtbot.waitUntil(bar.cancel_button.isVisible, timeout=10_000)
    assert not bar.audit_button.isVisible()


def test_a_damaged_report_is_reported_and_replaced_by_another_audit(
    qtbot: QtBot, record: Record, open_page: Open
) -> None:
    (record.folder / AuditReport.FILE).write_text("{")
    view = open_page()
    wait_for_facts(qtbot, view)
    bar = view.panel.findings_bar
    assert "cannot be read" in bar.line.text()
    assert bar.audit_button.isVisible()
    assert view.panel.gallery.isVisible(), "the dataset itself can be used"


def test_an_import_that_audits_says_so(
    workspace: Workspace, tmp_path: Path, open_page: Open
) -> None:
    text = [
        Result(values={"count": {"train": 40}, "skipped": 0}),
        ProgressMade(done=10, total=40, what="Checking every image"),
    ]
    add_unfinished_dataset(workspace, "new", tmp_path, text)
    view = open_page()
    progress = view.panel.progress
    assert view.panel.stack.currentWidget() is progress
    titles = [label.text() for label in progress.card.findChildren(QLabel)]
    assert "Auditing the images" in titles
    assert not progress.cancel_button.isVisible()
    assert progress.skip_button.text() == "Skip"
    assert progress.skip_button.y() > progress.bar.y(), "not where Cancel was"
