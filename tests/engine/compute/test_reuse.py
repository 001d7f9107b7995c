"""Runs of one process share what was compiled, and nothing else."""

from __future__ import annotations

import gc
import importlib.util
from typing import Any

import pytest

from helpers.digits import Digits, copy_of, do_here
from helpers.resuming import plan_of
from helpers.train_plans import Trained, train_plans
from studio.engine.compute.backends.prepare import forget_models
from studio.engine.compute.fit import COMPILED
from studio.engine.datasets.store import Store
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import InputShape, NetworkSpec


def _design() -> NetworkSpec:
    """A small convolution with batch normalization and dropout, which has states of its own."""
    net = GraphBuilder("small", InputShape(height=28, width=28, channels=1), 10)
    net.add("rescaling", scale=1 / 255)
    net.add("conv2d", "conv", filters=4, stride=4)
    net.add("batch_normalization").add("activation", activation="relu")
    net.add("global_average_pool").add("dropout", rate=0.2)
    net.add("dense", "predictions", units=10, activation="softmax")
    return net.spec()


_PLAN: dict[str, Any] = {
    "network": "small",
    "design": _design().model_dump(mode="json"),
    "epochs": 2,
    "batch_size": 100,
    "deterministic": True,
    "checkpoint_interval_seconds": 86_400.0,
    "ema_momentum": 0.9,
    "seed": 3,
}
_OTHER = {"seed": 7, "learning_rate": 0.01, "schedule": "cosine", "warmup_percent": 20.0}
_DECAYED = {"weight_decay": 0.1}


def _figures(run: Trained) -> tuple[Any, ...]:
    clocks = ("t", "seconds", "images_per_second")
    epochs = [{key: epoch[key] for key in epoch if key not in clocks} for epoch in run.epochs]
    return run.digest, run.losses, epochs


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_compiled_steps_of_another_run_learn_the_same_bits(
    digits: Digits, tmp_path_factory: pytest.TempPathFactory, backend: str
) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")

    def trained(**plans: dict[str, Any]) -> dict[str, Trained]:
        own = copy_of(digits, tmp_path_factory.mktemp(backend) / "own", with_run=False)
        named = [(name, {**_PLAN, "backend": backend, **own_}) for name, own_ in plans.items()]
        runs, _ = train_plans(own.workspace.root, named)
        assert {run.state for run in runs.values()} == {"completed"}, [
            run.reason for run in runs.values()
        ]
        return runs

    new = trained(plain={}, decayed=_DECAYED)
    used = trained(other=_OTHER, plain={}, paused={"pause_at": [0, 20]}, decayed=_DECAYED)

    assert (used["plain"].traces, used["paused"].traces) == (0, 0)
    assert used["decayed"].traces, "the decay is built into the step"
    assert used["paused"].attempts > 1
    plain = _figures(new["plain"])
    assert _figures(used["plain"]) == plain
    assert _figures(used["paused"]) == plain
    assert _figures(used["decayed"]) == _figures(new["decayed"]) != plain
    assert _figures(used["other"]) != plain


def _alive(*kinds: type) -> int:
    gc.collect()
    return sum(isinstance(each, kinds) for each in gc.get_objects())


@pytest.mark.thorough
def test_a_run_leaves_neither_its_dataset_nor_its_model(own_digits: Digits) -> None:
    import keras
    from tensorflow.python.framework.func_graph import FuncGraph

    plan = plan_of(own_digits, epochs=1, insights=True)
    COMPILED.clear()
    stores, models, graphs = (_alive(kind) for kind in (Store, keras.Model, FuncGraph))

    do_here(own_digits.workspace, plan, "first")
    do_here(own_digits.workspace, plan.changed(learning_rate=0.01), "second")
    do_here(own_digits.workspace, plan.changed(network="lenet"), "another network")
    forget_models()

    assert _alive(Store) <= stores
    stored = _alive(keras.Model) - models
    assert stored == 2, "the one whose steps are compiled, and its copy for writing"
    COMPILED.clear()
    assert _alive(keras.Model) <= models
    assert _alive(FuncGraph) <= graphs
