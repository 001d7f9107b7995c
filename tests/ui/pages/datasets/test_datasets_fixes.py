"""Fixes of what the audit found: edits of one step that can be taken back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from audited_page import after, apply_shown, fix, open_findings, show_images
from page_checks import (
    press,
)
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.datasets.audit.findings import AuditReport, Finding
from studio.engine.datasets.edits import Relabel, in_effect, read_edits
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset, excluded_rows
from studio.engine.errors import StudioError
from studio.engine.workspace import Record
from studio.ui.pages.datasets.page import View
from studio.ui.pages.datasets.versions.editor import Fix, fix_images


def test_a_fix_leaves_images_out_and_can_be_taken_back(
    qtbot: QtBot, audited_view: View, audited: Record, flawed: Path
) -> None:
    files = sorted(path for path in flawed.rglob("*") if path.is_file())
    before = [path.read_bytes() for path in files]
    open_findings(audited_view)
    row = fix(qtbot, audited_view, "exact_duplicates", "exclude")
    assert row.icon.mark == "done"
    assert row.left.text() == "Done: no images left."
    assert not row.fix_buttons
    store = Store.open(audited.folder)
    gone = sorted(Path(store.paths[location]).name for location in excluded_rows(store).tolist())
    assert gone == ["copy 0a.png", "copy 0b.png", "copy 1.png"]
    assert read_edits(audited.folder)[-1].note == "Exact duplicates: 3 images excluded"
    assert "version 0; current version: 1" in audited_view.panel.findings.age.text()
    assert audited_view.panel.findings_bar.line.text().endswith("edited since the audit")
    assert [path.read_bytes() for path in files] == before

    control = Qt.KeyboardModifier.ControlModifier
    row.show_button.setFocus()
    after(
        qtbot,
        audited_view,
        lambda: QTest.keyClick(audited_view.panel.findings, Qt.Key.Key_Z, control),
    )
    assert not in_effect(read_edits(audited.folder))
    assert "exclude" in audited_view.panel.findings.rows["exact_duplicates"].fix_buttons

    steps = audited_view.panel.findings.steps
    assert not steps.undo_button.isEnabled()
    assert steps.redo_button.toolTip().startswith("Redo: Exact duplicates: 3 images excluded")
    after(qtbot, audited_view, steps.redo_button.click)
    assert audited_view.panel.findings.rows["exact_duplicates"].icon.mark == "done"
    after(qtbot, audited_view, steps.undo_button.click)
    assert sum(Store.open(audited.folder).counts().values()) == 36


def test_what_a_hand_did_counts_as_well(qtbot: QtBot, audited_view: View) -> None:
    open_findings(audited_view)
    assert show_images(qtbot, audited_view, "exact_duplicates") == [
        "000.png",
        "copy 0a.png",
        "copy 0b.png",
        "001.png",
        "copy 1.png",
    ]
    audited_view.panel.browser.grid.choose(np.array([1]))
    after(qtbot, audited_view, audited_view.panel.browser.edit_bar.exclude)
    press(audited_view.panel.browser.grid, Qt.Key.Key_Escape)
    assert audited_view.panel.stack.currentWidget() is audited_view.panel.findings, (
        "back to where it came from"
    )
    row = audited_view.panel.findings.rows["exact_duplicates"]
    assert row.left.text() == "2 of 3 pairs are left."
    assert row.fix_buttons["exclude"].text() == "Exclude 2 images…"


def test_a_fix_leaves_images_that_were_corrected_by_hand_alone(audited: Record) -> None:
    report = AuditReport.read(audited.folder)
    assert report is not None
    conflict = report.finding("conflicting_labels")
    assert conflict is not None
    ((one, other),) = conflict.pairs
    labels = Store.open(audited.folder).labels
    tulip = int(np.flatnonzero(labels == 2)[0])
    more = {"pairs": [(one, other), (0, tulip)], "rows": [one, other, 0, tulip], "count": 2}
    findings = [conflict.model_copy(update=more)]
    report.model_copy(update={"findings": findings}).write(audited.folder)
    edit_dataset(audited.folder, [Relabel(rows=str(tulip), label=int(labels[0]))])
    state = fix_images(audited.folder, Fix("conflicting_labels", "exclude"))
    assert excluded_rows(Store.open(audited.folder)).tolist() == sorted((one, other))
    assert state.undo == "Conflicting labels: 2 images excluded"
    with pytest.raises(StudioError, match="Nothing is left"):
        fix_images(audited.folder, Fix("conflicting_labels", "exclude"))
    with pytest.raises(StudioError, match="audited again"):
        fix_images(audited.folder, Fix("leakage", "move"))


@pytest.mark.qt_log_ignore("does not support", extend=True)  # popups, without a screen
def test_relabeling_asks_for_the_class(qtbot: QtBot, audited_view: View, audited: Record) -> None:
    open_findings(audited_view)
    row = audited_view.panel.findings.rows["conflicting_labels"]
    assert row.fix_buttons["relabel"].text() == "Relabel 2 images…"
    row.fix_buttons["relabel"].click()
    assert row.picker is not None
    picker = row.picker
    picker.search.setText("dai")
    press(picker.search, Qt.Key.Key_Return)
    apply_shown(qtbot, audited_view)
    store = Store.open(audited.folder)
    labels = {
        Path(path).name: label for path, label in zip(store.paths, store.labels, strict=True)
    }
    assert store.classes[labels["as rose.png"]] == "daisy"
    note = "Conflicting labels: 1 image relabeled to “daisy”"
    assert read_edits(audited.folder)[-1].note == note
    assert audited_view.panel.findings.rows["conflicting_labels"].icon.mark == "done"
    card = audited_view.list.card(audited_view.current_record)
    assert card is not None
    assert card.mark.mark == "warning", "nothing serious is left"


def test_doubted_labels_get_what_was_suggested_for_each(
    qtbot: QtBot, audited_view: View, audited: Record
) -> None:
    report = AuditReport.read(audited.folder)
    assert report is not None
    doubted = Finding(
        kind="label_errors",
        severity="warning",
        message="Labels that are probably wrong: 2.",
        suggestion="Look at them.",
        count=2,
        rows=[20, 3],
        classes=["tulip", "rose"],
        actions=("relabel", "exclude"),
    )
    report.model_copy(update={"findings": [doubted]}).write(audited.folder)
    audited_view.panel.audits.reload()
    findings = audited_view.panel.findings
    qtbot.waitUntil(lambda: [row.finding for row in findings.rows.values()] == [doubted])
    open_findings(audited_view)
    assert findings.rows["label_errors"].fix_buttons["relabel"].text() == "Relabel 2 images…"
    row = fix(qtbot, audited_view, "label_errors", "relabel")
    store = Store.open(audited.folder)
    assert [store.classes[store.labels[index]] for index in (20, 3)] == ["tulip", "rose"]
    assert row.icon.mark == "done"
    assert read_edits(audited.folder)[-1].note == "Doubtful labels: 2 images relabeled"


def test_one_class_is_not_offered_to_images_of_many(
    qtbot: QtBot, audited_view: View, audited: Record
) -> None:
    report = AuditReport.read(audited.folder)
    assert report is not None
    conflict = report.finding("conflicting_labels")
    assert conflict is not None
    (pair,) = conflict.pairs
    tulip = int(np.flatnonzero(Store.open(audited.folder).labels == 2)[0])
    more = {"pairs": [pair, (0, tulip)], "rows": [*pair, 0, tulip], "count": 2}
    findings = [conflict.model_copy(update=more)]
    report.model_copy(update={"findings": findings}).write(audited.folder)
    audited_view.panel.audits.reload()
    shown = audited_view.panel.findings
    qtbot.waitUntil(lambda: [row.finding for row in shown.rows.values()] == findings)
    open_findings(audited_view)
    button = shown.rows["conflicting_labels"].fix_buttons["relabel"]
    assert not button.isEnabled()
    assert "more than two classes" in button.toolTip()


def test_the_keyboard_stays_at_the_finding_that_was_fixed(
    qtbot: QtBot, audited_view: View
) -> None:
    open_findings(audited_view)
    audited_view.panel.findings.rows["blank"].fix_buttons["exclude"].setFocus()
    row = fix(qtbot, audited_view, "blank", "exclude")
    assert row.show_button.hasFocus()
