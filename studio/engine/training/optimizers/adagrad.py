"""Adagrad, Adadelta and FTRL: they sum up what came before."""

from __future__ import annotations

from studio.engine.plans import plan_field
from studio.engine.training.optimizers.fields import accumulator_field, decay_field, epsilon_field
from studio.engine.training.optimizers.optimizer import Optimizer, OptimizerOptions


class AdagradOptions(OptimizerOptions):
    """Steps that become smaller by all gradients so far (J. Duchi et al., JMLR 12, 2011)."""

    initial_accumulator_value: float = accumulator_field()
    epsilon: float = epsilon_field()


class AdadeltaOptions(OptimizerOptions):
    """Steps in the units of the weights (M. D. Zeiler, 2012, arXiv:1212.5701)."""

    rho: float = decay_field(
        0.95,
        "Rho",
        "Share of the running means that every step keeps.",
        why="Closer to 1 remembers longer and steps more evenly; seldom worth a change.",
    )
    epsilon: float = epsilon_field()


def _strength(label: str, text: str, *, why: str) -> float:
    found: float = plan_field(0.0, label=label, help=text, why=why, level="expert", ge=0, le=1000)
    return found


class FtrlOptions(OptimizerOptions):
    """Follow the regularized leader (H. B. McMahan et al., KDD 2013)."""

    learning_rate_power: float = plan_field(
        -0.5,
        label="Power of the rate",
        help="How the rate falls with the sum of squares; 0 keeps it as it is.",
        why="-0.5 is the usual. 0 for a rate that only the schedule changes.",
        level="expert",
        ge=-2,
        le=0,
    )
    initial_accumulator_value: float = accumulator_field()
    l1_regularization_strength: float = _strength(
        "L1",
        "Pulls weights to exactly zero.",
        why="Where a small network is wanted in which many weights are exactly 0.",
    )
    l2_regularization_strength: float = _strength(
        "L2",
        "Pulls weights towards zero.",
        why="Mostly calms the steps; against over-fitting take L2 shrinkage.",
    )
    l2_shrinkage_regularization_strength: float = _strength(
        "L2 shrinkage",
        "Pulls weights towards zero by the gradient itself.",
        why="0.0001 is a start against over-fitting.",
    )
    beta: float = _strength(
        "Beta", "Calms the first steps.", why="Raise it when the first steps make the loss jump."
    )


ADAGRAD = Optimizer(
    "adagrad",
    "Adagrad",
    "Ever smaller steps, less for weights that moved much; for rare features.",
    "Adagrad",
    AdagradOptions,
    1e-2,
    (1e-3, 0.1),
)
ADADELTA = Optimizer(
    "adadelta",
    "Adadelta",
    "Finds the size of its steps itself; give it a learning rate near 1.",
    "Adadelta",
    AdadeltaOptions,
    1.0,
    (0.1, 2.0),
)
FTRL = Optimizer(
    "ftrl",
    "FTRL",
    "Made for linear models with sparse weights; slow in deep networks.",
    "Ftrl",
    FtrlOptions,
    0.1,
    (1e-2, 0.5),
    takes_layer_rates=False,
)
