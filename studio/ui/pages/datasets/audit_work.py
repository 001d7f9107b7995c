"""Reading an audit and fixing what it found. Everything here is called in background threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from studio.engine.datasets.audit.findings import (
    Action,
    AuditReport,
    Finding,
    Severity,
    read_report,
)
from studio.engine.datasets.edits import current_version
from studio.engine.errors import StudioError
from studio.ui.pages.datasets import findings_words
from studio.ui.pages.datasets.edit_work import EditState, read_edit_state
from studio.ui.pages.datasets.findings_words import SEVERITIES

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
    report = read_report(folder)
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
        report = read_report(folder)
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

    report = read_report(folder)
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
    edit_dataset(folder, edits, findings_words.fixed(fix.kind, fix.action, number, name))
    return read_edit_state(folder)


def _audited(folder: Path, report: AuditReport, store: Store) -> Store | None:
    """The version that was audited, where that is not the one at hand."""
    if report.dataset_version == store.version or report.finding("label_errors") is None:
        return None
    return type(store).open(folder, report.dataset_version)
