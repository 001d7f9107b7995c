"""Times calls of a training, or of a validation, on its real pipeline, and ends them early."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import keras

from studio.engine.compute.loop import Follower, Loop
from studio.engine.compute.pipeline import ClearFailures, SplitBatches

FEWEST_CALLS = 2
"""Calls that are timed at least, after the first one."""

_EPOCHS = 1_000_000
"""More than are ever begun: training ends when it was timed for long enough."""

Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Timed:
    """What some calls took.

    Attributes:
        first_seconds: The first call, which compiles.
        step_seconds: Each step of the calls that were timed.
        steps: How many steps those were.
        loss: The mean loss of the last epoch that was begun.
    """

    first_seconds: float
    step_seconds: float
    steps: int
    loss: float

    @property
    def extra_seconds(self) -> float:
        """What the first call took longer than one step does."""
        return max(0.0, self.first_seconds - self.step_seconds)


class _Clock(Follower):
    """Notes when calls end; ends training when enough were timed.

    Args:
        seconds: How long calls are timed at most, once there are `FEWEST_CALLS`.
        ahead: Batches that are ready before the first call ends: those steps wait for no data,
            so they are left out where there is time for more.
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
        if len(self.ends) > FEWEST_CALLS and lasted >= self._seconds:
            self.stops_now = True

    def epoch_ended(self, epoch: int, logs: dict[str, float]) -> None:  # noqa: ARG002
        """Count the steps of the next epoch on."""
        self._before = self.ends[-1][1]

    def timed(self) -> Timed:
        """What was found."""
        first, last = self.ends[0], self.ends[-1]
        start = first
        for end in self.ends[:-FEWEST_CALLS]:
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
    """Train for a while; what is learned stays in the model.

    Args:
        model: Compiled.
        batches: What it trains on, over as many epochs as it takes.
        seconds: How long calls are timed at most; always `FEWEST_CALLS` of them.
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
        """The clock starts."""
        self._began = time.perf_counter()

    def on_test_batch_end(self, batch: int, logs: object = None) -> None:  # noqa: ARG002
        """A call is over."""
        self.batches = batch + 1
        self._check()
        if time.perf_counter() - self._began >= self._seconds:
            self.model.stop_evaluating = True


def time_validation(
    model: keras.Model, batches: SplitBatches, seconds: float, check: Check
) -> tuple[float, float]:
    """Validate for a while.

    Returns:
        Seconds of one image, and what compiling took; zeros where there is no image.
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
