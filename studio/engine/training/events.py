"""Events in the journal of a training run."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from studio.engine.jobs.event import Event, InnerPath, Number, Text

MOST_STEPS = 10_000_000
"""Steps of one line, and between two lines, at most (80 MB): only damaged lines tell of more."""


class TrainingBegan(Event):
    """The frame of a training run, written before its first step.

    `first_step` is the step from which a resumed run goes on, from 1: what the journal says of
    it and of later ones is void, they are done again.
    """

    event: Literal["training"] = "training"
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


class StepsDone(Event):
    """Every training step since the last such line: nothing is thinned away, only gathered.

    `first` and `last` are the numbers of the first and the last step (from 1, over the whole
    run). `loss` and `accuracy` have a value for every `every` steps, each the mean over the images
    of those steps; the last value may be of fewer. Where `every` is 1 they are of each batch.
    """

    event: Literal["steps"] = "steps"
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    every: int = Field(default=1, ge=1, le=1000)
    loss: list[Number]
    accuracy: list[Number]
    learning_rate: Number
    images_per_second: Number

    @property
    def count(self) -> int:
        """Steps of which it tells."""
        told = max(len(self.loss), len(self.accuracy)) * self.every
        return min(told, max(0, self.last - self.first + 1))

    def per_step(self, values: list[float]) -> list[float]:
        """`loss` or `accuracy` with a value for each of `count` steps, NaN where it has none."""
        each = [value for value in values for _ in range(self.every)][: self.count]
        return each + [math.nan] * (self.count - len(each))

    @model_validator(mode="after")
    def _fits_memory(self) -> Self:
        if self.count > MOST_STEPS:
            raise ValueError(f"one line tells of {self.count} steps")
        return self


class EpochDone(Event):
    """One epoch with its metrics.

    `seconds` is the wall time of the epoch with its validation; `images_per_second` is that of
    the training steps alone, without the first one (which compiles). `top_5` is the share of
    images whose class is among the five most likely, measured where there are more than five.
    """

    event: Literal["epoch"] = "epoch"
    epoch: int
    step: int
    loss: Number
    accuracy: Number
    val_loss: Number = math.nan
    val_accuracy: Number = math.nan
    learning_rate: Number
    seconds: float
    images_per_second: Number
    is_best: bool = False
    top_5: Number = math.nan
    val_top_5: Number = math.nan


class ValidationDone(Event):
    """A validation in the middle of an epoch; the one at its end is in `EpochDone`.

    `epoch` is how many epochs are done, with its fraction.
    """

    event: Literal["validation"] = "validation"
    epoch: float
    step: int
    val_loss: Number = math.nan
    val_accuracy: Number = math.nan
    val_top_5: Number = math.nan
    learning_rate: Number
    is_best: bool = False


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
