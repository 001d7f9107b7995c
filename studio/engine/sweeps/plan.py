"""Plan of a sweep. Never imports NumPy or Optuna: the window reads this at its start."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, field_validator, model_validator

from studio.engine.errors import did_you_mean
from studio.engine.messages import joined, message
from studio.engine.networks.spec import NetworkSpec
from studio.engine.plans import Condition, Plan, plan_field
from studio.engine.registry import ComputedMapping
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import VALIDATION
from studio.engine.training.plan import TrainingPlan

Direction = Literal["maximize", "minimize"]


@dataclass(frozen=True, slots=True)
class Objective:
    """A figure of a run that a sweep makes as good as it can.

    Attributes:
        name: Name in plans and on the command line.
        label: Two or three words.
        direction: Direction of improvement.
        per_epoch: True if it is measured in every epoch, as pruners need.
        unit: Unit of its values.
    """

    name: str
    label: str
    direction: Direction
    per_epoch: bool = True
    unit: str = ""

    @property
    def needs_validation(self) -> bool:
        """True if the dataset must have validation images."""
        return self.name.startswith(VALIDATION)


_COSTS = (
    Objective("parameters", "Parameters", "minimize", per_epoch=False),
    Objective("size", "Size of the model", "minimize", per_epoch=False, unit="B"),
    Objective("seconds", "Training time", "minimize", per_epoch=False, unit="s"),
    Objective("latency", "Latency of an image", "minimize", per_epoch=False, unit="ms"),
)


def _objectives() -> dict[str, Objective]:
    metrics = (
        Objective(each.name, each.label, "maximize" if each.higher_is_better else "minimize")
        for each in MEASURED_METRICS.values()
    )
    return {objective.name: objective for objective in (*metrics, *_COSTS)}


OBJECTIVES: Mapping[str, Objective] = ComputedMapping(_objectives)
"""Everything that a sweep can optimize, by name."""


def _known(name: str) -> str:
    if name not in OBJECTIVES:
        unknown = message('there is no objective "{name}".', name=name)
        raise ValueError(joined((unknown, did_you_mean(name, OBJECTIVES))))
    return name


ObjectiveName = Annotated[str, AfterValidator(_known)]
"""The name of one of them, in plans."""


Scale = Literal["linear", "log"]
Value = bool | int | float | str
"""One value of a dimension, as plans hold it."""

SamplerName = Literal["grid", "random", "tpe", "gp", "cmaes", "quasi_random"]
PrunerName = Literal["none", "asha", "hyperband", "median"]
GRID: SamplerName = "grid"
NO_PRUNER: PrunerName = "none"


class Dimension(Plan):
    """One field that varies (see `fields`): over given values, or over a range."""

    field: str = plan_field(
        label="Field",
        help="Dotted name of the field.",
        why="Start with the learning rate, then batch size, weight decay and the network.",
    )
    values: tuple[Value, ...] = plan_field(
        (),
        label="Values",
        help="Values of the field.",
        why="Use for few distinct values, such as networks or optimizers.",
    )
    low: float | None = plan_field(
        None,
        label="From",
        help="Minimum of the range.",
        why="Two powers of ten below the expected value is enough.",
    )
    high: float | None = plan_field(
        None,
        label="To",
        help="Maximum of the range.",
        why="Two powers of ten above the expected value is enough.",
    )
    scale: Scale = plan_field(
        "linear",
        label="Scale",
        help="Linear or logarithmic scale of the values.",
        why="Use logarithmic for learning rates and weight decay: each power of ten is "
        "sampled equally.",
        labels={"linear": "Linear", "log": "Logarithmic"},
    )
    step: float | None = plan_field(
        None,
        label="Step",
        help="Step between the values of a linear range.",
        why="Use where intermediate values make no difference, as with batch sizes.",
        gt=0,
    )
    count: int | None = plan_field(
        None,
        label="Values",
        help="Number of values of a range in a grid.",
        why="3 to 5 values are enough: every field multiplies the trials of a grid.",
        within=(2, 10_000),
    )

    @field_validator("field")
    @classmethod
    def _current_field(cls, name: str) -> str:
        return TrainingPlan.current_name(name)

    @property
    def is_range(self) -> bool:
        """True if it takes any value between two limits."""
        return self.low is not None

    @model_validator(mode="after")
    def _is_whole(self) -> Dimension:
        if (self.low is None) != (self.high is None) or bool(self.values) == self.is_range:
            raise ValueError(
                message("{field} needs either values or both ends of a range", field=self.field)
            )
        if self.low is None or self.high is None:
            return self
        if not self.low < self.high:
            raise ValueError(
                message(
                    "the range of {field} must rise; received {low:g} to {high:g}",
                    field=self.field,
                    low=self.low,
                    high=self.high,
                )
            )
        if self.scale == "log" and self.low <= 0:
            raise ValueError(
                message(
                    "a logarithmic range must begin above 0; {field} received {low:g}",
                    field=self.field,
                    low=self.low,
                )
            )
        if self.scale == "log" and self.step is not None:
            raise ValueError(
                message(
                    "a logarithmic range cannot have a step; {field} received one",
                    field=self.field,
                )
            )
        if self.step is not None and math.floor((self.high - self.low) / self.step) < 1:
            raise ValueError(
                message("the step of {field} is longer than its range", field=self.field)
            )
        return self


class SweepPlan(Plan):
    """Many runs of one plan, each with other values of some of its fields."""

    version: Literal[1] = 1
    base: TrainingPlan = plan_field(
        label="Training", help="Plan of every run, except for the varied fields.", level="hidden"
    )
    dimensions: tuple[Dimension, ...] = plan_field(
        label="Varied", help="Varied fields and their values.", level="hidden"
    )
    designs: dict[str, NetworkSpec] = plan_field(
        {},
        label="Drawn networks",
        help="Varied networks by name; set when the sweep starts.",
        level="hidden",
    )
    sampler: SamplerName = plan_field(
        GRID,
        label="Sampler",
        help="Algorithm that selects the next values.",
        why="A grid tries all combinations. TPE learns from earlier trials and needs far "
        "fewer if many fields vary.",
        labels={
            "grid": "Grid: every combination",
            "random": "Random",
            "tpe": "TPE (Bayesian)",
            "gp": "Gaussian process (Bayesian)",
            "cmaes": "CMA-ES (evolution)",
            "quasi_random": "Quasi-random (Sobol)",
        },
    )
    pruner: PrunerName = plan_field(
        NO_PRUNER,
        label="Pruning",
        help="Early termination of trials that perform worse than others.",
        why="Use it to save time if the first epochs predict the result well.",
        level="expert",
        labels={
            "none": "None: all trials run to the end",
            "asha": "Successive halving (ASHA)",
            "hyperband": "Hyperband",
            "median": "Worse than the median",
        },
    )
    objectives: tuple[ObjectiveName, ...] = plan_field(
        ("val_accuracy",),
        label="Objectives",
        help="Metrics to optimize; several produce a Pareto front.",
        level="hidden",
    )
    seeds: int = plan_field(
        1,
        label="Seeds",
        help="Number of repetitions of each trial with different seeds.",
        why="Use several seeds to distinguish real differences between trials from chance.",
        level="expert",
        within=(1, 100),
    )
    trials: int | None = plan_field(
        None,
        label="Trials",
        help="Maximum number of trials; empty runs a whole grid.",
        why="Start with 10 to 20 per varied field. You can extend the sweep later.",
        within=(1, 1_000_000),
    )
    hours: float | None = plan_field(
        None,
        label="Time",
        help="Hours after which no new trial starts.",
        why="Use it to limit a sweep to a night, for example. Running trials are finished.",
        level="expert",
        unit="h",
        gt=0,
        le=10_000,
    )
    workers: int = plan_field(
        1,
        label="At once",
        help="Number of concurrent runs; they share devices if there are too few.",
        why="Increase it for small networks, which use only part of a machine.",
        level="expert",
        within=(1, 256),
    )
    sampler_seed: int = plan_field(
        0,
        label="Seed of the sampler",
        help="Seed that determines the selected values.",
        why="Keep it to reproduce a sweep; change it to test whether the result is stable.",
        level="expert",
        within=(0, 2**32 - 1),
        applicable_when=Condition(
            ("sampler",),
            "A grid has no randomness",
            ("random", "tpe", "gp", "cmaes", "quasi_random"),
        ),
    )
