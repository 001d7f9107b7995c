"""What a task declares: the only place where the engine learns how tasks differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from studio.engine.tasks.metric import MetricSpec

AUTO: Final = "auto"
"""Stands in plans for the primary metric of the task."""


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of question that networks answer about images.

    Attributes:
        name: Its name in files and on the command line.
        label: Its name for people.
        metrics: Measured while training, on training and on validation images; the first is the
            one that a run is known by.
        step_metrics: Names of those that are written for every training step.
        learning: Module of the worker that trains it with Keras; see `compute.tasks`.
    """

    name: str
    label: str
    metrics: tuple[MetricSpec, ...]
    step_metrics: tuple[str, ...]
    learning: str

    @property
    def measured(self) -> tuple[MetricSpec, ...]:
        """All metrics of a run: those on validation images, then those on training images."""
        return (*(each.on_validation for each in self.metrics), *self.metrics)

    @property
    def primary(self) -> MetricSpec:
        """The metric that a run is judged by where its plan names none."""
        return self.metrics[0].on_validation

    def watched(self, name: str) -> MetricSpec:
        """Return the metric that a plan is judged by; `AUTO` is the primary one.

        Raises:
            KeyError: The task has no such metric.
        """
        return self.primary if name == AUTO else self.spec(name)

    def spec(self, name: str) -> MetricSpec:
        """Return the metric of a name, with or without the prefix of validation.

        Raises:
            KeyError: The task has no such metric.
        """
        return {each.name: each for each in self.measured}[name]
