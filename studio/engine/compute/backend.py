"""Chooses and sets up the library under Keras, before Keras is imported.

This module imports neither Keras nor a backend until `prepare_backend` is called, and must be the
first of this package that a process uses.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
from dataclasses import dataclass

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.registry import Registry


@dataclass(frozen=True, slots=True)
class Backend:
    """A library that Keras can compute with.

    Attributes:
        name: Name in `KERAS_BACKEND`, and of the package.
        label: Shown name.
        install: What to type when the package is missing.
    """

    name: str
    label: str
    install: str


BACKENDS: Registry[Backend] = Registry(
    "backend",
    [
        Backend("tensorflow", "TensorFlow", "pip install tensorflow"),
        Backend("jax", "JAX", "pip install 'studio-trainer[jax]'"),
        Backend("torch", "PyTorch", "pip install 'studio-trainer[torch]'"),
    ],
)


def prepare_backend(name: str, deterministic: bool, seed: int, threads: int | None) -> None:
    """Choose the backend of this process and set it up. Call it before anything imports Keras.

    Args:
        name: A name of `BACKENDS`.
        deterministic: Whether the same work must give the same bits; slower on a GPU.
        seed: Seed of Python, NumPy and the backend, from 0 to 2**32 - 1.
        threads: CPU threads of one operation; None leaves it to the backend. JAX takes it only as
            the size of its thread pool.

    Raises:
        StudioError: There is no such backend, or its package is not installed.
        RuntimeError: Keras was imported before with another backend.
    """
    backend = BACKENDS[name]
    if importlib.util.find_spec(name) is None:
        raise StudioError(
            f"{backend.label} is not installed.",
            f"Install it with: {backend.install}",
            "backend",
        )
    _set_environment(name, deterministic, threads)
    import keras  # noqa: PLC0415 - only now is its backend chosen

    if keras.backend.backend() != name:
        raise RuntimeError(
            f"Keras was imported with {keras.backend.backend()} before {name} was chosen."
        )
    if name == "tensorflow":
        keras.utils.set_random_seed(seed)
        _prepare_tensorflow(deterministic, threads)
        return
    # Keras' own function would seed TensorFlow too, and load it for that: 3 s and 600 MB.
    random.seed(seed)
    np.random.seed(seed)
    if name == "torch":
        _prepare_torch(deterministic, seed, threads)


def _set_environment(name: str, deterministic: bool, threads: int | None) -> None:
    """What must stand in the environment before the libraries are loaded."""
    if "keras" not in sys.modules:
        os.environ["KERAS_BACKEND"] = name
    # Levels below 3 tell on every start which CPU instructions were compiled in. Errors that
    # matter come as Python exceptions. Whoever set a level himself keeps it. A few lines that
    # TensorFlow 2.19 and later write while they load ignore it (tensorflow issue 100442); they
    # are left alone, since closing stderr would also hide why a load aborted.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if name == "jax":
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        if deterministic:
            flags = os.environ.get("XLA_FLAGS", "")
            os.environ["XLA_FLAGS"] = f"{flags} --xla_gpu_deterministic_ops=true".strip()
        if threads is not None:
            os.environ["NPROC"] = str(threads)
    if name == "torch" and deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def _prepare_tensorflow(deterministic: bool, threads: int | None) -> None:
    import tensorflow as tf  # noqa: PLC0415 - the chosen backend, and only that

    for gpu in tf.config.list_physical_devices("GPU"):
        # By default TensorFlow takes all memory of the GPU, also from other programs.
        tf.config.experimental.set_memory_growth(gpu, True)
    if threads is not None:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(min(threads, 2))
    if deterministic:
        tf.config.experimental.enable_op_determinism()


def _prepare_torch(deterministic: bool, seed: int, threads: int | None) -> None:
    import torch  # noqa: PLC0415 - the chosen backend, and only that

    torch.manual_seed(seed)
    if threads is not None:
        torch.set_num_threads(threads)
    if deterministic:
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False
