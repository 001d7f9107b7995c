"""The functions of a library under Keras for which Keras has none."""
# ruff: noqa: B027 - methods without a body are for what only some backends need

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.compute.memory import MemoryMeter
from studio.engine.errors import StudioError
from studio.engine.jobs.devices import DeviceRequest
from studio.engine.messages import message

Batch = tuple[Any, NDArray[Any]]
"""Pixels, or pixels with the table of what the device does to them; and targets."""
Tensor = Any
"""A tensor of the backend."""
Scalar = Callable[[Tensor], Tensor]
"""A function whose result is one number."""
GradientNorms = Callable[[NDArray[Any], Any], list[Any]]
"""Function from a batch's images and targets to the norm of the gradient of each variable; None
for those that the loss does not depend on."""


class TrainingCalls:
    """Calls the training step of a compiled model.

    Args:
        model: The model.
    """

    def __init__(self, model: keras.Model) -> None:
        self._model = model

    def prepared(self, batch: Batch) -> Batch:
        """Start copying a batch to the device, asynchronously where the backend can."""
        return batch

    def begin(self) -> None:
        """Prepare for an epoch."""

    def __call__(self, group: list[Batch]) -> dict[str, Any]:
        """Do one step per batch and return the running means of the epoch."""
        raise NotImplementedError

    def end(self) -> None:
        """Handle the end of an epoch, also of one that was interrupted."""


class KerasBackend(ABC):
    """A library under Keras: what Keras offers no function for.

    There is one object for each backend, made when its module is imported:

        from studio.engine.compute.backends.chosen import backend

        calls = backend().training_calls(model)
        print(backend().gpu_names())

    Attributes:
        label: Shown name.
        compiles: True if a step of training is compiled, so that compiling it once for many runs
            saves time.
        has_multi_step_calls: True if one call may do several steps.
        needs_metrics_first: True if the variables of the metrics must exist before the first step
            is compiled.
        grows_its_heap: True if the limits of the C library for freed memory must be set again
            (`models.keep_freed_memory`).
    """

    label: str
    compiles = True
    has_multi_step_calls = False
    needs_metrics_first = True
    grows_its_heap = False

    @abstractmethod
    def prepare(
        self, deterministic: bool, seed: int, threads: int | None, device: DeviceRequest
    ) -> None:
        """Set up the loaded library.

        Args:
            deterministic: True if the same work must give the same bits.
            seed: Seed of the library.
            threads: CPU threads of one operation; None leaves it to the library.
            device: What to compute on.

        Raises:
            StudioError: There are fewer GPUs than requested.
        """

    @abstractmethod
    def training_calls(self, model: keras.Model) -> TrainingCalls:
        """Return what calls the training step of a compiled model."""

    @abstractmethod
    def gradient(self, function: Scalar, position: Tensor) -> Tensor | None:
        """Return the gradient of a function at a tensor; None if it does not depend on it.

        Args:
            function: The function.
            position: The tensor, of any shape.
        """

    @abstractmethod
    def gradient_norms(self, model: keras.Model, scale: float) -> GradientNorms:
        """Return a function that measures the gradients of the loss, all multiplied by `scale`.

        Args:
            model: A compiled model.
            scale: Factor of the loss.
        """

    @abstractmethod
    def memory_meter(self) -> MemoryMeter | None:
        """Return the meter of the memory that the backend computes in; None if it has none."""

    @abstractmethod
    def gpu_names(self) -> list[str]:
        """Return the names of the GPUs that the backend may use."""

    @abstractmethod
    def wait_for(self, tensors: Any) -> None:  # noqa: ANN401 - a tree of tensors
        """Return once the device has computed the tensors."""

    @abstractmethod
    def compute_exactly(self) -> None:
        """Compute products in 32 bits, where a GPU would take 19 of them (TensorFloat-32)."""

    def replicate_on(self, device: DeviceRequest) -> None:
        """Keep variables that are created from now on on all devices, where the backend does so.

        `keras.backend.clear_session` forgets it.
        """

    def agreed(self, *values: float) -> tuple[float, ...]:
        """Return the values of the first process of a group, in all of them at the same moment.

        Where processes train one network together, each has to do the same steps; whatever
        depends on a clock or on commands is asked for here. A process alone gets its own values.

        Args:
            *values: Numbers, as many in all processes.
        """
        return values

    def leave_group(self) -> None:
        """Compute alone from now on, after a training that several processes shared."""

    def device_names(self, device: DeviceRequest) -> list[str]:
        """Return the backend's names of the requested devices, for `call_in_parts`."""
        return [str(name) for name in keras.distribution.list_devices()[: device.count]]

    def share(self, network: keras.Model, devices: Sequence[str]) -> None:
        """Prepare a network whose batches are divided among devices.

        Args:
            network: The network, not compiled.
            devices: What `device_names` returned.
        """

    def call_in_parts(
        self,
        call: Callable[..., Any],
        images: Tensor,
        devices: Sequence[str],
        training: bool | None,
    ) -> Any:  # noqa: ANN401 - a tree of tensors
        """Call a network on a batch that is divided among devices.

        Args:
            call: The network's own `call`.
            images: Batch of images, shape (N, height, width, channels).
            devices: What `device_names` returned.
            training: True in training.
        """
        raise NotImplementedError(f"{self.label} does not divide batches")

    def sync_state(self, model: keras.Model) -> None:
        """Give the variables of a model in training their values, in the middle of an epoch."""

    def constant_function(
        self, model: keras.Model, dtype: np.dtype[Any]
    ) -> Callable[[Pixels], list[NDArray[np.float32]]] | None:
        """Return a function of one picture whose weights are constants; None if it saves nothing.

        Args:
            model: A model of images; the function returns each of its outputs.
            dtype: Type of the pixels.
        """
        del model, dtype
        return None

    def adapt_optimizer(self, optimizer: keras.Optimizer) -> None:
        """Change what the backend's optimizer does beyond a step, before it is used."""

    def forget_functions(self) -> None:
        """Let go of functions of finished validations, which hold on to their images."""

    def require_gpus(self, device: DeviceRequest, gpus: int) -> None:
        """Check that the backend computes on the requested device.

        Args:
            device: What is requested.
            gpus: Number of GPUs that the backend sees.

        Raises:
            StudioError: There are fewer GPUs than that.
        """
        if device.kind == "gpu" and gpus < device.count:
            raise StudioError(
                message(
                    "The run needs {count} GPUs, but {backend} sees {found}.",
                    one="The run needs a GPU, but {backend} sees {found}.",
                    count=device.count,
                    backend=self.label,
                    found=gpus or message("none"),
                ),
                message(
                    "Install {label} with support for the GPU and a driver for it, or "
                    'choose the device "auto" or "cpu".',
                    label=self.label,
                ),
                "device",
            )
