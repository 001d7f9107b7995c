"""Several devices in one run: every batch is shared among them, and one step is made of it.

What the optimizer sees is the gradient of the whole batch, so a run on N devices does what a run
on one does, within rounding, whatever the plan asks for: the loss and the metrics are means over
the whole batch also where the last one is small, or does not divide by N.

* JAX: `keras.distribution.DataParallel` keeps the variables on all devices, and XLA splits the
  work. Keras 3.15 itself cannot split a batch that does not divide (it takes the layout of the
  first batch for all), so batches arrive whole and the network splits them. Batch normalization
  and dropout see the whole batch.
* TensorFlow: the network computes its part of the batch on each device; variables are on the
  first. `tf.distribute.MirroredStrategy` was tried and left: under Keras 3.15 it takes the mean
  of means where parts are uneven, clips the gradient of each device by itself, and fails where
  gradients are accumulated. Batch normalization measures the part of each device by itself, as it
  does there, and its running statistics are those of all parts; dropout draws for each part.
* PyTorch: Keras 3.15 has nothing for it; such a plan is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import keras

from studio.engine.jobs.devices import AUTO, DeviceRequest, parse_device_request
from studio.engine.messages import message

_BATCH = "batch"


class WholeBatches(keras.distribution.DataParallel):  # type: ignore[misc]  # Keras ships no types
    """Data-parallel training of JAX whose batches arrive whole, on every device."""

    def get_data_layout(self, data_shape: Sequence[int]) -> keras.distribution.TensorLayout:
        """Return the layout of a batch: not split, because Keras would also split the last one."""
        return keras.distribution.TensorLayout([None] * len(data_shape), self.device_mesh)


class SharedNetwork(keras.Model):  # type: ignore[misc]  # Keras ships no types
    """A network that shares every batch among devices; layers and variables stay the same.

    Call it with the input and the outputs of a network, as `keras.Model`, and then `share`.
    """

    def share(self, devices: Sequence[str]) -> None:
        """Set the devices that compute, by the backend's names."""
        self._devices = tuple(devices)
        if keras.backend.backend() == "tensorflow":
            self.supports_jit = False  # XLA compiles for one device

    def call(
        self,
        inputs: Any,  # noqa: ANN401 - tensors of either backend
        training: bool | None = None,
        mask: Any = None,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Compute the network's output on all devices.

        Args:
            inputs: Batch of images, shape (N, height, width, channels).
            training: True in training.
            mask: Not used.
        """
        del mask  # images have none
        if keras.backend.backend() == "jax":
            return super().call(_split(inputs), training=training)
        return self._in_parts(inputs, training)

    def _in_parts(self, inputs: Any, training: bool | None) -> Any:  # noqa: ANN401
        """Compute a part on each device; parts are equal, so those of small batches overlap."""
        import tensorflow as tf  # noqa: PLC0415 - it is the backend

        count = tf.shape(inputs)[0]
        size = -(-count // len(self._devices))
        parts = []
        for index, device in enumerate(self._devices):
            first = index * size
            start = tf.minimum(first, count - size)
            with tf.device(device):
                given = super().call(inputs[start : start + size], training=training)
                parts.append(_behind(given, first - start))
        return keras.tree.map_structure(lambda *each: tf.concat(each, axis=0), *parts)


def replicate_on(device: DeviceRequest) -> None:
    """Keep variables created in the block on all devices, if the backend is JAX.

    `keras.backend.clear_session` forgets it.
    """
    if keras.backend.backend() != "jax":
        return
    devices = keras.distribution.list_devices()[: device.count]
    shared = WholeBatches(devices=devices) if device.count > 1 else None
    keras.distribution.set_distribution(shared)


def spread(network: keras.Model, device: str) -> keras.Model:
    """Return the network with its batches split over the plan's devices; as it is for one device.

    Args:
        network: The built network; `backend.prepare_backend` received the same device before.
        device: The plan's field.
    """
    devices = _devices(parse_device_request(device))
    if len(devices) < 2:
        return network
    shared = SharedNetwork(network.input, network.output, name=network.name)
    shared.share(devices)
    if keras.backend.backend() == "tensorflow":
        _slow_statistics(network, len(devices))
    return shared


def _devices(request: DeviceRequest) -> list[str]:
    if request.count < 2:
        return []
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf  # noqa: PLC0415 - it is the backend

        found = tf.config.list_logical_devices(request.kind.upper())
        return [device.name for device in found[: request.count]]
    return [str(name) for name in keras.distribution.list_devices()[: request.count]]


def _behind(given: Any, row: Any) -> Any:  # noqa: ANN401 - tensors of TensorFlow
    """Without the first rows: where parts overlap, the one before has given them already."""
    return keras.tree.map_structure(lambda tensor: tensor[row:], given)


def _split(images: Any) -> Any:  # noqa: ANN401 - a tensor of JAX
    """Tell XLA that the first axis is split; the parts may be uneven."""
    import jax  # noqa: PLC0415 - it is the backend

    mesh = keras.distribution.distribution().device_mesh
    axes = [_BATCH] + [None] * (len(images.shape) - 1)
    layout = keras.distribution.TensorLayout(axes, mesh).backend_layout
    return jax.lax.with_sharding_constraint(images, layout)


def _slow_statistics(network: keras.Model, count: int) -> None:
    """Running statistics move once for each part, so each time by that much less.

    `count` moves with momentum m^(1/count) forget as much as one with m.
    """
    for layer in network.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            layer.momentum = layer.momentum ** (1 / count)


def device_name(device: str = AUTO) -> str:
    """Return a description of a run's devices: `"GPU: NVIDIA H200"`, `"CPU, 2 cores"`.

    Args:
        device: The plan's device, which `backend.prepare_backend` received.
    """
    request = parse_device_request(device)
    names = _gpus()[: request.count]
    if request.kind == "cpu" or not names:
        if request.count > 1:
            return message(
                "CPU, {cores} cores, as {number} devices",
                cores=os.cpu_count(),
                number=request.count,
            )
        return message("CPU, {cores} cores", cores=os.cpu_count())
    if len(names) == 1:
        return f"GPU: {names[0]}"
    return message("{number} GPUs: {names}", number=len(names), names=", ".join(names))


def has_gpu(device: str = AUTO) -> bool:
    """Return True if a run computes on a GPU.

    Args:
        device: The field of its plan.
    """
    return parse_device_request(device).kind != "cpu" and bool(_gpus())


def _gpus() -> list[str]:
    """Return the names of the GPUs that the backend may use."""
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
