"""Times calls of a training, or of a validation, on its real pipeline, and ends them early."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import keras

from studio.engine.compute.pipeline import ClearFailures, EpochOrder, SplitBatches

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


class _Clock(keras.callbacks.Callback):  # type: ignore[misc]  # Keras ships no types
    """Notes when calls end; ends training when enough were timed.

    Args:
        batches: What is trained on.
        seconds: How long calls are timed at most, once there are `FEWEST_CALLS`.
        ahead: Batches that are ready before the first call ends: those steps wait for no data,
            so they are left out where there is time for more.
        check: Called after every call; may raise.
    """

    def __init__(self, batches: SplitBatches, seconds: float, ahead: int, check: Check) -> None:
        super().__init__()
        self._batches = batches
        self._seconds = seconds
        self._ahead = ahead
        self._check = check
        self._before = 0
        self._began = 0.0
        self.ends: list[tuple[float, int]] = []
        self.loss = 0.0

    def on_train_batch_begin(self, batch: int, logs: object = None) -> None:  # noqa: ARG002
        """The first call begins."""
        if not self.ends:
            self._began = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        """A call is over: reading its loss waits for the device."""
        self.loss = float((logs or {})["loss"])
        done = self._before + min(batch + 1, len(self._batches))
        self.ends.append((time.perf_counter(), done))
        self._check()
        first = self.ends[0][0]
        lasted = self.ends[-1][0] - first
        if len(self.ends) > FEWEST_CALLS and lasted >= self._seconds:
            self.model.stop_training = True

    def on_epoch_end(self, epoch: int, logs: object = None) -> None:  # noqa: ARG002
        """Steps are counted on."""
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
    ahead = batches.max_queue_size if batches.workers > 1 else 1
    clock = _Clock(batches, seconds, ahead, check)
    with ClearFailures(batches):
        model.fit(
            batches,
            epochs=_EPOCHS,
            shuffle=False,
            verbose=0,
            callbacks=[EpochOrder(batches), clock],
        )
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
