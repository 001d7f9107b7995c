"""JAX and PyTorch do what TensorFlow does, without it."""

from __future__ import annotations

import functools
import importlib.util
import math
from pathlib import Path
from typing import Any

import pytest

from helpers.digits import Digits, copy_of, do_here
from helpers.train_plans import Trained, train_plans
from studio.engine.training.plan import TrainingPlan

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

_BASE: dict[str, Any] = {
    "network": "mlp",
    "epochs": 3,
    "batch_size": 100,
    "deterministic": True,
    "checkpoint_interval_seconds": 86_400.0,
    "insights": False,
    "seed": 3,
}
_LIGHT = {"rotation": 10.0, "brightness": 10.0, "contrast": 20.0}
# Adam makes much of a gradient that is hardly more than nothing; this keeps what is alike alike.
_AUGMENTED = {"optimizer": "sgd", "augmentation": {**_LIGHT, "run_on": "device"}}
_PLANS: dict[str, dict[str, Any]] = {
    "plain": {},
    "again": {},
    "paused": {"pause_at": [0, 0, 20]},  # it hears the first two at its next step
    "judged": {
        "epochs": 9,
        "validation_interval_epochs": 0.5,
        "early_stopping_patience": 2,
        "min_delta": 2.0,
    },
    "averaged": {"ema_momentum": 0.9},
    "augmented": _AUGMENTED,
    "augmented, paused": {**_AUGMENTED, "pause_at": [0, 20]},
    "augmented on the host": {**_AUGMENTED, "augmentation": {**_LIGHT, "run_on": "host"}},
    "mixed_bfloat16": {"precision": "mixed_bfloat16"},
    "mixed_float16": {"precision": "mixed_float16"},
}
_TRAINED: dict[str, tuple[dict[str, Trained], set[str]]] = {}


@pytest.fixture(
    params=[
        pytest.param(
            name,
            marks=[
                pytest.mark.thorough,
                pytest.mark.skipif(
                    importlib.util.find_spec(name) is None, reason=f"{name} is not installed"
                ),
            ],
        )
        for name in ("jax", "torch")
    ]
)
def trained(
    request: pytest.FixtureRequest, digits: Digits, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Trained]:
    """What a backend made of the plans; each in turn in one process, trained once."""
    name: str = request.param
    if name not in _TRAINED:
        own = copy_of(digits, tmp_path_factory.mktemp(name) / "own", with_run=False)
        plans = [(each, {**_BASE, "backend": name, **own_}) for each, own_ in _PLANS.items()]
        _TRAINED[name] = train_plans(own.workspace.root, plans)
    runs, libraries = _TRAINED[name]
    assert "tensorflow" not in libraries, "it is installed, and costs 3 s and 600 MB"
    assert {each.state for each in runs.values()} == {"completed"}, [
        each.reason for each in runs.values()
    ]
    return runs


@functools.cache
def _on_tensorflow(digits: Digits, folder: Path) -> float:
    own = copy_of(digits, folder / "own", with_run=False)
    plan = TrainingPlan.parse({"dataset": own.dataset.record.id, **_BASE})
    history = do_here(own.workspace, plan, "on tensorflow").history
    return float(history.epochs[-1].value("val_accuracy"))


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is an extra")
def test_a_paused_run_with_jax_resumes_exactly(own_digits: Digits) -> None:
    plans = [(name, {**_BASE, "backend": "jax", **_PLANS[name]}) for name in ("plain", "paused")]
    runs, libraries = train_plans(own_digits.workspace.root, plans)

    assert "tensorflow" not in libraries
    assert runs["plain"].state == "completed", runs["plain"].reason
    assert runs["plain"].epochs[-1]["metrics"]["val_accuracy"] > 0.85
    assert runs["paused"].attempts >= 3
    assert runs["plain"].losses == runs["paused"].losses
    assert runs["plain"].digest == runs["paused"].digest


def test_every_backend_learns_as_well(
    trained: dict[str, Trained], digits: Digits, tmp_path: Path
) -> None:
    run = trained["plain"]

    assert all(math.isfinite(loss) for loss in run.losses)
    assert run.epochs[-1]["metrics"]["val_accuracy"] > 0.85
    difference = run.epochs[-1]["metrics"]["val_accuracy"] - _on_tensorflow(digits, tmp_path)
    assert abs(difference) < 0.06
    assert run.device.startswith("CPU")


def test_augmentation_on_the_device_trains_like_that_on_the_host(
    trained: dict[str, Trained],
) -> None:
    on_device, on_host = trained["augmented"], trained["augmented on the host"]

    assert on_device.digest == trained["augmented, paused"].digest
    assert on_device.losses == pytest.approx(on_host.losses, rel=1e-3)
    assert on_device.losses != on_host.losses


def test_the_same_plan_gives_the_same_bits(trained: dict[str, Trained]) -> None:
    assert trained["plain"].digest == trained["again"].digest
    assert trained["plain"].losses == trained["again"].losses


def test_a_paused_run_resumes_exactly(trained: dict[str, Trained]) -> None:
    assert trained["paused"].attempts >= 3
    assert trained["plain"].losses == trained["paused"].losses
    assert trained["plain"].digest == trained["paused"].digest


def test_it_is_measured_within_epochs_and_ends_early(trained: dict[str, Trained]) -> None:
    run = trained["judged"]
    steps = len(run.losses) // len(run.epochs)

    assert len(run.epochs) == 2, "the first is best, the third is the second without a gain"
    assert run.validations == [math.ceil(steps / 2), steps + math.ceil(steps / 2)]


def test_the_mean_of_the_weights_is_kept(trained: dict[str, Trained]) -> None:
    plain, averaged = trained["plain"], trained["averaged"]

    assert averaged.losses == pytest.approx(plain.losses, rel=1e-4), "training is the same"
    assert averaged.digest != plain.digest
    assert averaged.epochs[-1]["metrics"]["val_accuracy"] > 0.8


@pytest.mark.parametrize("precision", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_learns(trained: dict[str, Trained], precision: str) -> None:
    run, plain = trained[precision], trained["plain"]

    assert run.losses != plain.losses
    assert run.epochs[-1]["metrics"]["val_accuracy"] > 0.85
