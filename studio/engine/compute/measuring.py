"""Measures what a training takes: its pace, its memory, the largest batch.

Everything is made as for a training, and steps are those of the training itself, on its own
images. What is learned meanwhile is thrown away. Imported only after the backend of Keras is
chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeVar

import keras

from studio.engine.compute.backends import chosen
from studio.engine.compute.backends.prepare import is_out_of_memory
from studio.engine.compute.loop import Follower, Loop
from studio.engine.compute.on_features import TrainingSetup
from studio.engine.compute.pipeline import ClearFailures, SplitBatches
from studio.engine.jobs.job import JobContext
from studio.engine.messages import message
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import LargestBatch, Memory

TRAINING_SECONDS = 3.0
VALIDATION_SECONDS = 1.5
CHEAP_SECONDS = 15.0
"""Maximum expected duration in seconds of a step with other batches; longer ones are skipped."""

FIRST_SHARE = 4
"""Divisor of the batch size for the first steps, in case memory is too small for all of it."""

BASE_SHARE = 8
"""Divisor of the first batch size for steps before all others, so that memory that is allocated
once is not attributed to images."""

PROBE_FACTOR = 8
"""And then with batches this many times as large: small ones say little of what an image needs."""

T = TypeVar("T")


@dataclass(slots=True)
class Costs:
    """Memory use of training steps.

    Peaks are of all that the process has: allocators keep much of what a step gave back, so that
    what is in use between two steps says little.

    Attributes:
        base: Bytes in use after steps with few images.
        peaks: Most bytes in use during steps, by the size of their batches.
        least: Minimum memory per image.
    """

    base: int = 0
    peaks: dict[int, int] = field(default_factory=dict)
    least: float = 0.0

    @property
    def image_bytes(self) -> float:
        """Bytes of each image of a batch."""
        return image_cost(self.base, self.peaks, self.least)

    def of(self, size: int) -> float:
        """Return the bytes for batches of `size`: measured, or interpolated linearly."""
        if size in self.peaks:
            return self.peaks[size]
        near = min(self.peaks, key=lambda other: abs(other - size))
        return predicted_bytes(self.peaks[near], self.image_bytes, size - near)


def tried(work: Callable[[], T]) -> T | None:
    """Run some work and return its result; None if memory ran out."""
    try:
        return work()
    except Exception as error:
        if not is_out_of_memory(error):
            raise
    return None


class Measuring:
    """One training, being measured.

    Args:
        context: Asked whether to continue after every call.
        plan: The training plan.
        setup: Compiled model, data and loss; possibly of some of the images only.
        images: Number of training images.
        shape: Shape of one image.

    Attributes:
        costs: Memory used by steps.
        compile_seconds: Additional time of first calls.
        loss: The last that was seen.
    """

    def __init__(
        self,
        context: JobContext,
        plan: TrainingPlan,
        setup: TrainingSetup,
        images: int,
        shape: tuple[int, int, int],
    ) -> None:
        self._context = context
        self._setup = setup
        self._images = images
        self._there = setup.batches.count
        self._meter = chosen.backend().memory_meter()
        self._step_seconds = 0.0
        self._too_large = sys.maxsize
        self.size = min(plan.batch_size, self._there)
        self.costs = Costs(least=self._least(math.prod(shape)))
        self.compile_seconds = 0.0
        self.loss = 0.0

    def does_fit(self) -> bool:
        """Try batches from small sizes up to the plan's; True if that one fits."""
        size = max(1, self.size // FIRST_SHARE)
        while self._runs(size):
            if size == self.size or self._is_free_for(self.size):
                return True
            size = min(2 * size, self.size)
            if not self._is_free_for(size):
                return False
        return False

    def timing(self) -> Timed | None:
        """Time the steps of the plan; return None if memory ran out."""
        model, check = self._setup.model, self._context.check
        timed = tried(partial(time_training, model, self._setup.batches, TRAINING_SECONDS, check))
        if timed is None:
            self._too_large = self.size
            return None
        self.compile_seconds = max(self.compile_seconds, timed.extra_seconds)
        self._step_seconds, self.loss = timed.step_seconds, timed.loss
        return timed if self._runs(self.size) else None

    def validation_image(self) -> float:
        """Return seconds that validating one image takes; 0 if there is none."""
        model, check = self._setup.model, self._context.check
        seconds, compiling = time_validation(
            model, self._setup.validation, VALIDATION_SECONDS, check
        )
        self.compile_seconds += compiling
        return seconds

    def memory(self) -> Memory | None:
        """Memory of the worker; None if the device does not report it, or nothing was measured."""
        if self._meter is None or not self.costs.peaks:
            return None
        return Memory(
            device=self._meter.device,
            used_bytes=int(self.costs.of(self.size)),
            image_bytes=self.costs.image_bytes,
            free_bytes=self._meter.free(),
            total_bytes=self._meter.total(),
        )

    def largest(self) -> LargestBatch | None:
        """Return the largest batch that fits; larger ones are tried if that is cheap."""
        if self._meter is None or not self.costs.peaks:
            return None
        probe = min(PROBE_FACTOR * self.size, power_of_two(self._there))
        if probe > self.size and self._may_run(probe):
            self._runs(probe)
        while True:
            size, limit = self._fitting()
            if not size:
                return None
            was_run = size in self.costs.peaks
            if was_run or not self._may_run(size):
                return _largest_batch(size, limit, self._images, was_run=was_run)
            self._runs(size)

    def _fitting(self) -> tuple[int, Limit]:
        free = None if self._meter is None else self._meter.free()
        near, each = max(self.costs.peaks), self.costs.image_bytes
        # The memory that a step needs for any batch size is counted with the network.
        fixed = max(float(self.costs.base), self.costs.peaks[near] - each * near)
        size, limit = largest_batch(fixed, each, free, self._images)
        if size < self._too_large:
            return size, limit
        return power_of_two(self._too_large - 1), "memory"

    def _runs(self, size: int) -> bool:
        """Run steps with batches of `size` and record their memory; True if they fit."""
        if tried(partial(self._measure, size)) is not None:
            return True
        self._too_large = min(self._too_large, size)
        return False

    def _measure(self, size: int) -> Timed:
        """Do a few steps with batches of a size, and note what they needed."""
        self._context.check()
        model, check = self._setup.model, self._context.check
        if self._meter is not None and not self.costs.peaks:
            few = self._setup.batches.resized(max(1, size // BASE_SHARE))
            time_training(model, few, 0.0, check)
            self.costs.base = self._meter.begin()
        warm = time_training(model, self._setup.batches.resized(size), 0.0, check)
        self.compile_seconds = max(self.compile_seconds, warm.extra_seconds)
        if not self._step_seconds:
            self._step_seconds = warm.step_seconds * self.size / size
        if self._meter is None:
            return warm
        self._meter.begin()
        time_training(model, self._setup.batches.resized(size), 0.0, check)
        self.costs.peaks[size] = self._meter.peak()
        return warm

    def _least(self, pixels: int) -> float:
        """Return bytes of an image in the network, and in the batches that wait for it."""
        if self._meter is not None and self._meter.device == "gpu":
            return 4.0 * pixels
        batches = self._setup.batches
        waiting = batches.max_queue_size + batches.workers if batches.workers > 1 else 2
        return float((4 + waiting) * pixels)

    def _is_free_for(self, size: int) -> bool:
        if self._meter is None or not self.costs.peaks:
            return True
        return does_fit(self.costs.of(size), self._meter.free())

    def _may_run(self, size: int) -> bool:
        """Return True if steps with batches of `size` should fit and be fast enough."""
        if size > self._there:
            return False
        together = min(self._setup.model.steps_per_execution, -(-self._there // size))
        steps = 2 * (1 + MIN_CALLS) * together
        seconds = self.compile_seconds + steps * self._step_seconds * size / self.size
        return seconds <= CHEAP_SECONDS and self._is_free_for(size)


def _largest_batch(size: int, limit: Limit, images: int, *, was_run: bool) -> LargestBatch:
    why = {
        "memory": message("more would not fit into memory"),
        "images": message("there are {number:,} training images", number=images),
        "range": message("plans allow no more"),
    }[limit]
    done = message("batches of this size were trained")
    if not was_run:
        done = message("computed from smaller batches")
    text = message("{size:,} images ({reason}; {method})", size=size, reason=why, method=done)
    return LargestBatch(size=size, limit=limit, how="run" if was_run else "computed", told=text)


SPARE = 0.1
"""Fraction of the memory that is kept free, because steps need different amounts."""

LARGEST = 65_536
"""As much as a plan takes."""

Limit = Literal["memory", "images", "range"]


def predicted_bytes(base: float, image_bytes: float, size: int) -> float:
    """Predict the memory of a worker in bytes.

    Args:
        base: Bytes without any images.
        image_bytes: Bytes per image of a batch.
        size: Images per batch.
    """
    return base + image_bytes * size


def does_fit(needed: float, free: int | None) -> bool:
    """Return True if enough memory is free, or if the free memory is unknown.

    Args:
        needed: Bytes.
        free: Free bytes; None if unknown.
    """
    return free is None or needed <= (1 - SPARE) * free


def image_cost(base: int, peaks: dict[int, int], least: float) -> float:
    """Return bytes of each image of a batch.

    Args:
        base: Bytes in use after steps with few images.
        peaks: Most bytes in use during steps, by the size of their batches.
        least: Minimum memory per image, including its pixels.

    Returns:
        The rise to the largest size from the next one of half of it or less; from `base` where
        there is none.
    """
    if not peaks:
        return least
    largest = max(peaks)
    near = max((size for size in peaks if 2 * size <= largest), default=0)
    rise = (peaks[largest] - peaks.get(near, base)) / (largest - near)
    return max(least, rise)


def largest_batch(
    base: float, image_bytes: float, free: int | None, images: int
) -> tuple[int, Limit]:
    """Return the largest power of two that fits, and what limits it.

    Args:
        base: Bytes that the worker needs without any image.
        image_bytes: Bytes of each image of a batch.
        free: Bytes that it can have; None if unknown.
        images: Training images; a larger batch would be an epoch in less than a step.

    Returns:
        0 where not even one image fits.
    """
    bounds: list[tuple[int, Limit]] = [(images, "images"), (LARGEST, "range")]
    if free is not None and image_bytes > 0:
        room = max(0.0, (1 - SPARE) * free - base)
        bounds.append((int(min(room / image_bytes, 2.0**40)), "memory"))
    size, limit = min(bounds)
    return power_of_two(size), limit


def power_of_two(size: int) -> int:
    """Return the largest power of two that is not larger; 0 for 0."""
    return 2 ** int(math.log2(size)) if size > 0 else 0


MIN_CALLS = 2
"""Calls that are timed at least, after the first one."""

_EPOCHS = 1_000_000
"""More than are ever begun: training ends when it was timed for long enough."""

Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Timed:
    """Timings of several calls.

    Attributes:
        first_seconds: The first call, which compiles.
        step_seconds: Each step of the calls that were timed.
        steps: Number of steps.
        loss: The mean loss of the last epoch that was begun.
    """

    first_seconds: float
    step_seconds: float
    steps: int
    loss: float

    @property
    def extra_seconds(self) -> float:
        """Seconds by which the first call exceeds one step."""
        return max(0.0, self.first_seconds - self.step_seconds)


class _Clock(Follower):
    """Notes when calls end; ends training when enough were timed.

    Args:
        seconds: Time limit, after at least `MIN_CALLS` calls.
        ahead: Batches that are ready before the first call ends: those steps wait for no data,
            so they are left out if there is time for more.
        check: Called after every call; may raise.
    """

    def __init__(self, seconds: float, ahead: int, check: Check) -> None:
        self._seconds = seconds
        self._ahead = ahead
        self._check = check
        self._before = 0
        self._began = time.perf_counter()
        self.ends: list[tuple[float, int]] = []
        self.loss = 0.0

    def call_ended(self, done: int, logs: dict[str, float]) -> None:
        """Note the time, and end training when it was timed for long enough."""
        self.loss = logs["loss"]
        self.ends.append((time.perf_counter(), self._before + done))
        self._check()
        first = self.ends[0][0]
        lasted = self.ends[-1][0] - first
        if len(self.ends) > MIN_CALLS and lasted >= self._seconds:
            self.stops_now = True

    def epoch_ended(self, epoch: int, logs: dict[str, float]) -> None:  # noqa: ARG002
        """Count the steps of the next epoch on."""
        self._before = self.ends[-1][1]

    def timed(self) -> Timed:
        """Timings that were measured."""
        first, last = self.ends[0], self.ends[-1]
        start = first
        for end in self.ends[:-MIN_CALLS]:
            # At most half of the time goes into waiting until the queue is used up.
            if end[1] - first[1] > self._ahead or end[0] - first[0] > self._seconds / 2:
                break
            start = end
        steps = last[1] - start[1]
        seconds = (last[0] - start[0]) / steps
        return Timed(first[0] - self._began, seconds, steps, self.loss)


def time_training(
    model: keras.Model, batches: SplitBatches, seconds: float, check: Check
) -> Timed:
    """Train for some steps; the model keeps the new weights.

    Args:
        model: Compiled.
        batches: Training batches, over as many epochs as necessary.
        seconds: Time limit; at least `MIN_CALLS` calls are timed.
        check: Called after every call; may raise, and ends training with it.
    """
    loop = Loop(model, batches)
    clock = _Clock(seconds, loop.ahead, check)
    loop.train(clock, 0, _EPOCHS)
    return clock.timed()


class _Limit(keras.callbacks.Callback):  # type: ignore[misc]  # Keras ships no types
    """Ends a validation after a time; 0 for after the first call."""

    def __init__(self, seconds: float, check: Check) -> None:
        super().__init__()
        self._seconds = seconds
        self._check = check
        self._began = 0.0
        self.batches = 0

    def on_test_begin(self, logs: object = None) -> None:  # noqa: ARG002
        """Start the clock."""
        self._began = time.perf_counter()

    def on_test_batch_end(self, batch: int, logs: object = None) -> None:  # noqa: ARG002
        """Count a call."""
        self.batches = batch + 1
        self._check()
        if time.perf_counter() - self._began >= self._seconds:
            self.model.stop_evaluating = True


def time_validation(
    model: keras.Model, batches: SplitBatches, seconds: float, check: Check
) -> tuple[float, float]:
    """Time the validation.

    Args:
        model: The compiled network.
        batches: Validation images.
        seconds: Time to spend.
        check: Raises if the job should end.

    Returns:
        Seconds per image and seconds for compilation; zeros without images.
    """
    if not batches.count:
        return 0.0, 0.0
    with ClearFailures(batches):
        began = time.perf_counter()
        model.evaluate(batches, verbose=0, callbacks=[_Limit(0.0, check)])
        first = time.perf_counter() - began
        limit = _Limit(seconds, check)
        began = time.perf_counter()
        model.evaluate(batches, verbose=0, callbacks=[limit])
        lasted = time.perf_counter() - began
    images = batches.images_in(0, min(limit.batches, len(batches)))
    return lasted / images, max(0.0, first - lasted)
