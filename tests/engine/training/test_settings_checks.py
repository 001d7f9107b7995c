"""Settings that do not go together are all named at once."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.settings_checks import check_settings


def _told(classes: int = 10, val: int = 20, **values: object) -> dict[str, bool]:
    """Which fields are told of, and whether that is serious."""
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
    assert _told() == {}


@pytest.mark.parametrize(
    ("values", "where", "serious"),
    [
        ({"clip_norm": 1, "clip_value": 1}, "clip_value", True),
        ({"balance": "sampling", "shuffle": False}, "balance", True),
        ({"accumulate": 41, "epochs": 10}, "accumulate", True),
        ({"device": "tpu:1"}, "device", True),
        ({"watch": "val_top_5", "classes": 5}, "watch", True),
        ({"stop_patience": 3, "val": 0}, "watch", True),
        ({"plateau_patience": 3, "val": 0}, "watch", True),
        ({"validate_every": 11}, "validate_every", False),
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

    assert _told(classes, val, **values) == {where: serious}


@pytest.mark.parametrize(
    "values",
    [
        {"accumulate": 40, "epochs": 10},
        {"stop_patience": 3, "val": 0, "watch": "loss"},
        {"network": "lenet", "batch_size": 1},
        {"schedule": "one_cycle"},
    ],
    ids=str,
)
def test_what_does(values: dict[str, object]) -> None:
    val = values.pop("val", 20)
    assert isinstance(val, int)

    assert _told(10, val, **values) == {}


def test_all_is_named_at_once() -> None:
    wrong: dict[str, object] = {
        "clip_norm": 1,
        "clip_value": 1,
        "balance": "sampling",
        "shuffle": False,
    }

    told = _told(5, 20, watch="val_top_5", accumulate=1000, validate_every=99, **wrong)

    assert set(told) == {"clip_value", "balance", "watch", "accumulate", "validate_every"}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"ray": "ray://head:10001"}, {}),
        ({"ray": "head"}, {"ray": True}),
        ({"ray": "head:6379", "device": "gpu:1"}, {"device": True}),
        ({"ray": "head:6379", "device": "gpus:2"}, {}),
    ],
)
def test_a_cluster_is_named_by_its_address_and_chooses_the_gpus(
    values: dict[str, Any], told: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())
    assert _told(**values) == told


def test_a_cluster_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert _told(ray="head:6379") == {"ray": True}
    assert _told() == {}
