"""The lines of the journal of a sweep that others do not have."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.engine.jobs.event import Event, Number, Text
from studio.engine.jobs.states import State


class TrialRun(BaseModel):
    """One run of a trial of a sweep: what it is called, and what came out of it.

    The name is written before the run is asked for, so that whoever goes on after a kill finds it
    instead of asking again; the id is known afterwards. `measured` are the values of the
    objectives, in the order of the plan; none before its end.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Text
    id: str = ""
    measured: tuple[Number, ...] = ()


class TrialChanged(Event):
    """A row of a sweep, whole: the last one of a number counts.

    `state` is `running` as long as the trial is not over, whatever its run does. `measured` are
    the values of the objectives, the means over its runs; `runs` one for each seed, and with
    `again` those of the last time it was done.
    """

    event: Literal["trial"] = "trial"
    number: int = Field(ge=0)
    values: dict[str, Any]
    state: State
    measured: tuple[Number, ...] = ()
    runs: tuple[TrialRun, ...] = ()
    reason: Text = ""
    again: int = 0


class TrialMoved(Event):
    """A trial that waits was put elsewhere in the order of its sweep.

    Both trials are known by their `values`: numbers they get when they begin. `before` is where it
    stands now, None for behind all others.
    """

    event: Literal["moved"] = "moved"
    values: dict[str, Any]
    before: dict[str, Any] | None = None
