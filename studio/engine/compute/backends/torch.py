"""PyTorch under Keras."""

from __future__ import annotations

import os
from typing import Any, Literal

import keras
import torch
from numpy.typing import NDArray

from studio.engine.compute.backends.interface import (
    Batch,
    GradientNorms,
    KerasBackend,
    Scalar,
    Tensor,
    TrainingCalls,
)
from studio.engine.compute.memory import MachineMeter, MemoryMeter
from studio.engine.jobs.devices import DeviceRequest


class TorchBackend(KerasBackend):
    """PyTorch; nothing is compiled. It divides no batches: Keras 3.15 has nothing for it."""

    label = "PyTorch"
    compiles = False

    def prepare(
        self, deterministic: bool, seed: int, threads: int | None, device: DeviceRequest
    ) -> None:
        """Set the seed, the threads and deterministic functions; see `KerasBackend.prepare`."""
        has_gpu = torch.cuda.is_available() or torch.backends.mps.is_available()
        self.require_gpus(device, int(has_gpu))
        torch.manual_seed(seed)
        if threads is not None:
            torch.set_num_threads(threads)
        if deterministic:
            # Read when the first matrix is multiplied on a GPU, long after this.
            os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
            torch.use_deterministic_algorithms(True)
            torch.backends.cudnn.benchmark = False

    def training_calls(self, model: keras.Model) -> TrainingCalls:
        """Return calls of one step."""
        return _Calls(model)

    def gradient(self, function: Scalar, position: Tensor) -> Tensor | None:
        """Return the gradient of a function at a tensor; None if it does not depend on it.

        See `KerasBackend.gradient`.
        """
        with torch.enable_grad():
            leaf = position.detach().requires_grad_()
            value = function(leaf)
            if not value.requires_grad:
                return None
            return torch.autograd.grad(value, leaf, allow_unused=True)[0]

    def gradient_norms(self, model: keras.Model, scale: float) -> GradientNorms:
        """Return a function that measures the gradients of the loss.

        See `KerasBackend.gradient_norms`.
        """

        def measure(images: NDArray[Any], targets: Any) -> list[Any]:  # noqa: ANN401 - a tree
            pictures, expected = (keras.ops.convert_to_tensor(each) for each in (images, targets))
            with torch.enable_grad():
                outputs = model(pictures, training=False)
                loss = model.compute_loss(pictures, expected, outputs, training=False) * scale
            values = [each.value for each in model.trainable_variables]
            # Unlike `backward`, this adds nothing to the gradients that the parameters hold.
            gradients = torch.autograd.grad(loss, values, allow_unused=True)
            return [None if each is None else each.norm() for each in gradients]

        return measure

    def memory_meter(self) -> MemoryMeter | None:
        """Return the meter of the current GPU, or of the machine; Apple's GPUs report no peak."""
        if torch.cuda.is_available():
            return TorchMemory()
        return None if torch.backends.mps.is_available() else MachineMeter()

    def gpu_names(self) -> list[str]:
        """Return the names of the GPUs."""
        names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
        return names or (["Apple GPU (MPS)"] if torch.backends.mps.is_available() else [])

    def wait_for(self, tensors: Any) -> None:  # noqa: ANN401 - a tree of tensors
        """Return once the GPU has finished its work."""
        del tensors
        if torch.cuda.is_available():
            torch.cuda.synchronize()

    def compute_exactly(self) -> None:
        """Turn TensorFloat-32 off."""
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False


class _Calls(TrainingCalls):
    """One step a call."""

    def __init__(self, model: keras.Model) -> None:
        super().__init__(model)
        model.make_train_function()

    def begin(self) -> None:
        """Put layers of PyTorch inside the model into training mode."""
        self._model.train()

    def __call__(self, group: list[Batch]) -> dict[str, Any]:
        return dict(self._model.train_function(group))

    def end(self) -> None:
        """Put layers of PyTorch inside the model into evaluation mode."""
        self._model.eval()


class TorchMemory:
    """PyTorch's account of its current GPU."""

    device: Literal["machine", "gpu"] = "gpu"

    def begin(self) -> int:
        """Free caches and reset the peak; return the bytes in use."""
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        return int(torch.cuda.memory_allocated())

    def peak(self) -> int:
        """Return the peak memory since `begin` in bytes."""
        return int(torch.cuda.max_memory_allocated())

    def free(self) -> int:
        """Return bytes that this process can have, with those it has."""
        return int(torch.cuda.mem_get_info()[0]) + int(torch.cuda.memory_reserved())

    def total(self) -> int:
        """Return bytes of the GPU."""
        return int(torch.cuda.mem_get_info()[1])


BACKEND = TorchBackend()
