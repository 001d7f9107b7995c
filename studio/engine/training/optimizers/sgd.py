"""Stochastic gradient descent."""

from __future__ import annotations

from studio.engine.plans import plan_field
from studio.engine.training.optimizers.fields import momentum_field
from studio.engine.training.optimizers.optimizer import Optimizer, OptimizerOptions


class SgdOptions(OptimizerOptions):
    """Steps along the gradient, perhaps with some of the step before."""

    momentum: float = momentum_field()
    nesterov: bool = plan_field(
        False,
        label="Nesterov",
        help="Take the gradient where momentum leads to; acts with a momentum above 0.",
        why="Often reaches the same a little sooner; free of cost.",
    )


SGD = Optimizer(
    "sgd",
    "SGD",
    "Plain gradient descent; with momentum it often ends a little better than Adam.",
    "SGD",
    SgdOptions,
    1e-2,
    (1e-4, 0.5),
)
