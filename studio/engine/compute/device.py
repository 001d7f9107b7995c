"""On what the chosen backend computes."""

from __future__ import annotations

import os

import keras

from studio.engine.jobs.device_request import AUTO, parse_device_request


def device_name(device: str = AUTO) -> str:
    """The devices of a run in words: `"GPU: NVIDIA H200"`, `"CPU, 2 cores"`.

    Args:
        device: The field of its plan, which `backend.prepare_backend` was told of.
    """
    wish = parse_device_request(device)
    names = _gpus()[: wish.count]
    if wish.kind == "cpu" or not names:
        shared = f", as {wish.count} devices" if wish.count > 1 else ""
        return f"CPU, {os.cpu_count()} cores{shared}"
    return f"{f'{len(names)} GPUs' if len(names) > 1 else 'GPU'}: {', '.join(names)}"


def has_gpu(device: str = AUTO) -> bool:
    """True if a run computes on a GPU.

    Args:
        device: The field of its plan.
    """
    return parse_device_request(device).kind != "cpu" and bool(_gpus())


def _gpus() -> list[str]:
    """Names of the GPUs that the backend may use."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf  # noqa: PLC0415 - the chosen backend, and only that

        gpus = tf.config.get_visible_devices("GPU")
        details = tf.config.experimental.get_device_details
        return [str(details(gpu).get("device_name", gpu.name)) for gpu in gpus]
    if backend == "jax":
        import jax  # noqa: PLC0415 - the chosen backend, and only that

        return [str(each.device_kind) for each in jax.devices() if each.platform != "cpu"]
    import torch  # noqa: PLC0415 - the chosen backend, and only that

    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return names or (["Apple GPU (MPS)"] if torch.backends.mps.is_available() else [])
