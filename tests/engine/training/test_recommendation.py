"""One recommendation from the data: pretrained for photos, what suits the size without weights."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from helpers.digits import Digits, do_here
from helpers.pictures import small_recipe
from helpers.presets import write_detector_network
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.inference import detectors
from studio.engine.inference.detectors import offered_detector
from studio.engine.jobs.host import EngineHost
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.zoo import ZOO
from studio.engine.pretrained.sources import SOURCES
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.progress import SilentProgress
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.outputs import PIXELS
from studio.engine.training.offline_fallback import changed_values
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import enlarged_to
from studio.engine.training.recommendation import (
    HEAVIEST,
    AvailableWeights,
    advice_for,
    available_weights,
    is_photo,
    recommend,
    recommendation,
)
from studio.engine.training.requests import check_training, training_problems
from studio.engine.training.settings_checks import accepted, check_settings
from studio.engine.workspace import Workspace

FILE = AvailableWeights("squeezenet", "/some/file.h5")


def summary(each: int, side: int, channels: int = 3, classes: int = 5) -> DatasetSummary:
    counts = [each] * classes
    return DatasetSummary(
        width=side,
        height=side,
        channels=channels,
        classes=[str(at) for at in range(classes)],
        count={"train": each * classes, "val": 10 * classes, "test": 10 * classes},
        class_counts={"train": counts, "val": [10] * classes, "test": [10] * classes},
        skipped=0,
        mean_color=[1.0] * channels,
    )


@pytest.mark.parametrize("side", [32, 64, 96, 160, 224])
@pytest.mark.parametrize("each", [20, 48, 400, 3000])
@pytest.mark.parametrize("weights", [(), (FILE,), (AvailableWeights("mobilenet_v2", IMAGENET),)])
def test_photos_never_get_lenet(
    side: int, each: int, weights: tuple[AvailableWeights, ...]
) -> None:
    dataset = summary(each, side)
    ways = recommend(dataset, weights, is_photo=True)

    assert 2 <= len(ways) <= 3
    assert "lenet" not in [way.network for way in ways]
    for way in ways:
        plan = way.apply(TrainingPlan(dataset="d"), dataset)
        assert plan.network == way.network
        assert way.reason.endswith(".")


@pytest.mark.parametrize("side", [32, 64, 96, 160, 224])
def test_no_recommended_network_says_that_it_is_for_other_sizes(side: int) -> None:
    """A network for 224 pixels described itself as one “for images of 48 to 128 pixels”."""
    for way in recommend(summary(48, side), [], is_photo=True):
        text = f"{ZOO[way.network].label}: {ZOO[way.network].summary}"
        assert not re.search(r"\d+x\d+", text), text
        assert not re.search(r"\d+ to \d+ pixels", text), text
        least = re.search(r"(\d+) pixels and more", text)
        assert way.weights or least is None or int(least[1]) <= side, text


def test_48_photos_per_class_get_a_frozen_pretrained_network() -> None:
    dataset = summary(48, 224)
    best, *others = recommend(dataset, [FILE], is_photo=True)

    assert (best.kind, best.network, best.weights) == ("pretrained", "squeezenet", FILE.source)
    assert best.title == "Pretrained SqueezeNet 1.1, frozen"
    assert "48 training images per class" in best.reason
    plan = best.apply(TrainingPlan(dataset="d", seed=7), dataset)
    assert (plan.freeze, plan.head_solver, plan.seed) == ("all", "best_linear", 7)
    assert plan.design is None
    assert {way.kind for way in others} == {"scratch"}


def test_some_hundred_photos_get_a_partly_frozen_network() -> None:
    best = recommend(summary(200, 224), [FILE], is_photo=True)[0]
    plan = best.apply(TrainingPlan(dataset="d"), summary(200, 224))

    assert (best.recipe, plan.freeze, plan.head_solver) == ("fine_tune_top", "fire6", "gradient")
    assert (plan.epochs, plan.schedule) == (20, "cosine")


def test_without_weights_the_download_is_recommended_with_its_size() -> None:
    dataset = summary(8, 224)
    download, scratch, other = recommend(dataset, [], is_photo=True)

    assert (scratch.kind, scratch.network, scratch.weights) == ("scratch", "small_resnet_64", "")
    assert "No pretrained weights" in scratch.reason
    assert download.apply(TrainingPlan(dataset="d"), dataset).offline_fallback
    assert not scratch.apply(TrainingPlan(dataset="d"), dataset).offline_fallback
    assert (download.kind, download.network, download.weights) == (
        "download",
        "mobilenet_v2",
        IMAGENET,
    )
    assert 8e6 < download.download_bytes < 10e6
    assert "downloads the ImageNet weights (9 MB)" in download.reason
    assert other.kind == "scratch"


def test_without_a_connection_the_reason_names_it_before_training() -> None:
    scratch, download, _ = recommend(summary(8, 224), [], is_photo=True, is_online=False)

    assert (scratch.kind, download.kind) == ("scratch", "download")
    assert "no connection" in scratch.reason


def test_the_fallback_replaces_recommended_values_and_keeps_those_of_a_person() -> None:
    dataset = summary(8, 224)
    download, scratch, _ = recommend(dataset, [], is_photo=True)
    plan = download.apply(TrainingPlan(dataset="d", seed=3), dataset).changed(epochs=4)
    plan = plan.changed(**changed_values(plan, dataset, scratch, download))

    assert (plan.network, plan.weights, plan.freeze) == ("small_resnet_64", "", "none")
    assert (plan.head_solver, plan.offline_fallback) == ("gradient", False)
    assert (plan.epochs, plan.seed) == (4, 3)
    assert plan.schedule == scratch.apply(TrainingPlan(dataset="d"), dataset).schedule


def test_a_file_in_the_folder_of_weights_is_found(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path))
    source = SOURCES["mobilenet_v2"]
    downloaded = PretrainedStore().path(source, source.files[0].name)
    downloaded.parent.mkdir(parents=True, exist_ok=True)
    downloaded.write_bytes(b"weights")
    own = tmp_path / "mine.weights.h5"
    own.write_bytes(b"weights")
    monkeypatch.setattr(
        "studio.engine.training.recommendation.network_of_weights",
        lambda path: "squeezenet" if Path(path) == own else "",
    )

    assert available_weights(workspace, "d") == [
        AvailableWeights("mobilenet_v2", IMAGENET),
        AvailableWeights("squeezenet", str(own)),
    ]


def test_weights_with_terms_of_their_own_are_never_suggested(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ["dinov3_small", "swin_tiny", "mobilenet_v2"]
    monkeypatch.setattr("studio.engine.training.recommendation.backbones_here", lambda: here)

    found = [each.network for each in available_weights(workspace, "d")]

    assert found == ["swin_tiny", "mobilenet_v2"]


def test_a_detector_that_is_here_is_recommended_for_boxes(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path))
    source = SOURCES["dfine_nano_coco"]
    boxes = summary(60, 96).model_copy(update={"task": "detection"})
    assert offered_detector(TASKS["detection"]) == source
    assert offered_detector(DEFAULT_TASK) is None
    path = PretrainedStore().network_path(source)
    write_detector_network(path)
    assert offered_detector(TASKS["detection"]) is None

    weights = available_weights(workspace, "d")
    best, *_ = recommend(boxes, weights, is_photo=True)

    assert best.title == "Pretrained D-FINE (dfine_nano_coco), fine-tuned"
    assert "Its features were trained to detect things in COCO." in best.reason
    plan = best.apply(TrainingPlan(dataset="d"), boxes)
    assert plan.weights == str(path)
    assert plan.design is not None
    assert not [each for each in check_training(plan, boxes) if each.serious]
    ways = recommend(summary(60, 96), weights, is_photo=True)
    assert all(way.design is None for way in ways), "its output is of boxes"

    large = replace(source, parameters=HEAVIEST + 1)
    monkeypatch.setitem(SOURCES._ours, source.name, large)
    (tmp_path / "mine.weights.h5").write_bytes(b"weights")
    monkeypatch.setattr(
        "studio.engine.training.recommendation.network_of_weights", lambda _path: "squeezenet"
    )
    found = available_weights(workspace, "d")
    assert [each.design is None for each in found] == [True, False], "too large for a processor"


@pytest.mark.parametrize("name", ["dfine_nano_coco", "dinov2_small"])
@pytest.mark.parametrize("installed", [True, False])
def test_a_download_makes_the_network_of_a_detector(
    name: str, installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path))
    made: list[str] = []
    monkeypatch.setattr(PretrainedStore, "fetch", lambda self, source, _: self.folder_of(source))
    monkeypatch.setattr(detectors, "is_keras_hub_installed", lambda: installed)
    monkeypatch.setattr(
        detectors, "detector_network", lambda _host, source, _progress: made.append(source.name)
    )
    source = SOURCES[name]

    folder = detectors.fetch_source(EngineHost(), source, SilentProgress())

    assert folder == PretrainedStore().folder_of(source)
    assert made == ([name] if installed and source.kind == "detector" else [])


def test_small_photos_are_enlarged_for_a_pretrained_network() -> None:
    dataset = summary(48, 32)
    plan = recommend(dataset, [FILE], is_photo=True)[0].apply(TrainingPlan(dataset="d"), dataset)

    assert enlarged_to(plan, (32, 32)) == (128, 128)


@pytest.mark.parametrize("weights", [(), (AvailableWeights("mobilenet_v2", IMAGENET), FILE)])
@pytest.mark.parametrize("photo", [True, False])
def test_masks_get_networks_of_masks(weights: tuple[AvailableWeights, ...], photo: bool) -> None:
    dataset = summary(60, 128).model_copy(update={"task": "segmentation"})
    ways = recommend(dataset, weights, is_photo=photo)

    assert all(ZOO[way.network].output == PIXELS for way in ways)
    kinds = [way.kind for way in ways]
    pretrained = "pretrained" if weights else "download"
    assert kinds[0] == (pretrained if photo else "scratch")
    for way in ways:
        plan = way.apply(TrainingPlan(dataset="d"), dataset)
        assert not check_settings(plan, dataset)
        assert (plan.head_solver, plan.freeze != "all") == ("gradient", True)
        assert plan.freeze == "none" or way.kind != "scratch"
    if weights and photo:
        assert ways[0].network == "pretrained_unet"
        assert ways[0].apply(TrainingPlan(dataset="d"), dataset).freeze != "none"


@pytest.mark.parametrize(("pixels", "word"), [(3.0, "a U-Net keeps them"), (40.0, "LR-ASPP")])
def test_masks_are_recommended_by_the_thickness_of_their_regions(pixels: float, word: str) -> None:
    facts = {"thin_pixels": pixels, "thin_class": 2}
    dataset = summary(60, 128).model_copy(
        update={"task": "segmentation", "classes": ["sky", "road", "pole"], "facts": facts}
    )
    weights = (AvailableWeights("mobilenet_v2", IMAGENET),)
    for way in (
        *recommend(dataset, weights, is_photo=True),
        *recommend(dataset, (), is_photo=True),
    ):
        assert "“pole”" in way.reason
        assert word in way.reason


def test_digits_get_lenet_as_before() -> None:
    dataset = summary(120, 28, channels=1, classes=10)
    best = recommend(dataset, [FILE], is_photo=False)[0]

    assert best.network == "lenet"
    assert best.apply(TrainingPlan(dataset="d"), dataset) == TrainingPlan(dataset="d")


def _import(workspace: Workspace, folder: Path, name: str, **values: object) -> Path:
    return do_here(workspace, small_recipe(folder, **values), name).record.folder


def _pictures(folder: Path, kind: str, side: int) -> Path:
    generator = np.random.default_rng(0)
    for label in ("a", "b"):
        (folder / label).mkdir(parents=True)
        for at in range(8):
            image: NDArray[np.uint8]
            if kind == "photo":  # many levels, smooth, none that dominates
                coarse = generator.integers(0, 256, (5, 5, 3), dtype=np.uint8)
                picture = Image.fromarray(coarse).resize((side, side), Image.Resampling.BICUBIC)
                noise = generator.normal(0, 4, (side, side, 3))
                image = np.clip(np.asarray(picture) + noise, 0, 255).astype(np.uint8)
            else:
                image = np.full((side, side, 3), 255, np.uint8)
                at_row, at_column = generator.integers(0, side // 2, 2)
                image[at_row : at_row + 9, at_column : at_column + 9] = (200, 30, 30)
            Image.fromarray(image).save(folder / label / f"{at}.png")
    return folder


@pytest.mark.parametrize(("kind", "expected"), [("photo", True), ("drawing", False)])
@pytest.mark.parametrize("encoded", [False, True])
def test_photos_are_recognized_by_their_pixels(
    workspace: Workspace, tmp_path: Path, kind: str, expected: bool, encoded: bool
) -> None:
    source = _pictures(tmp_path / kind, kind, 64)
    values = {"width": 64, "height": 64, "encoding": "png" if encoded else "raw"}
    folder = _import(workspace, source, kind, **values)

    assert is_photo(folder, dataset_summary(folder)) is expected


def test_the_digits_of_the_sample_are_no_photos(digits: Digits) -> None:
    best, *_ = recommendation(digits.workspace, digits.dataset.record)

    assert best.network == "lenet"
    plan = best.apply(
        TrainingPlan(dataset=digits.dataset.record.id),
        dataset_summary(digits.dataset.record.folder),
    )
    assert training_problems(digits.workspace, plan) == []


@pytest.mark.parametrize("task", ["multi_label", "regression"])
def test_every_way_suits_the_task(task: str) -> None:
    dataset = summary(30, 224).model_copy(update={"task": task})
    if task == "regression":
        dataset.class_counts["train"] = [150] * 5  # each image has a value of each quantity
    ways = recommend(dataset, [FILE], is_photo=True)

    for way in ways:
        plan = way.apply(TrainingPlan(dataset="d"), dataset)
        assert not [each for each in check_settings(plan, dataset) if each.serious]
    counted = {"multi_label": "30 training images per label", "regression": "150 training images:"}
    assert counted[task] in ways[0].reason


@pytest.mark.parametrize("name", TASKS)
def test_the_form_recommends_what_the_way_of_the_task_does(name: str) -> None:
    dataset = summary(200, 224).model_copy(update={"task": name})
    (way,) = (
        each
        for each in recommend(dataset, (), is_photo=True, is_online=True)
        if each.kind == "download"
    )

    advice = advice_for(dataset, None, has_weights=True)

    assert advice.recipe.name == way.recipe
    assert advice_for(dataset, None, has_weights=False).recipe.name == "from_scratch"


def test_settings_that_a_task_refuses_become_the_defaults() -> None:
    plan = TrainingPlan.parse({"dataset": "d", "label_smoothing": 0.1, "monitor": "val_accuracy"})

    assert accepted(plan, DEFAULT_TASK) is plan
    fit = accepted(plan, TASKS["regression"])
    assert (fit.label_smoothing, fit.monitor) == (0, "auto")
    assert accepted(plan.changed(monitor="val_r2"), TASKS["regression"]).monitor == "val_r2"
