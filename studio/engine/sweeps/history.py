"""The history of a sweep: its trials."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from studio.engine.jobs.context import JobContext
from studio.engine.jobs.history import Handlers, JobHistory
from studio.engine.jobs.job import Job
from studio.engine.sweeps.events import TrialChanged, TrialMoved


@dataclass(slots=True)
class SweepHistory(JobHistory):
    """What the journal of a sweep says.

    Attributes:
        trials: The trials by their numbers.
        moves: How waiting trials were put into another order, the first move first.
    """

    trials: dict[int, TrialChanged] = field(default_factory=dict)
    moves: list[TrialMoved] = field(default_factory=list)

    handlers: ClassVar[Handlers] = {}

    @property
    def children(self) -> frozenset[str]:
        """Ids of the runs of its trials."""
        return frozenset(run.id for row in self.trials.values() for run in row.runs)


SweepJob = Job[SweepHistory]
SweepContext = JobContext[SweepHistory]


def _on_trial(history: SweepHistory, event: TrialChanged) -> None:
    history.trials[event.number] = event
    if event.state.is_at_rest:
        history.losses = 0


def _on_moved(history: SweepHistory, event: TrialMoved) -> None:
    history.moves.append(event)


SweepHistory.handlers = {
    **JobHistory.handlers,
    TrialChanged: _on_trial,
    TrialMoved: _on_moved,
}
