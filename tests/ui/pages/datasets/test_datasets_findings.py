"""What the audit found: its cards, its images, and fixes that can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from flawed_pictures import flawed_folder
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    looks,
    nameless_controls,
    press,
    show_in_window,
    unexplained_buttons,
)
from page_records import add_dataset, picture_folder, start_jobs
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.datasets.audit.findings import Action
from studio.engine.datasets.audit.plan import AuditPlan
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.edits import current_version, in_effect, read_edits
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import excluded_rows
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.finding_row import FindingRow
from studio.ui.pages.datasets.image_query import LEFT_OUT
from studio.ui.pages.datasets.page import View

# A dataset without test images, so that leaks cannot hide the other findings.
SPLITS = {"val_percent": 0.0, "test_percent": 0.0}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return flawed_folder(tmp_path / "flowers")


@pytest.fixture
def record(workspace: Workspace, source: Path) -> Record:
    record = add_dataset(workspace, "flowers", source, width=32, height=32, **SPLITS)
    audit_dataset(record.folder, AuditPlan(dataset=record.id), SilentProgress())
    return record


@pytest.fixture
def view(qtbot: QtBot, context: AppContext, record: Record) -> Iterator[View]:
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    panel = page.panel
    qtbot.waitUntil(
        lambda: (
            panel.faces.currentWidget() is panel.gallery
            and panel.audits.facts is not None
            and panel.editor.state is not None
        ),
        timeout=10_000,
    )
    yield page
    window.close()


def open_findings(view: View) -> None:
    view.panel.findings_bar.show_button.click()
    assert view.panel.faces.currentWidget() is view.panel.findings


def names(view: View) -> list[str]:
    """The file names in the grid, in order."""
    model = view.panel.browser.grid.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def show_images(qtbot: QtBot, view: View, kind: str) -> list[str]:
    with qtbot.waitSignal(view.panel.browser.listed, timeout=10_000):
        view.panel.findings.row(kind).show_button.click()
    return names(view)


def after(qtbot: QtBot, view: View, act: Callable[[], object]) -> None:
    """Do something that makes another version, and wait until all of the page is of it."""
    (folder,) = view.context.workspace.root.glob("datasets/*")
    version = current_version(folder) + 1
    act()

    def settled() -> bool:
        facts, known = view.panel.audits.facts, view._known.of(view.selected)[0]
        versions = {facts and facts.version, known and known.version}
        return not view.panel.editor.is_busy and versions == {version}

    qtbot.waitUntil(settled, timeout=10_000)


def fix(qtbot: QtBot, view: View, kind: str, action: Action) -> FindingRow:
    after(qtbot, view, view.panel.findings.row(kind).fix_buttons[action].click)
    return view.panel.findings.row(kind)


def test_the_line_and_the_cards_tell_what_was_found_serious_first(view: View) -> None:
    panel = view.panel
    assert panel.findings_bar.line.text() == "1 serious · 3 warnings · 1 remark"
    card = view.list.card(view.selected)
    assert card is not None
    assert card.mark.mark == "serious"
    assert "Serious" in card.accessibleDescription()
    open_findings(view)
    rows = panel.findings.rows()
    assert [row.finding.kind for row in rows] == [
        "conflicting_labels",
        "exact_duplicates",
        "near_duplicates",
        "blank",
        "unreadable",
    ]
    copies = panel.findings.row("exact_duplicates")
    assert copies.title.text() == "Exact duplicates"
    assert "pixel by pixel: 3" in copies.message.text()
    assert copies.suggestion.text() == "Keep one of each."
    assert copies.severity.text() == "Warning"
    assert copies.fix_buttons["exclude"].text() == "Leave out 3 images"
    files = panel.findings.row("unreadable")
    assert not files.fix_buttons
    assert not files.show_button.isVisible(), "what was never imported has no images to show"


def test_what_was_not_looked_at_and_the_figures_are_there(view: View) -> None:
    open_findings(view)
    findings = view.panel.findings
    facts = view.panel.audits.facts
    assert facts is not None
    assert facts.report is not None
    for entry in facts.report.not_checked:
        assert entry.reason in findings.not_checked.text()
    assert findings.not_checked.isVisible() == bool(facts.report.not_checked)
    assert findings.figures is not None
    texts = findings.figures.texts()
    mean = facts.report.statistics.color_mean
    assert texts["Mean color"] == f"R {mean[0]:.0f}, G {mean[1]:.0f}, B {mean[2]:.0f}"
    assert texts["File width"] == "32 px"
    assert [*findings.figures.pictures] == ["train"]
    assert not findings.figures.pictures["train"].image().isNull()


def test_a_fix_leaves_images_out_and_can_be_taken_back(
    qtbot: QtBot, view: View, record: Record, source: Path
) -> None:
    files = sorted(path for path in source.rglob("*") if path.is_file())
    before = [path.read_bytes() for path in files]
    open_findings(view)
    row = fix(qtbot, view, "exact_duplicates", "exclude")
    assert row.icon.mark == "done"
    assert row.left.text() == "Done: nothing of it is left."
    assert not row.fix_buttons
    store = Store.open(record.folder)
    gone = sorted(Path(store.paths[place]).name for place in excluded_rows(store).tolist())
    assert gone == ["copy 0a.png", "copy 0b.png", "copy 1.png"]
    assert read_edits(record.folder)[-1].note == "Exact duplicates: 3 images left out"
    assert "version 0, this is version 1" in view.panel.findings.age.text()
    assert view.panel.findings_bar.line.text().endswith("edited since")
    assert [path.read_bytes() for path in files] == before

    control = Qt.KeyboardModifier.ControlModifier
    row.show_button.setFocus()
    after(qtbot, view, lambda: QTest.keyClick(view.panel.findings, Qt.Key.Key_Z, control))
    assert not in_effect(read_edits(record.folder))
    assert "exclude" in view.panel.findings.row("exact_duplicates").fix_buttons

    steps = view.panel.findings.steps
    assert not steps.undo_button.isEnabled()
    assert steps.redo_button.toolTip().startswith("Redo: Exact duplicates: 3 images left out")
    after(qtbot, view, steps.redo_button.click)
    assert view.panel.findings.row("exact_duplicates").icon.mark == "done"
    after(qtbot, view, steps.undo_button.click)
    assert sum(Store.open(record.folder).counts().values()) == 36


def test_what_a_hand_did_counts_as_well(qtbot: QtBot, view: View) -> None:
    open_findings(view)
    assert show_images(qtbot, view, "exact_duplicates") == [
        "000.png",
        "copy 0a.png",
        "copy 0b.png",
        "001.png",
        "copy 1.png",
    ]
    view.panel.browser.grid.choose(np.array([1]))
    after(qtbot, view, view.panel.browser.edit_bar.exclude)
    press(view.panel.browser.grid, Qt.Key.Key_Escape)
    assert view.panel.faces.currentWidget() is view.panel.findings, "back to where it came from"
    row = view.panel.findings.row("exact_duplicates")
    assert row.left.text() == "2 of 3 pairs are left."
    assert row.fix_buttons["exclude"].text() == "Leave out 2 images"


def test_a_finding_is_a_filter_like_the_others(qtbot: QtBot, view: View) -> None:
    open_findings(view)
    pair = show_images(qtbot, view, "conflicting_labels")
    assert pair == ["002.png", "as rose.png"]
    bar, browser = view.panel.browser.bar, view.panel.browser
    assert bar.chip.isVisible()
    assert bar.chip.button.text() == "Conflicting classes"
    assert bar.order_box.currentText() == "Pairs together"
    with qtbot.waitSignal(browser.listed):
        bar.class_box.setCurrentIndex(2)
        bar.class_box.activated.emit(2)
    assert names(view) == ["as rose.png"]
    with qtbot.waitSignal(browser.listed):
        bar.search.setText("nothing like that")
    assert "has “nothing like that”" in browser.nothing.text()
    with qtbot.waitSignal(browser.listed):
        bar.search.clear()
    with qtbot.waitSignal(browser.listed):
        bar.split_box.setCurrentIndex(bar.split_box.findData(LEFT_OUT))
        bar.split_box.activated.emit(0)
    assert names(view) == []
    assert "of this finding" in browser.nothing.text()
    with qtbot.waitSignal(browser.listed):
        bar.split_box.setCurrentIndex(0)
        bar.split_box.activated.emit(0)
    with qtbot.waitSignal(browser.listed):
        press(bar.chip.button, Qt.Key.Key_Space)
    assert not bar.chip.isVisible()
    assert bar.order_box.findData("finding") == -1
    assert len(names(view)) == 10, "the class stays chosen"


@pytest.mark.qt_log_ignore("does not support", extend=True)  # popups, without a screen
def test_relabeling_asks_for_the_class(qtbot: QtBot, view: View, record: Record) -> None:
    open_findings(view)
    row = view.panel.findings.row("conflicting_labels")
    assert row.fix_buttons["relabel"].text() == "Relabel 2 images…"
    row.fix_buttons["relabel"].click()
    assert row.picker is not None
    picker = row.picker
    picker.search.setText("dai")
    after(qtbot, view, lambda: press(picker.search, Qt.Key.Key_Return))
    store = Store.open(record.folder)
    labels = {
        Path(path).name: label for path, label in zip(store.paths, store.labels, strict=True)
    }
    assert store.classes[labels["as rose.png"]] == "daisy"
    note = "Conflicting classes: 1 image relabeled to “daisy”"
    assert read_edits(record.folder)[-1].note == note
    assert view.panel.findings.row("conflicting_labels").icon.mark == "done"
    card = view.list.card(view.selected)
    assert card is not None
    assert card.mark.mark == "warning", "nothing serious is left"


def test_the_keyboard_stays_at_the_finding_that_was_fixed(qtbot: QtBot, view: View) -> None:
    open_findings(view)
    view.panel.findings.row("blank").fix_buttons["exclude"].setFocus()
    row = fix(qtbot, view, "blank", "exclude")
    assert row.show_button.hasFocus()


def test_the_findings_fit_and_explain_themselves_in_both_themes(
    qtbot: QtBot, context: AppContext, view: View
) -> None:
    open_findings(view)
    view.panel.findings.row("blank").allow(busy=True)
    assert unexplained_buttons(view) == []
    images = looks(view, context.theme)
    assert lightness(images["dark"]) < 0.3
    assert lightness(images["light"]) > 0.7
    for _ in range(2):
        assert not nameless_controls(view)
        assert not cut_buttons(view)
        assert not unexplained_buttons(view)
        assert fits_smallest_window(view)
        show_images(qtbot, view, "exact_duplicates")


def test_a_sound_dataset_says_so(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path
) -> None:
    folder = picture_folder(tmp_path / "sound", {"a": 12, "b": 12})
    record = add_dataset(workspace, "sound", folder, **SPLITS)
    plan = AuditPlan(dataset=record.id, doubt_labels=False, near_similarity=100)
    report = audit_dataset(record.folder, plan, SilentProgress())
    assert not report.findings
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    line = view.panel.findings_bar.line
    qtbot.waitUntil(lambda: line.text() == "The audit found nothing to be done", timeout=10_000)
    assert view.panel.findings_bar.icon.mark == "done"
    open_findings(view)
    assert view.panel.findings.nothing.text() == "Nothing was found in 24 images."
    card = view.list.card(record.id)
    assert card is not None
    assert card.mark.isHidden()
    window.close()
