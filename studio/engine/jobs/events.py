"""The lines of a journal, one JSON object each.

`PROTOCOL` is the version of these lines. A reader skips kinds of event that it does not know (a
newer worker wrote them) and counts lines that are damaged.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from studio.engine.benchmarks.paces import Pace
from studio.engine.benchmarks.results import Cell
from studio.engine.jobs.event import Event, InnerPath, Number, Text
from studio.engine.jobs.states import State
from studio.engine.jobs.sweep_events import Heard, TrialChanged, TrialMoved

PROTOCOL = 1
MOST_STEPS = 10_000_000
"""Steps of one line, and between two lines, at most (80 MB): only damaged lines tell of more."""


ErrorCategory = Literal["user", "bad_data", "out_of_memory", "not_finite", "disk_full", "internal"]


class StateChanged(Event):
    """The job went into another state."""

    event: Literal["state"] = "state"
    state: State
    attempt: int = 1
    reason: Text = ""
    hint: Text = ""
    category: ErrorCategory | None = None
    detail: Text = ""
    devices: tuple[Text, ...] = ()
    """What a worker that starts has for itself: "cpu", "gpu:0"."""


class QueueChanged(Event):
    """A waiting job was put elsewhere in the queue, held back, or let go again.

    `place` sorts the queue, ascending; without one, a job stands where it was asked for, by its
    time in seconds since 1970.
    """

    event: Literal["queue"] = "queue"
    place: float | None = None
    held: bool | None = None
    foreign: bool | None = None
    """True where the job was not queued by this user on this computer; it is held back then."""


class Amended(Event):
    """The plan was changed after it was asked for: more epochs, another rate, half the batch.

    `changes` are fields of the plan, by dotted name; the file of the plan stays as it was.
    """

    event: Literal["amended"] = "amended"
    changes: dict[str, Any]
    reason: Text = ""


class Started(Event):
    """A worker took the job: who it is, and on what it runs."""

    event: Literal["started"] = "started"
    protocol: int = PROTOCOL
    studio: str
    pid: int
    host: Text


class ProgressMade(Event):
    """How far a job of countable units is."""

    event: Literal["progress"] = "progress"
    done: int
    total: int
    what: Text = ""


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


class GpuSample(BaseModel):
    """A GPU at one moment; NaN where the driver does not tell."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Text
    utilization: Number = math.nan
    """Percent of the time in which it computed."""
    memory_used: Number = math.nan
    """Bytes, and so is `memory_total`."""
    memory_total: Number = math.nan
    temperature: Number = math.nan
    """Degrees Celsius."""
    power: Number = math.nan
    """Watts."""


class UsageSampled(Event):
    """What the machine did since the last such line, and where the time of the run went.

    `seconds` is how long that was; `waiting` for data, `computing`, `validating` and `writing` are
    the parts of it, in seconds; NaN where a part cannot be told. `cpu` is percent of one core,
    `memory` bytes of the worker; `machine_cpu` and `machine_memory` percent of the whole machine;
    `disk_free` bytes left for the workspace.
    """

    event: Literal["usage"] = "usage"
    seconds: float
    waiting: Number = math.nan
    computing: Number = math.nan
    validating: Number = math.nan
    writing: Number = math.nan
    cpu: Number = math.nan
    memory: Number = math.nan
    machine_cpu: Number = math.nan
    machine_memory: Number = math.nan
    disk_free: Number = math.nan
    gpus: tuple[GpuSample, ...] = ()


class InsightKept(Event):
    """What a network answered, and how its weights looked, was kept in a file of the record.

    `epoch` is how many epochs are done, with its fraction; `path` is relative to the record.
    """

    event: Literal["insight"] = "insight"
    epoch: float
    step: int
    path: InnerPath


class Note(Event):
    """Something that the user should read."""

    event: Literal["note"] = "note"
    level: Literal["info", "warning"] = "info"
    message: Text


class Artifact(Event):
    """A file of the record that can be used from now on; `path` is relative to its folder."""

    event: Literal["artifact"] = "artifact"
    name: str
    path: InnerPath


class ArtifactRemoved(Event):
    """A file that `Artifact` reported was deleted."""

    event: Literal["artifact_removed"] = "artifact_removed"
    name: str


class CellChanged(Event):
    """A cell of a benchmark, whole: the last one of a number counts."""

    event: Literal["cell"] = "cell"
    cell: Cell


class PaceChanged(Event):
    """A measurement of a benchmark of predictions, whole: the last one of a place counts."""

    event: Literal["pace"] = "pace"
    pace: Pace


class Result(Event):
    """The figures that the job was done for."""

    event: Literal["result"] = "result"
    values: dict[str, Any]


AnyEvent = Annotated[
    StateChanged
    | QueueChanged
    | Amended
    | Started
    | ProgressMade
    | TrainingBegan
    | WeightsLoaded
    | StepsDone
    | EpochDone
    | ValidationDone
    | Saved
    | UsageSampled
    | InsightKept
    | Note
    | Artifact
    | ArtifactRemoved
    | TrialChanged
    | TrialMoved
    | CellChanged
    | PaceChanged
    | Heard
    | Result,
    Field(discriminator="event"),
]

_ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


class DamagedLine(ValueError):  # noqa: N818 - says what it found, not what failed
    """A complete line of a journal that is not an event."""


def encode(event: Event) -> bytes:
    """One journal line, newline included."""
    return event.model_dump_json().encode() + b"\n"


def decode(line: bytes) -> AnyEvent | None:
    """The event of a line, or None for a kind of event that this version does not know.

    Raises:
        DamagedLine: The line is not JSON, or not what its kind of event must be.
    """
    try:
        return _ADAPTER.validate_json(line)
    except ValidationError as error:
        kinds = {detail["type"] for detail in error.errors()}
        if kinds == {"union_tag_invalid"}:
            return None
        raise DamagedLine(f"{kinds} in {line[:200]!r}") from error
