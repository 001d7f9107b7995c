"""Benchmark of single operations in four implementations: the plan and the report.

The ways: plain Python loops; windows as a matrix (im2col) and a matrix product, in NumPy; the
framework on the CPU; the framework on each accelerator.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from pydantic import BaseModel

from studio.engine.benchmarks.plan import Count, Several
from studio.engine.documents import JobReport
from studio.engine.messages import Message, Text, message
from studio.engine.plans import Plan, expert_field, plan_field
from studio.engine.training.backends import default_backend
from studio.engine.training.plan import Backend

LOOPS, NUMPY = "loops", "numpy"

OperationName = Literal["convolution", "matrix_product", "addition", "max_pooling"]
OPERATIONS: Final[dict[OperationName, Message]] = {
    "convolution": message("convolution"),
    "matrix_product": message("matrix product"),
    "addition": message("addition"),
    "max_pooling": message("max pooling"),
}
"""Operations with their labels."""


class OperationsPlan(Plan):
    """Time convolution, matrix product, addition and max pooling in four implementations."""

    version: Literal[1] = 1
    sizes: Several[Count] = plan_field(
        (16, 32, 64, 128),
        label="Sizes",
        help="Sides of the images and matrices in pixels, separated by commas.",
        why="Small sizes show the overhead of a call, large ones the cost of computation; use "
        "both.",
    )
    channels: int = expert_field(
        3,
        label="Channels",
        help="Channels of the images.",
        why="More channels favor the framework. Photographs have 3.",
        within=(1, 4096),
    )
    filters: int = expert_field(
        16,
        label="Filters",
        help="Filters of the convolution.",
        why="More filters mean more computation per image, which favors a framework.",
        within=(1, 4096),
    )
    kernel: int = expert_field(
        3,
        label="Kernel",
        help="Side of the convolution kernel.",
        why="The cost grows with its square; most networks use 3.",
        unit="px",
        within=(1, 64),
    )
    pool: int = expert_field(
        2,
        label="Pool",
        help="Side and stride of the pooling window.",
        why="Most networks use 2.",
        unit="px",
        within=(1, 64),
    )
    repeats: int = plan_field(
        7,
        label="Repeats",
        help="Number of timed repetitions after a warm-up; the median is reported.",
        why="More give a more stable median on a busy computer but take longer.",
        within=(1, 1000),
    )
    loop_seconds: float = plan_field(
        5.0,
        label="Loop time limit",
        help="Plain loops expected to take longer are skipped.",
        why="Plain Python is thousands of times slower; raise it only to measure this at large "
        "sizes.",
        unit="s",
        left_open=(0, 36_000),
    )
    backend: Backend = expert_field(
        default_backend(),
        label="Backend",
        help="Framework to measure.",
        why="To compare frameworks, run it once with each.",
    )
    seed: int = expert_field(
        0,
        label="Seed",
        help="Seed of the random numbers.",
        why="Any value works: the time does not depend on it.",
        within=(0, 2**32 - 1),
    )


class Timing(BaseModel, frozen=True):
    """One operation of one size in one implementation.

    Attributes:
        way: `loops`, `numpy`, or the device on which the framework computed.
        seconds: Median time, with all data on the device; None if it was left out.
        repeats: Number of timed calls.
        speed_up: Speed relative to the first implementation that was timed.
        flops: Floating-point operations per second; comparisons, for max pooling.
        error: Largest difference from NumPy's result.
        agrees: True if the difference is due to rounding.
        to_device_seconds: Median time to copy the inputs to the device.
        from_device_seconds: Median time to copy the result back.
        reason: Why it was left out.
    """

    way: str
    seconds: float | None = None
    repeats: int = 0
    speed_up: float | None = None
    flops: float | None = None
    error: float | None = None
    agrees: bool | None = None
    to_device_seconds: float | None = None
    from_device_seconds: float | None = None
    reason: Text = ""


class OperationTimes(BaseModel, frozen=True):
    """One operation of one size.

    Attributes:
        work: Number of floating-point operations.
        bytes_in: Size of the inputs.
        bytes_out: Size of the result.
        tolerance: Largest difference between implementations due to rounding.
    """

    operation: OperationName
    size: int
    work: int
    bytes_in: int
    bytes_out: int
    tolerance: float
    timings: tuple[Timing, ...]


class OperationsReport(JobReport, frozen=True):
    """All that was timed."""

    FILE: ClassVar[str] = "operations.json"
    LABEL: ClassVar[str] = "report"
    HINT: ClassVar[str] = "Measure again."

    backend: str
    devices: dict[str, str]
    """Description of each device of the framework, by its name."""
    operations: tuple[OperationTimes, ...]
    others_share: float | None = None
    """Share of the processors that other programs used meanwhile, 0 to 1."""

    @property
    def agree(self) -> bool:
        """True if all implementations gave the same result, up to rounding."""
        return all(
            timing.agrees is not False for each in self.operations for timing in each.timings
        )


def with_speed_ups(timings: list[Timing]) -> tuple[Timing, ...]:
    """Return the timings with speed-ups relative to the first that has a time."""
    first = next((each.seconds for each in timings if each.seconds), None)
    return tuple(
        each.model_copy(update={"speed_up": first / each.seconds})
        if first and each.seconds
        else each
        for each in timings
    )
