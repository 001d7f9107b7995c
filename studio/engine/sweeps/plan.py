"""Plan of a sweep. Never imports NumPy or Optuna: the window reads this at its start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, field_validator, model_validator

from studio.engine.errors import did_you_mean
from studio.engine.networks.spec import NetworkSpec
from studio.engine.plans import Condition, Plan, plan_field
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import VALIDATION
from studio.engine.training.plan import TrainingPlan

Direction = Literal["maximize", "minimize"]


@dataclass(frozen=True, slots=True)
class Objective:
    """A figure of a run that a sweep makes as good as it can.

    Attributes:
        name: As in plans and on the command line.
        label: Two or three words.
        direction: Which way is better.
        per_epoch: Whether every epoch tells it, so that a pruner has something to go by.
        unit: Of its values.
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


OBJECTIVES: dict[str, Objective] = {
    objective.name: objective
    for objective in (
        *(
            Objective(each.name, each.label, "maximize" if each.higher_is_better else "minimize")
            for each in MEASURED_METRICS.values()
        ),
        Objective("parameters", "Parameters", "minimize", per_epoch=False),
        Objective("size", "Size of the model", "minimize", per_epoch=False, unit="B"),
        Objective("seconds", "Training time", "minimize", per_epoch=False, unit="s"),
        Objective("latency", "Latency of an image", "minimize", per_epoch=False, unit="ms"),
    )
}


def _known(name: str) -> str:
    if name not in OBJECTIVES:
        raise ValueError(f'there is no objective "{name}". {did_you_mean(name, OBJECTIVES)}')
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
        help="The field, by its dotted name.",
        why="The learning rate matters most, then batch size, weight decay and the network.",
    )
    values: tuple[Value, ...] = plan_field(
        (),
        label="Values",
        help="The values it takes.",
        why="When few values make sense, as with networks or optimizers.",
    )
    low: float | None = plan_field(
        None,
        label="From",
        help="Least value of a range.",
        why="Two powers of ten below what you think right is wide enough.",
    )
    high: float | None = plan_field(
        None,
        label="To",
        help="Greatest value of a range.",
        why="Two powers of ten above what you think right is wide enough.",
    )
    scale: Scale = plan_field(
        "linear",
        label="Scale",
        help="Whether differences or ratios of its values count.",
        why="Logarithmic for rates and decays: 0.001 to 0.01 is then as long a "
        "way as 0.01 to 0.1.",
        labels={"linear": "Linear", "log": "Logarithmic"},
    )
    step: float | None = plan_field(
        None,
        label="Step",
        help="Distance of the values of a linear range.",
        why="When values between make no difference, as with batch sizes.",
        gt=0,
    )
    count: int | None = plan_field(
        None,
        label="Values",
        help="How many values of a range a grid takes.",
        why="Every field multiplies the trials of a grid: 3 to 5 values are plenty.",
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
            raise ValueError(f"{self.field} needs either values or both ends of a range")
        if self.low is None or self.high is None:
            return self
        if not self.low < self.high:
            raise ValueError(
                f"the range of {self.field} must rise; received {self.low:g} to {self.high:g}"
            )
        if self.scale == "log" and self.low <= 0:
            raise ValueError(
                f"a logarithmic range begins above 0; {self.field} received {self.low:g}"
            )
        if self.scale == "log" and self.step is not None:
            raise ValueError(f"a logarithmic range has no step; {self.field} received one")
        if self.step is not None and math.floor((self.high - self.low) / self.step) < 1:
            raise ValueError(f"the step of {self.field} is longer than its range")
        return self


class SweepPlan(Plan):
    """Many runs of one plan, each with other values of some of its fields."""

    version: Literal[1] = 1
    base: TrainingPlan = plan_field(
        label="Training", help="The plan of every run but for what varies.", level="hidden"
    )
    dimensions: tuple[Dimension, ...] = plan_field(
        label="Varied", help="The fields that vary, and over what.", level="hidden"
    )
    designs: dict[str, NetworkSpec] = plan_field(
        {},
        label="Drawn networks",
        help="Those among the networks that vary, by name; set when the sweep is asked for.",
        level="hidden",
    )
    sampler: SamplerName = plan_field(
        GRID,
        label="Sampler",
        help="How the next values are chosen.",
        why="A grid tries everything; TPE learns from the trials before and needs far fewer of "
        "them where many fields vary.",
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
        label="Early end",
        help="Which trials end before their last epoch because others do better.",
        why="Saves most of the time of a sweep where the first epochs tell much.",
        level="expert",
        labels={
            "none": "None: all run to their end",
            "asha": "Successive halving (ASHA)",
            "hyperband": "Hyperband",
            "median": "Worse than the median",
        },
    )
    objectives: tuple[ObjectiveName, ...] = plan_field(
        ("val_accuracy",),
        label="Objectives",
        help="What is to be as good as possible; several give a front of best trials.",
        level="hidden",
    )
    seeds: int = plan_field(
        1,
        label="Seeds",
        help="How often a trial is repeated, each time with another seed.",
        why="The spread between repeats says which differences between trials are chance.",
        level="expert",
        within=(1, 100),
    )
    trials: int | None = plan_field(
        None,
        label="Trials",
        help="How many trials at most; a grid without it tries everything.",
        why="10 to 20 for each field that varies is a good start; a search can be extended later.",
        within=(1, 1_000_000),
    )
    hours: float | None = plan_field(
        None,
        label="Time",
        help="After how many hours no other trial begins.",
        why="Lets a search use a night: trials that have begun are finished.",
        level="expert",
        unit="h",
        gt=0,
        le=10_000,
    )
    workers: int = plan_field(
        1,
        label="At once",
        help="How many runs at the same time; they share devices where there are too few.",
        why="Small networks leave most of a machine idle.",
        level="expert",
        within=(1, 256),
    )
    sampler_seed: int = plan_field(
        0,
        label="Seed of the sampler",
        help="The same seed chooses the same values.",
        why="Keep it to repeat a search; change it to see whether another one finds the same.",
        level="expert",
        within=(0, 2**32 - 1),
        applicable_when=Condition(
            ("sampler",),
            "A grid leaves nothing to chance",
            ("random", "tpe", "gp", "cmaes", "quasi_random"),
        ),
    )
