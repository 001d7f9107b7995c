"""Watches a figure of a run: which moment was best, when nothing gets better any more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from studio.engine.tasks.task import Task
from studio.engine.training.plan import TrainingPlan


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a measurement means.

    Attributes:
        is_best: It is the best so far; also where the figure is not measured at all.
        is_over: Nothing got better for so long that training is to end.
        cuts_rate: Nothing got better for so long that the learning rate is to fall.
    """

    is_best: bool
    is_over: bool = False
    cuts_rate: bool = False


class WatchState(BaseModel, frozen=True, extra="forbid"):
    """What a `Watch` has seen so far, to be written down and gone on from."""

    best: float | None = None
    reference: float | None = None
    waited: int = 0
    waited_for_cut: int = 0


class Watch:
    """Judges one measurement after the other.

    Args:
        plan: Says what is watched, for how long, and which gain counts.
        task: Declares the metrics.

    Attributes:
        metric: What is watched.
        best: The best value so far; NaN before the first.
    """

    def __init__(self, plan: TrainingPlan, task: Task) -> None:
        self._plan = plan
        self.metric = task.watched(plan.watch)
        self._sign = self.metric.sign
        self.best = math.nan
        # What a value must beat by `least_gain`; `best` may creep ahead of it.
        self._reference = -math.inf
        self._waited = self._waited_for_cut = 0

    @property
    def state(self) -> WatchState:
        """What it has seen so far."""
        return WatchState(
            best=None if math.isnan(self.best) else self.best,
            reference=None if math.isinf(self._reference) else self._reference,
            waited=self._waited,
            waited_for_cut=self._waited_for_cut,
        )

    def restore(self, state: WatchState) -> None:
        """Go on from what was seen before."""
        self.best = math.nan if state.best is None else state.best
        self._reference = -math.inf if state.reference is None else state.reference
        self._waited, self._waited_for_cut = state.waited, state.waited_for_cut

    def judge(self, values: Mapping[str, float]) -> Verdict:
        """Take the next measurement.

        Args:
            values: Figures by their names in the journal.
        """
        value = values.get(self.metric.name, math.nan)
        if math.isnan(value):
            return Verdict(is_best=True)
        is_best = math.isnan(self.best) or self._sign * (value - self.best) > 0
        if is_best:
            self.best = value
        if self._sign * value > self._reference + self._plan.least_gain:
            self._reference = self._sign * value
            self._waited = self._waited_for_cut = 0
            return Verdict(is_best)
        self._waited += 1
        self._waited_for_cut += 1
        cuts = 0 < self._plan.plateau_patience <= self._waited_for_cut
        if cuts:
            self._waited_for_cut = 0
        return Verdict(is_best, 0 < self._plan.stop_patience <= self._waited, cuts)
