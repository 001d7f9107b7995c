"""Devices of this machine: its CPU, the GPUs that NVIDIA's driver reports, and Apple's GPU.

Needs no TensorFlow: the driver is asked through nvidia-ml-py, which comes with the extras "gpu",
"torch" and "jax". Where that is absent GPUs are not known: then runs on `auto` use whatever their
backend finds.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from studio.engine.errors import Problem, StudioError
from studio.engine.messages import as_message, message

AUTO = "auto"
MAX_DEVICES = 64
"""Upper limit of logical CPU devices or GPUs of one machine."""
_PROCESSOR = Path("/proc/cpuinfo")
_BFLOAT16_FLAGS = frozenset({"avx512_bf16", "amx_bf16"})
"""Names of the instructions in Linux's list of the processor's."""
FORMS = "auto, cpu, cpu:2, gpu, gpu:1, gpu:0,2 or gpus:2"


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """The devices that a run requests.

    Attributes:
        kind: `auto` leaves the choice to the machine; a worker then takes a GPU if it sees one.
        indices: The named GPUs, ascending; empty for any.
        count: Number of GPUs, or of logical devices of the CPU.
    """

    kind: Literal["auto", "cpu", "gpu"]
    indices: tuple[int, ...] = ()
    count: int = 1


def is_ray_address(text: str) -> bool:
    """Return True if a text may be the address of a Ray cluster: `[ray://]HOST:PORT`."""
    found = re.fullmatch(r"(?:ray://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})", text)
    return found is not None and 0 < int(found[1]) < 2**16


def parse_device_request(text: str) -> DeviceRequest:
    """Return the request that a plan's text means; upper case and spaces do not matter.

    Raises:
        ValueError: It is invalid; the message says what was received and what is valid.
    """
    words = re.sub(r"\s+", "", text).lower()
    if words in ("auto", "cpu", "gpu"):
        return DeviceRequest("auto" if words == AUTO else "cpu" if words == "cpu" else "gpu")
    name, _, numbers = words.partition(":")
    if name not in ("cpu", "gpu", "gpus") or not re.fullmatch(
        r"[0-9]{1,4}(,[0-9]{1,4})*", numbers
    ):
        raise ValueError(
            message(
                '"{text}" is not a device; valid forms are {forms}',
                text=text,
                forms=as_message(FORMS),
            )
        )
    values = tuple(int(number) for number in numbers.split(","))
    if name == "gpu":
        return _named(text, values)
    if len(values) > 1 or not 1 <= values[0] <= MAX_DEVICES:
        raise ValueError(
            message(
                '"{text}" must say how many logical devices of the CPU: one number from 1 to '
                "{most}, as in cpu:2"
                if name == "cpu"
                else '"{text}" must say how many GPUs: one number from 1 to {most}, as in gpus:2',
                text=text,
                most=MAX_DEVICES,
            )
        )
    return DeviceRequest("cpu" if name == "cpu" else "gpu", count=values[0])


def _named(text: str, indices: tuple[int, ...]) -> DeviceRequest:
    if len(set(indices)) < len(indices):
        raise ValueError(message('"{text}" contains a GPU twice', text=text))
    if max(indices) >= MAX_DEVICES:
        raise ValueError(
            message(
                '"{text}": GPUs are numbered from 0 to {last}', text=text, last=MAX_DEVICES - 1
            )
        )
    return DeviceRequest("gpu", tuple(sorted(indices)), len(indices))


CPU = "cpu"
GPU_PREFIX = "gpu:"
RAY = "ray"
"""Devices of a run on a Ray cluster: none of this machine."""
VISIBLE = "CUDA_VISIBLE_DEVICES"
# What the variable above was before a worker got its GPUs: a worker starts others when it ends.
OURS = "STUDIO_VISIBLE_DEVICES"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Device:
    """Something to compute on.

    Attributes:
        name: Name in plans: `cpu`, `gpu:0`. GPUs have the number that `nvidia-smi` shows.
        label: Name given by the manufacturer; empty if unknown.
        memory: Bytes; 0 if unknown.
    """

    name: str
    label: str = ""
    memory: int = 0

    @property
    def is_gpu(self) -> bool:
        """True if the device is a GPU."""
        return self.name != CPU


def environment_for(environ: Mapping[str, str], devices: Sequence[str]) -> dict[str, str]:
    """Return the variables of a worker that sees its GPUs, numbered from 0, and no other.

    Args:
        environ: Our own variables.
        devices: Names of the devices that the worker has; none for work that may use any.
    """
    result = dict(environ)
    before = result[OURS] = _allowed(environ)
    result.pop(VISIBLE, None)
    if devices:
        gpus = [name for name in devices if name.startswith(GPU_PREFIX)]
        numbers = [name.removeprefix(GPU_PREFIX) for name in gpus]
        result[VISIBLE] = ",".join(numbers)
        # Otherwise CUDA numbers the fastest first, and the driver by where they are plugged in.
        result["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    elif before != ALL:
        result[VISIBLE] = before
    return result


def visible_devices(text: str, devices: Sequence[str]) -> Sequence[str]:
    """Return the devices that a worker is limited to; none for whatever its backend finds.

    A run on `auto` gets the CPU where no GPU is known. Its backend may know one all the same.

    Args:
        text: The device of its plan.
        devices: Devices given by the queue.
    """
    try:
        is_automatic = parse_device_request(text).kind == "auto"
    except ValueError:
        is_automatic = False
    return () if is_automatic and tuple(devices) == (CPU,) else devices


def can_use_gpus(backend: str) -> bool:
    """Return True if a backend can compute on GPUs on this operating system."""
    return backend == "torch" or sys.platform == "linux"


def device_problems(text: str, devices: Sequence[Device]) -> list[Problem]:
    """Return the problem of a plan whose GPUs this machine does not have; it would wait forever.

    Args:
        text: The device of the plan.
        devices: Available devices.
    """
    try:
        request = parse_device_request(text)
    except ValueError:
        return []  # the plan's own checks say it
    gpus = [device.name for device in devices if device.is_gpu]
    missing = [index for index in request.indices if gpu_name(index) not in gpus]
    if request.kind != "gpu" or (not missing and len(gpus) >= request.count):
        return []
    has = message(
        "this machine has {count} known GPUs; received {devices}.",
        one="this machine has {count} known GPU; received {devices}.",
        count=len(gpus),
        devices=text,
    )
    if not gpus:
        has = message("this machine has no known GPUs; received {devices}.", devices=text)
    return [
        Problem(
            "device",
            has,
            message("Choose auto, cpu or one of: {gpus}.", gpus=", ".join(gpus))
            if gpus
            else "Choose auto or cpu. If the computer has a GPU, studio doctor shows what to "
            "install.",
        )
    ]


def require_devices(text: str, devices: Sequence[Device]) -> None:
    """Raise if a machine does not have the devices of a plan.

    Args:
        text: The device of the plan.
        devices: Devices of the machine.

    Raises:
        StudioError: GPUs are missing; the message says how many there are.
    """
    for each in device_problems(text, devices):
        raise StudioError(each.message, each.hint, each.where)


def gpu_name(index: int) -> str:
    """Return the name of the GPU of that number."""
    return f"{GPU_PREFIX}{index}"


@functools.cache
def machine_devices() -> tuple[Device, ...]:
    """Return the devices of this machine, the CPU first; detected once per process."""
    import psutil  # noqa: PLC0415 - the window starts without it

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    cpu = Device(
        CPU,
        message("{count} cores", one="{count} core", count=cores),
        psutil.virtual_memory().total,
    )
    return (cpu, *_gpus(_allowed(os.environ)))


@dataclass(frozen=True, slots=True)
class FreeGpuMemory:
    """Memory of a GPU in bytes, as all programs together use it."""

    free: int
    total: int


def gpu_memory(name: str) -> FreeGpuMemory | None:
    """Return the memory of a device; None for the CPU, and where the driver does not say."""
    number = name.removeprefix(GPU_PREFIX)
    if number == name:
        return None
    try:
        import pynvml  # noqa: PLC0415 - as below
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    try:
        handle = pynvml.nvmlDeviceGetHandleByIndex(int(number))
        memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
        return FreeGpuMemory(int(memory.free), int(memory.total))
    except pynvml.NVMLError:
        return None
    finally:
        pynvml.nvmlShutdown()


@functools.cache
def multiplies_bfloat16() -> bool:
    """Return True if the processor has instructions for bfloat16; known on Linux only.

    With them, TensorFlow computes convolutions in bfloat16 about 1.6 times as fast as in 32 bits;
    without, it is slower.
    """
    try:
        text = _PROCESSOR.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return not _BFLOAT16_FLAGS.isdisjoint(text.split())


def _allowed(environ: Mapping[str, str]) -> str:
    """Return the GPUs that the user lets programs see, as CUDA's variable has them."""
    return environ.get(OURS, environ.get(VISIBLE, ALL))


def _gpus(allowed: str) -> list[Device]:
    try:
        import pynvml  # noqa: PLC0415 - optional, and only needed for waiting runs
    except ImportError:
        return _apple_gpu()
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return _apple_gpu()  # no driver, or one that does not answer
    found = []
    try:
        for index in range(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            if not _is_allowed(allowed, index, str(pynvml.nvmlDeviceGetUUID(handle))):
                continue
            memory = 0
            with contextlib.suppress(pynvml.NVMLError):  # some share the machine's and have none
                memory = int(pynvml.nvmlDeviceGetMemoryInfo(handle).total)
            found.append(Device(gpu_name(index), str(pynvml.nvmlDeviceGetName(handle)), memory))
    except pynvml.NVMLError:
        return found  # one has fallen off the bus; those before it are there
    finally:
        pynvml.nvmlShutdown()
    return found


def _apple_gpu() -> list[Device]:
    """Return the GPU of Apple silicon, which PyTorch uses and which has the machine's memory."""
    is_apple = sys.platform == "darwin" and platform.machine() == "arm64"
    if not is_apple or importlib.util.find_spec("torch") is None:
        return []
    import psutil  # noqa: PLC0415 - as above

    return [Device(gpu_name(0), "Apple GPU", psutil.virtual_memory().total)]


def _is_allowed(allowed: str, index: int, uuid: str) -> bool:
    """Return True if the user makes a GPU visible, by its number or a prefix of its id."""
    words = [word.strip() for word in allowed.split(",")]
    return allowed == ALL or any(
        word == str(index) or (word.startswith("GPU-") and uuid.startswith(word)) for word in words
    )
