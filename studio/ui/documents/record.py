"""Documents of records: one record with the history of its journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeAlias

from studio.engine.jobs.events import Event
from studio.engine.jobs.job import HistoryT_co
from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import Key
from studio.engine.plans import Plan
from studio.engine.workspace import Record, RecordInfo
from studio.ui.documents.document import Document

if TYPE_CHECKING:  # the window starts without the domains
    from studio.engine.benchmarks.history import BenchmarkHistory
    from studio.engine.sweeps.history import SweepHistory
    from studio.engine.training.history import RunHistory

JobCommand = Literal["stop", "pause"]
_CAN_STOP: Final = (State.QUEUED, State.STARTING, State.RUNNING)


class RecordChange(NamedTuple):
    """Change of a record.

    Attributes:
        events: New events of its journal, already applied to its history.
        is_new: True if it was added to the workspace.
        is_state: True if its state changed.
        is_info: True if its name, notes or tags changed.
        is_removed: True if it was moved to the trash.
    """

    events: Sequence[Event] = ()
    is_new: bool = False
    is_state: bool = False
    is_info: bool = False
    is_removed: bool = False


@dataclass(eq=False)
class RecordDocument(Document[[RecordChange]], Generic[HistoryT_co]):
    """A record with the history of its journal; notifies observers of each change."""

    key: Key
    record: Record
    info: RecordInfo
    plan: Plan
    history: HistoryT_co
    request: JobCommand | None = None
    """Requests of the user that are not in its journal yet."""

    def __post_init__(self) -> None:
        super().__init__()

    def notify(self, change: RecordChange) -> None:
        """Notify the observers of a change."""
        self._notify(change)

    @property
    def name(self) -> str:
        """The name of the record."""
        return self.info.name

    @property
    def state(self) -> State:
        """State of the job; stopping as soon as the user requests it."""
        known = self.history.state
        return State.STOPPING if self.request and known in _CAN_STOP else known

    @property
    def shown_state(self) -> str:
        """Name of the state as shown: a job that stops to be resumed later is "pausing"."""
        is_pausing = self.state == State.STOPPING and self.request == "pause"
        return "pausing" if is_pausing else self.state.value


RunDocument: TypeAlias = "RecordDocument[RunHistory]"
SweepDocument: TypeAlias = "RecordDocument[SweepHistory]"
BenchmarkDocument: TypeAlias = "RecordDocument[BenchmarkHistory]"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSummary:
    """A job as a page lists it; subclasses add what their jobs have.

    Attributes:
        id: Id of its record.
        state: Its state.
        created: Time of the request, in seconds since 1970.
        reason: Reason of a failure; empty if there was none.
        hint: What to do about the failure.
    """

    id: str
    state: State
    created: float
    reason: str = ""
    hint: str = ""

    @property
    def is_active(self) -> bool:
        """True if it waits or runs."""
        return not self.state.is_at_rest


def summary_values(entry: RecordDocument) -> dict[str, Any]:
    """Return the values of a `JobSummary` for a record."""
    return {
        "id": entry.record.id,
        "state": entry.state,
        "created": entry.info.created.timestamp(),
        "reason": entry.history.reason,
        "hint": entry.history.hint,
    }
