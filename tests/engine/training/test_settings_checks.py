"""Settings that do not go together are all named at once."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.settings_checks import check_settings


def _reported(classes: int = 10, val: int = 20, **values: object) -> dict[str, bool]:
    """Which fields are reported, and whether that is serious."""
    dataset = DatasetSummary(
        width=32,
        height=32,
        channels=3,
        classes=[str(number) for number in range(classes)],
        count={"train": 100, "val": val, "test": 0},
        class_counts={},
        skipped=0,
        mean_color=[0, 0, 0],
    )
    plan = TrainingPlan.parse({"dataset": "d", **values})
    return {problem.where: problem.serious for problem in check_settings(plan, dataset)}


def test_a_plain_plan_has_no_problem() -> None:
    assert _reported() == {}


@pytest.mark.parametrize(
    ("values", "where", "serious"),
    [
        ({"clipnorm": 1, "clipvalue": 1}, "clipvalue", True),
        ({"class_balancing": "sampling", "shuffle": False}, "class_balancing", True),
        ({"gradient_accumulation_steps": 41, "epochs": 10}, "gradient_accumulation_steps", True),
        ({"monitor": "val_top_5", "classes": 5}, "monitor", True),
        ({"early_stopping_patience": 3, "val": 0}, "monitor", True),
        ({"plateau_patience": 3, "val": 0}, "monitor", True),
        ({"validation_interval_epochs": 11}, "validation_interval_epochs", False),
        ({"schedule": "one_cycle", "warmup_percent": 5}, "warmup_percent", False),
        ({"network": "resnet18", "batch_size": 1}, "batch_size", False),
    ],
    ids=str,
)
def test_what_does_not_go_together(
    values: dict[str, object], where: str, *, serious: bool
) -> None:
    classes, val = values.pop("classes", 10), values.pop("val", 20)
    assert isinstance(classes, int)
    assert isinstance(val, int)

    assert _reported(classes, val, **values) == {where: serious}


@pytest.mark.parametrize(
    "values",
    [
        {"gradient_accumulation_steps": 40, "epochs": 10},
        {"early_stopping_patience": 3, "val": 0, "monitor": "loss"},
        {"network": "lenet", "batch_size": 1},
        {"schedule": "one_cycle"},
    ],
    ids=str,
)
def test_what_does(values: dict[str, object]) -> None:
    val = values.pop("val", 20)
    assert isinstance(val, int)

    assert _reported(10, val, **values) == {}


def test_all_is_named_at_once() -> None:
    wrong: dict[str, object] = {
        "clipnorm": 1,
        "clipvalue": 1,
        "class_balancing": "sampling",
        "shuffle": False,
    }

    reported = _reported(
        5,
        20,
        monitor="val_top_5",
        gradient_accumulation_steps=1000,
        validation_interval_epochs=99,
        **wrong,
    )

    assert set(reported) == {
        "clipvalue",
        "class_balancing",
        "monitor",
        "gradient_accumulation_steps",
        "validation_interval_epochs",
    }


@pytest.mark.parametrize(
    ("values", "reported"),
    [
        ({"ray": "ray://head:10001"}, {}),
        ({"ray": "head"}, {"ray": True}),
        ({"ray": "head:6379", "device": "gpu:1"}, {"device": True}),
        ({"ray": "head:6379", "device": "gpus:2"}, {}),
    ],
)
def test_a_cluster_is_named_by_its_address_and_chooses_the_gpus(
    values: dict[str, Any], reported: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())
    assert _reported(**values) == reported


def test_a_cluster_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert _reported(ray="head:6379") == {"ray": True}
    assert _reported() == {}
