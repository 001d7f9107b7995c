"""Learning rates of their own, frozen layers and auxiliary outputs, seen at the weights."""

from __future__ import annotations

import functools
import importlib.util
import json
from typing import Any

import pytest

from helpers.processes import run_python
from helpers.sampling import sample

BACKENDS = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(importlib.util.find_spec(name) is None, reason=f"no {name} here"),
    )
    for name in ("tensorflow", "jax", "torch")
]

_START = """
import json, sys
from studio.engine.compute.backends.prepare import prepare_backend
backend, optimizer = sys.argv[1], "sgd"
prepare_backend(backend, deterministic=False, seed=0, threads=None)
import keras
import numpy as np
from studio.engine.compute.auxiliary import OWN_LOSS, WithAuxiliary
from studio.engine.compute.build import build
from studio.engine.compute.optimizers import LayerRates, multipliers_of
from studio.engine.compute.optimizers import make_optimizer, rates_of
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.parts import with_freezing, with_rates
from studio.engine.networks.spec import AuxiliaryHead, HEAD_BLOCK, InputShape
from studio.engine.training.plan import TrainingPlan

net = GraphBuilder("N", InputShape(height=8, width=8, channels=3), 3)
# Without a bias, whose gradient before batch normalization is nothing but rounding.
net.add("rescaling").add("conv2d", "low", filters=4, block="low", use_bias=False)
net.add("batch_normalization", "norm", block="low").add("conv2d", "high", filters=4, block="high")
net.add("global_average_pool", "pool")
net.add("dense", "predictions", units=3, activation="softmax", block=HEAD_BLOCK)
spec = net.spec()
random = np.random.default_rng(0)
images = random.integers(0, 256, (8, 8, 8, 3)).astype("uint8")
labels = random.integers(0, 3, 8).astype("int32")

def compiled(spec, **values):
    fixed = {"dataset": "d", "optimizer": optimizer, "learning_rate": 0.01}
    plan = TrainingPlan.parse({**fixed, **values})
    model = build(spec, seed=0)
    factors = multipliers_of(model, spec)
    made = make_optimizer(plan, rates_of(plan, 10), factors)
    made.build(model.trainable_variables)
    model.compile(optimizer=made, loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return model, factors

def weights(model):
    return {v.path: np.array(v) for v in model.variables if "seed" not in v.path}

def moved(spec, **values):
    model, factors = compiled(spec, **values)
    before = weights(model)
    model.fit(images, labels, batch_size=8, epochs=1, verbose=0)
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()
    after = weights(model)
    return {name: float(np.abs(after[name] - before[name]).max()) for name in before}
"""


_LENGTHS = """
decay = {"weight_decay": 0.5}
told = {}
for optimizer in ("sgd", "adam", "adamw", "rmsprop"):
    plain = moved(spec, **decay)
    own = moved(with_rates(spec, 0.01, 0.1), **decay)
    still = moved(with_rates(spec, 0, 1), **decay)
    told[optimizer] = {"plain": plain, "own": own, "still": still}
    keras.backend.clear_session()
print(json.dumps(told))
"""

_FROZEN = """
optimizer = "sgd"
low = with_freezing(spec, "low")
model, factors = compiled(low)
plain, _ = compiled(spec)
assert factors is None and not isinstance(model.optimizer, LayerRates)
half, factors = compiled(with_rates(low, 0.5, 1))
assert factors == [0.5, 0.5, 1, 1] and isinstance(half.optimizer, LayerRates)
count = sum(int(np.prod(w.shape)) for w in model.trainable_weights)
print(json.dumps({"low": moved(low), "free": moved(spec), "count": {"trainable": count}}))
"""

_AUXILIARY = """
net.add("global_average_pool", "side_pool", after="low", block="side")
net.add("dense", "side", units=3, activation="softmax", block="side")
aided = spec.model_copy(update={
    "nodes": (*spec.nodes, *net.spec().nodes[len(spec.nodes):]),
    "auxiliary": (AuxiliaryHead(node="side", weight=0.3),),
})
network = build(aided, seed=0, auxiliary=True)
own, side = (np.array(output) for output in network(images, training=True))
lone = [float(-np.log(scores[np.arange(8), labels]).mean()) for scores in (own, side)]
model = WithAuxiliary(network, aided)
model.compile(
    optimizer=keras.optimizers.SGD(0.0),
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy"),
             keras.metrics.SparseCategoricalCrossentropy(name=OWN_LOSS)],
)
logs = model.fit(images, labels, batch_size=8, verbose=0, validation_data=(images, labels))
values = {name: float(series[0]) for name, series in logs.history.items()}
loss = keras.losses.SparseCategoricalCrossentropy()
model.compile(optimizer=keras.optimizers.SGD(0.1), loss=loss)
before = np.array(network.get_layer("side").weights[0])
model.fit(images, labels, batch_size=8, verbose=0)
if hasattr(model, "jax_state_sync"):
    model.jax_state_sync()
change = float(np.abs(np.array(network.get_layer("side").weights[0]) - before).max())
print(json.dumps({"lone": {"own": lone[0], "side": lone[1]}, "logs": values, "side": {"m": change},
                  "shape": {"n": model.predict(images, verbose=0).shape[0]}}))
"""


@functools.cache
def _reported(backend: str) -> list[dict[str, Any]]:
    """What the scripts found, in one process: half of the time is the start of it."""
    done = run_python(_START + _LENGTHS + _FROZEN + _AUXILIARY, backend)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.thorough
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_first_step_has_the_length_of_the_rates(backend: str) -> None:
    for optimizer, reported in _reported(backend)[0].items():
        for name, length in reported["plain"].items():
            if "moving" in name:  # statistics are no matter of rates
                continue
            which = (optimizer, name)
            factor = 0.1 if "predictions" in name else 0.01
            assert length > 0, which
            assert reported["own"][name] == pytest.approx(length * factor, rel=0.02), which
            assert (reported["still"][name] == 0) is ("predictions" not in name), which
        assert any("predictions" in name for name in reported["still"])


@pytest.mark.thorough
@pytest.mark.parametrize("backend", sample(BACKENDS, 1))
def test_frozen_layers_and_their_statistics_stay_and_equal_rates_need_no_other_optimizer(
    backend: str,
) -> None:
    reported = _reported(backend)[1]

    low = [name for name in reported["low"] if "low" in name or "norm" in name]
    assert len(low) == 5
    assert all(reported["low"][name] == 0 for name in low)
    assert all(reported["free"][name] > 0 for name in reported["free"])
    assert all(reported["low"][name] > 0 for name in reported["low"] if name not in low)
    assert reported["count"]["trainable"] == (3 * 3 * 4 * 4 + 4) + (4 * 3 + 3)


@pytest.mark.thorough
@pytest.mark.parametrize("backend", sample(BACKENDS, 1))
def test_auxiliary_outputs_add_to_the_loss_in_training_only(backend: str) -> None:
    reported = _reported(backend)[2]

    own, side = reported["lone"]["own"], reported["lone"]["side"]
    logs = reported["logs"]
    assert logs["own_loss"] == pytest.approx(own, rel=1e-4)
    assert logs["loss"] == pytest.approx(own + 0.3 * side, rel=1e-4)
    # In validation batch normalization has other statistics, and auxiliary heads no say.
    assert logs["val_loss"] == pytest.approx(logs["val_own_loss"], rel=1e-4)
    assert reported["side"]["m"] > 0
    assert reported["shape"]["n"] == 8
