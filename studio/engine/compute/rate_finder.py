"""Looks for a learning rate: a short training whose rate rises from step to step.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from studio.engine.compute.auxiliary import OWN_LOSS
from studio.engine.compute.journaling import BatchMeter
from studio.engine.compute.loop import Follower, Loop
from studio.engine.compute.on_features import Lesson
from studio.engine.compute.optimizers import RateTable
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.training import rate_finder
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import RateCurve

MOST_SECONDS = 120.0
"""A search of slow steps has fewer of them, down to `FEWEST_STEPS`."""

Told = Callable[[int, int], None]


def steps_to_try(plan: TrainingPlan, step_seconds: float) -> int:
    """How many rates are tried, where a step takes so long."""
    affordable = int(MOST_SECONDS / max(step_seconds * plan.accumulate, 1e-9))
    return min(rate_finder.STEPS, max(rate_finder.FEWEST_STEPS, affordable))


def rising_table(plan: TrainingPlan, steps: int) -> RateTable:
    """The learning rate of every step of a search, for the optimizer.

    Where a plan moves the weights only every few batches, those have one rate.
    """
    return RateTable(rate_finder.rising_rates(steps), plan.accumulate)


def find_rate(plan: TrainingPlan, lesson: Lesson, steps: int, told: Told) -> RateCurve:
    """Train with rising rates and read the losses.

    Args:
        plan: Whose optimizer it is; its own rate and schedule play no role.
        lesson: What learns, with weights as at the start of a run, compiled with the
            `rising_table` of so many steps. Its weights are of no use afterwards.
        steps: How many rates are tried.
        told: Called after every batch with those done and all of them; may raise.
    """
    lesson.model.steps_per_execution = 1  # the loss of every single step is needed
    search = _Search(lesson.batches, steps * plan.accumulate, told)
    epochs = math.ceil(search.most / len(lesson.batches))
    Loop(lesson.model, lesson.batches).train(search, 0, epochs)
    losses = search.by_rate(plan.accumulate)
    rates = [float(rate) for rate in rate_finder.rising_rates(steps)[: len(losses)]]
    optimizer = OPTIMIZERS[plan.optimizer]
    return rate_finder.read_curve(rates, losses, optimizer.usual_rates, optimizer.label)


class _Search(Follower):
    """Notes the loss of every batch, and ends training when it is lost, or all rates were tried.

    Args:
        batches: What is trained on.
        most: Batches after which all rates were tried.
        told: See `find_rate`.
    """

    def __init__(self, batches: SplitBatches, most: int, told: Told) -> None:
        self._batches = batches
        self._told = told
        self.most = most
        self._meter = BatchMeter()
        self._divergence = rate_finder.Divergence()
        self.losses: list[float] = []

    def epoch_began(self, epoch: int) -> None:  # noqa: ARG002
        """Begin the running means anew."""
        self._meter.reset()

    def call_ended(self, done: int, logs: dict[str, float]) -> None:
        """Note the loss of the batch, as it was before the weights moved."""
        mean = logs.get(OWN_LOSS, logs["loss"])
        loss = self._meter.value(mean, self._batches.images_in(done - 1, done))
        self.losses.append(loss)
        self._told(len(self.losses), self.most)
        if self._divergence.add(loss) or len(self.losses) >= self.most:
            self.stops_now = True

    def by_rate(self, batches: int) -> list[float]:
        """The loss at each rate: the mean over the batches that have it."""
        count = len(self.losses) // batches
        each = np.asarray(self.losses[: count * batches], dtype=np.float64)
        return [float(mean) for mean in each.reshape(count, batches).mean(axis=1)]
