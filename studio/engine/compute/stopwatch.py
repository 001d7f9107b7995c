"""Where the time of a training goes: waiting for data, computing, validating, writing.

**Waiting** is the time in which the loop had asked for a batch that was not there. Keras asks in
another place with every backend (inside the training function, before it, one batch ahead) and
reads ahead in threads, so the loop cannot be asked. But two things are known with all of them:
when a batch was begun and ready (`SplitBatches` notes both), and when a call of the training
function could start and was over. With several steps in one call, what lies between is found from
the steps all taking equally long.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import keras

from studio.engine.compute.pipeline import SplitBatches
from studio.engine.jobs.context import Part


@dataclass(slots=True)
class Parts:
    """Seconds of each part."""

    waiting: float = 0.0
    computing: float = 0.0
    validating: float = 0.0
    writing: float = 0.0

    def add(self, part: Part, seconds: float) -> None:
        """Count more of a part."""
        setattr(self, part, getattr(self, part) + seconds)


class Stopwatch:
    """Counts the parts of a training's time; any thread may ask what came since it last asked.

    Only what happens in the thread that made it counts.

    Args:
        batches: What is learned from.
        ahead: Batches that the backend has asked for beyond the one that it computes.

    Attributes:
        before: The first of the callbacks of `fit`: what the others do is not computing.
        behind: The last of them: from there on the loop asks for its next batch.
    """

    def __init__(self, batches: SplitBatches, ahead: int = 0) -> None:
        self._batches = batches
        self._ahead = ahead
        self._owner = threading.get_ident()
        self._guard = threading.Lock()
        self._spent, self._told = Parts(), Parts()
        self._doing: list[Part] = []
        self._since = 0.0
        self._call: tuple[float, int] | None = None
        self._pace, self._steps = 0.0, 1
        self.before = _Before(self)
        self.behind = _Behind(self)

    @contextlib.contextmanager
    def doing(self, part: Part) -> Iterator[None]:
        """Count the time within as a part, and not as that of a part around it."""
        if threading.get_ident() != self._owner:
            yield
            return
        self._turn(part)
        try:
            yield
        finally:
            self._turn(None)

    def take(self) -> Parts:
        """What was spent since the last call, also of what still goes on."""
        now = time.perf_counter()
        with self._guard:
            spent = Parts(
                self._spent.waiting,
                self._spent.computing,
                self._spent.validating,
                self._spent.writing,
            )
            if self._doing:
                spent.add(self._doing[-1], now - self._since)
            elif self._call is not None:
                began, first = self._call
                waited = waited_so_far(
                    began, now, *self._times(first, first + self._steps), self._pace
                )
                spent.add("waiting", waited)
                spent.add("computing", now - began - waited)
        return Parts(*(self._untold(part, getattr(spent, part)) for part in _PARTS))

    def _untold(self, part: Part, spent: float) -> float:
        # A guess about a call that was under way may have been too high: it is made up for.
        new = max(0.0, spent - float(getattr(self._told, part)))
        self._told.add(part, new)
        return new

    def _turn(self, part: Part | None) -> None:
        now = time.perf_counter()
        with self._guard:
            if self._doing:
                self._spent.add(self._doing[-1], now - self._since)
            self._since = now
            if part is None:
                self._doing.pop()
            else:
                self._doing.append(part)

    def call_begins(self, first: int) -> None:
        """The training function may start with a batch, if the epoch has so many."""
        self._call = (time.perf_counter(), first) if first < len(self._batches) else None

    def call_ends(self, last: int) -> None:
        """The training function is done with the batches up to that one."""
        now = time.perf_counter()
        with self._guard:
            if self._call is None:
                return
            (began, first), self._call = self._call, None
            after = min(last + 1, len(self._batches))
            waited = waited_in_call(began, now, *self._times(first, after))
            self._spent.add("waiting", waited)
            self._spent.add("computing", now - began - waited)
            self._steps = after - first
            self._pace = (now - began - waited) / self._steps

    def _times(self, first: int, after: int) -> tuple[Sequence[float], Sequence[float]]:
        """When the batches were begun and ready that a call from `first` to `after` asks for."""
        start = first + self._ahead if first else 0
        asked, ready = self._batches.asked, self._batches.ready
        return asked[start : after + self._ahead], ready[start : after + self._ahead]


class _Before(keras.callbacks.Callback):  # type: ignore[misc]  # Keras ships no types
    def __init__(self, stopwatch: Stopwatch) -> None:
        super().__init__()
        self._stopwatch = stopwatch

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:  # noqa: ARG002
        self._stopwatch.call_ends(batch)


class _Behind(keras.callbacks.Callback):  # type: ignore[misc]  # Keras ships no types
    def __init__(self, stopwatch: Stopwatch) -> None:
        super().__init__()
        self._stopwatch = stopwatch

    def on_epoch_begin(self, epoch: int, logs: object = None) -> None:  # noqa: ARG002
        self._stopwatch.call_begins(0)

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:  # noqa: ARG002
        self._stopwatch.call_begins(batch + 1)


def batches_ahead() -> int:
    """Batches that Keras' own loop reads beyond the one it computes, in its own thread.

    Only with JAX, and there only on one accelerator (`JAXEpochIterator`, Keras 3.15).
    """
    if keras.backend.backend() != "jax" or keras.distribution.distribution() is not None:
        return 0
    import jax  # noqa: PLC0415 - the chosen backend, and only that

    return int(jax.default_backend() != "cpu")


_PARTS: tuple[Part, ...] = ("waiting", "computing", "validating", "writing")


def waited_in_call(
    began: float, ended: float, asked: Sequence[float], ready: Sequence[float]
) -> float:
    """Seconds in which a call of the training function waited for its batches.

    Its n steps are taken to compute equally long, c seconds. Step j (from 0) starts when its batch
    is ready and the step before is over, so the call ends at the latest of `start + n c` and
    `ready_j + (n - j) c`. The largest c that this allows leaves the least waiting: n c of the time
    is computing and the rest is waiting. What lies before the first batch was even begun is
    neither: the function is compiled then.

    Args:
        began: When the call could start; seconds of one clock, as are the others.
        ended: When it was over.
        asked: When each of its batches was begun to be made.
        ready: When each was made; what is not finite was not seen.
    """
    if not ready or not math.isfinite(asked[0]):
        return 0.0
    start, count = min(max(began, asked[0]), ended), len(ready)
    limits = [(ended - at) / (count - step) for step, at in enumerate(ready) if math.isfinite(at)]
    computing = max(0.0, min([(ended - start) / count, *limits]))
    return max(0.0, ended - start - count * computing)


def waited_so_far(
    began: float, now: float, asked: Sequence[float], ready: Sequence[float], pace: float
) -> float:
    """The same of a call that still goes on.

    Args:
        began: When the call could start.
        now: The time.
        asked: When each of its batches was begun to be made; infinite for not yet.
        ready: When each was made.
        pace: Seconds that a step usually computes.
    """
    waited, free_at = 0.0, began
    for begun, at in zip(asked, ready, strict=True):
        free_at = max(free_at, begun)
        if free_at >= now:
            break
        waited += max(0.0, min(at, now) - free_at)
        free_at = max(free_at, at) + pace
    return waited
