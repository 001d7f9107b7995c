"""A job: a record seen as work that is asked for, done, or over."""

from __future__ import annotations

from typing import Generic, TypeVar, cast

from typing_extensions import TypeVar as TypeVarWithDefault

from studio.engine.errors import StudioError
from studio.engine.jobs.event import Event
from studio.engine.jobs.events import decoder, encode
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.journal import JOURNAL_FILE, JournalReader, JournalWriter
from studio.engine.jobs.types import JobType, job_type, read_plan
from studio.engine.plans import Plan
from studio.engine.workspace import Record

PlanT = TypeVar("PlanT", bound=Plan)
OtherT = TypeVar("OtherT", bound=JobHistory)
HistoryT_co = TypeVarWithDefault(
    "HistoryT_co", bound=JobHistory, default=JobHistory, covariant=True
)


def journal_reader(record: Record) -> JournalReader:
    """Return a reader of the journal of a job."""
    events = job_type(record.kind).events
    return JournalReader(record.folder / JOURNAL_FILE, decoder(events))


class Job(Generic[HistoryT_co]):
    """Follows one job. `history` holds what `refresh` has read so far.

    Domains whose history has more name their own type, such as `RunJob = Job[RunHistory]`.

    Attributes:
        record: The record that the job fills.
        history: The journal, added up.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.history: HistoryT_co = cast("HistoryT_co", job_type(record.kind).history())
        self._reader = journal_reader(record)

    @property
    def job_type(self) -> JobType:
        """What kind of job it is."""
        return job_type(self.record.kind)

    def with_history(self, history: type[OtherT]) -> Job[OtherT]:
        """Return this job, typed by the class of its history.

        Raises:
            TypeError: It is a job of another kind.
        """
        if not isinstance(self.history, history):
            raise TypeError(f"{self.record.id} is a {self.record.kind.value}")
        return cast("Job[OtherT]", self)

    @property
    def damaged_lines(self) -> int:
        """Lines of the journal that could not be read and were passed over."""
        return self._reader.damaged

    def refresh(self) -> list[Event]:
        """Read what is new in the journal, add it to `history` and return it."""
        events = self._reader.read()
        self.history.apply(events)
        return events

    def plan(self, plan_class: type[PlanT]) -> PlanT:
        """The plan, which must be of that class.

        Raises:
            StudioError: The file is damaged.
        """
        plan = read_plan(self.record)
        if not isinstance(plan, plan_class):
            raise TypeError(f"the plan of {self.record.id} is a {type(plan).__name__}")
        return plan

    def current_plan(self, plan_class: type[PlanT]) -> PlanT:
        """The plan with what became of it since; `history` must be read.

        Raises:
            StudioError: The file is damaged.
        """
        return self.plan(plan_class).changed(**self.history.changes)

    def append(self, *events: Event) -> None:
        """Write events, all or none; only for the holder of the job's lock."""
        writer = JournalWriter(self.record.folder / JOURNAL_FILE)
        try:
            writer.append_lines(b"".join(map(encode, events)), durable=True)
        finally:
            writer.close()
        self.refresh()

    def require_completed(self, what_for: str) -> None:
        """Refuse to go on unless the job is completed.

        Raises:
            StudioError: It is not; the message says what it is instead.
        """
        self.refresh()
        if self.history.state.value != "completed":
            raise StudioError(
                f'The {self.record.kind.value} "{self.record.name}" is '
                f"{self.history.state.value}, and {what_for} needs a completed one.",
                "Wait until it is done." if not self.history.state.is_finished else "",
            )
