"""JAX under Keras."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import jax
import keras
import numpy as np
from jax.experimental import multihost_utils
from numpy.typing import NDArray

from studio.engine.compute.backends import keras_internals
from studio.engine.compute.backends.interface import (
    Batch,
    GradientNorms,
    KerasBackend,
    Scalar,
    Tensor,
    TrainingCalls,
)
from studio.engine.compute.memory import MachineMeter, MemoryMeter, driver_memory
from studio.engine.jobs.devices import DeviceRequest
from studio.engine.jobs.process_group import ProcessGroup, own_group

_BATCH_AXIS = "batch"
_SHUTDOWN_SECONDS = 20
"""Time for which the first process waits for others at its end; one that failed never comes."""


class JaxBackend(KerasBackend):
    """JAX; the state of training is a value, not variables."""

    label = "JAX"

    def prepare(
        self, deterministic: bool, seed: int, threads: int | None, device: DeviceRequest
    ) -> None:
        """Check the devices, and keep variables on all of them; see `KerasBackend.prepare`."""
        del deterministic, seed, threads  # set while it was loaded, or by Keras
        group = own_group()
        if group is not None and not jax.distributed.is_initialized():
            _join(group)
        # Listing the devices makes JAX read the environment, which is ours only now.
        devices = jax.local_devices()
        self.require_gpus(device, sum(each.platform != "cpu" for each in devices))
        self.replicate_on(device)

    def training_calls(self, model: keras.Model) -> TrainingCalls:
        """Return calls that hand the state from one to the next."""
        return _Calls(model)

    def gradient(self, function: Scalar, position: Tensor) -> Tensor | None:
        """Return the gradient of a function at a tensor; see `KerasBackend.gradient`."""
        return jax.grad(function)(position)

    def gradient_norms(self, model: keras.Model, scale: float) -> GradientNorms:
        """Return a function that measures the gradients of the loss.

        See `KerasBackend.gradient_norms`.
        """

        def loss(learned: Any, fixed: Any, images: Any, targets: Any) -> Any:  # noqa: ANN401
            metrics = [each.value for each in model.metrics_variables]
            value, _ = model.compute_loss_and_updates(
                learned, fixed, metrics, images, targets, None
            )
            return value * scale

        def norms(learned: Any, fixed: Any, images: Any, targets: Any) -> list[Any]:  # noqa: ANN401
            gradients = jax.grad(loss)(learned, fixed, images, targets)
            return [jax.numpy.linalg.norm(each.ravel()) for each in gradients]

        compiled = jax.jit(norms)

        def measure(images: NDArray[Any], targets: Any) -> list[Any]:  # noqa: ANN401 - a tree
            learned = [each.value for each in model.trainable_variables]
            fixed = [each.value for each in model.non_trainable_variables]
            return list(compiled(learned, fixed, images, targets))

        return measure

    def memory_meter(self) -> MemoryMeter | None:
        """Return the meter of the first device; None for one that reports nothing."""
        if jax.local_devices()[0].platform == "cpu":
            return MachineMeter()
        return DeviceMemory() if jax.local_devices()[0].memory_stats() else None

    def gpu_names(self) -> list[str]:
        """Return the names of the GPUs."""
        return [str(each.device_kind) for each in jax.local_devices() if each.platform != "cpu"]

    def wait_for(self, tensors: Any) -> None:  # noqa: ANN401 - a tree of tensors
        """Return once the device has computed the tensors."""
        jax.block_until_ready(tensors)

    def compute_exactly(self) -> None:
        """Compute products in float32, and place tensors only where they are put."""
        jax.config.update("jax_default_matmul_precision", "float32")
        keras.distribution.set_distribution(None)

    def replicate_on(self, device: DeviceRequest) -> None:
        """Keep variables on all devices by the distribution of Keras."""
        devices = self.device_names(device)
        shared = WholeBatches(devices=devices) if len(devices) > 1 else None
        keras.distribution.set_distribution(shared)

    def device_names(self, device: DeviceRequest) -> list[str]:
        """Return the devices of all processes, those of the first one first."""
        every: dict[int, list[str]] = {}
        for each in jax.devices():
            every.setdefault(each.process_index, []).append(f"{each.platform}:{each.id}")
        return [name for _, names in sorted(every.items()) for name in names[: device.count]]

    def agreed(self, *values: float) -> tuple[float, ...]:
        """Return the values of the first process; see `KerasBackend.agreed`."""
        if jax.process_count() == 1:
            return values
        found = multihost_utils.broadcast_one_to_all(np.array(values, np.float32))
        return tuple(float(value) for value in found)

    def leave_group(self) -> None:
        """Create variables on the devices of this process only."""
        if jax.process_count() > 1:
            keras.distribution.set_distribution(None)

    def call_in_parts(
        self,
        call: Callable[..., Any],
        images: Tensor,
        devices: Sequence[str],
        training: bool | None,
    ) -> Any:  # noqa: ANN401 - a tree of tensors
        """Tell XLA that the first axis is split; the parts may be uneven.

        See `KerasBackend.call_in_parts`.
        """
        del devices  # those of the distribution
        mesh = keras.distribution.distribution().device_mesh
        axes = [_BATCH_AXIS] + [None] * (len(images.shape) - 1)
        layout = keras.distribution.TensorLayout(axes, mesh).backend_layout
        return call(jax.lax.with_sharding_constraint(images, layout), training=training)

    def sync_state(self, model: keras.Model) -> None:
        """Copy the state of training into the variables."""
        model.jax_state_sync()


def _join(group: ProcessGroup) -> None:
    """Meet the other processes; JAX then sees the devices of all."""
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(
        group.address, group.count, group.index, shutdown_timeout_seconds=_SHUTDOWN_SECONDS
    )


class WholeBatches(keras.distribution.DataParallel):  # type: ignore[misc]  # Keras ships no types
    """Data-parallel training whose batches arrive whole, on every device.

    Args:
        devices: Names of the devices.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        # Otherwise Keras would give each process another part of every batch.
        super().__init__(devices=list(devices), auto_shard_dataset=False)

    def get_data_layout(self, data_shape: Sequence[int]) -> keras.distribution.TensorLayout:
        """Return the layout of a batch: not split, because Keras would also split the last one."""
        return keras.distribution.TensorLayout([None] * len(data_shape), self.device_mesh)


class _Calls(TrainingCalls):
    """The state of training is handed from call to call, as in `fit` of Keras 3.15."""

    def __init__(self, model: keras.Model) -> None:
        super().__init__(model)
        model.make_train_function()
        self._state = keras_internals.JaxState(model)
        is_shared = keras.distribution.distribution() is not None
        self._put = None if is_shared or jax.default_backend() == "cpu" else jax.device_put

    def prepared(self, batch: Batch) -> Batch:
        """Begin to copy a batch to an accelerator."""
        return batch if self._put is None else self._put(batch)

    def begin(self) -> None:
        """Note that the variables hold the state."""
        self._state.is_in_variables()

    def __call__(self, group: list[Batch]) -> dict[str, Any]:
        logs, state = self._model.train_function(self._state.current(), iter(group))
        self._state.replace(state)
        return dict(logs)

    def end(self) -> None:
        """Give the variables of the model the state."""
        self._model.jax_state_sync()


class DeviceMemory:
    """XLA's account of its first device. It never forgets a peak: measure small things first."""

    device: Literal["machine", "gpu"] = "gpu"

    def begin(self) -> int:
        """Return bytes in use now."""
        return self._figure("bytes_in_use") or 0

    def peak(self) -> int:
        """Most bytes that were in use so far."""
        return self._figure("peak_bytes_in_use") or 0

    def free(self) -> int | None:
        """Return bytes that this process can have, with those it has."""
        limit, memory = self._figure("bytes_limit"), driver_memory()
        if limit is None or memory is None:
            return limit
        return min(limit, memory[0] + (self._figure("bytes_in_use") or 0))

    def total(self) -> int | None:
        """Return bytes of the device that XLA may use."""
        return self._figure("bytes_limit")

    def _figure(self, name: str) -> int | None:
        value = (jax.local_devices()[0].memory_stats() or {}).get(name)
        return None if value is None else int(value)


BACKEND = JaxBackend()
