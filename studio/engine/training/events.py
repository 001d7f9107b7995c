"""Events in the journal of a training run."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from studio.engine.jobs.event import Event, InnerPath, Number, Text
from studio.engine.tasks import DEFAULT_TASK

MOST_STEPS = 10_000_000
"""Steps of one line, and between two lines, at most (80 MB): only damaged lines tell of more."""


class TrainingBegan(Event):
    """The frame of a training run, written before its first step.

    `first_step` is the step from which a resumed run goes on, from 1: what the journal says of
    it and of later ones is void, they are done again. Protocol 1 did not name the `task`.
    """

    event: Literal["training"] = "training"
    task: Text = DEFAULT_TASK.name
    epochs: int = Field(ge=0)
    steps_per_epoch: int = Field(ge=0)
    train_images: int
    val_images: int
    parameters: int
    trainable_parameters: int
    backend: str
    device: str
    first_step: int = Field(default=1, ge=1)


class LayerNote(BaseModel):
    """A layer of a network or of a file, and what became of it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Text
    reason: Text


class WeightsLoaded(Event):
    """Where the weights of a network came from before its first step.

    Attributes:
        source: The file, run or collection.
        loaded: Names of the layers that were filled.
        parameters: How many weights that were.
        random: Layers that start from random weights, other than the head.
        unused: Layers of the source that nothing took.
        reversed_channels: Whether the first kernels were turned from blue-green-red.
    """

    event: Literal["weights"] = "weights"
    source: Text
    loaded: tuple[Text, ...]
    parameters: int
    random: tuple[LayerNote, ...] = ()
    unused: tuple[LayerNote, ...] = ()
    reversed_channels: bool = False


MOST_METRICS = 64
"""A run measures fewer; only a damaged or hostile line names more."""

Metrics = Annotated[dict[Text, Number], Field(max_length=MOST_METRICS)]
"""Values by the names that the task declares; those on validation images begin with `val_`."""

_PROTOCOL_1 = tuple(
    f"{split}{name}" for split in ("", "val_") for name in ("loss", "accuracy", "top_5")
)


def _with_metrics(data: object) -> object:
    """Read a line of protocol 1, in which each metric of classification was a field of its own."""
    if not isinstance(data, dict) or "metrics" in data:
        return data
    values = {name: data[name] for name in _PROTOCOL_1 if data.get(name) is not None}
    return {**data, "metrics": values}


class StepsDone(Event):
    """Every training step since the last such line: nothing is left out, only gathered.

    `first` and `last` are the numbers of the first and the last step (from 1, over the whole
    run). Each of the `metrics` has a value for every `every` steps, the mean over the images of
    those steps; the last value may be of fewer. Where `every` is 1 they are of each batch.
    """

    event: Literal["steps"] = "steps"
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    every: int = Field(default=1, ge=1, le=1000)
    metrics: Annotated[dict[Text, list[Number]], Field(max_length=MOST_METRICS)]
    learning_rate: Number
    images_per_second: Number

    _read_protocol_1 = model_validator(mode="before")(_with_metrics)

    @property
    def count(self) -> int:
        """Steps that have a value."""
        longest = max((len(values) for values in self.metrics.values()), default=0)
        return min(longest * self.every, max(0, self.last - self.first + 1))

    def per_step(self, name: str) -> list[float]:
        """Return a metric with a value for each of `count` steps, NaN where it has none."""
        values = self.metrics.get(name, [])
        each = [value for value in values for _ in range(self.every)][: self.count]
        return each + [math.nan] * (self.count - len(each))

    @model_validator(mode="after")
    def _fits_memory(self) -> Self:
        if self.count > MOST_STEPS:
            raise ValueError(f"one line tells of {self.count} steps")
        return self


class Measurement(Event):
    """Metrics at one point of a run.

    `epoch` is how many epochs are done, with its fraction.
    """

    epoch: float
    step: int
    metrics: Metrics
    learning_rate: Number
    is_best: bool = False

    _read_protocol_1 = model_validator(mode="before")(_with_metrics)

    def value(self, name: str) -> float:
        """Return a metric, NaN if it was not measured."""
        return self.metrics.get(name, math.nan)


class EpochDone(Measurement):
    """One epoch with its metrics.

    `seconds` is the wall time of the epoch with its validation; `images_per_second` is that of
    the training steps alone, without the first one (which compiles).
    """

    event: Literal["epoch"] = "epoch"
    epoch: int
    seconds: float
    images_per_second: Number


class ValidationDone(Measurement):
    """A validation in the middle of an epoch; the one at its end is in `EpochDone`."""

    event: Literal["validation"] = "validation"


class Saved(Event):
    """Everything that a run needs to go on from this step was written to the disk.

    `epoch` is how many epochs are done, with its fraction.
    """

    event: Literal["saved"] = "saved"
    step: int
    epoch: float


class InsightKept(Event):
    """What a network answered, and how its weights looked, was kept in a file of the record.

    `epoch` is how many epochs are done, with its fraction; `path` is relative to the record.
    """

    event: Literal["insight"] = "insight"
    epoch: float
    step: int
    path: InnerPath
