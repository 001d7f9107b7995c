"""RMSprop."""

from __future__ import annotations

from studio.engine.plans import plan_field
from studio.engine.training.optimizers.fields import decay_field, epsilon_field, momentum_field
from studio.engine.training.optimizers.optimizer import Optimizer, OptimizerOptions


class RmspropOptions(OptimizerOptions):
    """Gradients divided by their running size (T. Tieleman and G. Hinton, 2012)."""

    rho: float = decay_field(
        0.9,
        "Rho",
        "Share of the mean squared gradient that is kept.",
        why="Closer to 1 remembers longer and steps more evenly; 0.99 for small batches.",
    )
    momentum: float = momentum_field()
    epsilon: float = epsilon_field()
    centered: bool = plan_field(
        False,
        label="Centered",
        help="Divide by the deviation of gradients instead of their size.",
        why="Sometimes calmer where gradients keep one direction; costs one more "
        "number per weight.",
        level="expert",
    )


RMSPROP = Optimizer(
    "rmsprop",
    "RMSprop",
    "Divides each gradient by its usual size; robust for recurrent layers.",
    "RMSprop",
    RmspropOptions,
    1e-3,
    (1e-5, 1e-2),
)
