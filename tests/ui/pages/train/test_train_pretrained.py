"""Pretrained weights on the form of a new run: recipes, sources, what stays frozen, advice."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import nameless_controls
from page_records import add_dataset, began
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import ExportedFile, result_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.requests import exported_models
from studio.engine.jobs.events import Artifact, Result, StateChanged
from studio.engine.jobs.states import State
from studio.engine.networks.parts import blocks_of
from studio.engine.networks.zoo import ZOO
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recipes import RECIPES
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import PlanRun
from studio.ui.pages.train.page import View
from studio.ui.pages.train.plan import network
from studio.ui.pages.train.plan.new_run import NewRun


@pytest.fixture
def new_run(
    open_page: Callable[[], View], workspace: Workspace, shapes: Path, qtbot: QtBot
) -> NewRun:
    add_dataset(workspace, "shapes", shapes, width=32, height=32, val_percent=25)
    view = open_page()
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    view.open(PlanRun(network="squeezenet"))
    card = view.new_run.cards.pretrained
    qtbot.waitUntil(lambda: "fire9" in card.freeze.choices, timeout=5000)
    return view.new_run


def planned(new_run: NewRun) -> TrainingPlan:
    plan = new_run.plan()
    assert plan is not None
    return plan


def give_weights(new_run: NewRun, qtbot: QtBot) -> None:
    """A file of weights, without which most recipes cannot be chosen."""
    card = new_run.cards.pretrained
    assert not card.buttons["linear_head"].isEnabled()
    assert card.buttons["linear_head"].toolTip()
    card.weights.set_source("/some/where/mine.h5")
    card.weights.changed.emit()
    qtbot.waitUntil(card.buttons["linear_head"].isEnabled, timeout=5000)


def test_the_slider_goes_through_the_blocks_from_the_images_to_the_head(new_run: NewRun) -> None:
    card = new_run.cards.pretrained
    blocks = [f"fire{number}" for number in range(2, 10)]
    assert card.freeze.choices == ["none", "conv1", *blocks, "all"]
    assert blocks_of(ZOO["squeezenet"].build((64, 64, 3), 5)) == ["conv1", *blocks]

    card.freeze.slider.setFocus()
    for _ in range(3):
        QTest.keyClick(card.freeze.slider, Qt.Key.Key_Right)

    assert planned(new_run).freeze == "fire3"
    assert "fire3" in card.freeze.slider.accessibleDescription()


def test_a_file_of_weights_is_asked_for_and_planned(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    box = new_run.cards.pretrained.weights
    monkeypatch.setattr(network, "ask_weights_file", lambda _parent: tmp_path / "mine.h5")

    box.setCurrentIndex(box.count() - 1)
    box.activated.emit(box.currentIndex())

    assert planned(new_run).weights == str(tmp_path / "mine.h5")
    assert box.currentText() == "mine.h5"


def test_no_file_after_all_changes_nothing(
    new_run: NewRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = new_run.cards.pretrained.weights
    monkeypatch.setattr(network, "ask_weights_file", lambda _parent: None)

    box.setCurrentIndex(box.count() - 1)
    box.activated.emit(box.currentIndex())

    assert planned(new_run).weights == ""
    assert box.currentData() == ""


def test_published_weights_are_offered_where_there_are_some(new_run: NewRun, qtbot: QtBot) -> None:
    box = new_run.cards.pretrained.weights

    def can_be_chosen() -> bool:
        index = box.model().index(box.findData("imagenet"), 0)
        return bool(box.model().flags(index) & Qt.ItemFlag.ItemIsEnabled)

    qtbot.waitUntil(lambda: not can_be_chosen(), timeout=5000)
    new_run.choose_network("mobilenet_v2")
    qtbot.waitUntil(can_be_chosen, timeout=5000)


@pytest.mark.parametrize("name", RECIPES.names())
def test_a_recipe_sets_all_its_settings(new_run: NewRun, name: str, qtbot: QtBot) -> None:
    card = new_run.cards.pretrained
    give_weights(new_run, qtbot)
    before = planned(new_run)
    network = ZOO["squeezenet"].build((32, 32, 3), 2)

    card.buttons[name].click()

    assert planned(new_run) == RECIPES[name].apply(before, network)
    qtbot.waitUntil(card.buttons[name].isChecked, timeout=5000)


def test_a_changed_recipe_is_no_longer_a_recipe(new_run: NewRun, qtbot: QtBot) -> None:
    card = new_run.cards.pretrained
    give_weights(new_run, qtbot)
    card.buttons["fine_tune_all"].click()
    qtbot.waitUntil(card.buttons["fine_tune_all"].isChecked, timeout=5000)

    card.freeze.slider.setValue(2)

    qtbot.waitUntil(lambda: not card.buttons["fine_tune_all"].isChecked(), timeout=5000)


def test_one_recipe_is_recommended_with_its_reason(new_run: NewRun, qtbot: QtBot) -> None:
    card = new_run.cards.pretrained
    new_run.choose_network("mobilenet_v2")

    qtbot.waitUntil(lambda: "recommended" in card.buttons["linear_head"].text(), timeout=5000)
    assert "images" in card.advice.text()
    assert sum("recommended" in card.buttons[name].text() for name in RECIPES.names()) == 1


def test_every_control_has_a_name(new_run: NewRun) -> None:
    assert nameless_controls(new_run) == []


def test_a_recipe_pressed_while_a_field_is_wrong_changes_nothing(
    new_run: NewRun, qtbot: QtBot
) -> None:
    card = new_run.cards.pretrained
    give_weights(new_run, qtbot)
    new_run.cards.form.set_values({"learning_rate": "much"})

    card.buttons["linear_head"].click()

    assert (card.weights.source, card.freeze.freeze) == ("/some/where/mine.h5", "none")
    assert not card.buttons["linear_head"].isChecked()


def test_without_the_engine_the_inner_blocks_are_shown_as_unknown(
    new_run: NewRun, context: AppContext, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def fail(*_args: object) -> None:
        raise StudioError("The engine ended.")

    monkeypatch.setattr(context.engine, "ask", fail)
    card = new_run.cards.pretrained
    new_run.choose_network("mobilenet_v2")

    qtbot.waitUntil(card.unknown.isVisible, timeout=5000)

    assert "The engine ended." in card.unknown.text()
    assert card.freeze.choices == ["none", "all"]


def test_checkpoints_of_earlier_runs_are_offered(
    new_run: NewRun, workspace: Workspace, context: AppContext, qtbot: QtBot
) -> None:
    dataset = workspace.records(RecordKind.DATASET)[0]
    run = workspace.create(
        RecordKind.RUN, "earlier", TrainingPlan(dataset=dataset.id, epochs=2).to_json()
    )
    stored = {"model": "model.keras", "checkpoint-2": "checkpoints/epoch-0002.keras"}
    artifacts = [Artifact(name=name, path=path) for name, path in stored.items()]
    append_events(run, [*began(), *artifacts, StateChanged(state=State.COMPLETED)])
    context.jobs.wake()
    box = new_run.cards.pretrained.weights
    source = f"run:{run.id}@2"
    qtbot.waitUntil(lambda: box.findData(source) >= 0, timeout=10_000)

    box.setCurrentIndex(box.findData(source))
    box.activated.emit(box.currentIndex())

    assert planned(new_run).weights == source
    assert "epoch 2" in box.currentText()


def test_exports_that_were_kept_are_offered(
    new_run: NewRun, workspace: Workspace, context: AppContext, qtbot: QtBot, tmp_path: Path
) -> None:
    bundle, lite = tmp_path / "mine-bundle.zip", tmp_path / "mine-tflite"
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("model.keras", "")
    lite.mkdir()
    gone = tmp_path / "gone-keras"
    files = [
        ExportedFile(format=name, path=str(path))
        for name, path in (("bundle", bundle), ("tflite", lite), ("keras", gone))
    ]
    plan = ExportPlan(run="lenet-1", to=str(tmp_path))
    for given in (plan, plan.changed(to="")):  # the second was only measured
        record = workspace.create(RecordKind.EXPORT, "export", given.to_json(), or_similar=True)
        done = [Result(values=result_of(files)), StateChanged(state=State.COMPLETED)]
        append_events(record, [*began(), *done])
        assert [each.weights for each in exported_models(workspace)] == [str(bundle)]
    context.jobs.wake()
    box = new_run.cards.pretrained.weights
    qtbot.waitUntil(lambda: box.findData(str(bundle)) >= 0, timeout=10_000)

    box.setCurrentIndex(box.findData(str(bundle)))
    box.activated.emit(box.currentIndex())

    assert planned(new_run).weights == str(bundle)
    assert "mine-bundle.zip" in box.currentText()


def test_a_network_chosen_by_hand_enlarges_small_images_for_its_weights(
    new_run: NewRun, qtbot: QtBot
) -> None:
    steps = new_run.forecast._steps
    assert "enlarged" not in steps.text()
    give_weights(new_run, qtbot)

    assert "Images of 32x32 pixels are enlarged to 128x128" in steps.text()
    assert planned(new_run).design is None
