"""A dataset as a whole: facts, classes with what failed, runs, name, notes; importing it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    nameless_controls,
    only,
    show_in_window,
    unexplained_buttons,
)
from page_records import add_dataset, add_run, picture_folder, start_jobs
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.sources.base import Skipped
from studio.engine.jobs.states import State
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import OpenRecord
from studio.ui.pages.datasets.about_section import AboutSection
from studio.ui.pages.datasets.page import View
from studio.ui.tasks.classification.view import ClassFilter, failures


@pytest.fixture
def record(workspace: Workspace, tmp_path: Path) -> Record:
    source = picture_folder(tmp_path / "flowers", {"daisy": 6, "rose": 8, "tulip": 10})
    (source / "rose" / "bad.png").write_bytes(b"no image")
    made = add_dataset(
        workspace, "flowers", source, encoding="png", max_per_class=9, seed=4, val_percent=25.0
    )
    audit_dataset(made.folder, AuditPlan(dataset=made.id), SilentProgress())
    return made


@pytest.fixture
def view(qtbot: QtBot, context: AppContext, record: Record) -> Iterator[View]:
    add_run(context.workspace, "good run", record.id, [0.5])
    add_run(context.workspace, "bad run", record.id, [], State.FAILED)
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    panel = page.panel
    qtbot.waitUntil(
        lambda: panel.stack.currentWidget() is panel.gallery and bool(panel.audits.facts),
        timeout=10_000,
    )
    yield page
    window.close()


@pytest.fixture
def about(view: View) -> AboutSection:
    view.panel.about_button.click()
    assert view.panel.stack.currentWidget() is view.panel.about
    return view.panel.about


def test_it_says_how_the_dataset_was_made(
    qtbot: QtBot, about: AboutSection, tmp_path: Path
) -> None:
    qtbot.waitUntil(lambda: about.facts.facts["On the disk"].endswith("B"), timeout=10_000)
    facts = about.facts.facts
    assert facts["Images from"] == str(tmp_path / "flowers")
    assert facts["Files left out by the import"] == "1"
    assert facts["Images excluded since"] == "0"
    assert facts["Encoding"] == "PNG (lossless)"
    assert facts["Maximum per class"] == "9"
    assert facts["Validation"] == "6 images (26\N{NO-BREAK SPACE}%)", (
        "as it is, not as it was asked for"
    )
    assert "Border" not in facts, "what is for experts shows only where it is not as usual"


def test_classes_have_names_counts_and_what_failed(about: AboutSection) -> None:
    model = about.classes.model()
    texts = [
        [model.index(row, column).data() for column in (0, 2, 3)]
        for row in range(model.rowCount())
    ]
    assert texts == [["tulip", "9", "0"], ["rose", "8", "1"], ["daisy", "6", "0"]]
    text = model.index(1, 1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert text.startswith("rose: Training ")
    assert text.endswith("1 left out by the import")


def test_failures_belong_to_the_innermost_folder_that_is_a_class() -> None:
    paths = ["rose/a.png", "train/rose/b.png", "rose/daisy/c.png", "d.png", "other/e.png"]
    found = failures(["rose", "daisy"], [Skipped(path, "damaged") for path in paths])
    assert found == {"rose": 2, "daisy": 1}


def test_a_class_leads_to_its_images(qtbot: QtBot, view: View, about: AboutSection) -> None:
    with qtbot.waitSignal(view.panel.browser.listed, timeout=10_000):
        about.classes.doubleClicked.emit(about.classes.model().index(0, 0))
    assert only(view.panel.browser.bar, ClassFilter).box.currentText() == "tulip"
    view.panel.browser.bar.back_button.click()
    assert view.panel.stack.currentWidget() is about


def test_runs_have_states_and_lead_to_their_page(
    qtbot: QtBot, context: AppContext, about: AboutSection
) -> None:
    buttons = {button.text(): button for button in about.runs.buttons()}
    assert set(buttons) == {"good run", "bad run"}
    with qtbot.waitSignal(context.navigator.open_requested) as went:
        buttons["good run"].click()
    (intent,) = went.args or []
    assert isinstance(intent, OpenRecord)
    assert intent.page == "train"
    assert intent.record.startswith("good")


def test_the_mean_images_are_written(about: AboutSection) -> None:
    assert "train" in about.means.pictures
    assert not about.means.pictures["train"].image().isNull()


def test_another_name_is_kept_and_shown(
    qtbot: QtBot, view: View, about: AboutSection, record: Record
) -> None:
    about.name.edit.setText("petals")
    about.name.edit.editingFinished.emit()
    qtbot.waitUntil(lambda: record.name == "petals", timeout=10_000)
    qtbot.waitUntil(lambda: view.panel.header.accessibleName() == "petals", timeout=10_000)
    about.name.edit.setText(" ")
    about.name.edit.textEdited.emit(" ")
    about.name.edit.editingFinished.emit()
    assert about.name.problem is not None
    assert record.name == "petals"


def test_notes_are_kept(qtbot: QtBot, view: View, about: AboutSection, record: Record) -> None:
    about.notes.setPlainText("from the garden")
    view.panel.about_button.click()  # leaving keeps them at once
    qtbot.waitUntil(lambda: record.info().notes == "from the garden", timeout=10_000)
    qtbot.waitUntil(lambda: view.panel.about.notes.toPlainText() == "from the garden")


@pytest.mark.thorough
def test_importing_again_begins_with_the_same_settings(
    qtbot: QtBot, view: View, record: Record
) -> None:
    view.panel.clone_button.click()
    recipe = view.sheet.recipe
    qtbot.waitUntil(lambda: recipe.found is not None, timeout=10_000)
    assert view.stack.currentWidget() is view.sheet
    made = recipe.recipe()
    assert made is not None
    assert made.to_json() == record.plan_file.read_text(encoding="utf-8")
    assert recipe.name.name() == "flowers-2"
    qtbot.waitUntil(view.sheet.import_button.isEnabled, timeout=10_000)


def test_the_section_is_sound(view: View, about: AboutSection) -> None:
    assert nameless_controls(about) == []
    assert unexplained_buttons(about) == []
    assert cut_buttons(about) == []
    assert fits_smallest_window(view)
