"""On what the chosen backend computes."""

from __future__ import annotations

import os

import keras


def device_name() -> str:
    """The device of this process in words: `"GPU: NVIDIA H200"`, `"CPU, 2 cores"`."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf  # noqa: PLC0415 - the chosen backend, and only that

        gpus = tf.config.list_physical_devices("GPU")
        names = [
            tf.config.experimental.get_device_details(gpu).get("device_name", gpu.name)
            for gpu in gpus
        ]
    elif backend == "jax":
        import jax  # noqa: PLC0415 - the chosen backend, and only that

        names = [device.device_kind for device in jax.devices() if device.platform != "cpu"]
    else:
        import torch  # noqa: PLC0415 - the chosen backend, and only that

        count = torch.cuda.device_count()
        names = [torch.cuda.get_device_name(index) for index in range(count)]
        if not names and torch.backends.mps.is_available():
            names = ["Apple GPU (MPS)"]
    if names:
        return f"GPU: {', '.join(names)}"
    return f"CPU, {os.cpu_count()} cores"
