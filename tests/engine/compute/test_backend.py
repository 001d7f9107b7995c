"""Choosing and setting up the backend, each in a process of its own."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pytest

_PREAMBLE = """
import json, os, sys
from studio.engine.compute.backend import prepare_backend
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


def test_tensorflow_is_set_up_quietly() -> None:
    done = _run("""
prepare_backend("tensorflow", deterministic=True, seed=7, threads=1)
import keras, numpy, tensorflow as tf
from tensorflow.python.framework import config
print(json.dumps({
    "backend": keras.backend.backend(),
    "threads": tf.config.threading.get_intra_op_parallelism_threads(),
    "deterministic": config.is_op_determinism_enabled(),
    "numpy": float(numpy.random.random()),
}))
""")

    assert done.returncode == 0, done.stderr
    assert "cpu_feature_guard" not in done.stderr
    said = json.loads(done.stdout)
    assert (said["backend"], said["threads"], said["deterministic"]) == ("tensorflow", 1, True)
    assert said["numpy"] == np.random.RandomState(7).random()


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


@pytest.mark.slow
def test_another_backend_after_keras_is_our_mistake() -> None:
    done = _run("""
import importlib.util
prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)
importlib.util.find_spec = lambda name, package=None: object()
prepare_backend("jax", deterministic=False, seed=0, threads=None)
""")

    assert done.returncode != 0
    assert "before jax was chosen" in done.stderr


@pytest.mark.slow
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
model = build(ZOO["mobilenet_v2"].build((32, 32, 3), 3), seed=0)
print(keras.backend.backend(), model(numpy.zeros((2, 32, 32, 3), "uint8")).shape)
""")

    assert done.stdout == "jax (2, 3)\n", done.stderr
