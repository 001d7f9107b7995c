"""Looks for a learning rate: a short training whose rate rises from step to step.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.auxiliary import OWN_LOSS
from studio.engine.compute.journaling import BatchMeter
from studio.engine.compute.loop import Follower, Loop
from studio.engine.compute.on_features import TrainingSetup
from studio.engine.compute.optimizers import RateTable
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.messages import as_message, joined, message
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import RateCurve

MAX_SECONDS = 120.0
"""A search of slow steps has fewer of them, down to `MIN_STEPS`."""

OnBatch = Callable[[int, int], None]


def steps_to_try(plan: TrainingPlan, step_seconds: float) -> int:
    """Return the number of learning rates to try within the time limit.

    Args:
        plan: Plan of the run.
        step_seconds: Duration of a step in seconds.
    """
    affordable = int(MAX_SECONDS / max(step_seconds * plan.gradient_accumulation_steps, 1e-9))
    return min(STEPS, max(MIN_STEPS, affordable))


def rising_table(plan: TrainingPlan, steps: int) -> RateTable:
    """Return the learning rate of every step of a search.

    With gradient accumulation, all batches of one update have one rate.

    Args:
        plan: Plan of the run.
        steps: Number of steps.
    """
    return RateTable(rising_rates(steps), plan.gradient_accumulation_steps)


def find_rate(
    plan: TrainingPlan, setup: TrainingSetup, steps: int, on_batch: OnBatch
) -> RateCurve:
    """Train with increasing learning rates and evaluate the losses.

    Args:
        plan: Plan with the optimizer; its learning rate and schedule are not used.
        setup: Model, data and loss, with weights as at the start of a run, compiled with the
            `rising_table` with `steps` steps. Its weights must not be used afterwards.
        steps: Number of rates to try.
        on_batch: Called after every batch with the completed and total batches; may raise.
    """
    setup.model.steps_per_execution = 1  # the loss of every single step is needed
    search = _Search(setup.batches, steps * plan.gradient_accumulation_steps, on_batch)
    epochs = math.ceil(search.most / len(setup.batches))
    Loop(setup.model, setup.batches).train(search, 0, epochs)
    losses = search.by_rate(plan.gradient_accumulation_steps)
    rates = [float(rate) for rate in rising_rates(steps)[: len(losses)]]
    optimizer = OPTIMIZERS[plan.optimizer]
    return read_curve(rates, losses, optimizer.usual_rates, optimizer.label)


class _Search(Follower):
    """Notes the loss of every batch, and ends training when it is lost, or all rates were tried.

    Args:
        batches: Training batches.
        most: Batches after which all rates were tried.
        on_batch: See `find_rate`.
    """

    def __init__(self, batches: SplitBatches, most: int, on_batch: OnBatch) -> None:
        self._batches = batches
        self._on_batch = on_batch
        self.most = most
        self._meter = BatchMeter()
        self._divergence = Divergence()
        self.losses: list[float] = []

    def epoch_began(self, epoch: int) -> None:  # noqa: ARG002
        """Reset the running means."""
        self._meter.reset()

    def call_ended(self, done: int, logs: dict[str, float]) -> None:
        """Note the loss of the batch, as it was before the weights moved."""
        mean = logs.get(OWN_LOSS, logs["loss"])
        loss = self._meter.value(mean, self._batches.images_in(done - 1, done))
        self.losses.append(loss)
        self._on_batch(len(self.losses), self.most)
        if self._divergence.add(loss) or len(self.losses) >= self.most:
            self.stops_now = True

    def by_rate(self, batches: int) -> list[float]:
        """Return the loss at each rate: the mean over the batches that have it."""
        count = len(self.losses) // batches
        each = np.asarray(self.losses[: count * batches], dtype=np.float64)
        return [float(mean) for mean in each.reshape(count, batches).mean(axis=1)]


LOWEST, HIGHEST = 1e-7, 10.0
STEPS = 100
MIN_STEPS = 40
KEEP = 0.8
"""Share of the running mean that every loss keeps. It lags by KEEP / (1 - KEEP) = 4 steps, a third
of a power of ten: more would push the steepest place towards rates that are too high."""

DIVERGED = 4.0
"""Factor of the best loss above which the loss has diverged."""

_FEWEST = 10
_LEAST_FALL = 0.05
"""A drop by a smaller fraction of the first loss does not count."""
_NOISES = 4.0
"""A fall by less than this many standard deviations of the smoothed loss may be chance."""


def rising_rates(steps: int) -> NDArray[np.float64]:
    """Return the learning rate of each step of a search: each a constant factor above the last."""
    return np.geomspace(LOWEST, HIGHEST, steps)


class RunningMean:
    """An exponential running mean, corrected for its beginning at 0.

    m_i = KEEP * m_(i-1) + (1 - KEEP) * x_i, reported as m_i / (1 - KEEP ** i): D. P. Kingma and
    J. Ba, "Adam", ICLR 2015, section 3.
    """

    def __init__(self) -> None:
        self._mean = 0.0
        self._count = 0

    def add(self, value: float) -> float:
        """Add a value and return the mean so far."""
        self._count += 1
        self._mean = KEEP * self._mean + (1 - KEEP) * value
        return self._mean / (1 - KEEP**self._count)


def smoothed(losses: Sequence[float]) -> NDArray[np.float64]:
    """Return the running mean after each loss."""
    smoother = RunningMean()
    return np.array([smoother.add(loss) for loss in losses], dtype=np.float64)


class Divergence:
    """Detects that the loss has diverged, which ends a search."""

    def __init__(self) -> None:
        self._smoother = RunningMean()
        self._best = math.inf
        self._count = 0

    def add(self, loss: float) -> bool:
        """Take a loss in; whether it is not finite, or its mean far above the best so far."""
        if not math.isfinite(loss):
            return True
        mean = self._smoother.add(loss)
        self._count += 1
        self._best = min(self._best, mean)
        return self._count > _FEWEST and mean > DIVERGED * self._best


def read_curve(
    rates: Sequence[float], losses: Sequence[float], usual: tuple[float, float], label: str
) -> RateCurve:
    """Evaluate a learning-rate search.

    The suggestion is the rate at which the smoothed loss falls fastest, or a tenth of the rate at
    which it is lowest, whichever is less; never more than is usual for the optimizer.

    Args:
        rates: Rising.
        losses: One of each rate; what follows the first that is not finite is left out.
        usual: Lowest and highest rate that are usual for the optimizer.
        label: The optimizer as people call it.
    """
    count = next((at for at, loss in enumerate(losses) if not math.isfinite(loss)), len(losses))
    raw = np.asarray(losses[:count], dtype=np.float64)
    mean = smoothed(losses[:count])
    curve = RateCurve(
        rates=tuple(rates[:count]), losses=tuple(raw), smoothed=tuple(mean), reason=""
    )
    if count < _FEWEST:
        lost = message("The loss diverged after {count} steps: too few for a result.", count=count)
        return curve.model_copy(update={"reason": lost})
    lowest = int(np.argmin(mean))
    if not _falls(raw, mean, lowest):
        reason = "The loss does not clearly decrease at any rate, so none can be suggested."
        return curve.model_copy(update={"reason": reason})
    steepest, tenth = rates[_steepest(rates[:count], mean, lowest)], rates[lowest] / 10
    found = min(steepest, tenth)
    suggestion = _rounded(min(found, usual[1]))
    return curve.model_copy(
        update={
            "steepest": steepest,
            "tenth": tenth,
            "suggestion": suggestion,
            "reason": _reason(found, suggestion, steepest, usual, label),
        }
    )


def _falls(raw: NDArray[np.float64], mean: NDArray[np.float64], lowest: int) -> bool:
    """Return True if the smoothed loss falls by more than chance explains."""
    start = float(raw[: max(3, len(raw) // 10)].mean())
    # Of the differences between neighbors: a slow fall does not count as noise.
    steps = np.diff(raw[: max(lowest, _FEWEST) + 1])
    deviation = float(np.median(np.abs(steps))) / (0.6745 * math.sqrt(2))
    of_mean = deviation * math.sqrt((1 - KEEP) / (1 + KEEP))
    return start - float(mean[lowest]) > max(_LEAST_FALL * abs(start), _NOISES * of_mean)


def _steepest(rates: Sequence[float], mean: NDArray[np.float64], lowest: int) -> int:
    """Index of the fastest fall over the logarithm of the rate, up to the lowest loss."""
    slopes = np.gradient(mean, np.log10(rates))
    width = max(3, len(mean) // 12)
    padded = np.pad(slopes, width // 2, mode="edge")
    even = np.convolve(padded, np.full(width, 1 / width), mode="valid")[: len(mean)]
    return int(np.argmin(even[: lowest + 1]))


def _rounded(rate: float) -> float:
    """Two digits: more would be false precision."""
    return float(f"{rate:.1e}")


def _reason(
    found: float, suggestion: float, steepest: float, usual: tuple[float, float], label: str
) -> str:
    why = (
        "the loss decreases fastest there"
        if found == steepest
        else "it is a tenth of the rate at which the loss is lowest"
    )
    low, high = usual
    if found > high:
        return message(
            "{learning_rate:g} is the highest usual rate for {optimizer}; the loss still "
            "decreases at {found:g}.",
            learning_rate=suggestion,
            optimizer=label,
            found=_rounded(found),
        )
    below = (
        message(
            "That is less than is usual for {optimizer}: {low:g} to {high:g}.",
            optimizer=label,
            low=low,
            high=high,
        )
        if found < low
        else ""
    )
    reason = message(
        "{learning_rate:g}, because {reason}.", learning_rate=suggestion, reason=as_message(why)
    )
    return joined((reason, below))
