"""Several devices in one run do what one does; logical devices of the CPU stand in for GPUs."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from helpers.digits import Digits
from helpers.train_plans import Trained, train_plans
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_summary
from studio.engine.errors import Problem
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import check_training

_COMMON = {"epochs": 2, "seed": 5, "insights": False, "optimizer": "sgd", "learning_rate": 0.05}
_BACKENDS = [
    "tensorflow",
    pytest.param(
        "jax",
        marks=pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="no JAX here"),
    ),
]


def _odd(digits: Digits) -> int:
    """A batch size that two devices cannot share evenly, and that leaves one image at the end."""
    count = len(Store.open(digits.dataset.record.folder).rows("train"))
    return next(size for size in range(31, count, 2) if count % size == 1)


def _same(one: Trained, other: Trained) -> None:
    assert one.state == other.state == "completed", (one.reason, other.reason)
    # Measured: losses differ by 1.4e-4 of themselves with TensorFlow, 2e-7 with JAX. A learning
    # rate that is off by 0.1 % changes them by 5e-4, and the weights as said below.
    assert one.losses == pytest.approx(other.losses, rel=4e-4, abs=1e-4)
    for epoch, reference in zip(one.epochs, other.epochs, strict=True):
        for name in ("loss", "accuracy", "val_loss", "val_accuracy"):
            found, expected = epoch["metrics"][name], reference["metrics"][name]
            assert found == pytest.approx(expected, rel=1e-4, abs=1e-5), name
    # Sums of the absolute values of each array. Gradients are summed in another order, in 32 bits.
    # Measured with LeNet on TensorFlow: the largest difference beyond a ten-thousandth is 9.4e-6,
    # of ten biases whose sum is 0.08; none with JAX. A learning rate that is off by 0.1 % gives
    # 6e-4, thirty times what is allowed here.
    assert one.weights == pytest.approx(other.weights, rel=1e-4, abs=2e-5)


@pytest.mark.thorough
@pytest.mark.parametrize("backend", _BACKENDS)
def test_two_devices_give_what_one_gives(own_digits: Digits, backend: str) -> None:
    # With TensorFlow dropout draws for each part; with JAX it sees the whole batch.
    network = {"tensorflow": "lenet", "jax": "mlp"}[backend]
    odd = {**_COMMON, "batch_size": _odd(own_digits), "backend": backend, "network": network}
    steps = {**odd, "global_clipnorm": 0.5, "gradient_accumulation_steps": 2, "ema_momentum": 0.9}
    # Two devices come first: the parts of a CPU are settled when it is first computed on.
    plans = [
        (f"{name} on {device}", {**values, "device": device})
        for device in ("cpu:2", "cpu")
        for name, values in (("odd", odd), ("steps", steps))
    ]

    runs, _ = train_plans(own_digits.workspace.root, plans)

    assert runs["odd on cpu:2"].device.endswith("as 2 devices")
    assert "devices" not in runs["odd on cpu"].device
    _same(runs["odd on cpu:2"], runs["odd on cpu"])
    _same(runs["steps on cpu:2"], runs["steps on cpu"])
    assert runs["odd on cpu"].digest != runs["steps on cpu"].digest


_PARTS = """
import json
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.jobs.devices import parse_device_request
prepare_backend("tensorflow", True, 1, None, parse_device_request("cpu:3"))
import keras, numpy, tensorflow as tf
from studio.engine.compute.distribution import spread

seen = []
class Look(keras.layers.Layer):
    def call(self, x):
        seen.append(x.device if tf.executing_eagerly() else "")
        return x * 1.0
inputs = keras.Input((4,))
norm = keras.layers.BatchNormalization(momentum=0.9)
outputs = norm(Look()(inputs))
network = keras.Model(inputs, [outputs, outputs * 2.0])
shared = spread(network, "cpu:3")
assert spread(network, "cpu") is network
images = numpy.random.RandomState(0).rand(7, 4).astype("float32")
images[:] = images[:1]
for size in (7, 3, 2, 1):
    seen.clear()
    one, two = shared(images[:size], training=False)
    assert numpy.allclose(two, 2 * one) and one.shape == (size, 4), size
    assert numpy.allclose(one, network(images[:size], training=False)[0])
    assert sorted(device[-1] for device in seen[:3]) == ["0", "1", "2"], seen
shared(images, training=True)
print(json.dumps([float(norm.moving_mean[0]), 0.1 * float(images[0, 0])]))
"""


@pytest.mark.slow
def test_each_device_computes_its_part_of_any_batch() -> None:
    from helpers.processes import run_python

    done = run_python(_PARTS)

    assert done.returncode == 0, done.stderr
    moved, once = np.fromstring(done.stdout.strip()[1:-1], sep=",")
    assert moved == pytest.approx(once, rel=1e-4), "statistics move as far as on one device"


def _problems(digits: Digits, **values: object) -> list[Problem]:
    plan = TrainingPlan.parse({"dataset": digits.dataset.record.id, **values})
    found = check_training(plan, read_summary(digits.dataset.record.folder))
    return [problem for problem in found if problem.serious]


def test_what_cannot_be_shared_is_refused(digits: Digits) -> None:
    (torch,) = _problems(digits, backend="torch", device="gpus:2")
    (small,) = _problems(digits, device="cpu:4", batch_size=3)

    assert torch.where == "device"
    assert "PyTorch" in torch.message
    assert small.where == "batch_size"
    assert "4 devices" in small.message
    assert not _problems(digits, backend="torch", device="gpu:1")
    assert not _problems(digits, device="cpu:4", batch_size=4)
