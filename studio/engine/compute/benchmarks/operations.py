"""Runs a benchmark of operations: times every implementation and compares it with NumPy."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from studio.engine.benchmarks.operations import (
    LOOPS,
    NUMPY,
    OPERATIONS,
    OperationName,
    OperationsPlan,
    OperationsReport,
    OperationTimes,
    Timing,
    with_speed_ups,
)
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.compute.benchmarks import loops, matrices
from studio.engine.compute.benchmarks.matrices import Matrix
from studio.engine.documents import REPORT
from studio.engine.jobs.devices import CPU, DeviceRequest, can_use_gpus, machine_devices
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.timing import ProcessorLoad

# The four operations: what comes in, how each way does them, and how far results may differ.
#
# Images are of one picture, (height, width, channel); numbers are from -1 to 1, in 32 bits.

ROUNDING = 2.0**-24
"""Unit roundoff of 32-bit numbers: half the distance from 1 to the next."""


@dataclass(frozen=True, slots=True)
class OperationCase:
    """One operation of one size.

    Attributes:
        name: The operation.
        size: Height and width of its image or matrices.
        given: The inputs.
        work: Floating-point operations, or comparisons.
        window: Window of the max pooling.
        terms: Number of products added for one number of the result.
    """

    name: OperationName
    size: int
    given: tuple[Matrix, ...]
    work: int
    window: int
    terms: int

    def with_loops(self) -> Callable[[], list[Any]]:
        """Return a call that uses plain loops; the inputs are converted to lists beforehand."""
        lists: list[Any] = [each.tolist() for each in self.given]
        if self.name == "max_pooling":
            return lambda: loops.max_pooling(lists[0], self.window)
        work: Callable[..., list[Any]] = getattr(loops, self.name)
        return lambda: work(*lists)

    def with_numpy(self) -> Matrix:
        """Return the result of NumPy."""
        return self._numpy(self.given)

    def on_backend(self, tensors: Sequence[Any]) -> Any:  # noqa: ANN401 - of any backend
        """Return the result of the framework, where the tensors are; it may not be there yet."""
        from keras import ops  # noqa: PLC0415 - only now is its backend chosen

        if self.name == "matrix_product":
            return ops.matmul(*tensors)
        if self.name == "addition":
            return ops.add(*tensors)
        image = tensors[0]
        if self.name == "convolution":
            return ops.conv(image, tensors[1], 1, "valid", "channels_last")
        return ops.max_pool(image, self.window, self.window, "valid", "channels_last")

    def for_backend(self) -> list[Matrix]:
        """Reshape inputs for the framework: an image becomes a batch of one."""
        first, *others = self.given
        is_image = self.name in ("convolution", "max_pooling")
        return [first[None] if is_image else first, *others]

    def tolerance(self) -> float:
        """Return the largest rounding difference between two orders of the same sums.

        A sum of n products is at most gamma = n u / (1 - n u) times the sum of their magnitudes
        away from the exact one, whatever its order (Higham, Accuracy and Stability of Numerical
        Algorithms, 2002, section 3.1), so two of them are twice that apart. The largest of numbers
        is one of them: nothing is rounded.
        """
        if self.name == "max_pooling":
            return 0.0
        gamma = self.terms * ROUNDING / (1 - self.terms * ROUNDING)
        magnitudes = self._numpy(tuple(np.abs(each) for each in self.given))
        return 2 * gamma * float(magnitudes.max())

    def _numpy(self, given: tuple[Matrix, ...]) -> Matrix:
        if self.name == "max_pooling":
            return matrices.max_pooling(given[0], self.window)
        work: Callable[..., Matrix] = getattr(matrices, self.name)
        return work(*given)


def task_of(name: OperationName, size: int, plan: OperationsPlan) -> OperationCase:
    """Return an operation with its random operands.

    Args:
        name: The operation.
        size: Side of the image or matrices.
        plan: Kernel, channels and seed; the same seed draws the same numbers.
    """
    random = np.random.default_rng([plan.seed, size, list(OPERATIONS).index(name)])

    def drawn(*shape: int) -> Matrix:
        return random.uniform(-1, 1, shape).astype(np.float32)

    if name == "convolution":
        pooled, terms = size - plan.kernel + 1, plan.kernel**2 * plan.channels
        given = (
            drawn(size, size, plan.channels),
            drawn(plan.kernel, plan.kernel, plan.channels, plan.filters),
        )
        return OperationCase(name, size, given, 2 * pooled**2 * terms * plan.filters, 0, terms)
    if name == "max_pooling":
        pooled = size // plan.pool
        work = pooled**2 * plan.channels * (plan.pool**2 - 1)
        return OperationCase(name, size, (drawn(size, size, plan.channels),), work, plan.pool, 1)
    pair = drawn(size, size), drawn(size, size)
    if name == "matrix_product":
        return OperationCase(name, size, pair, 2 * size**3, 0, size)
    return OperationCase(name, size, pair, size**2, 0, 1)


ENOUGH_SECONDS = 2.0
"""Duration from which an operation is timed once: its noise is relatively small."""

SMALL = 8
"""The size by which the time of plain loops is foretold."""

T = TypeVar("T")


def time_operations(context: JobContext) -> State:
    """Do a job that times operations; the report is written beside the plan.

    Raises:
        StudioError: The backend cannot be used.
        Cancelled: The job was asked to end.
    """
    plan = context.job.plan(OperationsPlan)
    devices = _prepared(plan)
    ways, load = [LOOPS, NUMPY, *devices], ProcessorLoad()
    total, done, found = len(OPERATIONS) * len(plan.sizes) * len(ways), 0, []
    for name, label in OPERATIONS.items():
        for size in plan.sizes:
            task = task_of(name, size, plan)
            expected = task.with_numpy()
            timings = []
            for way in ways:
                context.check()
                step = message(
                    "{operation}, size {size}: {way}", operation=label, size=size, way=way
                )
                context.advance(done, total, step)
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
    context.artifact(REPORT, report.write(context.folder))
    context.result({"operations": len(found), "agree": report.agree})
    return State.COMPLETED


def _prepared(plan: OperationsPlan) -> dict[str, str]:
    """Prepare the framework and return a description of its devices."""
    gpus = [device for device in machine_devices() if device.is_gpu]
    if not can_use_gpus(plan.backend):
        gpus = []
    count = min(len(gpus), 1) if plan.backend == "torch" else len(gpus)
    request = DeviceRequest("gpu", count=count) if count else DeviceRequest("cpu")
    prepare_backend(
        plan.backend, deterministic=False, seed=plan.seed, threads=None, device=request
    )
    from studio.engine.compute.backends import chosen  # noqa: PLC0415 - its backend is chosen
    from studio.engine.compute.distribution import device_name  # noqa: PLC0415 - its backend is chosen

    chosen.backend().compute_exactly()
    return {CPU: device_name(CPU), **{f"gpu:{at}": gpus[at].label for at in range(count)}}


def _timing(task: OperationCase, way: str, plan: OperationsPlan, expected: Matrix) -> Timing:
    if way == LOOPS:
        foretold = _expected_seconds(task, plan)
        if foretold > plan.loop_seconds:
            return Timing(
                way=way, reason=message("It would take about {seconds:,.0f} s.", seconds=foretold)
            )
        lists, seconds, repeats = timed(task.with_loops(), plan.repeats)
        return _held(task, Timing(way=way, seconds=seconds, repeats=repeats), lists, expected)
    if way == NUMPY:
        array, seconds, repeats = timed(task.with_numpy, plan.repeats)
        return _held(task, Timing(way=way, seconds=seconds, repeats=repeats), array, expected)
    return _on_device(task, way, plan.repeats, expected)


def _on_device(task: OperationCase, device: str, repeats: int, expected: Matrix) -> Timing:
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


def _tensor(array: Matrix) -> Any:  # noqa: ANN401 - of any backend
    import keras  # noqa: PLC0415 - its backend is chosen

    # A copy, since on a CPU some frameworks would only point at the array.
    return keras.ops.convert_to_tensor(array.copy())


def finished(given: T) -> T:
    """Return the argument once the device has finished all its work."""
    from studio.engine.compute.backends import chosen  # noqa: PLC0415 - its backend is chosen

    chosen.backend().wait_for(given)
    return given


def _held(task: OperationCase, timing: Timing, result: object, expected: Matrix) -> Timing:
    """Return a timing with its throughput and the deviation from NumPy's result."""
    error = float(np.abs(np.asarray(result, np.float64) - expected).max())
    flops = None if timing.seconds is None else task.work / timing.seconds
    changes = {"error": error, "agrees": error <= task.tolerance(), "flops": flops}
    return timing.model_copy(update=changes)


def _expected_seconds(task: OperationCase, plan: OperationsPlan) -> float:
    """Estimate the seconds of plain loops from a smaller task of the same kind."""
    size = min(task.size, max(SMALL, plan.kernel, plan.pool))
    small = task_of(task.name, size, plan)
    _, seconds, _ = timed(small.with_loops(), 1)
    return seconds * task.work / max(1, small.work)


def timed(work: Callable[[], T], repeats: int) -> tuple[T, float, int]:
    """Call a function once to warm up, then time repeated calls.

    Args:
        work: The function.
        repeats: Number of timed calls.

    Returns:
        The last result, the median time in seconds, and the number of timed calls: one if the
        first call took longer than `ENOUGH_SECONDS`.
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
