"""What the study of a sweep is told of trials that are over."""

from __future__ import annotations

from studio.engine.jobs.states import State
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.requests import is_finite
from studio.engine.sweeps.study import Outcome, StudyState, SweepStudy, Told

_OUTCOMES: dict[State, Outcome] = {State.COMPLETED: "complete", State.PRUNED: "pruned"}
_STATES: dict[State, StudyState] = {
    State.RUNNING: "RUNNING",
    State.COMPLETED: "COMPLETE",
    State.PRUNED: "PRUNED",
}


def tell(study: SweepStudy, row: TrialChanged) -> None:
    """Tell the study of a trial that is over; once is enough, twice does no harm."""
    outcome = _OUTCOMES.get(row.state, "fail")
    if study.is_running(row.number):
        study.tell(row.number, outcome, row.measured if outcome == "complete" else ())
    elif row.again and outcome == "complete":
        study.tell_again(row.number, row.values, row.measured)


def told_of(row: TrialChanged) -> Told:
    """What the study knows of a trial where nothing was lost."""
    state: StudyState = _STATES.get(row.state, "FAIL")
    if state == "COMPLETE" and not is_finite(row):
        state = "FAIL"
    return Told(row.number, row.values, state, row.measured)
