"""From a training plan to a Keras optimizer whose learning rate follows the plan's schedule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.backends import chosen, keras_internals
from studio.engine.compute.build import node_of
from studio.engine.errors import StudioError
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import policy_from, rate_at

# Learning rates per layer.
#
# Measured against the alternatives of Keras (`OptimizerMap`, `MultiOptimizer`): those find their
# variables by path, and paths change when a model is loaded again; layers stay who they are.


class LayerRates:
    """Mixed into a Keras optimizer: each variable has its own factor.

    It acts on the step and on weight decay, which is a part of the step. A factor of 1 gives
    the same bits as the optimizer alone; 0 leaves a variable where it is.

    Attributes:
        multipliers: Factor of each trainable variable of the model, in its order; None for 1.
    """

    multipliers: Sequence[float] | None = None

    # Attributes of the wrapped optimizer, for the type checker only.
    learning_rate: Any
    weight_decay: float | None
    _get_variable_index: Callable[[Any], int]
    _use_weight_decay: Callable[[Any], bool]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:  # noqa: ANN401
        """Update a variable with its own learning rate.

        Args:
            gradient: Gradient, a tensor of the backend.
            variable: The variable.
            learning_rate: Base learning rate.
        """
        rate = learning_rate * self._multiplier(variable)
        super().update_step(gradient, variable, rate)  # type: ignore[misc]  # a mixin

    def _apply_weight_decay(self, variables: Sequence[Any]) -> None:
        # Keras has no hook for the rate of one variable, so this says its formula once more.
        if self.weight_decay is None:
            return
        for variable in variables:
            if self._use_weight_decay(variable):
                rate = keras.ops.cast(self.learning_rate, variable.dtype)
                decay = keras.ops.cast(self.weight_decay, variable.dtype)
                factor = self._multiplier(variable)
                variable.assign(variable - variable * decay * rate * factor)

    # Not `_m`: Adamax has something of that name.
    def _multiplier(self, variable: Any) -> float:  # noqa: ANN401
        if self.multipliers is None:
            return 1.0
        return self.multipliers[self._get_variable_index(variable)]


def multipliers_of(model: keras.Model, spec: NetworkSpec) -> list[float] | None:
    """Return the learning-rate factor of every trainable variable.

    Args:
        model: Built from the description.
        spec: The description.

    Returns:
        Factors in the order of `model.trainable_variables`; None if all are 1, so that the plain
        optimizer can be used, which PyTorch runs faster.
    """
    rates = {node.id: node.rate for node in spec.nodes}
    by_variable = {
        id(variable): rates[node_of(layer)]
        for layer in model.layers
        for variable in layer.trainable_variables
    }
    factors = [by_variable[id(variable)] for variable in model.trainable_variables]
    return None if all(factor == 1 for factor in factors) else factors


def with_multipliers(optimizer: type[Any], factors: Sequence[float]) -> type[Any]:
    """Return an optimizer class with a learning-rate factor for every variable.

    Args:
        optimizer: Optimizer class of Keras.
        factors: Factor of each trainable variable.
    """
    members = {"multipliers": tuple(factors)}
    return type(f"{optimizer.__name__}WithLayerRates", (LayerRates, optimizer), members)


LARGEST_TABLE = 100_000
RATE_TABLE_VARIABLE = "rate_table"


class RateTable(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]  # untyped
    """The learning rate of every step as a table: training follows the curve in the form.

    Setting the rate from a callback instead would not reach the JAX backend within an epoch.
    The table is a variable, so that a compiled step can follow another one.

    Args:
        rates: Learning rate of every `stride`-th step.
        stride: Steps that share one rate; 1 unless the run has very many.

    Attributes:
        table: The rates, on the device. An optimizer must track it and `factor` like its own
            variables: JAX would treat any others as constants.
        factor: Factor of all rates.
        cut_so_far: The same, as a plain number.
    """

    def __init__(self, rates: NDArray[np.float64], stride: int) -> None:
        super().__init__()
        self._rates = rates
        self._stride = stride
        self.table = keras.Variable(
            rates, trainable=False, dtype="float32", name=RATE_TABLE_VARIABLE
        )
        self.factor = keras.Variable(1.0, trainable=False, dtype="float32", name="rate_factor")
        self.cut_so_far = 1.0

    def __call__(self, step: Any) -> Any:  # noqa: ANN401 - a tensor of any backend
        """Return the rate of a step from 0; after the last step, the last rate."""
        index = keras.ops.cast(step, "int32") // self._stride
        index = keras.ops.minimum(index, len(self._rates) - 1)
        return keras.ops.take(self.table, index) * self.factor

    def at(self, step: int) -> float:
        """Return the rate of a step from 0, as a plain number."""
        return (
            float(self._rates[min(step // self._stride, len(self._rates) - 1)]) * self.cut_so_far
        )

    def cut(self, factor: float) -> None:
        """Multiply all rates by a factor from the next step on."""
        self.cut_to(self.cut_so_far * factor)

    def cut_to(self, factor: float) -> None:
        """Let all rates be those of the schedule times a factor, from the next step on.

        In the middle of an epoch `KerasBackend.sync_state` must have been called.
        """
        self.cut_so_far = factor
        self.factor.assign(factor)

    def follow(self, other: RateTable) -> None:
        """Load the rates of another table into the variables."""
        self._rates, self.cut_so_far = other._rates, other.cut_so_far

    def get_config(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {"rates": self._rates.tolist(), "stride": self._stride}


def rates_of(plan: TrainingPlan, steps: int) -> RateTable:
    """Return the learning rates of all steps of a run.

    Args:
        plan: Plan of the run.
        steps: Number of steps.
    """
    policy = policy_from(plan.schedule, plan.schedule_options)
    stride = -(-steps // LARGEST_TABLE)
    rates = [
        rate_at(plan.schedule, policy, plan.learning_rate, step, steps, plan.warmup_percent)
        for step in range(0, steps, stride)
    ]
    return RateTable(np.array(rates), stride)


def make_optimizer(
    plan: TrainingPlan, rates: RateTable, multipliers: Sequence[float] | None = None
) -> keras.Optimizer:
    """Return the optimizer of a plan.

    Args:
        plan: The plan.
        rates: The learning rate of every step.
        multipliers: Factor of each trainable variable of the model, in its order.

    Raises:
        StudioError: The parameters of the optimizer do not fit, or it takes no multipliers.
    """
    entry = OPTIMIZERS[plan.optimizer]
    options: dict[str, Any] = entry.options(plan.optimizer_options).arguments()
    options["learning_rate"] = rates
    # Said also where it is 0: some of Keras' own decay by 0.004 unasked.
    options["weight_decay"] = plan.weight_decay or None
    kind = getattr(keras.optimizers, entry.keras_name)
    if plan.optimizer == "muon":
        options["adam_weight_decay"] = options["weight_decay"]
    elif plan.optimizer == "adamw":
        options["weight_decay"] = plan.weight_decay
    if multipliers is not None:
        if not entry.takes_layer_rates:
            raise StudioError(
                "{optimizer} does not support learning rates per layer.",
                "Choose another optimizer.",
                "optimizer",
                optimizer=entry.label,
            )
        kind = with_multipliers(kind, multipliers)
    optimizer = kind(**options, **plan.optimizer_arguments)
    for variable in (rates.factor, rates.table):
        keras_internals.track(optimizer, variable)
    chosen.backend().adapt_optimizer(optimizer)
    return optimizer
