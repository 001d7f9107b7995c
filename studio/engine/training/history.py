"""The history of a training run: its curves, best epoch, and how far it is."""

from __future__ import annotations

import math
import statistics
from array import array
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from studio.engine.jobs.events import Event, InnerPath, Number
from studio.engine.jobs.history import JobHistory, Work
from studio.engine.jobs.job import Job, JobContext
from studio.engine.jobs.time_left import WorkRate, counted_down
from studio.engine.messages import Text
from studio.engine.tasks import DEFAULT_TASK, known_task
from studio.engine.tasks.task import Task

# Events in the journal of a training run.

MAX_STEPS = 10_000_000
"""Steps of one line, and between two lines, at most (80 MB): more is a damaged line."""


class TrainingBegan(Event):
    """The frame of a training run, written before its first step.

    `first_step` is the step from which a resumed run continues, from 1: what the journal says of
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
    device: Text
    first_step: int = Field(default=1, ge=1)


class LayerNote(BaseModel, frozen=True):
    """A layer of a network or of a file, and what became of it."""

    name: Text
    reason: Text


PassportData = dict[Text, dict[Text, Text]]
"""Licenses of `code`, `weights` and `data`, see `pretrained.licenses.Passport`."""


class WeightsLoaded(Event):
    """Source of the weights of a network before its first step.

    Attributes:
        source: The file, run or collection.
        loaded: Names of the layers that were filled.
        parameters: Number of weights.
        random: Layers that start from random weights, other than the head.
        unused: Layers of the source that nothing took.
        reversed_channels: True if the first kernels were turned from blue-green-red.
        averaged_channels: Number of channels of the images, if the first kernels for red, green
            and blue were averaged for them; otherwise 0.
        passport: Licenses of the source; empty in older journals.
    """

    event: Literal["weights"] = "weights"
    source: Text
    loaded: tuple[Text, ...]
    parameters: int
    random: tuple[LayerNote, ...] = ()
    unused: tuple[LayerNote, ...] = ()
    reversed_channels: bool = False
    averaged_channels: int = 0
    passport: PassportData = Field(default_factory=dict)


MAX_METRICS = 64
"""A run measures fewer; only a damaged or hostile line names more."""

Metrics = Annotated[dict[Text, Number], Field(max_length=MAX_METRICS)]
"""Values by the names that the task declares; those on validation images begin with `val_`."""

_PROTOCOL_1 = tuple(
    f"{split}{name}" for split in ("", "val_") for name in ("loss", "accuracy", "top_5")
)


def _with_metrics(data: object) -> object:
    """Read a line of protocol 1, in which each metric of classification was a separate field."""
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
    metrics: Annotated[dict[Text, list[Number]], Field(max_length=MAX_METRICS)]
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
        if self.count > MAX_STEPS:
            raise ValueError("one line has too many steps")
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
    """Everything that a run needs to continue from this step was written to the disk.

    `epoch` is how many epochs are done, with its fraction.
    """

    event: Literal["saved"] = "saved"
    step: int
    epoch: float


class InsightStored(Event):
    """Predictions and weight statistics of a network were stored in a file of the record.

    `epoch` is how many epochs are done, with its fraction; `path` is relative to the record.
    """

    event: Literal["insight"] = "insight"
    epoch: float
    step: int
    path: InnerPath


MAX_METHODS = 1000
MAX_SCORES = 10_000


class ComparedMethod(BaseModel, frozen=True):
    """A method that a fit compared with others.

    Attributes:
        name: The method in a few words.
        maps: Names of the maps of features that it uses.
        score: Its AUROC on held-out good images and copies of them with drawn defects.
    """

    name: Text
    maps: Text
    score: Number


class MethodsCompared(Event):
    """The methods that a fit to good images compared, and the scores of the chosen one.

    Attributes:
        methods: All methods.
        chosen: Index of the chosen one.
        rows: Rows of the held-out good images in their dataset.
        good: Their scores by the chosen method, in parts of the threshold.
        drawn: Scores of copies with drawn defects.
    """

    event: Literal["methods"] = "methods"
    methods: Annotated[tuple[ComparedMethod, ...], Field(max_length=MAX_METHODS)]
    chosen: int = Field(ge=0)
    rows: Annotated[tuple[int, ...], Field(max_length=MAX_SCORES)]
    good: Annotated[tuple[Number, ...], Field(max_length=MAX_SCORES)]
    drawn: Annotated[tuple[Number, ...], Field(max_length=MAX_SCORES)]

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.chosen >= len(self.methods) or len(self.rows) != len(self.good):
            raise ValueError("the numbers do not fit together")
        return self


_RECENT = 5
"""Breaks between epochs from which the next ones are estimated."""
VALIDATION_COST = 0.4
"""Time of a validation image in that of a training image, while no validation was measured."""


@dataclass(slots=True)
class EpochThroughput:
    """Speed of training steps, and time of validation and saving between epochs.

    Attributes:
        throughput: Steps over the seconds of training alone.
        breaks: Seconds between the last step of an epoch and the first ones of the next, which
            are included.
        updated: Time of the last event, in seconds since 1970; 0 before the first.
    """

    throughput: WorkRate = field(default_factory=WorkRate)
    breaks: list[float] = field(default_factory=list)
    updated: float = 0.0
    _trained: float = 0.0
    _last_step: float = 0.0
    _is_between: bool = False

    def add_steps(self, seconds: float, done: int) -> None:
        """Add training steps.

        Args:
            seconds: Time of the event, in seconds since 1970.
            done: Number of steps that are done.
        """
        if self._last_step and not self._is_between:
            self._trained += max(0.0, seconds - self._last_step)
        elif self._is_between:
            self.breaks = [*self.breaks, max(0.0, seconds - self._last_step)][-_RECENT:]
            self._skip_to(done)
        self._is_between = False
        self.throughput.add(self._trained, done)
        self._last_step = self.updated = seconds

    def _skip_to(self, done: int) -> None:
        """Count the first steps of an epoch at the speed so far; their time is in the break."""
        (seconds, before) = self.throughput.readings[-1]
        first = self.throughput.readings[min(1, len(self.throughput.readings) - 1)]
        each = (seconds - first[0]) / max(1, before - first[1])
        self._trained += each * max(0, done - before)

    def add_epoch(self, seconds: float) -> None:
        """Add the end of an epoch, after its validation.

        Args:
            seconds: Time of the event, in seconds since 1970.
        """
        self._is_between = bool(self.throughput.readings)
        self.updated = seconds

    def seconds_left(self, training: TrainingBegan, epochs: int, now: float) -> float | None:
        """Return the seconds to the last epoch's end; None while unknown.

        Args:
            training: The frame of the training.
            epochs: Number of finished epochs.
            now: Current time in seconds since 1970.
        """
        total = training.epochs * training.steps_per_epoch
        each = self.throughput.seconds_per_unit(total)
        if each is None or now < self.updated:
            return None
        pause = self._pause(each * training.steps_per_epoch, training)
        steps = total - self.throughput.readings[-1][1]
        is_validating = steps % training.steps_per_epoch == 0
        remaining = each * max(0, steps) + pause * max(0, training.epochs - epochs)
        gap = max(2 * self.throughput.gap(), pause if is_validating else 0.0)
        return counted_down(remaining, now - self.updated, gap)

    def _pause(self, epoch_seconds: float, training: TrainingBegan) -> float:
        """Return the usual seconds between two epochs."""
        if len(self.breaks) > 1:
            return statistics.median(self.breaks[1:])
        images = training.val_images / max(1, training.train_images)
        computed = epoch_seconds * images * VALIDATION_COST
        # The first validation compiles, too.
        return (self.breaks[0] + computed) / 2 if self.breaks else computed


@dataclass(slots=True)
class RunHistory(JobHistory):
    """History of a run, read from its journal.

    Attributes:
        task: Task of the run; known once it has started.
        step_metrics: Value of each metric for every single step, index 0 is step 1.
        step_count: Steps that are done.
        epochs: One entry per finished epoch, in order.
        saved: The step from which it can be resumed, if any.
        insights: Stored predictions and weight statistics, in order.
        methods: The methods that a fit to good images compared; None for other runs.
        epoch_throughput: Speed of the current attempt.
    """

    training: TrainingBegan | None = None
    task: Task = DEFAULT_TASK
    weights: WeightsLoaded | None = None
    steps: StepsDone | None = None
    step_metrics: dict[str, array[float]] = field(default_factory=dict)
    step_count: int = 0
    epochs: list[EpochDone] = field(default_factory=list)
    validations: list[ValidationDone] = field(default_factory=list)
    saved: Saved | None = None
    insights: list[InsightStored] = field(default_factory=list)
    methods: MethodsCompared | None = None
    steps_per_epoch: int = 0
    epoch_throughput: EpochThroughput = field(default_factory=EpochThroughput)

    def steps_of(self, name: str) -> array[float]:
        """Return a metric for every step, empty if it is not measured for steps."""
        return self.step_metrics.get(name) or array("d")

    @property
    def best_epoch(self) -> EpochDone | None:
        """The last epoch that was the best so far, or None before the first."""
        return next((epoch for epoch in reversed(self.epochs) if epoch.is_best), None)

    @property
    def best(self) -> EpochDone | ValidationDone | None:
        """The best measurement so far, be it at the end of an epoch or in the middle of one."""
        return next((each for each in reversed(self.measured) if each.is_best), None)

    @property
    def measured(self) -> list[EpochDone | ValidationDone]:
        """The ends of epochs, and the validations between them, in order."""
        found: list[EpochDone | ValidationDone] = [*self.epochs, *self.validations]
        return sorted(found, key=lambda each: each.step)

    @property
    def work(self) -> Work | None:
        """Progress of the run in steps; in other units before and after them."""
        if self.training is None or self.progress_work is not None:
            return self.progress_work
        total = self.training.epochs * self.training.steps_per_epoch
        return Work(self.step_count, total) if total else None

    @property
    def is_validating_first(self) -> bool:
        """True if all steps of the first epoch are done, and it has not ended."""
        return not self.epochs and 0 < self.steps_per_epoch <= self.step_count

    def seconds_left(self, now: float) -> float | None:
        """Estimate the seconds to the end by the time of steps and of the work between epochs.

        Args:
            now: Current time in seconds since 1970.

        Returns:
            None while the speed is unknown, or if the clock was put back.
        """
        if self.training is None:
            return JobHistory.seconds_left(self, now)
        if self.progress is not None:  # the work after the last epoch
            return JobHistory.seconds_left(self, now)
        is_over = len(self.epochs) >= self.training.epochs
        if not self.state.has_worker or self.steps is None or is_over:
            return None
        return self.epoch_throughput.seconds_left(self.training, len(self.epochs), now)

    def begin_attempt(self, devices: tuple[str, ...]) -> None:
        """Forget what the attempt before reported; curves stay until the new one begins."""
        JobHistory.begin_attempt(self, devices)
        self.training = None
        self.epoch_throughput = EpochThroughput()

    def _on_weights(self, event: WeightsLoaded) -> None:
        self.weights = event

    def _on_training(self, event: TrainingBegan) -> None:
        self.training = event
        self.progress = None  # until now it said what was prepared
        self.task = known_task(event.task)
        self.log.append(event)
        _rescale(self, event.steps_per_epoch)
        # A resumed run repeats the steps after its checkpoint, so their old values are void.
        done = event.first_step - 1
        self.epochs = [each for each in self.epochs if each.step <= done]
        self.validations = [each for each in self.validations if each.step <= done]
        self.insights = [each for each in self.insights if each.step <= done]
        self.step_count = min(self.step_count, done)
        self.methods = None
        self.epoch_throughput = EpochThroughput()
        for series in self.step_metrics.values():
            del series[done:]

    def _on_steps(self, event: StepsDone) -> None:
        done = event.first - 1
        if done - self.step_count > MAX_STEPS:
            return
        self.steps = event
        self.progress = None  # what was measured between two epochs
        self.step_count = done + event.count
        self.epoch_throughput.add_steps(event.t, self.step_count)
        names = dict.fromkeys([*self.step_metrics, *event.metrics])
        for name in islice(names, MAX_METRICS):
            series = self.step_metrics.setdefault(name, array("d"))
            del series[done:]
            # Steps whose line was damaged leave a gap; those after it stay where they belong.
            series.extend([math.nan] * (done - len(series)))
            series.extend(event.per_step(name))

    def _on_epoch(self, event: EpochDone) -> None:
        self.epochs.append(event)
        self.epoch_throughput.add_epoch(event.t)

    def _on_validation(self, event: ValidationDone) -> None:
        self.validations.append(event)

    def _on_saved(self, event: Saved) -> None:
        self.saved = event

    def _on_insight(self, event: InsightStored) -> None:
        self.insights.append(event)

    def _on_methods(self, event: MethodsCompared) -> None:
        self.methods = event


RunJob = Job[RunHistory]
RunContext = JobContext[RunHistory]


def _rescale(history: RunHistory, steps_per_epoch: int) -> None:
    """Renumber the steps so far after the batch size was reduced; epochs stay in place."""
    before, history.steps_per_epoch = history.steps_per_epoch, steps_per_epoch
    factor = steps_per_epoch / before if before > 0 else 1.0
    if factor == 1.0 or history.step_count * (factor - 1) > MAX_STEPS:
        return
    last, history.step_count = history.step_count - 1, round(history.step_count * factor)
    for series in history.step_metrics.values():
        series[:] = array(
            "d", [series[min(int(at / factor), last)] for at in range(history.step_count)]
        )
    history.epochs = [
        each.model_copy(update={"step": each.epoch * steps_per_epoch}) for each in history.epochs
    ]
    history.validations = [
        each.model_copy(update={"step": round(each.step * factor)}) for each in history.validations
    ]
    history.insights = [
        each.model_copy(update={"step": round(each.step * factor)}) for each in history.insights
    ]
