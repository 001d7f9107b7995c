"""Environment variables that the backends read while they are loaded."""

from __future__ import annotations

import os
from collections.abc import Callable

from studio.engine.jobs.devices import DeviceRequest

_PASSIVE_WAITING = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}


def variables_of(
    name: str, deterministic: bool, threads: int | None, device: DeviceRequest
) -> dict[str, str]:
    """Return the environment variables to set while a backend is loaded.

    Args:
        name: A name of `BACKENDS`.
        deterministic: True if the same work must give the same bits.
        threads: CPU threads of one operation; None leaves it to the backend.
        device: What to compute on.
    """
    return _VARIABLES[name](deterministic, threads, device)


def _of_tensorflow(
    deterministic: bool, threads: int | None, device: DeviceRequest
) -> dict[str, str]:
    del deterministic, threads, device  # set after it is loaded
    return {}


def _of_jax(deterministic: bool, threads: int | None, device: DeviceRequest) -> dict[str, str]:
    changes = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    flags = [os.environ.get("XLA_FLAGS", "")]
    if deterministic:
        flags.append("--xla_gpu_deterministic_ops=true")
    if device.kind == "cpu":
        changes["JAX_PLATFORMS"] = "cpu"
        flags.append(f"--xla_force_host_platform_device_count={device.count}")
    changes["XLA_FLAGS"] = " ".join(flags).strip()
    if threads is not None:
        changes["NPROC"] = str(threads)
    return changes


def _of_torch(deterministic: bool, threads: int | None, device: DeviceRequest) -> dict[str, str]:
    del deterministic, threads  # set after it is loaded
    # Threads of OpenMP spin while they wait for each other. Where other work needs the cores,
    # each step then waits for threads that do not run: LeNet falls to a few images a second.
    changes = {
        variable: os.environ.get(variable, value) for variable, value in _PASSIVE_WAITING.items()
    }
    if device.kind == "cpu":
        changes["KERAS_TORCH_DEVICE"] = "cpu"
    return changes


_VARIABLES: dict[str, Callable[[bool, int | None, DeviceRequest], dict[str, str]]] = {
    "tensorflow": _of_tensorflow,
    "jax": _of_jax,
    "torch": _of_torch,
}
