"""What a task declares: the only place where the engine learns how tasks differ."""

from __future__ import annotations

from dataclasses import dataclass

from studio.engine.tasks.metric import MetricSpec


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of question that networks answer about images.

    Attributes:
        name: Its name in files and on the command line.
        label: Its name for people.
        metrics: Measured while training, on training and on validation images; the first is the
            one that a run is known by.
        step_metrics: Names of those that are written for every training step.
    """

    name: str
    label: str
    metrics: tuple[MetricSpec, ...]
    step_metrics: tuple[str, ...]

    @property
    def measured(self) -> tuple[MetricSpec, ...]:
        """All metrics of a run: those on validation images, then those on training images."""
        return (*(each.on_validation for each in self.metrics), *self.metrics)

    def spec(self, name: str) -> MetricSpec:
        """Return the metric of a name, with or without the prefix of validation.

        Raises:
            KeyError: The task has no such metric.
        """
        return {each.name: each for each in self.measured}[name]
