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

from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.jobs.devices import DeviceRequest
from studio.engine.messages import message
from studio.engine.training.backends import BACKENDS, Backend, backend_problems

_UNNEEDED = ("jax", "sklearn")
"""Optional packages that Keras and TensorFlow import for functions that Studio never calls:
together a quarter of the start of a worker, and 160 MB."""
_PASSIVE_WAITING = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}
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
    with _environment(_while_loading(name, deterministic, threads, device)):
        _load(backend, seed)
        if name == "tensorflow":
            _prepare_tensorflow(deterministic, threads, device)
        elif name == "jax":
            _prepare_jax(device)
        else:
            _prepare_torch(deterministic, seed, threads, device)
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
    # Otherwise Keras loads TensorFlow, where it is installed, as soon as it describes a layer, to
    # see whether something is a tensor of it: 3 s and 600 MB. Seeding would load it, too.
    from keras.src.utils import module_utils  # noqa: PLC0415 - Keras has no public way

    module_utils.tensorflow._available = False  # noqa: SLF001
    random.seed(seed)
    np.random.seed(seed)


def _while_loading(
    name: str, deterministic: bool, threads: int | None, device: DeviceRequest
) -> dict[str, str]:
    """Return the environment variables to set while the libraries are loaded."""
    changes = {}
    if name == "jax":
        changes["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
        flags = [os.environ.get("XLA_FLAGS", "")]
        if deterministic:
            flags.append("--xla_gpu_deterministic_ops=true")
        if device.kind == "cpu":
            changes["JAX_PLATFORMS"] = "cpu"
            flags.append(f"--xla_force_host_platform_device_count={device.count}")
        changes["XLA_FLAGS"] = " ".join(flags).strip()
        if threads is not None:
            changes["NPROC"] = str(threads)
    if name == "torch":
        # Threads of OpenMP spin while they wait for each other. Where other work needs the cores,
        # each step then waits for threads that do not run: LeNet falls to a few images a second.
        for variable, value in _PASSIVE_WAITING.items():
            changes[variable] = os.environ.get(variable, value)
    if name == "torch" and device.kind == "cpu":
        changes["KERAS_TORCH_DEVICE"] = "cpu"
    return changes


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


def _prepare_tensorflow(deterministic: bool, threads: int | None, device: DeviceRequest) -> None:
    import tensorflow as tf  # noqa: PLC0415 - the chosen backend, and only that

    gpus = tf.config.list_physical_devices("GPU")
    _require("TensorFlow", device, len(gpus))
    used = [] if device.kind == "cpu" else gpus[: device.count]
    tf.config.set_visible_devices(used, "GPU")
    for gpu in used:
        # By default TensorFlow takes all memory of the GPU, also from other programs.
        tf.config.experimental.set_memory_growth(gpu, True)
    if device.kind == "cpu" and device.count > 1:
        parts = [tf.config.LogicalDeviceConfiguration() for _ in range(device.count)]
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, parts)
    if threads is not None:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(min(threads, 2))
    if deterministic:
        tf.config.experimental.enable_op_determinism()


def _prepare_jax(device: DeviceRequest) -> None:
    import jax  # noqa: PLC0415 - the chosen backend, and only that

    # Asking for them makes JAX read the environment, which is ours only now.
    found = jax.devices()
    _require("JAX", device, sum(each.platform != "cpu" for each in found))
    from studio.engine.compute.distribution import replicate_on  # noqa: PLC0415 - Keras is loaded

    replicate_on(device)


def _prepare_torch(
    deterministic: bool, seed: int, threads: int | None, device: DeviceRequest
) -> None:
    import torch  # noqa: PLC0415 - the chosen backend, and only that

    has_gpu = torch.cuda.is_available() or torch.backends.mps.is_available()
    _require("PyTorch", device, int(has_gpu))
    torch.manual_seed(seed)
    if threads is not None:
        torch.set_num_threads(threads)
    if deterministic:
        # Read when the first matrix is multiplied on a GPU, long after this.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False


def _require(label: str, device: DeviceRequest, gpus: int) -> None:
    """Check that the backend computes on the requested device.

    Raises:
        StudioError: There are fewer GPUs than that.
    """
    if device.kind == "gpu" and gpus < device.count:
        raise StudioError(
            message(
                "The run needs {count} GPUs, but {backend} sees {found}.",
                one="The run needs a GPU, but {backend} sees {found}.",
                count=device.count,
                backend=label,
                found=gpus or message("none"),
            ),
            message(
                "Install {label} with support for the GPU and a driver for it, or "
                'choose the device "auto" or "cpu".',
                label=label,
            ),
            "device",
        )


def is_out_of_memory(error: Exception) -> bool:
    """Return True if a backend's error means that memory ran out."""
    name, text = type(error).__name__, str(error).lower()
    return (
        name in {"ResourceExhaustedError", "OutOfMemoryError"}
        or "resource_exhausted" in text
        or "out of memory" in text
    )
