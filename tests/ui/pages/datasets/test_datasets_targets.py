"""Datasets with labels and with numbers: shown, filtered, sorted and edited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dataset_browsing import browse, is_sound, rows_shown
from page_checks import (
    only,
    show_in_window,
)
from page_records import add_dataset, picture_folder, start_jobs
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.target_datasets import SIDE, squares
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.remaining import read_audit
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.edits import SetTarget
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.regression.task import REGRESSION
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import ImportImages
from studio.ui.pages.datasets.browsing.browser import ImageBrowser
from studio.ui.pages.datasets.importing.sheet import ImportSheet
from studio.ui.pages.datasets.page import View
from studio.ui.tasks import view_of
from studio.ui.tasks.multi_label.view import LabelEditor, LabelFilter
from studio.ui.tasks.regression.data import ValueEditor, ValueFilter
from studio.ui.tasks.targets import TargetTable
from studio.ui.widgets.labels import ElidedLabel

COUNT = 40


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return squares(tmp_path_factory.mktemp("squares"), COUNT)


def add(workspace: Workspace, tables: dict[str, Path], task: str) -> Record:
    values: dict[str, object] = {
        "task": task,
        "path_prefix": str(tables[task].parent / "pictures"),
        "width": SIDE,
        "height": SIDE,
    }
    return add_dataset(workspace, task, tables[task], **values)


Show = Callable[[str], tuple[View, Record]]


@pytest.fixture
def show(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tables: dict[str, Path]
) -> Iterator[Show]:
    windows = []

    def make(task: str) -> tuple[View, Record]:
        record = add(workspace, tables, task)
        page = View(context)
        windows.append(show_in_window(qtbot, page))
        start_jobs(qtbot, context)
        panel = page.panel
        qtbot.waitUntil(lambda: panel.stack.currentWidget() is panel.gallery, timeout=10_000)
        qtbot.waitUntil(lambda: panel.editor.state is not None)
        return page, record

    yield make
    for window in windows:
        window.close()


def captions(browser: ImageBrowser) -> list[str]:
    model = browser.grid.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def after(qtbot: QtBot, view: View, act: Callable[[], object]) -> None:
    with qtbot.waitSignal(view.panel.browser.listed, timeout=10_000):
        act()
    qtbot.waitUntil(lambda: not view.panel.editor.is_busy)


def test_labels_replace_classes(qtbot: QtBot, show: Show) -> None:
    view, record = show("multi_label")
    targets = Store.open(record.folder).targets
    panel = view.panel
    assert panel.summary.text() == "40 images · 24×24 color · 3 labels"
    assert view.list.cards()[0].accessibleDescription().startswith("40 images, 3 labels")
    cards = panel.gallery.cards()
    assert [card.name for card in cards] == ["blue", "green", "red"]
    assert [sum(card.bar.counts().values()) for card in cards] == targets.sum(axis=0).tolist()
    assert cards[0].accessibleName() == f"Label blue, images: {targets[:, 0].sum()}"
    panel.about_button.click()
    about = panel.about
    assert not about.baseline.isHidden()
    model = about.classes.model()
    assert model.headerData(0, Qt.Orientation.Horizontal) == "Label"
    assert sorted(int(model.index(row, 2).data()) for row in range(3)) == sorted(
        targets.sum(axis=0).tolist()
    )
    is_sound(qtbot, view)


def test_images_are_filtered_by_a_label_that_they_have_or_not(qtbot: QtBot, show: Show) -> None:
    view, record = show("multi_label")
    targets = Store.open(record.folder).targets
    browser = browse(qtbot, view, 2)
    assert rows_shown(browser) == np.flatnonzero(targets[:, 2]).tolist()
    assert all("red" in caption for caption in captions(browser))
    is_sound(qtbot, view)
    chosen = only(browser.bar, LabelFilter)
    assert chosen.box.currentText() == "red"
    assert chosen.without.isVisible()
    with qtbot.waitSignal(browser.listed):
        chosen.without.click()
    assert rows_shown(browser) == np.flatnonzero(targets[:, 2] == 0).tolist()
    chosen.box.setCurrentIndex(1)
    with qtbot.waitSignal(browser.listed):
        chosen.box.activated.emit(1)
    assert rows_shown(browser) == np.flatnonzero(~targets.any(axis=1)).tolist()
    assert set(captions(browser)) == {"No labels"}
    assert chosen.below.isHidden()
    assert browser.bar.predictions_button.isHidden(), "answers of runs are compared with classes"


def test_the_details_show_labels_as_separate_words(qtbot: QtBot, show: Show) -> None:
    view, record = show("multi_label")
    targets = Store.open(record.folder).targets
    browser = browse(qtbot, view)
    row = int(np.flatnonzero(targets.sum(axis=1) == 2)[0])
    browser.grid.choose(np.array([row]))
    qtbot.waitUntil(lambda: bool(browser.details.facts))
    names = np.array(["blue", "green", "red"])[targets[row] > 0]
    assert browser.details.facts["Labels"] == ", ".join(names)
    assert "Class" not in browser.details.facts


@pytest.mark.qt_log_ignore("does not support", extend=True)  # popups, without a screen
def test_labels_are_given_taken_and_made_with_undo(qtbot: QtBot, show: Show) -> None:
    view, record = show("multi_label")
    before = Store.open(record.folder).targets
    browser = browse(qtbot, view)
    editor = only(browser.edit_bar, LabelEditor)
    assert not editor.button.isEnabled()
    rows = [
        int(np.flatnonzero(before[:, 2] == 1)[0]),
        int(np.flatnonzero(before[:, 2] == 0)[0]),
    ]
    browser.grid.choose(np.array(sorted(rows)))
    states = Qt.CheckState
    editor.button.click()
    red = editor.picker.list.item(2)
    assert red.checkState() == states.PartiallyChecked
    after(qtbot, view, lambda: editor.picker.list.itemClicked.emit(red))
    assert Store.open(record.folder).targets[rows, 2].tolist() == [1, 1]
    assert editor.picker.isVisible(), "several labels can be changed one after the other"
    red = editor.picker.list.item(2)
    assert red.checkState() == states.Checked
    after(qtbot, view, lambda: editor.picker.list.itemClicked.emit(red))
    assert Store.open(record.folder).targets[rows, 2].tolist() == [0, 0]
    assert view.panel.editor.state is not None
    assert view.panel.editor.state.undo == "Removed the label “red” from 2 images"
    QTest.keyClicks(editor.picker.search, "large")
    after(qtbot, view, editor.picker.new_button.click)
    store = Store.open(record.folder)
    assert store.classes == ["blue", "green", "red", "large"]
    assert store.targets[:, 3].sum() == 2
    editor.picker.hide()
    for _ in range(3):
        after(qtbot, view, view.panel.editor.undo)
    assert np.array_equal(Store.open(record.folder).targets, before)


def test_numbers_have_units_histograms_and_ranges(qtbot: QtBot, show: Show) -> None:
    view, record = show("regression")
    targets = Store.open(record.folder).targets
    panel = view.panel
    assert panel.summary.text() == "40 images · 24×24 color · 2 quantities"
    card = panel.gallery.cards()[0]
    assert card.name == "ink"
    assert card.histogram is not None
    assert card.histogram.isVisible()
    assert card.bar.isHidden()
    name = card.findChild(ElidedLabel)
    assert name is not None
    assert name.width() > card.mosaic.width() - 2, "the figure is on a line of its own"
    is_sound(qtbot, view)
    panel.about_button.click()
    model = panel.about.classes.model()
    cells = [str(model.index(0, column).data()) for column in range(model.columnCount())]
    assert cells[0] == "ink"
    assert cells[3].endswith("\N{NO-BREAK SPACE}%")
    assert float(cells[3].split("\N{NO-BREAK SPACE}")[0]) == pytest.approx(
        float(targets[:, 0].mean()), rel=1e-3
    )
    assert [str(model.index(1, column).data()) for column in (2, 4)] == ["0", "3"]
    is_sound(qtbot, view)


def test_bars_of_whole_numbers_hold_equally_many() -> None:
    task = TASKS["regression"]
    values = np.array([[2, 0.5], [3, 1.5], [3, 2.5], [90, 3.0]], np.float32)
    table = TargetTable(task, ["cells", "mass"], ["", "g"], values)

    few, mass = view_of(task).figures(table, np.arange(3))
    many, _ = view_of(task).figures(table, np.arange(4))

    assert few.counts == (1, 2)
    assert len(mass.counts) == 24
    assert len(many.counts) == 23
    assert many.counts[0] == 3


def test_images_are_sorted_and_filtered_by_a_quantity(qtbot: QtBot, show: Show) -> None:
    view, record = show("regression")
    ink = Store.open(record.folder).targets[:, 0]
    browser = browse(qtbot, view, 0)
    values = ink[rows_shown(browser)]
    assert (np.diff(values) >= 0).all()
    assert captions(browser)[-1].startswith(f"{values[-1]:.4g}"[:4])
    is_sound(qtbot, view)
    box = browser.bar.order_box
    texts = [box.itemText(index) for index in range(box.count())]
    assert texts[2:6] == [
        "ink, lowest first",
        "ink, highest first",
        "colors, lowest first",
        "colors, highest first",
    ]
    box.setCurrentIndex(3)
    with qtbot.waitSignal(browser.listed):
        box.activated.emit(3)
    assert rows_shown(browser)[0] == int(ink.argmax())
    chosen = only(browser.bar, ValueFilter)
    assert float(chosen.high.placeholderText()) == pytest.approx(float(ink.max()), rel=1e-3)
    low = float(np.median(ink))
    with qtbot.waitSignal(browser.listed, timeout=5000):
        QTest.keyClicks(chosen.low, f"{low:.3f}")
    assert sorted(rows_shown(browser)) == np.flatnonzero(ink >= np.float32(round(low, 3))).tolist()


@pytest.mark.qt_log_ignore("does not support", extend=True)  # popups, without a screen
def test_a_value_is_set_with_undo(qtbot: QtBot, show: Show) -> None:
    view, record = show("regression")
    before = Store.open(record.folder).targets
    browser = browse(qtbot, view)
    browser.grid.choose(np.array([0, 3]))
    editor = only(browser.edit_bar, ValueEditor)
    editor.button.click()
    editor.panel.field.clear()
    assert not editor.panel.button.isEnabled()
    QTest.keyClicks(editor.panel.field, "12.5")
    after(qtbot, view, editor.panel.button.click)
    assert Store.open(record.folder).targets[[0, 3], 0].tolist() == [12.5, 12.5]
    state = view.panel.editor.state
    assert state is not None
    assert state.undo == "Set ink of 2 images to 12.50\N{NO-BREAK SPACE}%"
    qtbot.waitUntil(
        lambda: browser.details.facts.get("ink") == "12.50\N{NO-BREAK SPACE}%", timeout=5000
    )
    after(qtbot, view, view.panel.editor.undo)
    assert np.array_equal(Store.open(record.folder).targets, before)


def test_an_output_is_renamed_from_its_card(qtbot: QtBot, show: Show) -> None:
    view, record = show("regression")
    panel = view.panel
    panel.gallery.menu(0).actions()[1].trigger()
    assert panel.renaming.title.text() == "New name of the quantity “ink”"
    panel.renaming.field.setText("coverage")
    panel.renaming.ok_button.click()
    qtbot.waitUntil(
        lambda: [card.name for card in panel.gallery.cards()] == ["coverage", "colors"],
        timeout=10_000,
    )
    assert Store.open(record.folder).classes == ["coverage", "colors"]
    assert panel.editor.state is not None
    assert panel.editor.state.undo == "Renamed “ink” to “coverage”"


@pytest.mark.parametrize(
    ("task", "words"),
    [("multi_label", "2 images with other labels"), ("regression", "2 images with other values")],
)
def test_versions_describe_their_changes(qtbot: QtBot, show: Show, task: str, words: str) -> None:
    view, record = show(task)
    targets = Store.open(record.folder).targets
    value, rows = 99.0, "0-1"
    if task == "multi_label":
        without = np.flatnonzero(targets[:, 0] == 0)[:2].tolist()
        value, rows = 1.0, ",".join(map(str, without))
    edit_dataset(record.folder, [SetTarget(rows=rows, output=0, value=value)])
    versions = view.panel.versions
    qtbot.waitUntil(
        lambda: view.panel.editor.state is not None and view.panel.editor.state.version == 1,
        timeout=10_000,
    )
    view.panel.versions_button.click()
    qtbot.waitUntil(lambda: versions.card.comparison is not None, timeout=10_000)
    assert versions.table.texts()[0][2] == "Changed the targets of 2 images"
    titles = [label.accessibleName() for label in versions.card.thumbs()]
    assert titles[0].endswith(words)


def prepare(qtbot: QtBot, view: View, table: Path) -> ImportSheet:
    """The sheet with what was found in a table."""
    view.open(ImportImages(table))
    sheet = view.sheet
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=10_000)
    qtbot.waitUntil(lambda: bool(sheet.recipe.preview.after_images()), timeout=10_000)
    return sheet


def wait_for_survey(qtbot: QtBot, sheet: ImportSheet) -> None:
    qtbot.waitUntil(lambda: sheet.recipe.is_surveyed, timeout=10_000)
    qtbot.waitUntil(sheet.import_button.isEnabled, timeout=10_000)


def flags(tables: dict[str, Path]) -> Path:
    """Beside the pictures, a table with a column per label, and a bad line."""
    lines = ["image,red,small,remark"]
    lines += [f"pictures/{i:04}.png,{i % 2},{int(i % 3 == 0)},r{i}" for i in range(COUNT)]
    lines[5] = "pictures/0004.png,maybe,0,r4"
    path = tables["multi_label"].parent / "flags.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.thorough
def test_an_import_proposes_labels_and_says_why(
    qtbot: QtBot, open_page: Callable[[], View], tables: dict[str, Path]
) -> None:
    view = open_page()
    sheet = prepare(qtbot, view, flags(tables))
    task = sheet.recipe.task
    assert task.buttons["multi_label"].isChecked()
    assert task.buttons["multi_label"].text() == "Several labels per image"
    assert "red, small" in task.proposal.text()
    assert task.proposal.isVisible()
    assert task.values()["target_columns"] == ["red", "small"]
    assert sheet.recipe.found_card.accessibleName() == "39 images with 2 labels"
    assert sheet.recipe.classes.content.rows == [("red", "20"), ("small", "14")]
    (problem,) = sheet.recipe.skipped.table.content.rows
    assert "maybe" in problem[1]
    captions = {line.caption.text() for line in sheet.recipe.preview._lines}
    assert captions <= {"red", "small", "red, small", "No labels"}
    assert sheet.recipe.only.isHidden()
    is_sound(qtbot, view)
    small = task.columns.item(1)
    assert small.text() == "small:  1, 0"
    small.setCheckState(Qt.CheckState.Unchecked)
    task.columns.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert "Select at least one" in task.problem.text()
    assert not sheet.import_button.isEnabled()
    task.columns.item(1).setCheckState(Qt.CheckState.Checked)
    task.columns.item(0).setCheckState(Qt.CheckState.Checked)
    wait_for_survey(qtbot, sheet)
    task.buttons["regression"].click()
    assert task.proposal.isHidden(), "the user chose it"
    wait_for_survey(qtbot, sheet)
    assert sheet.recipe.classes.content.rows[0] == ("red", "0", "0.5128", "1")
    recipe = sheet.recipe.recipe()
    assert recipe is not None
    assert (recipe.task, recipe.target_columns) == ("regression", ["red", "small"])


def test_an_import_of_numbers_becomes_a_dataset(
    qtbot: QtBot, open_page: Callable[[], View], tables: dict[str, Path]
) -> None:
    view = open_page()
    table = tables["regression"]
    text = table.read_text(encoding="utf-8").replace("\n0", "\npictures/0")
    other = table.with_name("numbers.csv")
    other.write_text(text, encoding="utf-8")
    sheet = prepare(qtbot, view, other)
    assert sheet.recipe.task.buttons["regression"].isChecked()
    assert sheet.recipe.task.values()["target_columns"] == ["ink [%]", "colors"]
    assert sheet.recipe.found_card.accessibleName() == "40 images with 2 quantities"
    assert "%" in sheet.recipe.preview._lines[0].caption.text()
    is_sound(qtbot, view)
    sheet.import_button.click()
    gallery = view.panel.gallery
    qtbot.waitUntil(lambda: len(gallery.cards()) == 2, timeout=60_000)
    assert view.panel.summary.text().endswith("2 quantities")


@pytest.mark.thorough
def test_a_folder_offers_only_classes_and_says_what_is_missing(
    qtbot: QtBot, open_page: Callable[[], View], tmp_path: Path
) -> None:
    view = open_page()
    sheet = prepare(qtbot, view, picture_folder(tmp_path / "pets", {"cat": 4, "dog": 4}))
    buttons = sheet.recipe.task.buttons
    assert buttons["classification"].isChecked()
    assert sheet.recipe.task.columns.isHidden()
    for name in ("multi_label", "regression"):
        assert not buttons[name].isEnabled()
        assert "table" in buttons[name].toolTip()


@pytest.mark.parametrize(
    ("task", "heading"),
    [("multi_label", "Label"), ("regression", "Mean ± standard deviation")],
)
def test_a_new_split_shows_its_balance(qtbot: QtBot, show: Show, task: str, heading: str) -> None:
    view, record = show(task)
    view.panel.legend.split_button.click()
    section = view.panel.splitting
    qtbot.waitUntil(section.balance.isVisible, timeout=10_000)
    table = section.balance.content
    assert table.headerData(0, Qt.Orientation.Horizontal) == heading
    store = Store.open(record.folder)
    names = [row[0] for row in table.rows]
    assert names == store.classes
    assert all(len(row) == 4 and all(row) for row in table.rows)


def test_a_task_without_its_own_view_is_shown(
    qtbot: QtBot, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TASKS, REGRESSION.name, replace(REGRESSION, view=""))
    view, record = show("regression")
    values = Store.open(record.folder).targets
    assert view.panel.summary.text().endswith("2 outputs")
    assert [card.name for card in view.panel.gallery.cards()] == ["ink", "colors"]
    browser = browse(qtbot, view, 0)
    assert rows_shown(browser) == list(range(COUNT))
    browser.grid.choose(np.array([3]))
    qtbot.waitUntil(lambda: bool(browser.details.facts))
    assert browser.details.facts["colors"] == str(int(values[3, 1]))
    is_sound(qtbot, view)
    view.panel.about_button.click()
    assert view.panel.about.classes.model().rowCount() == 2
    view.panel.legend.split_button.click()
    qtbot.waitUntil(view.panel.splitting.balance.isVisible, timeout=10_000)
    view.panel.versions_button.click()
    qtbot.waitUntil(lambda: len(view.panel.versions.table.texts()) == 1, timeout=10_000)


@pytest.mark.thorough
def test_images_with_targets_are_added_to_a_dataset(
    qtbot: QtBot, show: Show, tmp_path: Path
) -> None:
    view, _record = show("multi_label")
    more = squares(tmp_path / "more", 6, seed=5)["multi_label"]
    text = more.read_text(encoding="utf-8").replace("\n0", "\npictures/0")
    more.write_text(text, encoding="utf-8")
    view.panel.add_button.click()
    sheet = view.sheet
    sheet.take_drop([more])
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=10_000)
    qtbot.waitUntil(sheet.import_button.isEnabled, timeout=10_000)
    assert sheet.import_button.text() == "Add 6 images"
    assert sheet.recipe.task.isHidden(), "the task is that of the dataset"
    assert sheet.recipe.only.isHidden()
    assert sheet.recipe.found_card.accessibleName() == "46 images with 3 labels"


@pytest.mark.thorough
def test_an_import_is_repeated_with_its_task(qtbot: QtBot, show: Show) -> None:
    view, _record = show("regression")
    view.panel.clone_button.click()
    sheet = view.sheet
    qtbot.waitUntil(sheet.import_button.isVisible, timeout=10_000)
    assert sheet.recipe.task.buttons["regression"].isChecked()
    assert sheet.recipe.task.proposal.isHidden(), "the user chose it before"
    assert sheet.recipe.task.values()["target_columns"] == ["ink [%]", "colors"]


def test_findings_show_their_images_with_targets(qtbot: QtBot, show: Show) -> None:
    view, record = show("multi_label")
    audit_dataset(record.folder, AuditPlan(dataset=record.id), SilentProgress())
    view.panel.audits.reload()
    facts = view.panel.audits
    qtbot.waitUntil(lambda: facts.facts is not None and bool(facts.facts.report), timeout=10_000)
    assert facts.facts is not None
    assert facts.facts.report is not None
    finding = next(each for each in facts.facts.report.findings if each.rows)
    browser = view.panel.browser
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        view.panel.findings.images_requested.emit(finding)
    assert set(rows_shown(browser)) == set(finding.rows)
    labels = {"blue", "green", "red", "No labels"}
    assert {part for caption in captions(browser) for part in caption.split(", ")} <= labels
    box = browser.bar.order_box
    keys = [box.itemData(index) for index in range(box.count())]
    assert keys == ["import", "name", "labels", "split", "finding"]
    browser.grid.choose(np.array([0]))
    after(qtbot, view, browser.edit_bar.exclude)
    assert [box.itemData(index) for index in range(box.count())] == keys


def test_the_same_image_with_other_targets_is_a_finding(
    workspace: Workspace, tables: dict[str, Path]
) -> None:
    record = add(workspace, tables, "multi_label")
    store = Store.open(record.folder)
    pixels = {row: store.images[row].tobytes() for row in range(COUNT)}
    same = next(
        (a, b) for a in range(COUNT) for b in range(a + 1, COUNT) if pixels[a] == pixels[b]
    )
    value = float(1 - store.targets[same[0], 0])
    edit_dataset(record.folder, [SetTarget(rows=str(same[0]), output=0, value=value)])
    audit_dataset(record.folder, AuditPlan(dataset=record.id), SilentProgress())
    report = AuditReport.read(record.folder)
    assert report is not None
    finding = report.finding("conflicting_labels")
    assert finding is not None
    assert same in finding.pairs
    assert finding.actions == ("exclude",)
    reasons = {each.kind: each.reason for each in report.not_checked}
    assert "fewer than 50 images" in reasons["label_errors"]
    assert read_audit(record.folder).left(finding) == finding.count
