"""The history of a sweep: its trials."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field

from studio.engine.jobs.events import Event, Number
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job, JobContext
from studio.engine.jobs.states import State
from studio.engine.jobs.types import JobType, register
from studio.engine.messages import Text
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind

# The lines of the journal of a sweep that others do not have.


def _with_current_names(values: dict[str, Any]) -> dict[str, Any]:
    return {TrainingPlan.current_name(name): value for name, value in values.items()}


Values = Annotated[dict[str, Any], AfterValidator(_with_current_names)]
"""Values of a trial by field; names of older versions become the current ones."""


class TrialRun(BaseModel):
    """One run of a trial of a sweep: its name, and its results.

    The name is written before the run is submitted, so that a restarted sweep finds it
    instead of submitting it again; the id is known afterwards. `measured` are the values of the
    objectives, in the order of the plan; none before its end.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Text
    id: str = ""
    measured: tuple[Number, ...] = ()


class TrialChanged(Event):
    """A complete row of a sweep; the last one with a number counts.

    `state` is `running` until the trial has ended, whatever the state of its run. `measured` has
    the values of the objectives, averaged over its runs; `runs` has one run for each seed, those
    of the last attempt if there are `reruns`.
    """

    event: Literal["trial"] = "trial"
    number: int = Field(ge=0)
    values: Values
    state: State
    measured: tuple[Number, ...] = ()
    runs: tuple[TrialRun, ...] = ()
    reason: Text = ""
    reruns: int = Field(0, validation_alias=AliasChoices("reruns", "again"))


class TrialMoved(Event):
    """A trial that waits was put elsewhere in the order of its sweep.

    Both trials are known by their `values`: numbers they get when they begin. `before` is where it
    stands now, None for behind all others.
    """

    event: Literal["moved"] = "moved"
    values: Values
    before: Values | None = None


@dataclass(slots=True)
class SweepHistory(JobHistory):
    """History of a sweep, read from its journal.

    Attributes:
        trials: The trials by their numbers.
        moves: Moves of waiting trials, in order.
    """

    trials: dict[int, TrialChanged] = field(default_factory=dict)
    moves: list[TrialMoved] = field(default_factory=list)

    @property
    def children(self) -> frozenset[str]:
        """Ids of the runs of its trials."""
        return frozenset(run.id for row in self.trials.values() for run in row.runs)

    def _on_trial(self, event: TrialChanged) -> None:
        self.trials[event.number] = event
        if event.state.is_at_rest:
            self.losses = 0

    def _on_moved(self, event: TrialMoved) -> None:
        self.moves.append(event)


SweepJob = Job[SweepHistory]
SweepContext = JobContext[SweepHistory]


register(
    JobType(
        record=RecordKind.SWEEP,
        plan=SweepPlan,
        handler="studio.engine.worker.sweep_runner:run_sweep",
        verb="sweep",
        slots=8,
        events=(TrialChanged, TrialMoved),
        history=SweepHistory,
        reference="base.dataset",
        is_coordinator=True,
        can_pause=True,
    ),
)
