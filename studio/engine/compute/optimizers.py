"""From a training plan to a Keras optimizer whose learning rate follows the plan's schedule."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules.curve import policy_from, rate_at

_CLASSES = {"adam": "Adam", "adamw": "AdamW", "sgd": "SGD", "rmsprop": "RMSprop"}
LARGEST_TABLE = 100_000


class RateTable(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]  # untyped
    """The learning rate of every step, looked up: what the form draws is what training does.

    Setting the rate from a callback instead would not reach the JAX backend within an epoch.

    Args:
        rates: Learning rate of every `stride`-th step.
        stride: Steps that share one rate; 1 unless the run has very many.
    """

    def __init__(self, rates: NDArray[np.float64], stride: int) -> None:
        super().__init__()
        self._rates = rates
        self._stride = stride

    def __call__(self, step: Any) -> Any:  # noqa: ANN401 - a tensor of any backend
        """The rate of a step from 0; after the last step, the last rate."""
        index = keras.ops.cast(step, "int32") // self._stride
        index = keras.ops.minimum(index, len(self._rates) - 1)
        return keras.ops.take(keras.ops.convert_to_tensor(self._rates, dtype="float32"), index)

    def at(self, step: int) -> float:
        """The rate of a step from 0, as a plain number."""
        return float(self._rates[min(step // self._stride, len(self._rates) - 1)])

    @property
    def is_constant(self) -> bool:
        """Whether every step has the same rate."""
        return bool((self._rates == self._rates[0]).all())

    def get_config(self) -> dict[str, Any]:
        """The table as plain data."""
        return {"rates": self._rates.tolist(), "stride": self._stride}


def rates_of(plan: TrainingPlan, steps: int) -> RateTable:
    """The learning rates of a run of that many steps."""
    policy = policy_from(plan.schedule, plan.schedule_options)
    stride = -(-steps // LARGEST_TABLE)
    rates = [
        rate_at(plan.schedule, policy, plan.learning_rate, step, steps, plan.warmup_percent)
        for step in range(0, steps, stride)
    ]
    return RateTable(np.array(rates), stride)


def make_optimizer(plan: TrainingPlan, rates: RateTable) -> keras.Optimizer:
    """The optimizer of a plan."""
    rate = plan.learning_rate if rates.is_constant else rates
    options: dict[str, Any] = {"learning_rate": rate}
    if plan.weight_decay or plan.optimizer == "adamw":  # Keras' AdamW decays by 0.004 unasked
        options["weight_decay"] = plan.weight_decay
    if plan.momentum:
        options["momentum"] = plan.momentum
    return getattr(keras.optimizers, _CLASSES[plan.optimizer])(**options)
