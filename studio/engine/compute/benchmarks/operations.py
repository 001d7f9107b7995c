"""Does a benchmark of operations: each in every way, timed, and held against NumPy's result."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from studio.engine.benchmarks.operations import (
    LOOPS,
    NUMPY,
    OPERATIONS,
    REPORT,
    OperationsPlan,
    OperationsReport,
    OperationTimes,
    Timing,
    with_speed_ups,
    write_report,
)
from studio.engine.compute.backend import prepare_backend
from studio.engine.compute.benchmarks.matrices import Array
from studio.engine.compute.benchmarks.ways import Task, task_of
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.device_request import DeviceRequest
from studio.engine.jobs.devices import CPU, can_use_gpus, machine_devices
from studio.engine.jobs.states import State
from studio.engine.processor_load import ProcessorLoad

ENOUGH_SECONDS = 2.0
"""What takes longer than that is timed once: its noise is small beside it."""

SMALL = 8
"""The size by which the time of plain loops is foretold."""

T = TypeVar("T")


def time_operations(context: JobContext) -> State:
    """Do a job that times operations; the report is written beside the plan.

    Raises:
        StudioError: The backend cannot be used.
        Cancelled: Somebody asked for the work to end.
    """
    plan = context.job.plan(OperationsPlan)
    devices = _prepared(plan)
    ways, load = [LOOPS, NUMPY, *devices], ProcessorLoad()
    total, done, found = len(OPERATIONS) * len(plan.sizes) * len(ways), 0, []
    for name in OPERATIONS:
        for size in plan.sizes:
            task = task_of(name, size, plan)
            expected = task.with_numpy()
            timings = []
            for way in ways:
                context.check()
                context.advance(done, total, f"{name} {size} {way}")
                timings.append(_timing(task, way, plan, expected))
                done += 1
            found.append(
                OperationTimes(
                    operation=name,
                    size=size,
                    work=task.work,
                    bytes_in=sum(each.nbytes for each in task.given),
                    bytes_out=expected.nbytes,
                    tolerance=task.tolerance(),
                    timings=with_speed_ups(timings),
                )
            )
    context.advance(total, total, "Operations")
    report = OperationsReport(
        backend=plan.backend,
        devices=devices,
        operations=tuple(found),
        others_share=load.of_others(),
    )
    context.artifact(REPORT, write_report(context.folder, report))
    context.result({"operations": len(found), "agree": report.agree})
    return State.COMPLETED


def _prepared(plan: OperationsPlan) -> dict[str, str]:
    """The devices on which the framework is to compute, in words; it is ready then."""
    gpus = [device for device in machine_devices() if device.is_gpu]
    if not can_use_gpus(plan.backend):
        gpus = []
    count = min(len(gpus), 1) if plan.backend == "torch" else len(gpus)
    wish = DeviceRequest("gpu", count=count) if count else DeviceRequest("cpu")
    prepare_backend(plan.backend, deterministic=False, seed=plan.seed, threads=None, device=wish)
    _compute_exactly(plan.backend)
    from studio.engine.compute.device import device_name  # noqa: PLC0415 - its backend is chosen

    return {CPU: device_name(CPU), **{f"gpu:{at}": gpus[at].label for at in range(count)}}


def _compute_exactly(backend: str) -> None:
    """Have products computed in 32 bits, where a GPU would take 19 of them (TensorFloat-32)."""
    import keras  # noqa: PLC0415 - its backend is chosen

    if backend == "tensorflow":
        import tensorflow as tf  # noqa: PLC0415 - the chosen backend, and only that

        tf.config.experimental.enable_tensor_float_32_execution(False)
    elif backend == "jax":
        import jax  # noqa: PLC0415 - the chosen backend, and only that

        jax.config.update("jax_default_matmul_precision", "float32")
        keras.distribution.set_distribution(None)  # tensors go where we say, not everywhere
    else:
        import torch  # noqa: PLC0415 - the chosen backend, and only that

        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False


def _timing(task: Task, way: str, plan: OperationsPlan, expected: Array) -> Timing:
    if way == LOOPS:
        foretold = _foretold(task, plan)
        if foretold > plan.loop_seconds:
            return Timing(way=way, reason=f"It would take about {foretold:,.0f} s.")
        lists, seconds, repeats = timed(task.with_loops(), plan.repeats)
        return _held(task, Timing(way=way, seconds=seconds, repeats=repeats), lists, expected)
    if way == NUMPY:
        array, seconds, repeats = timed(task.with_numpy, plan.repeats)
        return _held(task, Timing(way=way, seconds=seconds, repeats=repeats), array, expected)
    return _on_device(task, way, plan.repeats, expected)


def _on_device(task: Task, device: str, repeats: int, expected: Array) -> Timing:
    import keras  # noqa: PLC0415 - its backend is chosen

    name = "cpu:0" if device == CPU else device
    given = task.for_backend()
    with keras.device(name):
        tensors, there, _ = timed(lambda: finished([_tensor(each) for each in given]), repeats)
        result, seconds, count = timed(lambda: finished(task.on_backend(tensors)), repeats)
        array, back, _ = timed(lambda: np.array(keras.ops.convert_to_numpy(result)), repeats)
    timing = Timing(
        way=device,
        seconds=seconds,
        repeats=count,
        to_device_seconds=there,
        from_device_seconds=back,
    )
    return _held(task, timing, array.reshape(expected.shape), expected)


def _tensor(array: Array) -> Any:  # noqa: ANN401 - of any backend
    import keras  # noqa: PLC0415 - its backend is chosen

    # A copy, since on a CPU some frameworks would only point at the array.
    return keras.ops.convert_to_tensor(array.copy())


def finished(given: T) -> T:
    """What was given, once the device has come to the end of all work."""
    import keras  # noqa: PLC0415 - its backend is chosen

    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf  # noqa: PLC0415 - the chosen backend, and only that

        tf.test.experimental.sync_devices()
    elif backend == "jax":
        import jax  # noqa: PLC0415 - the chosen backend, and only that

        jax.block_until_ready(given)
    else:
        import torch  # noqa: PLC0415 - the chosen backend, and only that

        if torch.cuda.is_available():
            torch.cuda.synchronize()
    return given


def _held(task: Task, timing: Timing, result: object, expected: Array) -> Timing:
    """A timing with its pace, and its result held against NumPy's."""
    error = float(np.abs(np.asarray(result, np.float64) - expected).max())
    flops = None if timing.seconds is None else task.work / timing.seconds
    changes = {"error": error, "agrees": error <= task.tolerance(), "flops": flops}
    return timing.model_copy(update=changes)


def _foretold(task: Task, plan: OperationsPlan) -> float:
    """How long plain loops will take, from a smaller task of the same kind."""
    size = min(task.size, max(SMALL, plan.kernel, plan.pool))
    small = task_of(task.name, size, plan)
    _, seconds, _ = timed(small.with_loops(), 1)
    return seconds * task.work / max(1, small.work)


def timed(work: Callable[[], T], repeats: int) -> tuple[T, float, int]:
    """Do something once to warm up, and then again and again.

    Returns:
        What it gave the last time, the median time in seconds, and how often it was timed: once,
        the first time, where that took longer than `ENOUGH_SECONDS`.
    """
    began = time.perf_counter()
    result = work()
    first = time.perf_counter() - began
    if first > ENOUGH_SECONDS:
        return result, first, 1
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - began)
    return result, statistics.median(seconds), len(seconds)
