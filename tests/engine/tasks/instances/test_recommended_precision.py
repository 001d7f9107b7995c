"""Outlines are learned in bfloat16 where that is faster."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.jobs import devices
from studio.engine.jobs.devices import multiplies_bfloat16
from studio.engine.training.advice import instances
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recommendation import recommend


def recommended(backend: str) -> TrainingPlan:
    dataset = DatasetSummary(
        task="instances",
        width=64,
        height=64,
        channels=1,
        classes=["cell"],
        count={"train": 100, "val": 20, "test": 20},
        class_counts={"train": [100], "val": [20], "test": [20]},
        skipped=0,
        mean_color=[5],
    )
    best, *_ = recommend(dataset, (), is_photo=False)
    return best.apply(TrainingPlan.parse({"dataset": "d", "backend": backend}), dataset)


def test_processors_with_bfloat16_train_longer_in_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(instances, "multiplies_bfloat16", lambda: False)
    full = recommended("tensorflow")
    monkeypatch.setattr(instances, "multiplies_bfloat16", lambda: True)
    half = recommended("tensorflow")

    assert (full.precision, half.precision) == ("float32", "mixed_bfloat16")
    assert half.epochs > full.epochs
    assert recommended("jax").precision == "float32"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [("flags : sse avx512_bf16 amx_tile", True), ("flags : sse avx512f", False), ("", False)],
)
def test_the_processor_names_its_instructions(
    flags: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tmp_path / "cpuinfo"
    if flags:
        listed.write_text(flags)
    monkeypatch.setattr(devices, "_PROCESSOR", listed)

    assert multiplies_bfloat16.__wrapped__() is expected
