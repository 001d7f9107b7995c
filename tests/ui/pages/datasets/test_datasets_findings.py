"""What the audit found: its line, its cards and its images."""

from __future__ import annotations

from pathlib import Path

from audited_page import names, open_findings, show_images
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    only,
    press,
    show_in_window,
    styles,
    unexplained_buttons,
)
from page_records import add_dataset, picture_folder, start_jobs
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.browsing.images import LEFT_OUT
from studio.ui.pages.datasets.page import View
from studio.ui.tasks.classification.view import ClassFilter


def test_the_line_and_the_cards_list_findings_serious_first(audited_view: View) -> None:
    panel = audited_view.panel
    assert panel.findings_bar.line.text() == "1 serious · 3 warnings · 2 suggestions"
    card = audited_view.list.card(audited_view.current_record)
    assert card is not None
    assert card.mark.mark == "serious"
    assert "Serious" in card.accessibleDescription()
    open_findings(audited_view)
    rows = list(panel.findings.rows.values())
    assert [row.finding.kind for row in rows] == [
        "conflicting_labels",
        "exact_duplicates",
        "near_duplicates",
        "blank",
        "label_errors",
        "unreadable",
    ]
    copies = panel.findings.rows["exact_duplicates"]
    assert copies.title.text() == "Exact duplicates"
    assert "Exact duplicates: 3" in copies.message.text()
    assert copies.suggestion.text() == "Keep one of each."
    assert copies.severity.text() == "Warning"
    assert copies.fix_buttons["exclude"].text() == "Exclude 3 images…"
    files = panel.findings.rows["unreadable"]
    assert not files.fix_buttons
    assert not files.show_button.isVisible(), "what was never imported has no images to show"


def test_unchecked_parts_and_figures_are_shown(audited_view: View) -> None:
    open_findings(audited_view)
    findings = audited_view.panel.findings
    facts = audited_view.panel.audits.facts
    assert facts is not None
    assert facts.report is not None
    for entry in facts.report.not_checked:
        assert entry.reason in findings.not_checked.text()
    assert findings.not_checked.isVisible() == bool(facts.report.not_checked)
    assert findings.figures is not None
    texts = findings.figures.texts
    mean = facts.report.statistics.color_mean
    assert texts["Mean color"] == f"R {mean[0]:.0f}, G {mean[1]:.0f}, B {mean[2]:.0f}"
    assert texts["File width"] == "32 px"
    assert [*findings.figures.means.pictures] == ["train"]
    assert not findings.figures.means.pictures["train"].image().isNull()


def test_a_finding_is_a_filter_like_the_others(qtbot: QtBot, audited_view: View) -> None:
    open_findings(audited_view)
    pair = show_images(qtbot, audited_view, "conflicting_labels")
    assert pair == ["002.png", "as rose.png"]
    bar, browser = audited_view.panel.browser.bar, audited_view.panel.browser
    assert bar.chip.isVisible()
    assert bar.chip.button.text() == "Conflicting labels"
    assert bar.order_box.currentText() == "By pair"
    with qtbot.waitSignal(browser.listed):
        bar.order_box.setCurrentIndex(bar.order_box.findData("name"))
        bar.order_box.activated.emit(0)
    assert names(audited_view) == pair, "002.png comes before as rose.png by name, too"
    with qtbot.waitSignal(browser.listed):
        only(bar, ClassFilter).box.setCurrentIndex(2)
        only(bar, ClassFilter).box.activated.emit(2)
    assert names(audited_view) == ["as rose.png"]
    with qtbot.waitSignal(browser.listed):
        bar.search.setText("nothing like that")
    assert "has “nothing like that”" in browser.nothing.text()
    with qtbot.waitSignal(browser.listed):
        bar.search.clear()
    with qtbot.waitSignal(browser.listed):
        bar.split_box.setCurrentIndex(bar.split_box.findData(LEFT_OUT))
        bar.split_box.activated.emit(0)
    assert names(audited_view) == []
    assert "for this finding" in browser.nothing.text()
    with qtbot.waitSignal(browser.listed):
        bar.split_box.setCurrentIndex(0)
        bar.split_box.activated.emit(0)
    with qtbot.waitSignal(browser.listed):
        press(bar.chip.button, Qt.Key.Key_Space)
    assert not bar.chip.isVisible()
    assert bar.order_box.findData("finding") == -1
    assert len(names(audited_view)) == 10, "the class stays chosen"


def test_the_findings_fit_and_explain_themselves_in_both_themes(
    qtbot: QtBot, context: AppContext, audited_view: View
) -> None:
    open_findings(audited_view)
    audited_view.panel.findings.rows["blank"].allow(busy=True)
    assert unexplained_buttons(audited_view) == []
    images = styles(audited_view, context.theme)
    assert lightness(images["dark"]) < 0.3
    assert lightness(images["light"]) > 0.7
    for _ in range(2):
        assert not nameless_controls(audited_view)
        assert not cut_buttons(audited_view)
        assert not unexplained_buttons(audited_view)
        assert fits_smallest_window(audited_view)
        show_images(qtbot, audited_view, "exact_duplicates")


def test_a_sound_dataset_says_so(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path
) -> None:
    folder = picture_folder(tmp_path / "sound", {"a": 12, "b": 12})
    record = add_dataset(workspace, "sound", folder, val_percent=0.0, test_percent=0.0)
    plan = AuditPlan(dataset=record.id, doubt_labels=False, near_similarity=100)
    report = audit_dataset(record.folder, plan, SilentProgress())
    assert not report.findings
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    line = view.panel.findings_bar.line
    qtbot.waitUntil(lambda: line.text().startswith("The audit found no problems"), timeout=10_000)
    assert view.panel.findings_bar.icon.mark == "info"  # wrong labels were not searched
    open_findings(view)
    assert view.panel.findings.nothing.text() == "No problems found in 24 images."
    card = view.list.card(record.id)
    assert card is not None
    assert card.mark.isHidden()
    window.close()
