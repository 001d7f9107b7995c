"""The recommendation, the weights that choose their network, and the expected time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from page_checks import nameless_controls, unexplained_buttons
from page_records import add_baseline, add_dataset
from PIL import Image
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from helpers.presets import write_detector_network
from helpers.target_datasets import squares, target_recipe
from helpers.weights import weights_file
from helpers.workers import NEVER_STARTS, LaunchScripts
from studio.engine.baselines.report import BaselineReport
from studio.engine.inference import detectors as inference_detectors
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.networks.catalog import layer_tables
from studio.engine.pretrained.sources import PretrainedSource
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import PlanRun
from studio.ui.pages.train.page import View
from studio.ui.pages.train.plan import detector_offer, network
from studio.ui.pages.train.plan.new_run import NewRun

Open = Callable[[], View]


@pytest.fixture
def photos(workspace: Workspace, tmp_path: Path) -> Record:
    """Smooth pictures of many colors, 24 of two classes."""
    random = np.random.default_rng(0)
    for name in ("cat", "dog"):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for at in range(12):
            coarse = Image.fromarray(random.integers(0, 256, (4, 4, 3), dtype=np.uint8))
            image = np.asarray(coarse.resize((128, 128), Image.Resampling.BICUBIC), np.int16)
            image = (image + random.integers(-4, 5, image.shape)).clip(0, 255)
            Image.fromarray(image.astype(np.uint8)).save(tmp_path / "photos" / name / f"{at}.png")
    source = tmp_path / "photos"
    return add_dataset(workspace, "photos", source, width=128, height=128, val_percent=25)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A file with all layers of SqueezeNet."""
    rows = layer_tables()["squeezenet"].layers.items()
    layers = [
        [tuple(map(int, shape.split("x"))) for shape in key.split()]
        for key, count in rows
        for _ in range(count)
    ]
    return weights_file(tmp_path / "anything.h5", layers)


def form_of(open_page: Open, qtbot: QtBot) -> NewRun:
    view = open_page()
    view.open(PlanRun())
    form = view.new_run
    qtbot.waitUntil(lambda: bool(form.recommended.recommendations), timeout=10_000)
    qtbot.waitUntil(form.train_button.isEnabled, timeout=5000)
    return form


def planned(form: NewRun) -> TrainingPlan:
    plan = form.plan()
    assert plan is not None
    return plan


def test_photos_without_weights_get_a_network_of_their_size_and_a_download_is_offered(
    open_page: Open, photos: Record, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)

    qtbot.waitUntil(lambda: planned(form).network == "small_resnet_64", timeout=5000)
    first, second, third = form.recommended.buttons
    assert "recommended" in first.text()
    assert first.isChecked()
    assert not second.isChecked()
    assert "9.0 MB" in second.text() or "9" in second.text()
    assert "Photos of 128x128 pixels" in form.recommended.reason.text()
    assert third.text()
    assert planned(form).schedule == "cosine"
    assert nameless_controls(form.recommended) == []
    assert unexplained_buttons(form.recommended) == []

    second.click()

    plan = planned(form)
    assert (plan.network, plan.weights, plan.freeze) == ("mobilenet_v2", "imagenet", "all")
    assert second.isChecked()
    assert "download" in form.recommended.reason.text()


def test_a_choice_of_the_user_is_not_replaced(
    open_page: Open, photos: Record, workspace: Workspace, weights: Path, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)
    qtbot.waitUntil(lambda: planned(form).network == "small_resnet_64", timeout=5000)
    form.networks.select("resnet34")
    form.networks.box.activated.emit(0)
    form.recommended.show_recommendations([])
    form._follower.recommend()
    qtbot.waitUntil(lambda: bool(form.recommended.recommendations), timeout=5000)

    assert planned(form).network == "resnet34"
    assert not any(button.isChecked() for button in form.recommended.buttons)


def test_another_dataset_brings_its_own_recommendation(
    open_page: Open, photos: Record, workspace: Workspace, shapes: Path, qtbot: QtBot
) -> None:
    drawn = add_dataset(workspace, "shapes", shapes, width=28, height=28, val_percent=25)
    view = open_page()
    view.open(PlanRun(dataset=photos.id))
    form = view.new_run
    qtbot.waitUntil(lambda: planned(form).network == "small_resnet_64", timeout=10_000)
    form.recommended.buttons[1].click()
    assert planned(form).weights == "imagenet"

    form.choose_dataset(drawn.id)

    qtbot.waitUntil(lambda: planned(form).network == "lenet", timeout=10_000)
    qtbot.waitUntil(lambda: planned(form).weights == "", timeout=10_000)
    qtbot.waitUntil(form.train_button.isEnabled, timeout=5000)


def test_a_chosen_weights_file_selects_its_network(
    open_page: Open,
    photos: Record,
    weights: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    monkeypatch.setattr(network, "ask_weights_file", lambda parent: weights)
    form = form_of(open_page, qtbot)
    box = form.cards.pretrained.weights
    box.setCurrentIndex(box.count() - 1)
    box.activated.emit(box.count() - 1)

    qtbot.waitUntil(lambda: planned(form).network == "squeezenet", timeout=5000)
    assert planned(form).weights == str(weights)
    assert form.networks.choice().network == "squeezenet"
    # With weights for it, the network is not trained as one without.
    qtbot.waitUntil(lambda: planned(form).freeze == "all", timeout=5000)
    assert planned(form).weights == str(weights)
    assert form.recommended.buttons[0].isChecked()
    assert "SqueezeNet" in form.recommended.buttons[0].text()


def test_weights_of_another_network_disable_train_with_the_reason(
    open_page: Open, photos: Record, weights: Path, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)
    form.choose_network("lenet", str(weights))

    qtbot.waitUntil(lambda: "belong to SqueezeNet" in form.forecast._problems.text(), timeout=5000)
    assert not form.train_button.isEnabled()
    assert "5x5" not in form.forecast._problems.text()


def test_the_baseline_starts_its_run_with_one_click(
    open_page: Open,
    workspace: Workspace,
    photos: Record,
    weights: Path,
    launch_scripts: LaunchScripts,
    qtbot: QtBot,
) -> None:
    launch_scripts(NEVER_STARTS)
    record = add_baseline(workspace, photos.id, 0.944, State.COMPLETED)
    report = BaselineReport.read(record.folder)
    assert report is not None
    features = report.features.model_copy(update={"weights": str(weights)})
    report.model_copy(update={"features": features}).write(record.folder)
    form = form_of(open_page, qtbot)
    card = form.baseline
    qtbot.waitUntil(card.use_button.isVisible, timeout=5000)
    assert "94.4" in card.use_button.text()
    qtbot.waitUntil(lambda: planned(form).weights == str(weights), timeout=5000)
    assert "94.4" in form.recommended.reason.text(), "it is recommended, too"

    with qtbot.waitSignal(form.started, timeout=10_000) as started:
        card.use_button.click()

    run = workspace.record(RecordKind.RUN, started.args[0])
    assert run is not None
    plan = Job(run).plan(TrainingPlan)
    assert (plan.network, plan.weights) == ("squeezenet", str(weights))
    assert (plan.freeze, plan.head_solver) == ("all", "best_linear")


def test_a_baseline_without_its_weights_has_no_such_button(
    open_page: Open, workspace: Workspace, photos: Record, qtbot: QtBot
) -> None:
    add_baseline(workspace, photos.id, 0.944, State.COMPLETED)
    card = form_of(open_page, qtbot).baseline
    qtbot.waitUntil(lambda: card.report is not None, timeout=5000)

    assert not card.use_button.isVisible()


def test_the_expected_time_stands_below_train(
    open_page: Open, photos: Record, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)

    qtbot.waitUntil(lambda: form.expected.text().startswith("Takes "), timeout=5000)
    assert form.expected.expected is not None
    few = form.expected.expected.seconds
    form.cards.form.set_values({"epochs": 4000})
    form.cards.form.changed.emit()
    qtbot.waitUntil(
        lambda: form.expected.expected is not None and form.expected.expected.seconds > 5 * few,
        timeout=5000,
    )


def test_other_settings_lie_behind_more_which_counts_those_that_were_changed(
    open_page: Open, photos: Record, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)
    assert not form.more.is_open
    assert not form.networks.isVisible()
    qtbot.waitUntil(lambda: planned(form).network == "small_resnet_64", timeout=5000)
    qtbot.waitUntil(lambda: form.more.button.text() == "More", timeout=5000)

    form.cards.document.set_values({"batch_size": planned(form).batch_size * 2, "seed": 7})
    form.cards.changed.emit()

    assert form.more.button.text() == "More · 2 changed"
    form.more.button.click()
    assert form.networks.isVisible()

    form.cards.document.set_values({"seed": 0})
    form.cards.changed.emit()
    assert form.more.button.text() == "Less · 1 changed"


def test_changed_values_are_chips_that_restore_the_recommendation(
    open_page: Open, photos: Record, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)
    qtbot.waitUntil(lambda: planned(form).network == "small_resnet_64", timeout=5000)
    usual = planned(form)
    assert not form.changes.isVisible()

    form.cards.document.set_values({"batch_size": 17, "seed": 7})
    form.cards.changed.emit()
    assert [button.accessibleName() for button in form.changes.buttons] == [
        "Batch size: 17",
        "Seed: 7",
    ]
    assert unexplained_buttons(form.changes) == []

    form.changes.buttons[0].click()
    assert planned(form) == usual.changed(seed=7)
    form.changes.buttons[0].click()
    assert planned(form) == usual
    assert not form.changes.isVisible()


def test_default_values_of_a_person_win_over_the_recommendation(
    open_page: Open, photos: Record, context: AppContext, qtbot: QtBot
) -> None:
    context.settings.run_defaults = {"epochs": 3}
    form = form_of(open_page, qtbot)
    qtbot.waitUntil(lambda: planned(form).network == "small_resnet_64", timeout=5000)

    assert planned(form).epochs == 3
    assert planned(form).schedule == "cosine", "the rest is recommended"
    assert "epochs" in form.own_defaults.text()
    assert form.changes.buttons == []


def test_tab_goes_from_the_data_to_the_recommendation_to_train(
    open_page: Open, photos: Record, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)
    form.dataset_box.setFocus()
    visited: list[QWidget | None] = []
    while form.train_button not in visited and len(visited) < 9:
        visited.append(form.window().focusWidget())
        form.focusNextChild()

    data, *recommended, train = visited
    assert (data, train) == (form.dataset_box, form.train_button)
    assert recommended
    assert set(recommended) <= set(form.recommended.buttons)


@pytest.mark.parametrize("own_epochs", [0, 7])
def test_values_recommended_for_another_dataset_do_not_remain(
    open_page: Open, photos: Record, workspace: Workspace, tmp_path: Path, qtbot: QtBot,
    own_epochs: int,
) -> None:  # fmt: skip
    other = add_dataset(workspace, "other", tmp_path / "photos", val_percent=25)
    form = form_of(open_page, qtbot)
    form.choose_dataset(photos.id)
    qtbot.waitUntil(lambda: planned(form).network == "small_resnet_64", timeout=5000)
    usual = TrainingPlan(dataset="").batch_size
    form._on_settings({"batch_size": usual // 4, "gradient_accumulation_steps": 2})
    form._follower.stop()
    if own_epochs:
        form.cards.document.set_values({"epochs": own_epochs})
        form.cards.changed.emit()
    # A network of the user, so that nothing is recommended over what is there.
    form.networks.select("resnet34")
    form.networks.box.activated.emit(0)
    form._on_network()
    assert not form.recommended.is_followed

    form.choose_dataset(other.id)
    qtbot.waitUntil(lambda: bool(form.recommended.recommendations), timeout=10_000)

    plan = planned(form)
    assert (plan.batch_size, plan.gradient_accumulation_steps) == (usual, 1)
    assert not own_epochs or plan.epochs == own_epochs


@pytest.mark.thorough
def test_a_clone_and_a_chosen_network_open_the_settings(
    open_page: Open, photos: Record, qtbot: QtBot
) -> None:
    form = form_of(open_page, qtbot)
    form.choose_network("lenet")
    assert form.more.is_open
    form.more.set_open(shown=False)
    form.clone(planned(form))
    assert form.more.is_open


def test_one_click_gets_a_coco_detector_for_boxes(
    open_page: Open,
    workspace: Workspace,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setattr(inference_detectors, "is_keras_hub_installed", lambda: False)
    tables = squares(tmp_path / "made", 12)
    recipe = target_recipe(tables, "detection")
    values = recipe.model_dump(mode="json", exclude={"source"})
    add_dataset(workspace, "boxes", Path(recipe.source), **values)
    form = open_page().new_run
    offer = form.recommended.offer
    qtbot.waitUntil(lambda: not offer.isHidden(), timeout=5000)
    assert offer.button.text() == "Start from D-FINE nano, pretrained on COCO"

    offer.button.click()
    qtbot.waitUntil(lambda: "keras-hub" in offer.files.problem.text(), timeout=5000)
    assert offer.button.isEnabled(), "what was recommended stays"

    def made(_host: object, source: PretrainedSource, _progress: object) -> Path:
        path = PretrainedStore().network_path(source)
        write_detector_network(path)
        return path

    monkeypatch.setattr(detector_offer, "detector_network", made)
    offer.button.click()
    qtbot.waitUntil(offer.isHidden, timeout=20_000)

    def is_followed() -> bool:
        plan = form.plan()
        return plan is not None and plan.weights.endswith("network.zip")

    qtbot.waitUntil(is_followed, timeout=5000)
    texts = [button.text().replace("\n", " ") for button in form.recommended.buttons]
    assert any(text.startswith("Pretrained D-FINE") for text in texts)
    assert form.networks.box.currentText().startswith("D-FINE")


def test_dropped_weights_and_presets_are_started_from(
    open_page: Open, photos: Record, weights: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    view = open_page()
    preset = tmp_path / "squeezenet preset"
    preset.mkdir()
    weights.rename(preset / "model.weights.h5")
    assert view.drop_offer([preset]) == "Start from the weights in “squeezenet preset”"
    assert view.drop_offer([tmp_path]) == ""
    assert view.drop_offer([preset, preset]) == ""

    view.take_drop([preset])

    def is_frozen() -> bool:
        plan = view.new_run.plan()
        return plan is not None and (plan.network, plan.freeze) == ("squeezenet", "all")

    qtbot.waitUntil(is_frozen, timeout=10_000)
    plan = view.new_run.plan()
    assert plan is not None
    assert plan.weights == str(preset / "model.weights.h5")
    qtbot.waitUntil(view.new_run.changes.isHidden, timeout=5000)
