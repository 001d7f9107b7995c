"""From a training plan to a Keras optimizer whose learning rate follows the plan's schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.multipliers import with_multipliers
from studio.engine.errors import StudioError
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import policy_from, rate_at

LARGEST_TABLE = 100_000


class RateTable(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]  # untyped
    """The learning rate of every step, looked up: what the form draws is what training does.

    Setting the rate from a callback instead would not reach the JAX backend within an epoch.

    Args:
        rates: Learning rate of every `stride`-th step.
        stride: Steps that share one rate; 1 unless the run has very many.

    Attributes:
        factor: Of all rates. An optimizer must keep track of it as of its own variables: JAX
            would take any other for a constant.
        cut_so_far: The same, as a plain number.
    """

    def __init__(self, rates: NDArray[np.float64], stride: int) -> None:
        super().__init__()
        self._rates = rates
        self._stride = stride
        self.factor = keras.Variable(1.0, trainable=False, dtype="float32", name="rate_factor")
        self.cut_so_far = 1.0

    def __call__(self, step: Any) -> Any:  # noqa: ANN401 - a tensor of any backend
        """The rate of a step from 0; after the last step, the last rate."""
        index = keras.ops.cast(step, "int32") // self._stride
        index = keras.ops.minimum(index, len(self._rates) - 1)
        rates = keras.ops.convert_to_tensor(self._rates, dtype="float32")
        return keras.ops.take(rates, index) * self.factor

    def at(self, step: int) -> float:
        """The rate of a step from 0, as a plain number."""
        return (
            float(self._rates[min(step // self._stride, len(self._rates) - 1)]) * self.cut_so_far
        )

    def cut(self, factor: float) -> None:
        """Multiply all rates by a factor from the next step on."""
        self.cut_to(self.cut_so_far * factor)

    def cut_to(self, factor: float) -> None:
        """Let all rates be those of the schedule times a factor, from the next step on.

        In the middle of an epoch `jax_state_sync` of the model must have been called.
        """
        self.cut_so_far = factor
        self.factor.assign(factor)

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


def make_optimizer(
    plan: TrainingPlan, rates: RateTable, multipliers: Sequence[float] | None = None
) -> keras.Optimizer:
    """The optimizer of a plan.

    Args:
        plan: The plan.
        rates: The learning rate of every step.
        multipliers: Factor of each trainable variable of the model, in its order.

    Raises:
        StudioError: The parameters of the optimizer do not fit, or it takes no multipliers.
    """
    chosen = OPTIMIZERS[plan.optimizer]
    options: dict[str, Any] = chosen.options(plan.optimizer_options).arguments()
    options["learning_rate"] = rates
    # Said also where it is 0: some of Keras' own decay by 0.004 unasked.
    options["weight_decay"] = plan.weight_decay or None
    kind = getattr(keras.optimizers, chosen.keras_name)
    if plan.optimizer == "muon":
        options["adam_weight_decay"] = options["weight_decay"]
    elif plan.optimizer == "adamw":
        options["weight_decay"] = plan.weight_decay
    if multipliers is not None:
        if not chosen.takes_layer_rates:
            raise StudioError(
                f"{chosen.label} cannot give layers rates of their own.",
                "Choose another optimizer.",
                "optimizer",
            )
        kind = with_multipliers(kind, multipliers)
    optimizer = kind(**options, **_common(plan))
    optimizer._track_variable(rates.factor)  # noqa: SLF001 - no public way
    return optimizer


def _common(plan: TrainingPlan) -> dict[str, Any]:
    """What all optimizers take."""
    options: dict[str, Any] = {
        "clipnorm": plan.clip_norm or None,
        "global_clipnorm": plan.clip_global_norm or None,
        "clipvalue": plan.clip_value or None,
        "gradient_accumulation_steps": plan.accumulate if plan.accumulate > 1 else None,
    }
    if plan.average_weights:
        options |= {"use_ema": True, "ema_momentum": plan.average_weights}
    return options
