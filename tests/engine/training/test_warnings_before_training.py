"""What is warned of before a training starts, whichever way it is asked for."""

from __future__ import annotations

import pytest

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import check_training


def _reported(side: int = 32, train: int = 100, **values: object) -> dict[str, tuple[bool, str]]:
    dataset = DatasetSummary(
        width=side,
        height=side,
        channels=3,
        classes=["a", "b"],
        count={"train": train, "val": 20, "test": 0},
        class_counts={},
        skipped=0,
        mean_color=[0, 0, 0],
    )
    plan = TrainingPlan.parse({"dataset": "d", **values})
    return {
        problem.where: (problem.serious, f"{problem.message} {problem.hint}")
        for problem in check_training(plan, dataset)
    }


def test_a_plain_plan_is_warned_of_nothing() -> None:
    assert _reported() == {}


@pytest.mark.parametrize("name", OPTIMIZERS.names())
def test_the_usual_rate_of_an_optimizer_is_within_its_usual_rates(name: str) -> None:
    optimizer = OPTIMIZERS[name]
    low, high = optimizer.usual_rates

    assert 0 < low < optimizer.usual_rate < high <= 10
    assert optimizer.usual_rate / low <= 1000
    assert high / optimizer.usual_rate <= 100


@pytest.mark.parametrize(
    ("optimizer", "rate", "word"),
    [
        ("adam", 0.02, "high"),
        ("adam", 5e-6, "low"),
        ("sgd", 1.0, "high"),
        ("sgd", 5e-5, "low"),
        ("adadelta", 1e-3, "low"),
    ],
)
def test_a_rate_out_of_the_usual_range_is_reported_with_the_range(
    optimizer: str, rate: float, word: str
) -> None:
    serious, text = _reported(optimizer=optimizer, learning_rate=rate)["learning_rate"]
    low, high = OPTIMIZERS[optimizer].usual_rates

    assert not serious
    assert f"very {word} for {OPTIMIZERS[optimizer].label}" in text
    assert f"{low:g} to {high:g}" in text


@pytest.mark.parametrize("optimizer", OPTIMIZERS.names())
def test_rates_at_the_ends_of_the_range_are_usual(optimizer: str) -> None:
    for rate in OPTIMIZERS[optimizer].usual_rates:
        assert "learning_rate" not in _reported(optimizer=optimizer, learning_rate=rate)


def test_a_batch_larger_than_the_split() -> None:
    serious, text = _reported(train=20, batch_size=32)["batch_size"]

    assert not serious
    assert "larger than the 20 training images" in text


def test_batch_normalization_with_one_image() -> None:
    assert "one image" in _reported(network="resnet18", batch_size=1)["batch_size"][1]


def test_images_smaller_than_the_network_takes() -> None:
    serious, text = _reported(side=8, network="alexnet")["network"]

    assert serious
    assert "8" in text
