"""Doubtful labels are decided one by one: keys, progress, edits and undo."""

from __future__ import annotations

import pytest
from audited_page import open_findings
from page_checks import press
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.datasets.audit.findings import AuditReport, Finding, NotChecked
from studio.engine.datasets.edits import read_edits
from studio.engine.datasets.splits import SKIPPED
from studio.engine.datasets.store import Store
from studio.engine.workspace import Record
from studio.ui.pages.datasets.auditing.review import LabelReview
from studio.ui.pages.datasets.page import View

ROWS = [20, 3, 7, 9]
KEY = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def review(qtbot: QtBot, audited_view: View, audited: Record) -> LabelReview:
    report, store = AuditReport.read(audited.folder), Store.open(audited.folder)
    assert report is not None
    doubtful = Finding(
        kind="label_errors",
        severity="warning",
        message="About 3 of 10 of them are wrong (1 to 6 of 10).",
        suggestion="Decide about them one by one.",
        count=len(ROWS),
        rows=ROWS,
        paths=[store.paths[row] for row in ROWS],
        labels=[store.classes[store.labels[row]] for row in ROWS],
        classes=["tulip", "rose", "rose", "tulip"],
        probabilities=[0.8, 0.5, 0.3, 0.2],
        precision=0.3,
        precision_interval=(0.1, 0.6),
    )
    report.model_copy(update={"findings": [doubtful]}).write(audited.folder)
    panel = audited_view.panel
    panel.audits.reload()
    qtbot.waitUntil(lambda: [row.finding for row in panel.findings.rows.values()] == [doubtful])
    open_findings(audited_view)
    panel.findings.rows["label_errors"].review_button.click()
    assert panel.stack.currentWidget() is panel.review
    ready(qtbot, panel.review, ROWS[0])
    return panel.review


def ready(qtbot: QtBot, review: LabelReview, row: int) -> None:
    """Wait until an image is shown and can be decided about."""
    qtbot.waitUntil(
        lambda: (
            review.current is not None
            and review.current.row == row
            and review.keep_button.isEnabled()
        ),
        timeout=10_000,
    )


def test_each_decision_is_an_edit_and_shows_the_next_image(
    qtbot: QtBot, review: LabelReview, audited: Record
) -> None:
    assert review.progress.text() == "1 of 4"
    assert review.precision.text() == "About 3 of 10 of them are wrong (1 to 6 of 10)."
    assert review.facts.facts["Proposed class"] == "tulip"
    assert review.facts.facts["Label is wrong"] == "80\N{NO-BREAK SPACE}%"
    assert not review.picture.image().isNull()
    assert review.hasFocus()

    press(review, KEY.Key_Return)
    ready(qtbot, review, ROWS[1])
    assert review.progress.text() == "2 of 4"
    press(review, KEY.Key_K)
    ready(qtbot, review, ROWS[2])
    press(review, KEY.Key_S)
    ready(qtbot, review, ROWS[3])
    assert review.progress.text() == "4 of 4"
    press(review, KEY.Key_Delete)
    qtbot.waitUntil(lambda: review.leave_button.isVisible() and review._editor.is_ready)

    store = Store.open(audited.folder)
    assert store.classes[store.labels[ROWS[0]]] == "tulip"
    assert store.confirmed.nonzero()[0].tolist() == [ROWS[1]]
    assert store.split[ROWS[3]] == SKIPPED
    notes = [line.note for line in read_edits(audited.folder)]
    assert notes[0].endswith("→ tulip")
    assert notes[1].endswith("confirmed")
    assert len(notes) == 3
    qtbot.waitUntil(review.again_button.isVisible)
    review.again_button.click()
    ready(qtbot, review, ROWS[2])
    assert review.progress.text() == "4 of 4"


def test_undo_takes_the_last_decision_back_also_a_skip(
    qtbot: QtBot, review: LabelReview, audited: Record
) -> None:
    before = Store.open(audited.folder).labels.tolist()
    press(review, KEY.Key_Return)
    ready(qtbot, review, ROWS[1])
    press(review, KEY.Key_S)
    ready(qtbot, review, ROWS[2])
    QTest.keyClick(review, KEY.Key_Z, CONTROL)
    ready(qtbot, review, ROWS[1])
    assert len(read_edits(audited.folder)) == 1, "a skip is no edit"
    QTest.keyClick(review, KEY.Key_Z, CONTROL)
    ready(qtbot, review, ROWS[0])
    assert Store.open(audited.folder).labels.tolist() == before
    assert not review.undo_button.isEnabled()


def test_a_held_key_decides_once_and_only_about_a_shown_image(
    qtbot: QtBot, review: LabelReview, audited: Record
) -> None:
    held = QKeyEvent(
        QEvent.Type.KeyPress, KEY.Key_Return, Qt.KeyboardModifier.NoModifier, autorep=True
    )
    press(review, KEY.Key_Return)
    for _ in range(5):
        QApplication.sendEvent(review, held)
        press(review, KEY.Key_Return)
    ready(qtbot, review, ROWS[1])
    assert len(read_edits(audited.folder)) == 1


def test_another_class_can_be_chosen(qtbot: QtBot, review: LabelReview, audited: Record) -> None:
    assert review.current is not None
    assert review.current.given == "rose"
    review.picker.chosen.emit(1)
    ready(qtbot, review, ROWS[1])
    review.picker.created.emit("lily")
    ready(qtbot, review, ROWS[2])
    review.picker.chosen.emit(2)
    ready(qtbot, review, ROWS[3])
    store = Store.open(audited.folder)
    assert [store.classes[store.labels[row]] for row in ROWS[:3]] == ["rose", "lily", "tulip"]
    assert store.confirmed.nonzero()[0].tolist() == [ROWS[0]], "its class was right"


def test_escape_leads_back_and_what_was_decided_is_not_asked_again(
    qtbot: QtBot, review: LabelReview, audited_view: View
) -> None:
    press(review, KEY.Key_K)
    ready(qtbot, review, ROWS[1])
    press(review, KEY.Key_Escape)
    panel = audited_view.panel
    assert panel.stack.currentWidget() is panel.findings
    qtbot.waitUntil(
        lambda: panel.findings.rows["label_errors"].left.text() == "3 of 4 images are left."
    )
    panel.findings.rows["label_errors"].review_button.click()
    ready(qtbot, review, ROWS[1])
    assert review.progress.text() == "2 of 4"


def test_a_new_audit_without_doubtful_labels_ends_the_review(
    qtbot: QtBot, review: LabelReview, audited_view: View, audited: Record
) -> None:
    report = AuditReport.read(audited.folder)
    assert report is not None
    left = [NotChecked(kind="label_errors", reason="there are too few images")]
    report.model_copy(update={"findings": [], "not_checked": left}).write(audited.folder)
    audited_view.panel.audits.reload()
    qtbot.waitUntil(review.leave_button.isVisible)
    assert review.current is None
    press(review, KEY.Key_Return)
    assert read_edits(audited.folder) == []
    bar = audited_view.panel.findings_bar
    assert bar.line.text() == "The audit found no problems · not checked: Doubtful labels"
    assert bar.icon.mark == "info"
