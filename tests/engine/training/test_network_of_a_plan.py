"""The network that a plan means, and what a check says about weights and frozen parts."""

from __future__ import annotations

import pytest

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.networks.enlarging import RESIZING_NODE
from studio.engine.networks.spec import INPUT
from studio.engine.networks.zoo import ZOO
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import MeanImage, enlarged_to, network_for, network_label
from studio.engine.training.requests import check_training

SHAPE = (48, 64, 3)


def plan(**values: object) -> TrainingPlan:
    return TrainingPlan.parse({"dataset": "d", "network": "lenet", **values})


def summary() -> DatasetSummary:
    return DatasetSummary(
        width=64,
        height=48,
        channels=3,
        classes=["a", "b", "c"],
        count={"train": 90, "val": 9, "test": 0},
        class_counts={"train": [30] * 3, "val": [3] * 3, "test": [0] * 3},
        skipped=0,
        mean_color=[1.0, 2.0, 3.0],
    )


def test_a_design_is_sized_for_the_images_and_the_classes() -> None:
    design = ZOO["small_cnn"].build((32, 32, 3), 10)

    spec = network_for(plan(network="mine", design=design.model_dump()), SHAPE, 3)

    assert spec == ZOO["small_cnn"].build(SHAPE, 3)


def test_a_network_of_an_earlier_run_loses_what_that_run_did_to_its_images() -> None:
    changed = AugmentationPlan(crop=32, whitening=True)
    mean = MeanImage(1, 1, (1.0, 2.0, 3.0))
    earlier = network_for(plan(augmentation=changed.model_dump()), SHAPE, 3, mean)
    again = plan(design=earlier.model_dump(), augmentation=changed.model_dump())

    assert network_for(plan(design=earlier.model_dump()), SHAPE, 3) == network_for(
        plan(), SHAPE, 3
    )
    assert {node.id for node in network_for(again, SHAPE, 3, mean).nodes} == {
        node.id for node in earlier.nodes
    }


def test_freezing_and_rates_reach_the_network() -> None:
    spec = network_for(plan(freeze="all", backbone_rate=0.01, head_rate=0.1), SHAPE, 3)

    assert {node.frozen for node in spec.nodes if node.block != "head"} == {True}
    assert {node.rate for node in spec.nodes if node.block == "head"} == {0.1}
    assert {node.rate for node in spec.nodes if node.block != "head"} == {0.01}


@pytest.mark.parametrize(
    ("side", "network", "weights", "is_enlarged"),
    [
        (64, "resnet50_imagenet", "imagenet", True),
        (64, "squeezenet", "/some/file.h5", True),
        (128, "resnet50_imagenet", "imagenet", False),
        (64, "resnet50_imagenet", "", False),
        (64, "resnet50_imagenet", "run:r-000000", False),
        (64, "small_cnn", "/some/file.h5", False),
    ],
)
def test_small_images_are_enlarged_for_pretrained_weights(
    side: int, network: str, weights: str, is_enlarged: bool
) -> None:
    wanted = plan(network=network, weights=weights)
    spec = network_for(wanted, (side, side, 3), 3)

    first = next(node for node in spec.nodes if INPUT in node.inputs)
    assert spec.input.height == side
    assert (first.id == RESIZING_NODE) == is_enlarged
    assert enlarged_to(wanted, (side, side)) == ((128, 128) if is_enlarged else None)
    if is_enlarged:
        assert "128" in str(first.parameters["config"])


def test_a_plan_names_its_network() -> None:
    design = ZOO["lenet"].build((28, 28, 1), 10).model_copy(update={"name": "Mine"})

    assert network_label(plan()) == "LeNet-5"
    assert network_label(plan(network="mine", design=design.model_dump())) == "Mine"
    assert network_label(plan(network="of a newer Studio")) == "of a newer Studio"


@pytest.mark.parametrize(
    ("values", "where", "serious"),
    [
        ({"freeze": "conv99"}, "freeze", True),
        ({"freeze": "all"}, "freeze", False),
        ({"weights": "imagenet"}, "weights", True),
        ({"weights": "/no/such.h5"}, "weights", True),
        ({"network": "resnet50", "weights": "imagenet"}, "weights", True),
    ],
)
def test_problems_say_where_they_are(values: dict[str, object], where: str, serious: bool) -> None:
    problems = [p for p in check_training(plan(**values), summary()) if p.where == where]

    assert problems[0].serious is serious


def test_what_can_be_done_has_no_problem() -> None:
    pretrained = {"network": "resnet50_imagenet", "weights": "imagenet", "freeze": "conv4"}
    for values in (pretrained, {"weights": "run:any"}):
        assert check_training(plan(**values), summary()) == []


def test_the_hint_names_the_network_that_has_weights() -> None:
    (problem,) = check_training(plan(network="resnet50", weights="imagenet"), summary())

    assert '"resnet50_imagenet"' in problem.hint
