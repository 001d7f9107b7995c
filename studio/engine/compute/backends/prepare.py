"""Chooses and sets up the library under Keras, before Keras is imported.

This module imports neither Keras nor a backend until `prepare_backend` is called, and must be the
first of this package that a process uses.
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
import sys
from collections.abc import Iterable, Iterator

import numpy as np

from studio.engine.compute.backends import loading
from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.jobs.devices import DeviceRequest
from studio.engine.training.backends import BACKENDS, Backend, backend_problems

_UNNEEDED = ("jax", "sklearn")
"""Optional packages that Keras and TensorFlow import for functions that Studio never calls:
together a quarter of the start of a worker, and 160 MB."""
ANY_DEVICE = DeviceRequest("auto")
ONE_DEVICE_OF_TORCH = (
    "Keras splits batches over devices with JAX and TensorFlow, not with PyTorch."
)


def prepare_backend(
    name: str,
    deterministic: bool,
    seed: int,
    threads: int | None,
    device: DeviceRequest = ANY_DEVICE,
) -> None:
    """Choose the backend of this process and set it up. Call it before anything imports Keras.

    Args:
        name: A name of `BACKENDS`.
        deterministic: True if the same work must give the same bits; slower on a GPU.
        seed: Seed of Python, NumPy and the backend, from 0 to 2**32 - 1.
        threads: CPU threads of one operation; None leaves it to the backend. JAX takes it only as
            the size of its thread pool.
        device: What to compute on. GPUs are counted among those that this process sees, the
            first of them are taken.

    Raises:
        StudioError: There is no such backend, its package is not installed, or it does not see
            the devices.
        RuntimeError: Keras was imported before with another backend.
    """
    backend = BACKENDS[name]
    raise_if_serious(backend_problems(name))
    is_loaded = "keras" in sys.modules
    if name == "torch" and device.count > 1:
        raise StudioError(ONE_DEVICE_OF_TORCH, "Choose JAX or TensorFlow.", "device")
    if not is_loaded:
        os.environ["KERAS_BACKEND"] = name
    # Levels below 3 print the compiled CPU instructions on every start. Errors that
    # matter come as Python exceptions. A level set by the user stays. A few lines that
    # TensorFlow 2.19 and later write while they load ignore it (tensorflow issue 100442); they
    # are left alone, since closing stderr would also hide why a load aborted.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with _environment(loading.variables_of(name, deterministic, threads, device)):
        _load(backend, seed)
        from studio.engine.compute.backends import chosen  # noqa: PLC0415 - Keras is loaded

        chosen.backend().prepare(deterministic, seed, threads, device)
    if not is_loaded:
        # The collector need not look through all that the libraries have made: with TensorFlow
        # that took 0.3 s each time, and 0.7 s between two runs of a process.
        gc.freeze()


def forget_models() -> None:
    """Let go of what earlier work of this process left behind, so that other work can follow."""
    import keras  # noqa: PLC0415 - only now is its backend chosen

    keras.backend.clear_session()  # collects garbage, too


@contextlib.contextmanager
def _hidden(packages: Iterable[str]) -> Iterator[None]:
    """Make packages that are not imported yet look as if they were not installed."""
    hidden = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None stops an import
    try:
        yield
    finally:
        for name in hidden:
            sys.modules.pop(name, None)


def _load(backend: Backend, seed: int) -> None:
    with _hidden(name for name in _UNNEEDED if name != backend.name):
        import keras  # noqa: PLC0415 - only now is its backend chosen

    if keras.backend.backend() != backend.name:
        raise RuntimeError(
            f"Keras was imported with {keras.backend.backend()} before {backend.name} was chosen."
        )
    # It would put errors between colors for a terminal, and "Exception encountered" before them.
    keras.config.disable_traceback_filtering()
    if backend.name == "tensorflow":
        keras.utils.set_random_seed(seed)
        return
    from studio.engine.compute.backends import keras_internals  # noqa: PLC0415 - Keras is loaded

    keras_internals.hide_tensorflow()
    random.seed(seed)
    np.random.seed(seed)


@contextlib.contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    """Variables that end with the block: a worker starts the next one, whose plan is another."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def is_out_of_memory(error: Exception) -> bool:
    """Return True if a backend's error means that memory ran out."""
    name, text = type(error).__name__, str(error).lower()
    return (
        name in {"ResourceExhaustedError", "OutOfMemoryError"}
        or "resource_exhausted" in text
        or "out of memory" in text
    )
