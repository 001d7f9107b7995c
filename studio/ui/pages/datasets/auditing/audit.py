"""The audit of a dataset: its job, its report, and the images left of each finding."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.engine.datasets.audit.findings import Action, AuditPlan, AuditReport, Finding, Severity
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import request_audit
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RecordDocument
from studio.ui.pages.datasets.auditing.messages import SEVERITIES

if TYPE_CHECKING:
    from studio.engine.datasets.audit.remaining import Remaining
    from studio.engine.datasets.store import Store


@dataclass(frozen=True, slots=True)
class AuditFacts:
    """The report of the last audit of a dataset, and the images left of its findings.

    Attributes:
        report: None if the dataset was never audited.
        version: The newest version of the dataset.
        remaining: By the kinds of the findings that have images.
        classes: Names of the classes in the newest version.
        means: The mean image of each split.
    """

    report: AuditReport | None
    version: int
    remaining: dict[str, Remaining] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    means: dict[str, QImage] = field(default_factory=dict)

    @property
    def is_old(self) -> bool:
        """True if the dataset was edited since the audit."""
        return self.report is not None and self.report.dataset_version != self.version

    def left(self, finding: Finding) -> int:
        """Return the number of images left of a finding; its own count if it has no images."""
        known = self.remaining.get(finding.kind)
        return finding.count if known is None else known.count


def read_audit(folder: Path) -> AuditFacts:
    """Read the last audit of the dataset in a folder, and count the images left.

    Raises:
        StudioError: The report, the dataset or its edits cannot be read.
    """
    report = AuditReport.read(folder)
    if report is None:
        return AuditFacts(None, current_version(folder))
    from studio.engine.datasets.audit.remaining import remaining  # noqa: PLC0415 - NumPy
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    store = Store.open(folder)
    audited = audited_store(folder, report, store)
    means = {split: QImage(str(folder / n)) for split, n in report.statistics.mean_images.items()}
    return AuditFacts(
        report,
        store.version,
        {
            finding.kind: remaining(report, finding, store, audited)
            for finding in report.findings
            if finding.rows
        },
        tuple(store.classes),
        {split: image for split, image in means.items() if not image.isNull()},
    )


def worst_left(folder: Path) -> Severity | None:
    """Return the highest severity of the findings with images left; None for none.

    An unreadable report counts as none; the section of the findings shows the error.

    Raises:
        StudioError: The dataset or its edits cannot be read.
    """
    try:
        report = AuditReport.read(folder)
    except StudioError:
        return None
    if report is None or not report.findings:
        return None
    from studio.engine.datasets.audit.remaining import left_of  # noqa: PLC0415 - NumPy
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    store = Store.open(folder)
    audited = audited_store(folder, report, store)
    found = {
        finding.severity
        for finding in report.findings
        if not finding.rows or left_of(finding, store, audited)[0]
    }
    return next((severity for severity in SEVERITIES if severity in found), None)


def audited_store(folder: Path, report: AuditReport, store: Store) -> Store | None:
    """Open the audited version, if it is another one and has label errors."""
    if report.dataset_version == store.version or report.finding("label_errors") is None:
        return None
    return type(store).open(folder, report.dataset_version)


AuditPhase = Literal["reading", "going", "never", "known"]

# With images of more classes, one class for all of them would be wrong.
MOST_CLASSES = 2


def audit_phase(facts: AuditFacts | None, *, going: bool) -> AuditPhase:
    """Return the content of the audit's line."""
    if going:
        return "going"
    if facts is None:
        return "reading"
    return "never" if facts.report is None else "known"


def ordered(facts: AuditFacts) -> list[Finding]:
    """Return the findings, serious ones first; otherwise in the order of the audit."""
    findings = [] if facts.report is None else facts.report.findings
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def open_severities(facts: AuditFacts) -> list[Severity]:
    """Return the severity of each finding with images left."""
    return [finding.severity for finding in ordered(facts) if facts.left(finding)]


def asks_for_class(finding: Finding, action: Action) -> bool:
    """Return True if a fix needs a class from the user; wrong labels have their own."""
    return action == "relabel" and len(finding.classes) != len(finding.rows)


def too_many_classes(facts: AuditFacts, finding: Finding, action: Action) -> bool:
    """Return True if the images have too many classes to give all of them one."""
    known = facts.remaining.get(finding.kind)
    return (
        known is not None and asks_for_class(finding, action) and len(known.labels) > MOST_CLASSES
    )


def fixes_left(facts: AuditFacts, finding: Finding) -> list[tuple[Action, int]]:
    """Return the fixes that would change images, and the number of images."""
    known = facts.remaining.get(finding.kind)
    if known is None or not known.count:
        return []
    return [(action, known.fixes[action]) for action in finding.actions if action in known.fixes]


class DatasetAudit(QObject):
    """The audit of one dataset.

    Signals:
        changed: `facts`, `problem`, `is_asking` or `job` changed.
        advanced: `job` made progress.
    """

    changed = Signal()
    advanced = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._record_id = ""
        self._folder: Path | None = None
        # None until it is read.
        self.facts: AuditFacts | None = None
        # The reason why the last audit failed, or its report is unreadable.
        self.problem: StudioError | None = None
        # True from the request until its job is known.
        self.is_asking: bool = False
        self._asked = 0
        context.jobs.changed.connect(self._on_changed)

    @property
    def job(self) -> RecordDocument | None:
        """The audit that is queued or running; None for none."""
        for entry in self._context.jobs.entries(RecordKind.AUDIT):
            is_going = entry.state == State.QUEUED or entry.state.has_worker
            if is_going and self._is_ours(entry):
                return entry
        return None

    def open(self, record_id: str, folder: Path | None) -> None:
        """Follow another dataset; None for none."""
        self._record_id = record_id
        self._folder = folder
        self.facts = None
        self.problem = None
        self.is_asking = False
        self.reload()

    def reload(self) -> None:
        """Read the last audit again."""
        self._asked += 1
        self.changed.emit()
        if self._folder is not None:
            self._context.background.run(
                self,
                partial(read_audit, self._folder),
                partial(self._on_facts, self._asked),
                partial(self._on_unreadable, self._asked),
            )

    def request(self) -> None:
        """Request an audit of the newest version."""
        if self._folder is None or self.is_asking or self.job is not None:
            return
        self.is_asking = True
        self.problem = None
        self.changed.emit()
        plan = AuditPlan(dataset=self._record_id)
        self._context.background.run(
            self,
            partial(request_audit, self._context.jobs.queue, plan),
            partial(self._on_asked, self._record_id),
            partial(self._on_refused, self._record_id),
        )

    def cancel(self) -> None:
        """Cancel the audit; the report of an older one stays."""
        job = self.job
        if job is not None:
            self._context.jobs.stop(job)

    def _is_ours(self, entry: RecordDocument) -> bool:
        return isinstance(entry.plan, AuditPlan) and entry.plan.dataset == self._record_id

    def _on_facts(self, asked: int, facts: AuditFacts) -> None:
        if asked == self._asked:
            self.facts = facts
            self.changed.emit()

    def _on_unreadable(self, asked: int, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self._context.background.failed.emit(error)
        elif asked == self._asked:
            self.facts = AuditFacts(None, 0)
            self.problem = error
            self.changed.emit()

    def _on_asked(self, record_id: str, _job: object) -> None:
        self._context.jobs.wake()
        # `is_asking` stays until the job is known: in between there would be nothing to see.
        if record_id == self._record_id and self.job is not None:
            self.is_asking = False
            self.changed.emit()

    def _on_refused(self, record_id: str, error: BaseException) -> None:
        if record_id == self._record_id:
            self.is_asking = False
            self.changed.emit()
        self._context.background.failed.emit(error)

    def _on_changed(self, entry: RecordDocument, change: Change) -> None:
        if not self._is_ours(entry):
            return
        if change.is_new:
            self.is_asking = False
        if change.events:
            self.advanced.emit()
        if change.is_new or change.is_state:
            self._on_state(entry)

    def _on_state(self, entry: RecordDocument) -> None:
        self.changed.emit()
        if entry.state == State.COMPLETED:
            self.problem = None
            self.reload()
        elif entry.state in (State.FAILED, State.LOST):
            self.problem = StudioError(entry.history.reason, entry.history.hint)
            self.changed.emit()
