"""Learning-rate policies: pure functions of how much of training is done. Never imports Keras.

To add a policy: 1. write a parameter plan that has a `factor`; 2. list a `Schedule` in
`SCHEDULES`. Curve, form, option and tests follow by themselves.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BeforeValidator, model_validator

from studio.engine.messages import message
from studio.engine.plans import Plan, expert_field, plan_field
from studio.engine.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ROUNDING = 1e-9
"""Share of training by which a jump may come early, so that 33 % of 100 steps is step 33."""


class Policy(Plan):
    """Parameters of a policy, and its formula.

    Progress runs from 0, before the first step, to 1, after the last: policies are measured in
    shares of training, as in DIGITS, so that they keep their shape when training gets longer.
    """

    @abstractmethod
    def factor(self, progress: float) -> float:
        """Return the factor of the base rate, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A learning-rate policy.

    Attributes:
        name: Stable name, as in files and on the command line.
        label: Shown name.
        summary: One line: how the rate goes.
        parameters: Plan of its parameters, with its formula.
    """

    name: str
    label: str
    summary: str
    parameters: type[Policy]

    def rate(self, parameters: Policy, base_rate: float, progress: float) -> float:
        """Return the learning rate at a point of training.

        Args:
            parameters: Parameters of this policy.
            base_rate: Rate at the start.
            progress: Share of training that is done, 0 to 1.

        Raises:
            TypeError: The parameters are those of another policy.
        """
        if not isinstance(parameters, self.parameters):
            raise TypeError(
                f"{self.name} takes {self.parameters.__name__}, "
                f"received {type(parameters).__name__}."
            )
        return base_rate * parameters.factor(progress)


# The same rate all along.


class ConstantPolicy(Policy):
    """rate = base, without parameters."""

    def factor(self, progress: float) -> float:  # noqa: ARG002 - it does not matter here
        """Always 1."""
        return 1.0


# Down by a factor every so often.


class StepPolicy(Policy):
    """rate = base * gamma ** floor(percent / step).

    Source: policy `step` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), measured in percent of
    training as in DIGITS.
    """

    step_percent: float = plan_field(
        33.0,
        label="Every",
        help="Fraction of training between two reductions of the rate.",
        why="33 % gives two reductions; use less for more of them.",
        unit="%",
        left_open=(0, 100),
    )
    gamma: float = plan_field(
        0.1,
        label="Factor",
        help="Factor of each reduction.",
        why="0.1 is the classic; 0.5 with many steps.",
        left_open=(0, 1),
        scale="log",
    )

    def factor(self, progress: float) -> float:
        """Return a staircase that goes down."""
        return self.gamma ** math.floor(100 * (progress + ROUNDING) / self.step_percent)


# Down by a factor at points of training that are named one by one.

_WHOLE = 100.0


def _numbers(value: object) -> object:
    """Return the list that a person typed, "50, 85" or "[50, 85]", as its parts."""
    if isinstance(value, str):
        parts = value.strip().removeprefix("[").removesuffix("]").split(",")
        return tuple(part.strip() for part in parts if part.strip())
    if isinstance(value, int | float):
        return (value,)
    return value


class MultistepPolicy(Policy):
    """rate = base * gamma ** (number of points that are reached).

    Source: policy `multistep` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), measured in
    percent of training as in DIGITS. The order of the points does not matter.
    """

    at_percent: Annotated[tuple[float, ...], BeforeValidator(_numbers)] = plan_field(
        (50.0, 85.0),
        label="At",
        help="Points of training at which the rate decreases, separated by commas.",
        why="Set them to where the validation curve has become flat.",
        unit="%",
    )
    gamma: float = plan_field(
        0.5,
        label="Factor",
        help="Factor of each reduction.",
        why="0.1 is the classic; 0.5 for more and smaller steps.",
        left_open=(0, 1),
    )

    def factor(self, progress: float) -> float:
        """Return a staircase with steps of different length."""
        done = 100 * (progress + ROUNDING)
        return float(self.gamma ** sum(point <= done for point in self.at_percent))

    @model_validator(mode="after")
    def _check_points(self) -> Self:
        outside = [point for point in self.at_percent if not 0 < point <= _WHOLE]
        if outside or not self.at_percent:
            raise ValueError(
                message(
                    "percentages above 0 and up to 100 are needed; received {received}",
                    received=", ".join(f"{point:g}" for point in self.at_percent)
                    or message("none"),
                )
            )
        return self


# Down by the same factor in every percent of training.


class ExponentialPolicy(Policy):
    """rate = base * gamma ** percent.

    Source: policy `exp` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), measured in percent of
    training as in DIGITS.
    """

    gamma: float = plan_field(
        0.95,
        label="Factor",
        help="Factor of the rate per percent of training.",
        why="0.95 ends at 0.6 % of the initial rate, 0.98 at 13 %.",
        left_open=(0, 1),
    )

    def factor(self, progress: float) -> float:
        """Return a curve that falls fast at first."""
        return float(self.gamma ** (100 * progress))


# Down as the inverse of time: fast at first, then ever more slowly.


class InversePolicy(Policy):
    """rate = base * (1 + gamma * percent) ** -power.

    Source: policy `inv` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), measured in percent of
    training as in DIGITS.
    """

    gamma: float = plan_field(
        0.1,
        label="Speed",
        help="Speed of the decay.",
        why="Higher values decrease sooner; 0.1 with a power of 0.5 leaves a third of the rate at "
        "the end.",
        within=(0, 1000),
        scale="log",
    )
    power: float = plan_field(
        0.5,
        label="Power",
        help="Lowest rate.",
        why="1 decreases as one divided by time, 0.5 more slowly, 0 not at all.",
        within=(0, 20),
    )

    def factor(self, progress: float) -> float:
        """Return a curve that never reaches zero."""
        return float((1 + self.gamma * 100 * progress) ** -self.power)


# Down to zero along a power of what is left of training.


class PolynomialPolicy(Policy):
    """rate = base * (1 - percent / 100) ** power.

    Source: policy `poly` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`).
    """

    power: float = plan_field(
        3.0,
        label="Power",
        help="1 is linear; higher powers decrease earlier.",
        why="1 or 2 keep the rate high for longer; 3 and more reduce it early.",
        left_open=(0, 20),
    )

    def factor(self, progress: float) -> float:
        """Return a curve that ends at zero."""
        return float((1 - progress) ** self.power)


# High at first, low in the end, with a smooth fall around one point.

_LARGEST_EXPONENT = 700.0


class SigmoidPolicy(Policy):
    """rate = base / (1 + exp(gamma * (percent - step))).

    Source: policy `sigmoid` of Caffe's solver (BVLC/caffe, `sgd_solver.cpp`), with the sign of
    DIGITS, which falls, and measured in percent of training. It starts a little below the base
    rate (at 99.3 % of it as defined here).
    """

    step_percent: float = plan_field(
        50.0,
        label="Middle",
        help="Point of training at which the rate is halved.",
        why="Set it to where the validation curve becomes flat.",
        unit="%",
        within=(0, 100),
    )
    gamma: float = plan_field(
        0.1,
        label="Steepness",
        help="Steepness of the decrease.",
        why="Low values are almost linear, high values almost a step.",
        left_open=(0, 100),
        scale="log",
    )

    def factor(self, progress: float) -> float:
        """Return an S-shaped curve that goes down."""
        exponent = self.gamma * (100 * progress - self.step_percent)
        return 1 / (1 + math.exp(min(exponent, _LARGEST_EXPONENT)))


# Half a cosine from the base rate down to a last one.


class CosinePolicy(Policy):
    """rate = base * (final + (1 - final) * (1 + cos(pi * progress)) / 2).

    Source: I. Loshchilov and F. Hutter, "SGDR: stochastic gradient descent with warm restarts",
    ICLR 2017, arXiv:1608.03983, equation 5, without restarts.
    """

    final_percent: float = expert_field(
        1.0,
        label="Last rate",
        help="Final rate, as a fraction of the initial one.",
        why="0 to 1 % is usual; the last epochs then make only small changes.",
        unit="%",
        within=(0, 100),
    )

    def factor(self, progress: float) -> float:
        """Return a curve that falls slowly at first, then fast, then slowly."""
        final = self.final_percent / 100
        return final + (1 - final) * (1 + math.cos(math.pi * progress)) / 2


# Cosine again and again, each time from a full or a lower rate.


class CosineRestartsPolicy(Policy):
    """Cosine in several rounds, each `length` times as long as the one before.

    Within round i, of which the share u is done, rate = base * decay ** i *
    (final + (1 - final) * (1 + cos(pi * u)) / 2).

    Source: I. Loshchilov and F. Hutter, "SGDR: stochastic gradient descent with warm restarts",
    ICLR 2017, arXiv:1608.03983, section 3; `length` is their T_mult.
    """

    rounds: int = plan_field(
        3,
        label="Rounds",
        help="Frequency of the reductions.",
        why="Each restart can escape a poor solution, but every round needs enough epochs; 2 to 4 "
        "are enough.",
        within=(1, 100),
    )
    length: float = plan_field(
        2.0,
        label="Growth",
        help="Length of each round relative to the previous one.",
        why="2 doubles each round; 1 makes all rounds equal.",
        within=(1, 10),
    )
    decay: float = plan_field(
        1.0,
        label="Factor",
        help="Factor of the highest rate in each new round.",
        why="Below 1 if restarts undo too much progress.",
        left_open=(0, 1),
    )
    final_percent: float = expert_field(
        1.0,
        label="Last rate",
        help="Rate at the end of a round, as a fraction of that at its start.",
        why="Near 0, every round ends in a good model.",
        unit="%",
        within=(0, 100),
    )

    def factor(self, progress: float) -> float:
        """Return a saw with rounded teeth."""
        lengths = [self.length**index for index in range(self.rounds)]
        left = progress * sum(lengths)
        index = 0
        while index + 1 < self.rounds and left + ROUNDING * sum(lengths) >= lengths[index]:
            left = max(left - lengths[index], 0.0)
            index += 1
        done = min(left / lengths[index], 1.0)
        final = self.final_percent / 100
        return float(
            self.decay**index * (final + (1 - final) * (1 + math.cos(math.pi * done)) / 2)
        )


# Up to the base rate and down below where it began, once.


class OneCyclePolicy(Policy):
    """From base * start up to base, then down to base * final, both along half a cosine.

    Source: L. N. Smith and N. Topin, "Super-convergence: very fast training of neural networks
    using large learning rates", 2018, arXiv:1708.07120; with cosines instead of straight lines.
    """

    rise_percent: float = plan_field(
        30.0,
        label="Rise",
        help="Fraction of training in which the rate increases.",
        why="30 % is usual; less when there are many epochs.",
        unit="%",
        within=(0, 100),
    )
    start_percent: float = plan_field(
        4.0,
        label="First rate",
        help="Initial rate, as a fraction of the highest.",
        why="4 to 10 %: low enough that the first steps cannot jump.",
        unit="%",
        left_open=(0, 100),
    )
    final_percent: float = expert_field(
        0.01,
        label="Last rate",
        help="Final rate, as a fraction of the highest.",
        why="Lower values make the last steps smaller.",
        unit="%",
        within=(0, 100),
    )

    def factor(self, progress: float) -> float:
        """Return one hill."""
        rise = self.rise_percent / 100
        if progress < rise:
            return _between(self.start_percent / 100, 1.0, progress / rise)
        fallen = (progress - rise) / (1 - rise) if rise < 1 else 0.0
        return _between(1.0, self.final_percent / 100, fallen)


def _between(first: float, last: float, done: float) -> float:
    return last + (first - last) * (1 + math.cos(math.pi * done)) / 2


SCHEDULES: Registry[Schedule] = Registry(
    "learning-rate policy",
    [
        Schedule("constant", "Constant", "A constant rate.", ConstantPolicy),
        Schedule(
            "step",
            "Step down",
            "Multiplies the rate by a factor after every third of training, or at a chosen "
            "interval.",
            StepPolicy,
        ),
        Schedule(
            "multistep",
            "Steps at given points",
            "Decreases by a factor at the given points of training.",
            MultistepPolicy,
        ),
        Schedule(
            "exponential",
            "Exponential",
            "Decreases by a constant percentage.",
            ExponentialPolicy,
        ),
        Schedule(
            "inverse", "Inverse", "Decreases fast at first, then ever more slowly.", InversePolicy
        ),
        Schedule(
            "polynomial",
            "Polynomial",
            "Decreases to zero: linearly, or earlier with a higher power.",
            PolynomialPolicy,
        ),
        Schedule(
            "sigmoid",
            "Sigmoid",
            "Stays high, then decreases smoothly around one point.",
            SigmoidPolicy,
        ),
        Schedule(
            "cosine",
            "Cosine",
            "Decreases slowly at first and at the end, fast in between: a good default.",
            CosinePolicy,
        ),
        Schedule(
            "cosine_restarts",
            "Cosine with restarts",
            "Decreases as a cosine in several rounds; each restart may escape a poor solution.",
            CosineRestartsPolicy,
        ),
        Schedule(
            "one_cycle",
            "One cycle",
            "Rises to the learning rate and falls far below: fast training with high rates.",
            OneCyclePolicy,
        ),
    ],
)


# The learning rate of every step: the policy, with warm-up before it.


def rate_at(
    name: str,
    parameters: Policy | Mapping[str, object],
    base_rate: float,
    step: int,
    total_steps: int,
    warmup_percent: float = 0.0,
) -> float:
    """Return the learning rate of one step.

    Warm-up rises in a straight line and reaches the base rate at its last step (P. Goyal et al.,
    "Accurate, large minibatch SGD", 2017, arXiv:1706.02677, section 2.2); the policy then runs
    over the steps that are left, so that the curve has no jump.

    Args:
        name: A name of `SCHEDULES`.
        parameters: Its parameters, or the plain data to build them from.
        base_rate: Rate at the start, or at the end of warm-up.
        step: Steps done before this one, from 0. Beyond the last the rate stays as it ends.
        total_steps: Steps of the whole training.
        warmup_percent: Share of training that warms up, 0 to 100.

    Raises:
        StudioError: There is no such policy, or its parameters do not fit.
    """
    schedule = SCHEDULES[name]
    policy = policy_from(name, parameters)
    warmup_steps = math.ceil(total_steps * warmup_percent / 100 - 1e-9)
    if step < warmup_steps:
        return base_rate * (step + 1) / warmup_steps
    progress = (step - warmup_steps) / max(total_steps - warmup_steps, 1)
    return schedule.rate(policy, base_rate, min(progress, 1.0))


def curve(
    name: str,
    parameters: Policy | Mapping[str, object],
    base_rate: float,
    total_steps: int,
    warmup_percent: float = 0.0,
    points: int = 1000,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the rates of all steps, or of evenly spread ones when there are many, to be drawn.

    Args:
        name: A name of `SCHEDULES`.
        parameters: Its parameters, or the plain data to build them from.
        base_rate: Rate at the start, or at the end of warm-up.
        total_steps: Steps of the whole training, at least 1.
        warmup_percent: Share of training that warms up, 0 to 100.
        points: Most points to give, at least 2; the first and the last step are always there.

    Returns:
        Steps and their rates, two arrays of one length.

    Raises:
        StudioError: There is no such policy, or its parameters do not fit.
    """
    import numpy as np  # noqa: PLC0415 - plans are read without it

    policy = policy_from(name, parameters)
    count = min(points, total_steps)
    steps = np.linspace(0, total_steps - 1, count).round().astype(np.int64)
    rates = [
        rate_at(name, policy, base_rate, int(step), total_steps, warmup_percent) for step in steps
    ]
    return steps, np.array(rates, dtype=np.float64)


def policy_from(name: str, parameters: Policy | Mapping[str, object]) -> Policy:
    """Validate the parameters of a learning-rate policy.

    Args:
        name: Name of the policy.
        parameters: Parameters as plain data.

    Raises:
        StudioError: There is no such policy, or its parameters are invalid.
    """
    if isinstance(parameters, Policy):
        return parameters
    return SCHEDULES[name].parameters.parse(dict(parameters))
