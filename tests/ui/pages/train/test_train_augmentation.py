"""Augmentation on the form of a new run: presets, fields, and the pictures of what they do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    nameless_controls,
    press,
    unexplained_buttons,
)
from page_records import add_dataset
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.datasets.augment.augmenter import preview
from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan
from studio.engine.datasets.display import display_of
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.train.page import View
from studio.ui.pages.train.plan.augmentation import PICTURES, sample_rows
from studio.ui.pages.train.plan.new_run import NewRun
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.pictures import to_image

Open = Callable[[], View]


@pytest.fixture
def new_run(open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot) -> NewRun:
    """A run planned on a dataset in color."""
    add_dataset(workspace, "shapes", shapes, width=32, height=32, val_percent=25, test_percent=0)
    return ready(open_page(), qtbot)


@pytest.fixture
def gray_run(open_page: Open, workspace: Workspace, shapes: Path, qtbot: QtBot) -> NewRun:
    add_dataset(workspace, "gray", shapes, width=32, height=32, color="gray")
    return ready(open_page(), qtbot)


def ready(view: View, qtbot: QtBot) -> NewRun:
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    return view.new_run


def planned(new_run: NewRun) -> AugmentationPlan:
    plan = new_run.plan()
    assert plan is not None
    return plan.augmentation


def type_into(new_run: NewRun, name: str, text: str) -> None:
    edit = new_run.cards.augmentation.form.editor(name).control
    assert isinstance(edit, QLineEdit)
    edit.selectAll()
    QTest.keyClicks(edit, text)


def wait_for_pictures(new_run: NewRun, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: new_run.preview.shown is not None, timeout=5000)


def expected(workspace: Workspace, plan: AugmentationPlan, seed: int, epoch: int) -> list[QImage]:
    store = Store.open(workspace.records(RecordKind.DATASET)[0].folder)
    rows = sample_rows(store, PICTURES)
    changed = preview(store.images[rows], plan, seed, epoch, rows)
    return [to_image(pixels, display_of(store)) for pixels in changed]


def after(new_run: NewRun) -> list[QImage]:
    return [view.image() for view in new_run.preview.after]


def test_a_preset_reaches_the_plan(new_run: NewRun) -> None:
    assert new_run.cards.augmentation.preset == "off"
    assert planned(new_run) == AugmentationPlan()
    for name in ("light", "strong", "off"):
        new_run.cards.augmentation.buttons[name].click()
        assert planned(new_run) == PRESETS[name].plan
        assert new_run.cards.augmentation.form.values() == PRESETS[name].plan.model_dump()


def test_the_recipe_does_not_list_the_fields_again(new_run: NewRun) -> None:
    assert not [name for name in new_run.cards.form.names() if name.startswith("augmentation")]
    new_run.cards.augmentation.buttons["light"].click()
    new_run.cards.form.set_values({"epochs": 3})
    new_run.cards.form.changed.emit()
    assert planned(new_run) == PRESETS["light"].plan


def test_the_plan_that_is_kept_has_it(
    new_run: NewRun, workspace: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    context.jobs.close()  # nothing is to be started here
    new_run.cards.augmentation.buttons["strong"].click()
    with qtbot.waitSignal(new_run.started, timeout=5000):
        new_run.train_button.click()
    (run,) = workspace.records(RecordKind.RUN)
    stored = json.loads((run.folder / "plan.json").read_text(encoding="utf-8"))
    assert stored["augmentation"] == PRESETS["strong"].plan.model_dump(mode="json")


def test_changing_a_field_makes_it_custom(new_run: NewRun) -> None:
    card = new_run.cards.augmentation
    card.buttons["light"].click()
    type_into(new_run, "rotation", "33")
    assert card.preset == "custom"
    assert planned(new_run) == PRESETS["light"].plan.changed(rotation=33)
    card.buttons["off"].click()
    assert planned(new_run) == AugmentationPlan()


def test_custom_opens_the_fields_and_keeps_them(new_run: NewRun) -> None:
    card = new_run.cards.augmentation
    card.buttons["light"].click()
    assert not card.form.isVisibleTo(card)
    card.buttons["custom"].click()
    assert card.form.isVisibleTo(card)
    assert card.preset == "custom"
    assert planned(new_run) == PRESETS["light"].plan


def test_presets_are_chosen_by_keyboard(new_run: NewRun) -> None:
    new_run.more.set_open(shown=True)
    card = new_run.cards.augmentation
    card.buttons["off"].setFocus()
    press(card.buttons["off"], Qt.Key.Key_Right)
    assert card.preset == "light"
    assert planned(new_run) == PRESETS["light"].plan


def test_a_wrong_field_holds_the_run_back(new_run: NewRun) -> None:
    type_into(new_run, "rotation", "400")
    assert new_run.plan() is None
    assert not new_run.train_button.isEnabled()
    assert "180" in new_run.cards.augmentation.form.row("rotation").hint.text()
    new_run.cards.augmentation.buttons["light"].click()
    assert new_run.train_button.isEnabled()
    assert planned(new_run) == PRESETS["light"].plan


def test_a_crop_that_does_not_fit_says_so_beside_the_field(new_run: NewRun) -> None:
    form = new_run.cards.augmentation.form
    form.editor("crop").set_value(40)
    form.editor("crop").changed.emit()
    assert "40" in form.row("crop").hint.text()
    assert not new_run.train_button.isEnabled()


def test_a_clone_has_the_augmentation_of_its_model(
    open_page: Open, workspace: Workspace, shapes: Path
) -> None:
    dataset = add_dataset(workspace, "shapes", shapes)
    varied = AugmentationPlan(rotation=12.5, hue=8.0, quarter_turns="half", mix_up=0.2)
    plan = TrainingPlan(dataset=dataset.id, seed=4, augmentation=varied)
    run = workspace.create(RecordKind.RUN, "mine", plan.to_json())
    append_events(run, [StateChanged(state=State.STOPPED)])
    view = open_page()
    view.dashboard.run_actions.clone_button.click()
    assert view.new_run.plan() == plan
    assert view.new_run.cards.augmentation.preset == "custom"
    assert "Rotation" in view.dashboard.details.plan.toPlainText()


def test_the_pictures_are_those_of_training(
    new_run: NewRun, workspace: Workspace, qtbot: QtBot
) -> None:
    new_run.cards.form.set_values({"seed": 5})
    new_run.cards.augmentation.buttons["strong"].click()
    wait_for_pictures(new_run, qtbot)
    first = after(new_run)
    assert first == expected(workspace, PRESETS["strong"].plan, 5, 0)
    before = [view.image() for view in new_run.preview.before]
    assert before == expected(workspace, AugmentationPlan(), 5, 0)
    assert new_run.preview.draw_label.text() == "Seed 5, epoch 1"
    new_run.preview.next_button.click()
    assert new_run.preview.draw_label.text() == "Seed 5, epoch 2"
    wait_for_pictures(new_run, qtbot)
    assert after(new_run) == expected(workspace, PRESETS["strong"].plan, 5, 1)
    assert after(new_run) != first


def test_what_was_asked_for_last_is_shown(
    new_run: NewRun, workspace: Workspace, qtbot: QtBot
) -> None:
    new_run.cards.augmentation.buttons["strong"].click()
    new_run.preview._ask()  # in the background now, and out of date a moment later
    type_into(new_run, "rotation", "90")
    new_run.preview._ask()
    wait_for_pictures(new_run, qtbot)
    assert after(new_run) == expected(workspace, PRESETS["strong"].plan.changed(rotation=90), 0, 0)


def test_pictures_are_loaded_only_where_visible(new_run: NewRun, qtbot: QtBot) -> None:
    assert not new_run.preview.isVisible()
    qtbot.waitUntil(lambda: new_run.forecast._advice.text() != "", timeout=5000)
    background = new_run._context.background
    qtbot.waitUntil(lambda: not new_run._settle.isActive() and background.is_idle, timeout=5000)
    QApplication.processEvents()  # layouts of later changes are done
    geometries = [widget.geometry() for widget in (new_run.forecast, new_run.train_button)]
    new_run.cards.augmentation.buttons["light"].click()
    assert new_run.preview.isVisible()
    wait_for_pictures(new_run, qtbot)
    assert [w.geometry() for w in (new_run.forecast, new_run.train_button)] == geometries
    new_run.cards.augmentation.buttons["off"].click()
    assert not new_run.preview.isVisible()


def test_unsupported_pictures_are_explained(new_run: NewRun, qtbot: QtBot) -> None:
    plan = PRESETS["light"].plan.changed(mix_up=0.2, whitening=True)
    new_run.cards.augmentation.set_plan(plan)
    new_run.cards.augmentation.changed.emit()
    wait_for_pictures(new_run, qtbot)
    assert "mixed with each other" in new_run.preview.hint()
    assert "network" in new_run.preview.hint()


def test_a_deleted_dataset_is_reported_instead_of_images(
    new_run: NewRun, workspace: Workspace, qtbot: QtBot
) -> None:
    (dataset,) = workspace.records(RecordKind.DATASET)
    (dataset.folder / "images.h5").unlink()
    new_run.cards.augmentation.buttons["light"].click()
    wait_for_pictures(new_run, qtbot)
    assert "no longer exists" in new_run.preview.hint()
    assert all(image.isNull() for image in after(new_run))


def test_gray_images_have_no_colors_to_change(gray_run: NewRun) -> None:
    card = gray_run.cards.augmentation
    card.buttons["strong"].click()
    assert planned(gray_run) == PRESETS["strong"].plan.changed(hue=0, saturation=0)
    assert card.preset == "strong"
    for name in ("hue", "saturation"):
        form = card.form
        assert not form.editor(name).isEnabled()
        assert form.row(name).note.text() == "gray images"
        assert form.editor(name).value() == 0
    assert card.form.editor("value").isEnabled()
    assert gray_run.forecast._advice.text() == ""


def test_colors_come_back_with_color_images(
    gray_run: NewRun, workspace: Workspace, shapes: Path, qtbot: QtBot, context: AppContext
) -> None:
    gray_run.cards.augmentation.buttons["strong"].click()
    type_into(gray_run, "rotation", "7")
    add_dataset(workspace, "color", shapes, width=32, height=32)
    context.jobs.wake()
    qtbot.waitUntil(lambda: gray_run.dataset_box.count() == 2, timeout=5000)
    gray_run.dataset_box.setCurrentIndex(gray_run.dataset_box.findText("color"))
    form = gray_run.cards.augmentation.form
    qtbot.waitUntil(form.editor("hue").isEnabled, timeout=5000)
    assert not form.row("hue").note.isVisibleTo(form)
    assert planned(gray_run) == PRESETS["strong"].plan.changed(rotation=7)


def test_with_everything_open_it_still_fits(gray_run: NewRun, qtbot: QtBot) -> None:
    gray_run.cards.augmentation.buttons["strong"].click()
    gray_run.cards.augmentation.set_more_shown(shown=True)
    gray_run.cards.form.set_expert_shown(shown=True)
    wait_for_pictures(gray_run, qtbot)
    view = gray_run.window()
    assert fits_smallest_window(view)
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert cut_buttons(view) == []
    for column in gray_run.findChildren(ScrollColumn):
        inner = column.widget()
        assert inner is not None
        assert inner.width() <= column.viewport().width()


@pytest.mark.thorough
def test_a_run_that_was_asked_for_with_it_trains(
    new_run: NewRun, context: AppContext, qtbot: QtBot
) -> None:
    new_run.cards.form.set_values({"epochs": 1})
    new_run.cards.augmentation.buttons["strong"].click()
    new_run.train_button.click()

    def is_over() -> bool:
        runs = context.jobs.entries(RecordKind.RUN)
        return bool(runs) and runs[0].state.is_finished

    qtbot.waitUntil(is_over, timeout=180_000)
    (run,) = context.jobs.entries(RecordKind.RUN)
    assert run.state == State.COMPLETED, run.history.reason
    assert isinstance(run.plan, TrainingPlan)
    assert run.plan.augmentation == PRESETS["strong"].plan
    assert len(run.history.epochs) == 1
