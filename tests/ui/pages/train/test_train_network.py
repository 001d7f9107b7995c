"""The network on the form of a new run: of the zoo, of the workspace, of an earlier run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_records import add_dataset
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.engine.networks.enlarging import pretrained_network
from studio.engine.networks.library import SavedNetwork, save
from studio.engine.networks.zoo import ZOO
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import OpenRecord, PlanRun
from studio.ui.pages.train.page import View
from studio.ui.pages.train.plan.network import NetworkPicker


@pytest.fixture
def drawn(workspace: Workspace) -> SavedNetwork:
    return save(workspace, ZOO["mlp"].build((16, 16, 3), 7), "My own")


@pytest.fixture
def view(
    open_page: Callable[[], View],
    workspace: Workspace,
    drawn: SavedNetwork,
    shapes: Path,
    qtbot: QtBot,
) -> View:
    add_dataset(workspace, "shapes", shapes, width=32, height=32, val_percent=25)
    made = open_page()
    qtbot.waitUntil(made.new_run.train_button.isEnabled, timeout=5000)
    qtbot.waitUntil(lambda: made.new_run.networks.box.findData(drawn.id) >= 0, timeout=5000)
    return made


def planned(view: View) -> TrainingPlan:
    plan = view.new_run.plan()
    assert plan is not None
    return plan


def test_a_network_of_the_zoo_is_planned_by_its_name(view: View) -> None:
    view.open(PlanRun(network="small_cnn"))

    assert planned(view).network == "small_cnn"
    assert planned(view).design is None
    assert view.new_run.name.text() == "small-cnn-shapes"


def test_a_network_with_options_is_offered_and_planned_with_them(view: View, qtbot: QtBot) -> None:
    """The recommendation names such networks, for example by the size of the objects."""
    view.open(PlanRun(network="pattern:stages=2"))

    assert planned(view).network == "pattern:stages=2"
    shown = view.new_run.networks.box.currentText()
    assert shown == f"{ZOO['pattern:stages=2'].label} (stages=2)"
    view.open(PlanRun(network="small_cnn"))
    assert planned(view).network == "small_cnn"


def test_a_drawing_is_planned_whole(view: View, drawn: SavedNetwork) -> None:
    view.open(PlanRun(network=drawn.id))

    assert planned(view).network == "My own"
    assert planned(view).design == drawn.spec
    assert view.new_run.train_button.isEnabled()


def test_a_drawing_saved_since_is_chosen_as_soon_as_it_is_known(
    view: View, workspace: Workspace, qtbot: QtBot
) -> None:
    newer = save(workspace, ZOO["lenet"].build((28, 28, 1), 3), "Newer")

    view.open(PlanRun(network=newer.id))

    qtbot.waitUntil(lambda: planned(view).design == newer.spec, timeout=5000)


def test_a_network_read_from_a_file_brings_its_weights(view: View, drawn: SavedNetwork) -> None:
    view.open(PlanRun(network=drawn.id, weights="/some/where/theirs.keras"))

    assert planned(view).design == drawn.spec
    assert planned(view).weights == "/some/where/theirs.keras"
    assert view.new_run.cards.pretrained.weights.currentText() == "theirs.keras"


def test_a_cloned_run_keeps_its_network_after_the_drawing_changed(
    view: View, drawn: SavedNetwork
) -> None:
    then = ZOO["mlp"].build((8, 8, 1), 2)
    plan = planned(view).model_copy(update={"network": "My own", "design": then})

    view.new_run.clone(plan)

    assert planned(view).design == then
    assert "taken over" in view.new_run.networks.box.currentText()
    assert view.new_run.networks.box.findData(drawn.id) >= 0


def test_a_clone_of_a_run_whose_dataset_was_deleted_is_for_the_dataset_that_is_shown(
    view: View,
) -> None:
    plan = planned(view)
    view.new_run.clone(plan.model_copy(update={"dataset": "deleted", "dataset_version": 3}))

    assert planned(view).dataset == plan.dataset == view.new_run.dataset_box.currentData()
    assert planned(view).dataset_version is None


def test_the_networks_page_shows_the_one_that_is_chosen(
    view: View, context: AppContext, qtbot: QtBot
) -> None:
    view.open(PlanRun(network="small_cnn"))

    with qtbot.waitSignal(context.navigator.open_requested) as asked:
        view.new_run.networks.browse_button.click()

    assert asked.args == [OpenRecord("networks", "small_cnn")]


def test_typing_a_name_finds_the_network(context: AppContext, qtbot: QtBot) -> None:
    picker = NetworkPicker(context)
    qtbot.addWidget(picker)
    picker.show()
    for typed, name in (("squeeze", "squeezenet"), ("mobilenetv2", "mobilenetv2"), ("vgg", "vgg")):
        picker.box.setCurrentIndex(1)
        picker.box.view().keyboardSearch("")
        QTest.keyClicks(picker.box, typed)
        chosen = picker.entry.name.replace("_", "").replace("-", "")
        assert chosen.startswith(name), (typed, chosen)


def test_the_network_of_a_run_that_enlarges_images_keeps_its_name(
    context: AppContext, qtbot: QtBot
) -> None:
    picker = NetworkPicker(context)
    qtbot.addWidget(picker)
    picker.give("mobilenet_v2", pretrained_network("mobilenet_v2", (32, 32, 3), 4))
    assert picker.box.currentText() == "MobileNetV2, images enlarged"
    assert picker._caption.text().endswith("Its first layer enlarges the images.")
