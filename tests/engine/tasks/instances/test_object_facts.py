"""Number, size and shape of objects decide about the recommended network, which says so."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.star_images import discs
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.tasks.instance_labels import values_of
from studio.engine.tasks.object_facts import facts_of
from studio.engine.training.advice import instances
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recommendation import AvailableWeights, recommend
from studio.engine.training.requests import check_training


def summary(facts: dict[str, float], side: int = 256) -> DatasetSummary:
    return DatasetSummary(
        task="instances",
        width=side,
        height=side,
        channels=1,
        classes=["cell"],
        count={"train": 100, "val": 20, "test": 20},
        class_counts={"train": [100], "val": [20], "test": [20]},
        skipped=0,
        mean_color=[1.0],
        facts=facts,
    )


def test_discs_are_counted_measured_and_star_like() -> None:
    few = discs((128, 128), [(30, 30, 10), (90, 90, 10)])
    many = discs((128, 128), [(20 + 25 * at, 60, 10) for at in range(4)])

    found = facts_of([few, many])

    assert found["objects"] == 3
    assert found["diameter"] == pytest.approx(20, abs=0.5)
    assert found["small_diameter"] <= found["diameter"] <= found["large_diameter"]
    assert found["star_share"] > 0.95


def test_a_ring_is_not_star_like() -> None:
    y, x = np.mgrid[:128, :128] - 64
    radius = np.hypot(x, y)
    ring = values_of(((radius < 50) & (radius > 38)).astype(np.int32), 0)

    assert facts_of([ring])["star_share"] < 0.6


def test_images_without_objects_have_no_facts() -> None:
    assert facts_of([np.zeros((32, 32), np.int32)]) == {}
    assert facts_of([]) == {}


@pytest.mark.parametrize(
    ("sizes", "network"),
    [
        ((8, 14, 48), "star_unet"),
        ((60, 70, 90), "star_unet:stride=4"),
        ((60, 90, 140), "star_unet:depth=4,stride=4"),
        ((10, 60, 140), "star_unet:depth=4"),
    ],
)
def test_the_network_follows_the_sizes(sizes: tuple[float, float, float], network: str) -> None:
    small, middle, large = sizes
    facts = {
        "objects": 28.4,
        "small_diameter": small,
        "diameter": middle,
        "large_diameter": large,
        "star_share": 0.98,
    }

    best, *_ = recommend(summary(facts), (), is_photo=False)

    assert best.network == network
    reason = str(best.reason)
    assert f"28 objects on average; most are {small} to {large} pixels wide" in reason
    assert "cover 98 % of their areas" in reason


@pytest.mark.parametrize(
    ("objects", "small", "network", "reason"),
    [
        (3, 9, "small_masks:finest=4", "so each object gets a mask of any shape"),
        (3, 60, "small_masks", "so each object gets a mask of any shape"),
        (90, 9, "star_unet", "too many for masks of any shape"),
    ],
)
def test_bent_objects_get_masks_unless_there_are_too_many(
    objects: int, small: int, network: str, reason: str
) -> None:
    facts = {"objects": objects, "small_diameter": small, "diameter": 60, "large_diameter": 60}
    dataset = summary(facts | {"star_share": 0.6})

    best, *_ = recommend(dataset, (), is_photo=False)

    assert best.network == network
    assert "only 60 %" in str(best.reason)
    assert reason in str(best.reason)
    plan = best.apply(TrainingPlan(dataset="cells"), dataset)
    assert bool(plan.augmentation.crop) == (network == "star_unet")


def test_pretrained_weights_get_the_head_that_suits_the_objects() -> None:
    weights = [AvailableWeights("mobilenet_v2", "weights.h5")]
    facts = {"objects": 3, "small_diameter": 9, "diameter": 20, "large_diameter": 30}
    found = {}
    for share in (0.6, 0.98):
        ways = recommend(summary(facts | {"star_share": share}), weights, is_photo=True)
        found[share] = next(way.network for way in ways if way.weights)

    assert found[0.6].startswith("mask_backbone")
    assert found[0.98].startswith("star_backbone")


def test_datasets_without_facts_get_the_usual_network() -> None:
    best, *_ = recommend(summary({}), (), is_photo=False)

    assert best.network == "star_unet"
    assert "on average" not in str(best.reason)


@pytest.mark.parametrize(
    ("large", "side", "expected"),
    [
        (36.0, 256, (128, 4, 500, 4)),
        (36.0, 250, (0, 1, 125, 1)),
        (54.0, 384, (128, 4, 500, 9)),
        (90.0, 512, (192, 4, 222, 7)),
        (140.0, 512, (0, 1, 31, 1)),
    ],
    ids=["crops", "small images", "larger images", "larger crops", "large objects"],
)
def test_many_small_objects_are_learned_from_crops(
    large: float,
    side: int,
    expected: tuple[int, int, int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(instances, "multiplies_bfloat16", lambda: False)
    dataset = summary({"large_diameter": large}, side)

    best, *_ = recommend(dataset, (), is_photo=False)
    plan = best.apply(TrainingPlan(dataset="cells"), dataset)

    found = plan.augmentation.crop, plan.batch_size, plan.epochs, plan.validation_interval_epochs
    assert found == expected


@pytest.mark.parametrize(
    ("network", "where"), [("small_masks", ["augmentation.crop"]), ("star_unet", [])]
)
def test_only_networks_for_images_of_any_size_learn_from_crops(
    network: str, where: list[str]
) -> None:
    plan = TrainingPlan(dataset="cells", network=network).changed(**{"augmentation.crop": 128})

    found = check_training(plan, summary({}))

    assert [each.where for each in found if each.serious] == where
