"""The audit of a dataset: its job, its report, what is left of it, and fixes of its findings."""

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
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.auditing.messages import SEVERITIES
from studio.ui.pages.datasets.versions.history import EditState, read_edit_state

if TYPE_CHECKING:
    from studio.engine.datasets.audit.remaining import Remaining
    from studio.engine.datasets.store import Store


@dataclass(frozen=True, slots=True)
class AuditFacts:
    """What the last audit of a dataset said, and what is left of it.

    Attributes:
        report: What it said; None where the dataset was never audited.
        version: The newest version of the dataset.
        remaining: By the kinds of the findings that are about images.
        classes: Names of the classes as they are now.
        means: The mean image of each split.
    """

    report: AuditReport | None
    version: int
    remaining: dict[str, Remaining] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    means: dict[str, QImage] = field(default_factory=dict)

    @property
    def is_old(self) -> bool:
        """Whether the dataset was edited since it was audited."""
        return self.report is not None and self.report.dataset_version != self.version

    def left(self, finding: Finding) -> int:
        """How much is left of a finding; of one that is about no images nobody can tell."""
        known = self.remaining.get(finding.kind)
        return finding.count if known is None else known.count


@dataclass(frozen=True, slots=True)
class Fix:
    """What is to be done about a finding.

    Attributes:
        kind: Which finding.
        action: One of its fixes.
        label: For `relabel`: the class that the images get.
    """

    kind: str
    action: Action
    label: int | None = None


def read_audit(folder: Path) -> AuditFacts:
    """What the last audit said of the dataset in `folder`, and what is left of it now.

    Raises:
        StudioError: The report, the dataset or its edits cannot be read.
    """
    report = AuditReport.read(folder)
    if report is None:
        return AuditFacts(None, current_version(folder))
    from studio.engine.datasets.audit.remaining import remaining  # noqa: PLC0415 - NumPy
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    store = Store.open(folder)
    audited = _audited(folder, report, store)
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
    """How bad the worst is of what the last audit found and is left; None where nothing is.

    A report that cannot be read is told where the findings are shown, not here.

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
    audited = _audited(folder, report, store)
    found = {
        finding.severity
        for finding in report.findings
        if not finding.rows or left_of(finding, store, audited)[0]
    }
    return next((severity for severity in SEVERITIES if severity in found), None)


def fix_images(folder: Path, fix: Fix) -> EditState:
    """Do a fix of the newest audit as one step; its note says what was done with how many images.

    Raises:
        StudioError: The audit does not say so any more, or nothing is left to be done.
        DiskFullError: No space was left; nothing changed.
    """
    from studio.engine.datasets.audit.fixes import fix_edits  # noqa: PLC0415 - NumPy
    from studio.engine.datasets.audit.remaining import remaining, rows_changed  # noqa: PLC0415
    from studio.engine.datasets.store import Store  # noqa: PLC0415
    from studio.engine.datasets.versions import edit_dataset  # noqa: PLC0415

    report = AuditReport.read(folder)
    finding = None if report is None else report.finding(fix.kind)
    if report is None or finding is None or fix.action not in finding.actions:
        raise StudioError(
            "The dataset was audited again, and this is not among the findings any more.",
            "Look at the findings as they are now.",
        )
    store = Store.open(folder)
    left = remaining(report, finding, store, _audited(folder, report, store)).rows.tolist()
    edits = fix_edits(report, finding, fix.action, store, left, fix.label)
    if not edits:
        raise StudioError("Nothing is left to be done here.", "Audit the dataset again.")
    number = len(rows_changed(edits, len(store.labels)))
    name = "" if fix.label is None else store.classes[fix.label]
    edit_dataset(folder, edits, audit_messages.fixed(fix.kind, fix.action, number, name))
    return read_edit_state(folder)


def _audited(folder: Path, report: AuditReport, store: Store) -> Store | None:
    """The version that was audited, where that is not the one at hand."""
    if report.dataset_version == store.version or report.finding("label_errors") is None:
        return None
    return type(store).open(folder, report.dataset_version)


AuditPhase = Literal["reading", "going", "never", "known"]

# Of more classes than that nobody gives all images one.
MOST_CLASSES = 2


def audit_phase(facts: AuditFacts | None, *, going: bool) -> AuditPhase:
    """Which face the line of the audit has."""
    if going:
        return "going"
    if facts is None:
        return "reading"
    return "never" if facts.report is None else "known"


def ordered(facts: AuditFacts) -> list[Finding]:
    """The findings, serious ones first; otherwise as the audit has them."""
    findings = [] if facts.report is None else facts.report.findings
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def open_severities(facts: AuditFacts) -> list[Severity]:
    """How bad each finding is of which something is left."""
    return [finding.severity for finding in ordered(facts) if facts.left(finding)]


def asks_for_class(finding: Finding, action: Action) -> bool:
    """Whether a fix needs a class to be chosen; wrong labels bring their own."""
    return action == "relabel" and len(finding.classes) != len(finding.rows)


def too_many_classes(facts: AuditFacts, finding: Finding, action: Action) -> bool:
    """Whether the images are of so many classes that one for all of them would be wrong."""
    known = facts.remaining.get(finding.kind)
    return (
        known is not None and asks_for_class(finding, action) and len(known.labels) > MOST_CLASSES
    )


def fixes_left(facts: AuditFacts, finding: Finding) -> list[tuple[Action, int]]:
    """The fixes that would change something, and how many images."""
    known = facts.remaining.get(finding.kind)
    if known is None or not known.count:
        return []
    return [(action, known.fixes[action]) for action in finding.actions if action in known.fixes]


class DatasetAudit(QObject):
    """What is known of the audit of one dataset.

    Signals:
        changed: `facts`, `problem` or `is_asking` is another; or there is another `job`.
        advanced: `job` went on.
    """

    changed = Signal()
    advanced = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._record_id = ""
        self._folder: Path | None = None
        # What the last audit said; None while that is being read.
        self.facts: AuditFacts | None = None
        # Why the last audit, or its report, came to nothing.
        self.problem: StudioError | None = None
        # Whether an audit was asked for just now.
        self.is_asking: bool = False
        self._asked = 0
        context.jobs.changed.connect(self._on_changed)

    @property
    def job(self) -> RecordDocument | None:
        """The audit that waits or runs; None where none does."""
        entries = self._context.jobs.entries(RecordKind.AUDIT)
        going = [entry for entry in entries if self._is_ours(entry) and _is_going(entry.state)]
        return going[0] if going else None

    def open(self, record_id: str, folder: Path | None) -> None:
        """Follow another dataset from now on; no folder: none."""
        self._record_id = record_id
        self._folder = folder
        self.facts = None
        self.problem = None
        self.is_asking = False
        self.reload()

    def reload(self) -> None:
        """Read again what the last audit said, and what is left of it."""
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
        """Ask for an audit of the newest version."""
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
        """End the audit that waits or runs; what an older one said stays."""
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


def _is_going(state: State) -> bool:
    return state == State.QUEUED or state.has_worker
