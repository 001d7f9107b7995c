"""Resplitting a dataset in the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    nameless_controls,
    show_in_window,
    unexplained_buttons,
)
from page_records import add_dataset, picture_folder, start_jobs
from pytestqt.qtbot import QtBot

from studio.engine.datasets.edits import current_version, read_edits
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.store import Store
from studio.engine.plans import without_effect
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.page import View
from studio.ui.pages.datasets.versions.sections import SplitSection


@pytest.fixture
def record(workspace: Workspace, tmp_path: Path) -> Record:
    return add_dataset(
        workspace, "pets", picture_folder(tmp_path / "pets", {"cat": 40, "dog": 40})
    )


@pytest.fixture
def view(qtbot: QtBot, context: AppContext, record: Record) -> Iterator[View]:
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    panel = page.panel
    qtbot.waitUntil(
        lambda: panel.stack.currentWidget() is panel.gallery and panel.editor.state is not None,
        timeout=10_000,
    )
    yield page
    window.close()


def opened(view: View) -> SplitSection:
    view.panel.legend.split_button.click()
    assert view.panel.stack.currentWidget() is view.panel.splitting
    return view.panel.splitting


def change(section: SplitSection, name: str, value: object) -> None:
    section.form.editor(name).set_value(value)
    section.form.editor(name).changed.emit()


def test_groups_stay_together_and_undo_brings_the_old_split_back(
    qtbot: QtBot, view: View, record: Record
) -> None:
    before = Store.open(record.folder).split.copy()
    section = opened(view)
    change(section, "pattern", "/(0[0-9])")  # tens of images of both classes
    change(section, "val_percent", 25.0)
    section.split_button.click()
    panel = view.panel
    qtbot.waitUntil(lambda: panel.stack.currentWidget() is panel.gallery, timeout=10_000)

    store = Store.open(record.folder)
    assert current_version(record.folder) == 1
    tens: dict[str, set[int]] = {}
    for row, path in enumerate(store.paths):
        tens.setdefault(path.rpartition("/")[2][:2], set()).add(int(store.split[row]))
    assert len(tens) == 4
    assert all(len(splits) == 1 for splits in tens.values())
    assert "stratified: 25" in read_edits(record.folder)[-1].note
    shown = store.counts()
    qtbot.waitUntil(lambda: str(shown["val"]) in panel.legend._words["val"].text(), timeout=10_000)

    qtbot.waitUntil(lambda: not panel.editor.is_busy, timeout=10_000)
    panel.editor.undo()
    qtbot.waitUntil(lambda: current_version(record.folder) == 2, timeout=10_000)
    assert (Store.open(record.folder).split == before).all()


def test_a_pattern_without_a_match_is_reported_and_changes_nothing(
    qtbot: QtBot, view: View, record: Record
) -> None:
    section = opened(view)
    change(section, "pattern", "patient([0-9]+)_")
    qtbot.waitUntil(lambda: "matches no path" in section.preview.text(), timeout=10_000)
    assert not section.split_button.isEnabled(), "before anything is tried"
    section.split_button.click()
    assert current_version(record.folder) == 0
    assert view.panel.stack.currentWidget() is section


def test_what_does_nothing_is_off_and_cannot_be_wrong(view: View) -> None:
    section = opened(view)
    assert section.split_button.isEnabled()
    change(section, "pattern", "(")
    assert not section.split_button.isEnabled()
    change(section, "by_origin", False)
    assert section.split_button.isEnabled()
    assert not section.form.editor("pattern").isEnabled()
    change(section, "method", "kfold")
    assert section.form.editor("fold").isEnabled()
    change(section, "fold", 5)
    assert not section.split_button.isEnabled(), "folds are counted from 0"
    section.close_button.click()
    assert view.panel.stack.currentWidget() is view.panel.gallery


def test_every_field_has_no_effect_with_a_reason_or_does_something() -> None:
    for method in ("stratified", "ratio", "kfold"):
        idle = without_effect(SplitPlan, {"method": method})
        assert set(idle) <= set(SplitPlan.model_fields)
        assert all(idle.values())
    assert set(without_effect(SplitPlan, {"method": "ratio"})) == {"folds", "fold"}


def test_looks(qtbot: QtBot, view: View) -> None:
    section = opened(view)
    assert not nameless_controls(section)
    assert not unexplained_buttons(section)
    assert not cut_buttons(section)
    assert fits_smallest_window(view)


def test_the_form_says_what_will_change_and_keeps_the_test_folder(
    qtbot: QtBot, context: AppContext, workspace: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "flowers"
    for split, number in (("train", 40), ("test", 15)):
        picture_folder(folder / split, {"rose": number, "tulip": number})
    record = add_dataset(workspace, "flowers", folder)
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: page.panel.editor.state is not None, timeout=10_000)
    before = Store.open(record.folder).split.copy()
    section = opened(page)
    qtbot.waitUntil(lambda: bool(section.preview.text()), timeout=10_000)
    assert "Test 30" in section.preview.text()
    assert "become training" not in section.preview.text()
    assert not section.form.editor("test_percent").isEnabled()

    change(section, "keep_source_splits", False)
    qtbot.waitUntil(lambda: "become training" in section.preview.text(), timeout=10_000)
    assert section.form.editor("test_percent").isEnabled()
    change(section, "keep_source_splits", True)
    section.split_button.click()
    qtbot.waitUntil(lambda: current_version(record.folder) == 1, timeout=10_000)
    assert ((Store.open(record.folder).split == 2) == (before == 2)).all()
    window.close()


def test_a_split_that_cannot_be_made_says_why(qtbot: QtBot, view: View) -> None:
    """Images of this folder have no origins, such as films."""
    section = opened(view)
    change(section, "known_percent", 10.0)
    qtbot.waitUntil(lambda: "origins of the images" in section.preview.text())
    assert not section.split_button.isEnabled()
    change(section, "known_percent", 0.0)
    qtbot.waitUntil(section.split_button.isEnabled)
