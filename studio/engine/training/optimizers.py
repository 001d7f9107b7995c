"""Optimizers: their names, parameters and usual rates as plain data. Never imports Keras.

To add an optimizer: 1. write its parameters as a plan; 2. list an `Optimizer` in `OPTIMIZERS`, and
its name in `plan.OptimizerName`. Form, option and the test that it trains follow by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.engine.plans import Condition, Plan, expert_field, plan_field
from studio.engine.registry import Registry

# How an optimizer is declared.


class OptimizerOptions(Plan):
    """Parameters that an optimizer has beside those that all have (`TrainingPlan`)."""

    def arguments(self) -> dict[str, object]:
        """Return the arguments of the Keras optimizer."""
        return self.model_dump()


@dataclass(frozen=True, slots=True)
class Optimizer:
    """A rule that turns gradients into steps.

    Attributes:
        name: Stable name, as in files and on the command line.
        label: Shown name.
        summary: One line: what it is good for.
        parameters: Plan of its own parameters.
        usual_rate: A learning rate that mostly works; others may be ten times off.
        usual_rates: Between which rates most trainings lie, fine-tuning among them.
        fails_on: Backends on which it does not work, each with the reason.
        takes_layer_rates: True if layers may have separate rates.
        keras_class: Name of its class in `keras.optimizers`, where that is not the label.
    """

    name: str
    label: str
    summary: str
    parameters: type[OptimizerOptions]
    usual_rate: float
    usual_rates: tuple[float, float]
    fails_on: Mapping[str, str] = field(default_factory=dict)
    takes_layer_rates: bool = True
    keras_class: str = ""

    @property
    def keras_name(self) -> str:
        """Name of its class in `keras.optimizers`."""
        return self.keras_class or self.label

    def options(self, values: Mapping[str, object]) -> OptimizerOptions:
        """Read its parameters from plain data.

        Raises:
            StudioError: They do not fit.
        """
        return self.parameters.parse(dict(values))


# Parameters that several optimizers share.


def decay_field(  # the result is any, as that of `plan_field`
    default: float, label: str, text: str, *, why: str
) -> Any:  # noqa: ANN401
    """Declare a decay factor of a running mean, from 0 to below 1.

    Args:
        default: Default value.
        label: Name of the field in forms.
        text: Help text.
        why: Why one would change it.
    """
    return expert_field(default, label=label, help=text, why=why, ge=0, lt=1)


def beta_1_field(default: float = 0.9) -> Any:  # noqa: ANN401 - as `plan_field`
    """Return a field for the decay of the running mean of gradients."""
    return decay_field(
        default,
        "Beta 1",
        "Decay rate of the mean gradient.",
        why="The momentum of this optimizer: closer to 1 is more stable, 0.5 to 0.8 adapts "
        "faster.",
    )


def beta_2_field(default: float = 0.999) -> Any:  # noqa: ANN401 - as `plan_field`
    """Return a field for the decay of the running mean of squared gradients."""
    return decay_field(
        default,
        "Beta 2",
        "Decay rate of the mean squared gradient (beta 2).",
        why="0.95 to 0.99 if the loss jumps late in training: large gradients take effect sooner.",
    )


def epsilon_field(default: float = 1e-7) -> Any:  # noqa: ANN401 - as `plan_field`
    """Return the field of the number that avoids divisions by zero."""
    return expert_field(
        default,
        label="Epsilon",
        help="Added to the divisor; larger values stabilize the first steps.",
        why="1e-4 if 16-bit numbers overflow; up to 0.1 if steps are erratic.",
        left_open=(0, 1),
        scale="log",
    )


def accumulator_field() -> Any:  # noqa: ANN401 - as `plan_field`
    """Return the field of the initial value of sums of squared gradients."""
    return expert_field(
        0.1,
        label="First sum",
        help="Initial sum of squared gradients; larger values stabilize the first steps.",
        why="Raise it if the loss jumps during the first steps; 0.1 is usual.",
        within=(0, 1e6),
    )


def momentum_field(default: float = 0.0) -> Any:  # noqa: ANN401 - as `plan_field`
    """Return a field for the momentum: the fraction of the previous step."""
    return plan_field(
        default,
        label="Momentum",
        help="Fraction of the previous step that is kept.",
        why="0.9 converges faster along narrow valleys of the loss.",
        right_open=(0, 1),
    )


# Stochastic gradient descent.


class SgdOptions(OptimizerOptions):
    """Steps along the gradient, perhaps with some of the step before."""

    momentum: float = momentum_field()
    nesterov: bool = plan_field(
        False,
        label="Nesterov",
        help="Use Nesterov momentum.",
        why="Often slightly faster, at no cost.",
        applicable_when=Condition(("momentum",), "Momentum is 0"),
    )


# Adam and its nearest relatives.


class MomentOptions(OptimizerOptions):
    """Two running means, of gradients and of their squares."""

    beta_1: float = beta_1_field()
    beta_2: float = beta_2_field()
    epsilon: float = epsilon_field()


class AdamOptions(MomentOptions):
    """Running means, perhaps with the largest one so far.

    Source: D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015;
    AMSGrad: S. J. Reddi et al., "On the convergence of Adam and beyond", ICLR 2018.
    """

    amsgrad: bool = expert_field(
        False,
        label="AMSGrad",
        help="Divide by the largest mean so far, so that steps never grow again.",
        why="Use if the loss rises again late in training; needs one more number per weight.",
    )


# I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", ICLR 2019.
# T. Dozat, "Incorporating Nesterov momentum into Adam", ICLR workshop 2016.
# Kingma and Ba, section 7.1.
# Y. You et al., "Large batch optimization for deep learning", ICLR 2020.


# RMSprop.


class RmspropOptions(OptimizerOptions):
    """Gradients divided by their running size (T. Tieleman and G. Hinton, 2012)."""

    rho: float = decay_field(
        0.9,
        "Rho",
        "Decay rate of the mean squared gradient (beta 2).",
        why="Closer to 1 remembers longer and makes more even steps; 0.99 for small batches.",
    )
    momentum: float = momentum_field()
    epsilon: float = epsilon_field()
    centered: bool = expert_field(
        False,
        label="Centered",
        help="Divide by the deviation of gradients instead of their size.",
        why="Sometimes more stable with consistent gradients; needs one more number per weight.",
    )


# Adagrad, Adadelta and FTRL: they sum up what came before.


class AdagradOptions(OptimizerOptions):
    """Steps that become smaller by all gradients so far (J. Duchi et al., JMLR 12, 2011)."""

    initial_accumulator_value: float = accumulator_field()
    epsilon: float = epsilon_field()


class AdadeltaOptions(OptimizerOptions):
    """Steps in the units of the weights (M. D. Zeiler, 2012, arXiv:1212.5701)."""

    rho: float = decay_field(
        0.95,
        "Rho",
        "Decay rate of the running means.",
        why="Closer to 1 remembers longer and makes more even steps; rarely worth changing.",
    )
    epsilon: float = epsilon_field()


def _strength(label: str, text: str, *, why: str) -> float:
    found: float = expert_field(0.0, label=label, help=text, why=why, within=(0, 1000))
    return found


class FtrlOptions(OptimizerOptions):
    """FTRL, "follow the regularized leader" (H. B. McMahan et al., KDD 2013)."""

    learning_rate_power: float = expert_field(
        -0.5,
        label="Power of the rate",
        help="Exponent of the decay by the sum of squared gradients; 0 keeps the rate constant.",
        why="Usually -0.5; 0 for a rate that only the schedule changes.",
        within=(-2, 0),
    )
    initial_accumulator_value: float = accumulator_field()
    l1_regularization_strength: float = _strength(
        "L1",
        "Pulls weights to exactly zero.",
        why="Use for a small network with many weights of exactly 0.",
    )
    l2_regularization_strength: float = _strength(
        "L2",
        "Pulls weights towards zero.",
        why="Mostly stabilizes the steps; against overfitting use L2 shrinkage.",
    )
    l2_shrinkage_regularization_strength: float = _strength(
        "L2 shrinkage",
        "Pulls weights towards zero by the gradient itself.",
        why="Start with 0.0001 against overfitting.",
    )
    beta: float = _strength(
        "Beta",
        "Stabilizes the first steps.",
        why="Raise it if the loss jumps during the first steps.",
    )


# Optimizers of large networks: Adafactor, Lion, Muon and schedule-free AdamW.


class AdafactorOptions(OptimizerOptions):
    """Adafactor: second moments of rows and columns (N. Shazeer and M. Stern, ICML 2018)."""

    beta_2_decay: float = expert_field(
        -0.8,
        label="Decay of beta 2",
        help="Power of its growth.",
        why="Closer to 0 forgets old gradients sooner; rarely worth changing.",
        right_open=(-2, 0),
    )
    epsilon_1: float = expert_field(
        1e-30,
        label="Epsilon 1",
        help="Added to squared gradients.",
        why="Keeps numbers finite; no need to change it.",
        left_open=(0, 1),
    )
    epsilon_2: float = expert_field(
        1e-3,
        label="Epsilon 2",
        help="Smallest norm of weights by which steps are scaled.",
        why="Raise it if small weights hardly learn.",
        left_open=(0, 1),
    )
    clip_threshold: float = plan_field(
        1.0,
        label="Clip updates at",
        help="Largest root mean square of a step.",
        why="Lower it if the loss jumps; raise it if training is slow.",
        left_open=(0, 1000),
    )
    relative_step: bool = plan_field(
        False,
        label="Relative step",
        help="The rate also decreases with the square root of the steps; for a constant schedule.",
        why="As its authors trained: without a schedule.",
    )


class LionOptions(OptimizerOptions):
    """Signs of a mean gradient (X. Chen et al., NeurIPS 2023, arXiv:2302.06675)."""

    beta_1: float = beta_1_field()
    beta_2: float = beta_2_field(0.99)


def _coefficient(default: float, text: str) -> float:
    found: float = expert_field(
        default,
        label=text,
        help="Exponent of the polynomial.",
        why="Chosen by its author for few iterations; rarely worth changing.",
        within=(-100, 100),
    )
    return found


class MuonOptions(OptimizerOptions):
    """Orthogonalized steps for matrices and kernels, Adam for the rest (K. Jordan, 2024).

    Weight decay is that of the plan for both.
    """

    momentum: float = decay_field(
        0.95,
        "Momentum",
        "Decay rate of the mean gradient (beta 1).",
        why="Its author recommends 0.95; 0.9 is more stable with small batches.",
    )
    nesterov: bool = plan_field(
        True,
        label="Nesterov",
        help="Use Nesterov momentum.",
        why="Usually a little better; off to compare with plain momentum.",
    )
    ns_steps: int = plan_field(
        5,
        label="Rounds",
        help="Newton-Schulz iterations per step.",
        why="5 is enough; fewer are faster and less exact.",
        within=(1, 20),
    )
    rms_rate: float = plan_field(
        0.2,
        label="Size of steps",
        help="Scales steps to the size of Adam's.",
        why="With 0.2 it uses the same learning rates as Adam. 0 turns scaling off and needs "
        "another rate.",
        left_open=(0, 10),
    )
    adam_lr_ratio: float = plan_field(
        1.0,
        label="Rate of Adam",
        help="Factor of the learning rate for the rest.",
        why="Below 1 if the head or biases become unstable while the rest still learns.",
        left_open=(0, 1000),
    )
    adam_beta_1: float = beta_1_field()
    adam_beta_2: float = beta_2_field()
    epsilon: float = epsilon_field()
    muon_a: float = _coefficient(3.4445, "First coefficient")
    muon_b: float = _coefficient(-4.775, "Third coefficient")
    muon_c: float = _coefficient(2.0315, "Fifth coefficient")
    exclude_embeddings: bool = expert_field(
        True,
        label="Adam for embeddings",
        help="Embeddings use Adam.",
        why="Its author recommends it: embeddings are tables, not weight matrices.",
    )
    exclude_layers: str = expert_field(
        "",
        label="Adam for layers",
        help="Parts of names, separated by commas; these layers use Adam.",
        why="Name the head here if it learns worse than with Adam.",
    )

    def arguments(self) -> dict[str, object]:
        """Return the arguments of the Keras optimizer."""
        names = [part.strip() for part in self.exclude_layers.split(",") if part.strip()]
        return {**self.model_dump(), "exclude_layers": names}


class ScheduleFreeOptions(OptimizerOptions):
    """AdamW that averages instead of slowing down (A. Defazio et al., NeurIPS 2024)."""

    beta_1: float = beta_1_field()
    beta_2: float = beta_2_field()
    epsilon: float = epsilon_field(1e-8)
    warmup_steps: int = plan_field(
        0,
        label="Warm-up",
        help="Steps in which the rate rises.",
        why="A few hundred stabilize the start of large networks; small ones need none.",
        unit="steps",
        within=(0, 10**6),
    )


OPTIMIZERS: Registry[Optimizer] = Registry(
    "optimizer",
    [
        Optimizer(
            "adam",
            "Adam",
            "Works without tuning: a good choice when unsure.",
            AdamOptions,
            1e-3,
            (1e-5, 1e-2),
        ),
        Optimizer(
            "adamw",
            "AdamW",
            "Adam with decoupled weight decay; the usual choice for transformers.",
            AdamOptions,
            1e-3,
            (1e-5, 1e-2),
        ),
        Optimizer(
            "sgd",
            "SGD",
            "Plain gradient descent; with momentum its final result is often slightly better than "
            "with Adam.",
            SgdOptions,
            1e-2,
            (1e-4, 0.5),
        ),
        Optimizer(
            "rmsprop",
            "RMSprop",
            "Divides each gradient by its moving average; robust for recurrent layers.",
            RmspropOptions,
            1e-3,
            (1e-5, 1e-2),
        ),
        Optimizer(
            "nadam",
            "Nadam",
            "Adam with Nesterov momentum.",
            MomentOptions,
            1e-3,
            (1e-5, 1e-2),
        ),
        Optimizer(
            "adamax",
            "Adamax",
            "Adam scaled by the largest gradients: more stable with rare, large gradients.",
            MomentOptions,
            1e-3,
            (1e-5, 2e-2),
        ),
        Optimizer(
            "adagrad",
            "Adagrad",
            "Decreasing steps, smaller for weights that changed a lot; for rare features.",
            AdagradOptions,
            1e-2,
            (1e-3, 0.1),
        ),
        Optimizer(
            "adadelta",
            "Adadelta",
            "Adapts its step size automatically; use a learning rate near 1.",
            AdadeltaOptions,
            1.0,
            (0.1, 2.0),
        ),
        Optimizer(
            "adafactor",
            "Adafactor",
            "Like Adam with a fraction of its memory, for very large networks.",
            AdafactorOptions,
            1e-2,
            (1e-4, 3e-2),
        ),
        Optimizer(
            "lion",
            "Lion",
            "Steps of constant size; use a third of Adam's rate and more weight decay.",
            LionOptions,
            3e-4,
            (1e-6, 1e-3),
        ),
        Optimizer(
            "lamb",
            "LAMB",
            "Adam scaled by the size of each layer's weights, for very large batches.",
            MomentOptions,
            1e-2,
            (1e-4, 3e-2),
            keras_class="Lamb",
        ),
        Optimizer(
            "muon",
            "Muon",
            "Orthogonalizes the update of each kernel; fast for large networks.",
            MuonOptions,
            1e-3,
            (1e-5, 3e-2),
        ),
        Optimizer(
            "ftrl",
            "FTRL",
            "Made for linear models with sparse weights; slow in deep networks.",
            FtrlOptions,
            0.1,
            (1e-2, 0.5),
            takes_layer_rates=False,
            keras_class="Ftrl",
        ),
        Optimizer(
            "schedule_free_adamw",
            "Schedule-free AdamW",
            "Needs no schedule, because it averages its weights.",
            ScheduleFreeOptions,
            2.5e-3,
            (1e-4, 1e-2),
            fails_on={"tensorflow": "with Keras 3.15 its loss does not fall on TensorFlow"},
            keras_class="ScheduleFreeAdamW",
        ),
    ],
)
