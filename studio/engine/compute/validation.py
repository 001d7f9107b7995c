"""Validates a network in training, monitors a metric, and has the weights stored."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import keras
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from studio.engine.compute.backends import chosen, keras_internals
from studio.engine.compute.insights import Insights
from studio.engine.compute.model_checkpointer import ModelCheckpointer
from studio.engine.compute.pipeline import ClearFailures, SplitBatches
from studio.engine.errors import NotFiniteError
from studio.engine.tasks.task import Task
from studio.engine.training.plan import TrainingPlan


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """Result of a validation, judged by the monitored metric.

    Attributes:
        is_best: True if the metric is the best so far, or is not measured at all.
        is_over: True if early stopping should end the training.
        cuts_rate: True if the learning rate should be reduced on this plateau.
        values: Metrics of validation by their names in the journal; empty without images.
    """

    is_best: bool
    is_over: bool = False
    cuts_rate: bool = False
    values: dict[str, float] = field(default_factory=dict)


class MonitorState(BaseModel, frozen=True, extra="forbid"):
    """State of a `MetricMonitor`, stored in checkpoints."""

    best: float | None = None
    reference: float | None = None
    waited: int = 0
    waited_for_cut: int = 0


class MetricMonitor:
    """Compares each value of a metric with the earlier ones, for early stopping and plateaus.

    Args:
        plan: Names the metric, the patience and the smallest improvement.
        task: Declares the metrics.

    Attributes:
        metric: The monitored metric.
        best: The best value so far; NaN before the first.
    """

    def __init__(self, plan: TrainingPlan, task: Task) -> None:
        self._plan = plan
        self.metric = task.monitored(plan.monitor)
        self._sign = self.metric.sign
        self.best = math.nan
        # What a value must beat by `min_delta`; `best` may creep ahead of it.
        self._reference = -math.inf
        self._waited = self._waited_for_cut = 0

    @property
    def state(self) -> MonitorState:
        """The state for a checkpoint."""
        return MonitorState(
            best=None if math.isnan(self.best) else self.best,
            reference=None if math.isinf(self._reference) else self._reference,
            waited=self._waited,
            waited_for_cut=self._waited_for_cut,
        )

    def restore(self, state: MonitorState) -> None:
        """Continue from the state of a checkpoint."""
        self.best = math.nan if state.best is None else state.best
        self._reference = -math.inf if state.reference is None else state.reference
        self._waited, self._waited_for_cut = state.waited, state.waited_for_cut

    def judge(self, values: Mapping[str, float]) -> ValidationResult:
        """Compare the next value.

        Args:
            values: Metrics by their names in the journal.
        """
        value = values.get(self.metric.name, math.nan)
        if math.isnan(value):
            return ValidationResult(is_best=True)
        is_best = math.isnan(self.best) or self._sign * (value - self.best) > 0
        if is_best:
            self.best = value
        if self._sign * value > self._reference + self._plan.min_delta:
            self._reference = self._sign * value
            self._waited = self._waited_for_cut = 0
            return ValidationResult(is_best)
        self._waited += 1
        self._waited_for_cut += 1
        cuts = 0 < self._plan.plateau_patience <= self._waited_for_cut
        if cuts:
            self._waited_for_cut = 0
        return ValidationResult(
            is_best, 0 < self._plan.early_stopping_patience <= self._waited, cuts
        )


_ROUNDING = 1e-9
"""Share of an epoch by which a validation may come early, so that every third is one."""


class ValidationCallback(Protocol):
    """Callback of a `Validator`."""

    def on_batch_end(self) -> None:
        """Called after every batch; may raise to end the validation."""

    def not_finite(self, what: str, step: int) -> NotFiniteError:
        """Return the error for a loss that is not finite.

        Args:
            what: Name of the value.
            step: Number of the step.
        """


class Validator:
    """Validates at its intervals, with the averaged weights if there are any.

    Args:
        plan: The plan.
        validation: Validation images; there may be none.
        checkpointer: Stores weights.
        steps_per_epoch: Training steps of an epoch.
        callback: Called after every batch of a validation.
        insights: Stores the outputs of the network.
    """

    def __init__(
        self,
        plan: TrainingPlan,
        validation: SplitBatches,
        checkpointer: ModelCheckpointer,
        steps_per_epoch: int,
        callback: ValidationCallback,
        insights: Insights,
    ) -> None:
        self._every = plan.validation_interval_epochs * steps_per_epoch
        self._checkpoints_to_keep = plan.snapshots_to_keep
        self._checkpoint_every = plan.snapshot_interval_epochs * steps_per_epoch
        self._steps_per_epoch = steps_per_epoch
        self._last = plan.epochs * steps_per_epoch
        self._validation = validation
        self._checkpointer = checkpointer
        self._callback = callback
        self._insights = insights
        self.monitor = MetricMonitor(plan, validation.task)
        self._listener = keras.callbacks.LambdaCallback()
        self._listener.on_test_batch_end = lambda _batch, logs=None: callback.on_batch_end()  # noqa: ARG005

    def is_due(self, before: int, after: int) -> bool:
        """Return True if a validation is due between two steps; always after the last step.

        Args:
            before: Completed steps at the last check.
            after: Completed steps now.
        """
        return after >= self._last or _falls_between(before, after, self._every)

    def take(self, model: keras.Model, trained: dict[str, float], step: int) -> ValidationResult:
        """Validate, update the monitor and store the weights.

        Args:
            model: The network in training.
            trained: Metrics of training, which may be monitored.
            step: Steps that are done.

        Raises:
            NotFiniteError: The loss is no number; nothing is kept then.
        """
        with averaged(model):
            values = self._measure(model) if self._validation.count else {}
            if not math.isfinite(values.get("val_loss", 0.0)):
                # Only the last step broke the weights: no batch has shown it yet.
                raise self._callback.not_finite("validation loss", step)
            result = self.monitor.judge({**trained, **values})
            self._insights.inspect(model, step, is_best=result.is_best)
            self._checkpointer.consider(model, is_best=result.is_best)
        return replace(result, values=values)

    def skip(self, model: keras.Model) -> None:
        """Store the weights of an epoch without a validation, if the last ones are kept."""
        with averaged(model):
            self._checkpointer.consider(model, is_best=False)

    def keep(self, model: keras.Model, before: int, after: int) -> None:
        """Save a snapshot of the weights if one is due between two steps.

        Args:
            model: The network in training.
            before: Completed steps at the last check.
            after: Completed steps now.
        """
        if self._checkpoint_every and _falls_between(before, after, self._checkpoint_every):
            with averaged(model):
                self._checkpointer.checkpoint(model, after / self._steps_per_epoch)
            if self._checkpoints_to_keep:
                self._checkpointer.keep_last_checkpoints(self._checkpoints_to_keep)

    def _measure(self, model: keras.Model) -> dict[str, float]:
        chosen.backend().sync_state(model)
        # In the middle of an epoch the metrics hold what training has counted so far.
        counted = [variable for metric in model.metrics for variable in metric.variables]
        before = [np.asarray(variable).copy() for variable in counted]
        try:
            with self._insights.listening(), ClearFailures(self._validation):
                found = model.evaluate(
                    self._validation, verbose=0, return_dict=True, callbacks=[self._listener]
                )
        finally:
            for variable, value in zip(counted, before, strict=True):
                variable.assign(value)
        names = {each.name: each.on_validation.name for each in self._validation.task.all_metrics}
        return {names[name]: float(value) for name, value in found.items() if name in names}


def _falls_between(before: int, after: int, every: float) -> bool:
    """Return True if a multiple of `every` lies after `before` and not after `after`."""
    return math.floor(after / every + _ROUNDING) > math.floor(before / every + _ROUNDING)


@contextlib.contextmanager
def averaged(model: keras.Model) -> Iterator[None]:
    """Within it a model has its averaged weights; afterwards those in training, bit for bit.

    Nothing happens where its optimizer keeps no average. (Keras' own callback swaps by adding and
    subtracting, which rounds.) Statistics of batch normalization are those of the training.
    """
    optimizer = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    if not getattr(optimizer, "use_ema", False):
        yield
        return
    chosen.backend().sync_state(model)
    variables, averages = keras_internals.averages_of(optimizer)
    means = [_value(average) for average in averages]
    weights = [_value(variable) for variable in variables]
    for variable, mean in zip(variables, means, strict=True):
        variable.assign(mean)
    try:
        yield
    finally:
        for variable, value in zip(variables, weights, strict=True):
            variable.assign(value)


def _value(variable: keras.Variable) -> NDArray[np.float32]:
    # A copy: some backends give a view of what is about to be overwritten.
    return np.asarray(variable).copy()
