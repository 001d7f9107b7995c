"""Choosing and setting up the backend, each in a process of its own."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from studio.engine.compute.backends import loading
from studio.engine.compute.backends.prepare import ANY_DEVICE

_PREAMBLE = """
import json, os, sys
from studio.engine.compute.backends.prepare import prepare_backend
assert "keras" not in sys.modules and "tensorflow" not in sys.modules
"""


def _run(code: str) -> subprocess.CompletedProcess[str]:
    dropped = ("KERAS_BACKEND", "TF_CPP_MIN_LOG_LEVEL")
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    return subprocess.run(
        [sys.executable, "-c", _PREAMBLE + code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


_ON_TENSORFLOW = """
prepare_backend("tensorflow", deterministic=True, seed=7, threads=1)
import keras, numpy, tensorflow as tf
unneeded = [name for name in ("jax", "sklearn") if name in sys.modules]
from tensorflow.python.framework import config
try:
    keras.layers.Conv2D(1, 9)(numpy.zeros((1, 4, 4, 1)))
except ValueError as error:
    refusal = str(error)
print(json.dumps({
    "backend": keras.backend.backend(),
    "threads": tf.config.threading.get_intra_op_parallelism_threads(),
    "deterministic": config.is_op_determinism_enabled(),
    "numpy": float(numpy.random.random()),
    "unneeded": unneeded,
    "refusal": refusal,
}))
import sklearn.linear_model

from studio.engine.compute.backends import tensorflow as on_tensorflow
from studio.engine.errors import StudioError
from studio.engine.jobs.devices import parse_device_request
grown, seen, find = [], [], tf.config.list_physical_devices
gpus = [f"GPU {number}" for number in range(3)]
tf.config.list_physical_devices = lambda kind: gpus if kind == "GPU" else find(kind)
tf.config.set_visible_devices = lambda used, kind: seen.append((kind, list(used)))
tf.config.experimental.set_memory_growth = lambda gpu, on: grown.append((gpu, on))
for text in ("auto", "gpus:2", "cpu"):
    on_tensorflow.BACKEND.prepare(False, 0, None, parse_device_request(text))
try:
    on_tensorflow.BACKEND.prepare(False, 0, None, parse_device_request("gpus:4"))
except StudioError as error:
    refusal = str(error)
print(json.dumps([grown, seen, refusal]))

import importlib.util
importlib.util.find_spec = lambda name, package=None: object()
prepare_backend("jax", deterministic=False, seed=0, threads=None)
"""


@pytest.fixture(scope="module")
def on_tensorflow() -> subprocess.CompletedProcess[str]:
    """A process that sets up TensorFlow, shares GPUs that are not there, and then wants JAX."""
    return _run(_ON_TENSORFLOW)


def test_tensorflow_is_set_up_quietly(on_tensorflow: subprocess.CompletedProcess[str]) -> None:
    assert "cpu_feature_guard" not in on_tensorflow.stderr
    said = json.loads(on_tensorflow.stdout.splitlines()[0])
    assert (said["backend"], said["threads"], said["deterministic"]) == ("tensorflow", 1, True)
    assert said["numpy"] == np.random.RandomState(7).random()


def test_errors_of_keras_are_plain_text(on_tensorflow: subprocess.CompletedProcess[str]) -> None:
    refusal = json.loads(on_tensorflow.stdout.splitlines()[0])["refusal"]
    assert refusal.isprintable()
    assert "output size" in refusal


def test_tensorflow_loads_without_unneeded_packages(
    on_tensorflow: subprocess.CompletedProcess[str],
) -> None:
    assert json.loads(on_tensorflow.stdout.splitlines()[0])["unneeded"] == []
    assert len(on_tensorflow.stdout.splitlines()) > 1, "they can be imported afterwards"


def test_gpus_are_shared_with_other_programs_and_only_requested_ones_are_used(
    on_tensorflow: subprocess.CompletedProcess[str],
) -> None:
    grown, seen, refusal = json.loads(on_tensorflow.stdout.splitlines()[1])
    assert grown == [["GPU 0", True], ["GPU 0", True], ["GPU 1", True]]
    assert seen == [["GPU", ["GPU 0"]], ["GPU", ["GPU 0", "GPU 1"]], ["GPU", []]]
    assert "4 GPUs" in refusal
    assert "sees 3" in refusal


def test_another_backend_after_keras_is_our_mistake(
    on_tensorflow: subprocess.CompletedProcess[str],
) -> None:
    assert on_tensorflow.returncode != 0
    assert "before jax was chosen" in on_tensorflow.stderr


def test_a_wrong_name_and_a_missing_package_are_the_users_mistake() -> None:
    done = _run("""
import importlib.util
from studio.engine.errors import StudioError
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "torch" else find(name)
for name in ("tensorflwo", "torch"):
    try:
        prepare_backend(name, deterministic=False, seed=0, threads=None)
    except StudioError as error:
        print(error)
print("keras" in sys.modules, os.environ.get("KERAS_BACKEND"))
""")

    wrong, missing, after = done.stdout.splitlines()
    assert 'Did you mean "tensorflow"?' in wrong
    assert "pip install" in missing
    assert "[torch]" in missing
    assert after == "False None"


@pytest.mark.thorough
@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is an extra")
def test_jax_needs_no_tensorflow() -> None:
    done = _run("""
class NoTensorFlow:
    def find_spec(self, name, path=None, target=None):
        if name == "tensorflow":
            raise ModuleNotFoundError("blocked", name=name)
sys.meta_path.insert(0, NoTensorFlow())
prepare_backend("jax", deterministic=True, seed=7, threads=1)
from studio.engine.compute.build import build
from studio.engine.networks.zoo import ZOO
import keras
import numpy
with keras.StatelessScope(initialize_variables=False):  # JAX compiles for the shape of each
    backbone = build(ZOO["mobilenet_v2"].build((32, 32, 3), 3), seed=0)
model = build(ZOO["lenet"].build((32, 32, 3), 3), seed=0)
print(keras.backend.backend(), backbone.output_shape)
print(model(numpy.zeros((2, 32, 32, 3), "uint8")).shape)
""")

    assert done.stdout == "jax (None, 3)\n(2, 3)\n", done.stderr


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is an extra")
def test_jax_settings_do_not_reach_the_next_worker() -> None:
    done = _run("""
from studio.engine.jobs.devices import parse_device_request
before = dict(os.environ)
prepare_backend("jax", True, 0, 1, parse_device_request("cpu:2"))
import jax
changed = {name for name in {*before, *os.environ} if os.environ.get(name) != before.get(name)}
print(json.dumps([len(jax.devices()), sorted(changed), "tensorflow" in sys.modules]))
""")

    assert done.returncode == 0, done.stderr
    count, changed, has_tensorflow = json.loads(done.stdout)
    assert count == 2
    assert not {"XLA_FLAGS", "JAX_PLATFORMS", "NPROC"} & set(changed)
    assert not has_tensorflow


def test_work_that_any_backend_can_do_takes_one_that_is_installed() -> None:
    done = _run("""
import importlib.util
from studio.engine.training.backends import installed_backend
from studio.engine.errors import StudioError
there = {"jax"}
importlib.util.find_spec = lambda name, package=None: object() if name in there else None
print(installed_backend(), installed_backend("torch"))
there = set()
try:
    installed_backend()
except StudioError as error:
    print(error)
""")

    first, none = done.stdout.strip().splitlines()
    assert first == "jax jax"
    assert "[jax]" in none
    assert "[torch]" in none
    assert "[tensorflow]" in none


def test_threads_of_torch_wait_passively_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setenv("KMP_BLOCKTIME", "200")

    changes = loading.variables_of("torch", False, None, ANY_DEVICE)

    assert changes["OMP_WAIT_POLICY"] == "PASSIVE"
    assert changes["KMP_BLOCKTIME"] == "200"
    assert "OMP_WAIT_POLICY" not in loading.variables_of("jax", False, None, ANY_DEVICE)
