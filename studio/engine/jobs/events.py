"""The lines of a journal, one JSON object each.

`PROTOCOL` is the version of these lines. A reader skips kinds of event that it does not know (a
newer worker wrote them) and counts lines that are damaged.
"""

from __future__ import annotations

import functools
import math
import operator
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
)

from studio.engine.jobs.states import State
from studio.engine.messages import Text

# What every line of a journal has.


def _nan_for_null(value: object) -> object:
    return math.nan if value is None else value


# JSON has no NaN: it is written as null and read back as NaN.
Number = Annotated[float, BeforeValidator(_nan_for_null)]


LATEST = 253_402_300_799.0
"""The end of the year 9999, beyond which no calendar goes, in seconds since 1970."""


def _inside(path: str) -> str:
    """Refuse a path that leads out of the record's folder."""
    parts = path.split("/")
    if not path or {"", ".", ".."} & set(parts) or "\\" in path or ":" in path or "\0" in path:
        raise ValueError("the path points outside the record")
    return path


InnerPath = Annotated[str, AfterValidator(_inside)]
"""A relative path with forward slashes that stays inside the record's folder."""


class Event(BaseModel, frozen=True, defer_build=True):
    """Base of all events. `t` is seconds since 1970, UTC, by the clock of the writer.

    Clocks are set: a later line may have an earlier time.
    """

    t: float = Field(default_factory=time.time, ge=0, le=LATEST)
    event: str


PROTOCOL = 2


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
    """Devices of a starting worker: "cpu", "gpu:0"."""


class QueueChanged(Event):
    """A waiting job was put elsewhere in the queue, held back, or let go again.

    `position` sorts the queue, ascending; without one, a job is sorted by the time at which it was
    queued, in seconds since 1970.
    """

    event: Literal["queue"] = "queue"
    position: float | None = None
    held: bool | None = None
    foreign: bool | None = None
    """True if the job was not queued by this user on this computer; it is then on hold."""


class Amended(Event):
    """The plan was changed after it was requested: more epochs, another rate, half the batch.

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
    """Progress of a job, counted in units."""

    event: Literal["progress"] = "progress"
    done: int
    total: int
    what: Text = ""


class GpuSample(BaseModel, frozen=True):
    """A sample of a GPU; NaN where the driver reports nothing."""

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
    """Use of the machine since the last such event, and the parts of the run's time.

    `seconds` is how long that was; `waiting` for data, `computing`, `validating` and `writing` are
    the parts of it, in seconds; NaN where a part cannot be measured. `cpu` is percent of one core,
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


class RequestsHandled(Event):
    """All requests to a sweep up to this byte of its commands were handled or refused."""

    event: Literal["heard"] = "heard"
    offset: int = Field(ge=0)


class Result(Event):
    """The figures that the job was done for."""

    event: Literal["result"] = "result"
    values: dict[str, Any]


KERNEL_EVENTS: tuple[type[Event], ...] = (
    StateChanged,
    QueueChanged,
    Amended,
    Started,
    ProgressMade,
    UsageSampled,
    Note,
    Artifact,
    ArtifactRemoved,
    RequestsHandled,
    Result,
)
"""The events that the journal of any job can have; a job type adds its own."""


class DamagedLine(ValueError):  # noqa: N818 - says what it found, not what failed
    """A complete line of a journal that is not an event."""


Decode = Callable[[bytes], Event | None]


def encode(event: Event) -> bytes:
    """Return an event as a journal line, newline included."""
    return event.model_dump_json().encode() + b"\n"


@functools.cache
@functools.cache
def decoder(own: tuple[type[Event], ...] = ()) -> Decode:
    """Return the function that decodes a journal line.

    It returns None for a kind of event that is not known, and raises `DamagedLine` if the line is
    not JSON or not what its kind of event must be.

    Args:
        own: The events of the job type, besides those that every job has.
    """
    union = functools.reduce(operator.or_, (*KERNEL_EVENTS, *own))
    kind: Any = Annotated[union, Field(discriminator="event")]
    adapter = TypeAdapter[Event](kind)

    def decode(line: bytes) -> Event | None:
        try:
            return adapter.validate_json(line)
        except ValidationError as error:
            kinds = {detail["type"] for detail in error.errors()}
            if kinds == {"union_tag_invalid"}:
                return None
            raise DamagedLine(f"{kinds} in {line[:200]!r}") from error

    return decode
