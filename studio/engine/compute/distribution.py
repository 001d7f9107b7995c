"""Several devices in one run: every batch is shared among them, and one step is made of it.

What the optimizer sees is the gradient of the whole batch, so a run on N devices does what a run
on one does, within rounding, whatever the plan asks for: the loss and the metrics are means over
the whole batch also where the last one is small, or does not divide by N.

* JAX: `keras.distribution.DataParallel` keeps the variables on all devices, and XLA splits the
  work. Keras 3.15 itself cannot split a batch that does not divide (it takes the layout of the
  first batch for all), so batches arrive whole and the network splits them. Batch normalization
  and dropout see the whole batch. With a group of processes the devices are those of all of them
  (`jax.distributed`), and each process reads every batch.
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

from studio.engine.compute.backends import chosen
from studio.engine.jobs.devices import AUTO, DeviceRequest, parse_device_request
from studio.engine.jobs.process_group import own_group
from studio.engine.messages import message


class SharedNetwork(keras.Model):  # type: ignore[misc]  # Keras ships no types
    """A network that shares every batch among devices; layers and variables stay the same.

    Call it with the input and the outputs of a network, as `keras.Model`, and then `share`.
    """

    def share(self, devices: Sequence[str]) -> None:
        """Set the devices that compute, by the backend's names."""
        self._devices = tuple(devices)
        chosen.backend().share(self, devices)

    def call(
        self,
        inputs: Any,  # noqa: ANN401 - a tensor of the backend
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
        return chosen.backend().call_in_parts(super().call, inputs, self._devices, training)


def spread(network: keras.Model, device: str) -> keras.Model:
    """Return the network with its batches split over the plan's devices; as it is for one device.

    Args:
        network: The built network; `backend.prepare_backend` received the same device before.
        device: The plan's field.
    """
    request = parse_device_request(device)
    if request.count < 2 and own_group() is None:
        return network
    shared = SharedNetwork(network.input, network.output, name=network.name)
    shared.share(chosen.backend().device_names(request))
    return shared


def device_name(device: str = AUTO) -> str:
    """Return a description of a run's devices: `"GPU: NVIDIA H200"`, `"CPU, 2 cores"`.

    Args:
        device: The plan's device, which `backend.prepare_backend` received.
    """
    group, name = own_group(), _name_here(parse_device_request(device))
    if group is None:
        return name
    return message("{device}, on each of {count} nodes", device=name, count=group.count)


def _name_here(request: DeviceRequest) -> str:
    """Return a description of the devices of this computer."""
    names = chosen.backend().gpu_names()[: request.count]
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
    return parse_device_request(device).kind != "cpu" and bool(chosen.backend().gpu_names())
