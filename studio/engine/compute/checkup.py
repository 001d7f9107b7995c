"""Measures a network in training now and then, judges it, and has it kept."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.insights import Insights
from studio.engine.compute.keeper import ModelKeeper
from studio.engine.compute.pipeline import ClearFailures, SplitBatches
from studio.engine.errors import NotFiniteError
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.watch import Verdict, Watch

_ROUNDING = 1e-9
"""Share of an epoch by which a validation may come early, so that every third is one."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a checkup found.

    Attributes:
        values: Figures of validation by their names in the journal; empty without images.
        verdict: What they mean.
    """

    values: dict[str, float]
    verdict: Verdict


class Listener(Protocol):
    """Who is told of a validation."""

    def obey(self) -> None:
        """Called after every batch; may raise to end it."""

    def not_finite(self, what: str, step: int) -> NotFiniteError:
        """The error of a loss that is no number."""


class Checkup:
    """Validates at its times, with the averaged weights where there are such.

    Args:
        plan: The plan.
        validation: Images to measure on; there may be none.
        keeper: Keeps what is worth it.
        steps_per_epoch: Training steps of an epoch.
        told: Hears of every batch of a validation, and says what a broken loss means.
        insights: Keeps what the network answered.
    """

    def __init__(
        self,
        plan: TrainingPlan,
        validation: SplitBatches,
        keeper: ModelKeeper,
        steps_per_epoch: int,
        told: Listener,
        insights: Insights,
    ) -> None:
        self._every = plan.validate_every * steps_per_epoch
        self._checkpoints_to_keep = plan.checkpoints_to_keep
        self._checkpoint_every = plan.checkpoint_every * steps_per_epoch
        self._steps_per_epoch = steps_per_epoch
        self._last = plan.epochs * steps_per_epoch
        self._validation = validation
        self._keeper = keeper
        self._told = told
        self._insights = insights
        self.watch = Watch(plan, validation.task)
        self._listener = keras.callbacks.LambdaCallback()
        self._listener.on_test_batch_end = lambda _batch, logs=None: told.obey()  # noqa: ARG005

    def is_due(self, before: int, after: int) -> bool:
        """Whether a validation falls between two counts of steps; after the last, always."""
        return after >= self._last or _falls_between(before, after, self._every)

    def take(self, model: keras.Model, trained: dict[str, float], step: int) -> Measured:
        """Measure, judge and keep.

        Args:
            model: The network in training.
            trained: What is known of training, for where that is watched.
            step: Steps that are done.

        Raises:
            NotFiniteError: The loss is no number; nothing is kept then.
        """
        with averaged(model):
            values = self._measure(model) if self._validation.count else {}
            if not math.isfinite(values.get("val_loss", 0.0)):
                # Only the last step broke the weights: no batch has shown it yet.
                raise self._told.not_finite("validation loss", step)
            verdict = self.watch.judge({**trained, **values})
            self._insights.look(model, step, is_best=verdict.is_best)
            self._keeper.consider(model, is_best=verdict.is_best)
        return Measured(values, verdict)

    def skip(self, model: keras.Model) -> None:
        """An epoch ended without a validation: only a keeper of the last takes its weights."""
        with averaged(model):
            self._keeper.consider(model, is_best=False)

    def keep(self, model: keras.Model, before: int, after: int) -> None:
        """Write a checkpoint, if one falls between two counts of steps."""
        if self._checkpoint_every and _falls_between(before, after, self._checkpoint_every):
            with averaged(model):
                self._keeper.checkpoint(model, after / self._steps_per_epoch)
            if self._checkpoints_to_keep:
                self._keeper.keep_last_checkpoints(self._checkpoints_to_keep)

    def _measure(self, model: keras.Model) -> dict[str, float]:
        if hasattr(model, "jax_state_sync"):
            model.jax_state_sync()
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
        names = {each.name: each.on_validation.name for each in self._validation.task.metrics}
        return {names[name]: float(value) for name, value in found.items() if name in names}


def _falls_between(before: int, after: int, every: float) -> bool:
    """Whether a multiple of some steps lies behind the first count, and not behind the second."""
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
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()
    variables = optimizer._trainable_variables  # noqa: SLF001 - as Keras' own callback does
    averages = optimizer._model_variables_moving_average  # noqa: SLF001 - there is no other way
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
