"""Recipes set what they say on any network; the advisor recommends by size and similarity."""

from __future__ import annotations

import pytest

from studio.engine.baselines.report import BaselineReport, FeatureSource, Growth
from studio.engine.datasets.augment.plan import PRESETS
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.networks.fitting import POOL, head_of, with_linear_head
from studio.engine.networks.parts import freezable
from studio.engine.networks.spec import HEAD, NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks import TASKS
from studio.engine.training.advisor import TrainingAdvice, advise
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.recipes import RECIPES, top_of
from studio.engine.training.requests import check_training

PLAN = TrainingPlan(
    dataset="d", network="squeezenet", epochs=7, augmentation=PRESETS["light"].plan
)


def _spec(name: str) -> NetworkSpec:
    return ZOO[name].build(ZOO[name].default_input, 10)


@pytest.mark.parametrize("name", ZOO.names())
@pytest.mark.parametrize("recipe", RECIPES.names())
def test_every_recipe_fits_every_network(name: str, recipe: str) -> None:
    spec = _spec(name)
    plan = RECIPES[recipe].apply(PLAN.changed(network=name), spec)

    assert plan.epochs == 7
    assert plan.weights == ("" if recipe == "from_scratch" else "imagenet")
    shape = (spec.input.height, spec.input.width, spec.input.channels)
    done = network_for(plan.changed(augmentation={}), shape, 10, task=TASKS[spec.task])
    frozen = {node.id for node in done.nodes if node.frozen}
    assert bool(frozen) == (plan.freeze != "none") or "backbone" in {n.layer for n in done.nodes}
    assert not frozen & head_of(done)


def test_the_recipes_of_the_seeds() -> None:
    spec = _spec("squeezenet")
    done = {name: RECIPES[name].apply(PLAN, spec) for name in RECIPES.names()}

    head = done["linear_head"]
    assert (head.freeze, head.head_solver) == ("all", "best_linear")
    (advice,) = check_training(head.changed(weights="run:a"), _dataset(100, 64))
    assert (advice.where, advice.serious) == ("epochs", False)
    assert advice.hint == "It is fitted directly, without training steps."
    everything = done["fine_tune_all"]
    assert (everything.freeze, everything.backbone_rate, everything.head_rate) == (
        "none",
        0.01,
        0.1,
    )
    assert everything.augmentation == PLAN.augmentation
    assert done["fine_tune_top"].freeze == "fire6"
    assert RECIPES["linear_head"].apply(PLAN.changed(weights="run:a"), spec).weights == "run:a"


@pytest.mark.parametrize("name", ZOO.names())
def test_the_top_is_something_that_can_be_frozen(name: str) -> None:
    spec = _spec(name)
    top = top_of(spec)

    # What is inside of a backbone: test_backbone_parts.py.
    inside = any(node.layer == "backbone" for node in spec.nodes)
    assert top != "all" if inside else top in freezable(spec)


@pytest.mark.parametrize(
    ("name", "pools"), [("squeezenet", True), ("vgg16", True), ("mobilenet_v2", False)]
)
def test_a_linear_head_replaces_any_other(name: str, pools: bool) -> None:
    spec = _spec(name)
    linear = with_linear_head(spec)

    assert head_of(linear) == ({POOL, HEAD} if pools else {HEAD})
    assert linear.output == HEAD
    body = head_of(spec)
    assert [node for node in spec.nodes if node.id not in body] == [
        node for node in linear.nodes if node.id not in (POOL, HEAD)
    ]
    assert not linear.auxiliary


def test_a_head_that_is_found_at_once_needs_frozen_features_and_images_as_they_are() -> None:
    plan = TrainingPlan(dataset="d", network="squeezenet", weights="run:a", freeze="fire5")
    plan = plan.changed(head_solver="linear_svm", augmentation=PRESETS["light"].plan.model_dump())

    reported = [each for each in check_training(plan, _dataset(100, 64)) if each.serious]

    assert [each.where for each in reported] == ["head_solver", "head_solver"]
    assert "other layers are not frozen" in reported[0].message
    assert "augmentation is not possible" in reported[1].message
    whitened = plan.changed(freeze="all", augmentation={"whitening": True})
    assert not check_training(whitened, _dataset(100, 64))


def _dataset(each: int, side: int = 224, classes: int = 10) -> DatasetSummary:
    return DatasetSummary(
        width=side,
        height=side,
        channels=3,
        classes=[str(number) for number in range(classes)],
        count={"train": each * classes, "val": 100, "test": 100},
        class_counts={"train": [each] * classes, "val": [10] * classes, "test": [10] * classes},
        skipped=0,
        mean_color=[1.0, 2.0, 3.0],
    )


def _baseline(accuracy: float, pixels: float = 0.3) -> BaselineReport:
    return BaselineReport(
        dataset="d",
        dataset_version=0,
        classes=10,
        features=FeatureSource(
            kind="imagenet", label="the features of X", dimension=512, height=128, width=128
        ),
        score=accuracy,
        low=accuracy - 0.01,
        high=accuracy + 0.01,
        chance=0.1,
        pixels_score=pixels,
        measured_on="test",
        measured_images=1000,
        train_images=1000,
        train_images_there=1000,
        images=2000,
        images_there=2000,
        curve=(),
        growth=Growth(images=1000),
        seconds=1.0,
    )


@pytest.mark.parametrize(
    ("dataset", "baseline", "recipe", "similarity"),
    [
        (_dataset(20), None, "linear_head", "unknown"),
        (_dataset(20), _baseline(0.32), "linear_head", "different"),
        (_dataset(100), None, "fine_tune_top", "unknown"),
        (_dataset(100), _baseline(0.8), "fine_tune_top", "similar"),
        (_dataset(100), _baseline(0.33), "fine_tune_all", "different"),
        (_dataset(1000), None, "fine_tune_all", "unknown"),
        (_dataset(1000), _baseline(0.985), "linear_head", "similar"),
        (_dataset(5000), _baseline(0.5), "fine_tune_all", "between"),
        (_dataset(5000), _baseline(0.3), "from_scratch", "different"),
        (_dataset(5000, 32), None, "from_scratch", "unknown"),
        (_dataset(5000, 32), _baseline(0.85, 0.4), "fine_tune_all", "similar"),
        (_dataset(1000), _baseline(0.95, 0.94), "fine_tune_all", "different"),
    ],
)
def test_advice(
    dataset: DatasetSummary, baseline: BaselineReport | None, recipe: str, similarity: str
) -> None:
    advice = advise(dataset, baseline)

    assert (advice.recipe.name, advice.similarity) == (recipe, similarity)
    assert f"{dataset.count['train'] / 10:,.0f} training images per class" in advice.text
    if baseline is not None:
        assert f"{baseline.text(baseline.score)} on the features" in advice.text


def test_advice_without_weights_and_on_small_images() -> None:
    nothing: TrainingAdvice = advise(_dataset(20, 32), has_weights=False)

    assert nothing.recipe.name == "from_scratch"
    assert "no pretrained weights" in nothing.text
    assert "32x32 pixels. Import them again" in advise(_dataset(20, 32)).text
    assert "A baseline would show" in advise(_dataset(20)).text
    by_hand = _baseline(0.9).model_copy(
        update={"features": _baseline(0.9).features.model_copy(update={"kind": "made_by_hand"})}
    )
    assert advise(_dataset(100), by_hand).similarity == "unknown"
    easy = advise(_dataset(100, 28), by_hand.model_copy(update={"score": 0.99}))
    assert easy.recipe.name == "from_scratch"
    assert "already reach 99.0 % accuracy" in easy.text
    assert not easy.hints


def test_a_lopsided_dataset_counts_by_class() -> None:
    counts = {"train": [990, 10, 0], "val": [0, 0, 0], "test": [0, 0, 0]}
    lopsided = _dataset(100).model_copy(update={"class_counts": counts})

    assert "about 500 training images" in advise(lopsided).text
