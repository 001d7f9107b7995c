"""Findings that remain after a dataset was edited, and the effect of each fix on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.datasets.audit.findings import (
    SEVERITIES,
    Action,
    AuditFacts,
    AuditReport,
    Finding,
    Severity,
)
from studio.engine.datasets.audit.fixes import fix_edits
from studio.engine.datasets.audit.label_errors import KIND as LABEL_ERRORS
from studio.engine.datasets.audit.task_audit import audit_of
from studio.engine.datasets.edits import (
    Edit,
    Exclude,
    Include,
    Move,
    Relabel,
    RemoveObjects,
    current_version,
)
from studio.engine.datasets.overlay import rows_of
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import StudioError

_OF_IMAGES = (Exclude, Include, Move, Relabel, RemoveObjects)
"""Edits that fixes make."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """Part of a finding that remains.

    Attributes:
        count: In the units of `Finding.count`: pairs if there are pairs, otherwise images.
        rows: The images that it is still about, ascending.
        labels: Their classes, each once, ascending.
        fixes: Number of images that each fix would change; without entries of 0.
    """

    count: int
    rows: Rows
    labels: tuple[int, ...]
    fixes: dict[Action, int]


def remaining(
    report: AuditReport, finding: Finding, store: Store, audited: Store | None = None
) -> Remaining:
    """Return the part of a finding about images that remains.

    Args:
        report: The audit it is of.
        finding: One of its findings; it has rows.
        store: The version that is asked about.
        audited: The audited version, to know which labels were changed since; None
            means none was.
    """
    count, rows = left_of(finding, store, audited)
    labels = tuple(np.unique(store.labels[rows]).tolist())
    fixes: dict[Action, int] = {}
    for action in finding.actions:
        number = _changed_by(report, finding, action, store, rows)
        if number:
            fixes[action] = number
    return Remaining(count, rows, labels, fixes)


def left_of(finding: Finding, store: Store, audited: Store | None = None) -> tuple[int, Rows]:
    """Return the number and rows of the images that a finding still applies to; see `remaining`.

    Args:
        finding: The finding.
        store: The current dataset.
        audited: The dataset when it was audited; None for the same version.
    """
    if finding.pairs:
        pairs = _left_pairs(finding, store)
        return len(pairs), np.unique(pairs)
    rows = _left_rows(finding, store, audited)
    return len(rows), rows


def rows_changed(edits: Iterable[Edit], total: int) -> Rows:
    """Return the rows that edits change, ascending.

    Args:
        edits: The edits.
        total: Number of images of the dataset.
    """
    parts = [rows_of(edit.rows, total) for edit in edits if isinstance(edit, _OF_IMAGES)]
    changed: Rows = np.unique(np.concatenate([np.empty(0, np.int64), *parts]))
    return changed


def _left_pairs(finding: Finding, store: Store) -> Rows:
    pairs = np.array(finding.pairs, np.int64).reshape(-1, 2)
    splits = store.split[pairs]
    left = (splits != SKIPPED).all(axis=1)
    if finding.kind == "leakage":
        left &= splits[:, 0] != splits[:, 1]
    elif finding.kind == "conflicting_labels":
        left &= store.differ(pairs)
    found: Rows = pairs[left]
    return found


def _left_rows(finding: Finding, store: Store, audited: Store | None) -> Rows:
    rows = np.unique(np.array(finding.rows, np.int64))
    left = store.split[rows] != SKIPPED
    if finding.kind == LABEL_ERRORS:
        left &= ~store.confirmed[rows]
    if finding.kind == LABEL_ERRORS and audited is not None:
        left &= (store.targets[rows] == audited.targets[rows]).all(axis=1)
    if "deduplicate" in finding.actions:
        left &= [bool(audit_of(store.task).duplicates(each)) for each in _regions(store, rows)]
    found: Rows = rows[left]
    return found


def _regions(store: Store, rows: Rows) -> Iterable[NDArray[Any]]:
    return (store.required_regions[row] for row in rows.tolist())


def _current_fix(
    folder: Path, kind: str, action: Action, label: int | None
) -> tuple[Store, Finding, list[Edit]]:
    """Return the dataset, the finding, and the edits of a fix; see `fix_finding`."""
    report = AuditReport.read(folder)
    finding = None if report is None else report.finding(kind)
    if report is None or finding is None or action not in finding.actions:
        raise StudioError(
            "The dataset was audited again; this finding no longer exists.",
            "Open the current findings.",
        )
    store = Store.open(folder)
    left = remaining(report, finding, store, audited_store(folder, report, store)).rows.tolist()
    edits = fix_edits(report, finding, action, store, left, label)
    if not edits:
        raise StudioError("Nothing is left to fix.", "Audit the dataset again.")
    return store, finding, edits


def _changed_by(
    report: AuditReport, finding: Finding, action: Action, store: Store, rows: Rows
) -> int:
    if action == "relabel":  # which of them depends on the class
        return len(rows)
    edits = fix_edits(report, finding, action, store, rows.tolist())
    return len(rows_changed(edits, len(store.labels)))


def read_audit(folder: Path) -> AuditFacts:
    """Read the last audit of the dataset in a folder, and count the images left.

    Raises:
        StudioError: The report, the dataset or its edits cannot be read.
    """
    report = AuditReport.read(folder)
    if report is None:
        return AuditFacts(None, current_version(folder))
    store = Store.open(folder)
    audited = audited_store(folder, report, store)
    return AuditFacts(
        report,
        store.version,
        {
            finding.kind: remaining(report, finding, store, audited)
            for finding in report.findings
            if finding.rows
        },
        tuple(store.classes),
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
    store = Store.open(folder)
    audited = audited_store(folder, report, store)
    found = {
        finding.severity
        for finding in report.findings
        if not finding.rows or left_of(finding, store, audited)[0]
    }
    return next((severity for severity in SEVERITIES if severity in found), None)


def audited_store(folder: Path, report: AuditReport, store: Store) -> Store | None:
    """Open the audited version, if it is another one and has label errors.

    Args:
        folder: Folder of the dataset.
        report: The last audit.
        store: The newest version.
    """
    if report.dataset_version == store.version or report.finding("label_errors") is None:
        return None
    return type(store).open(folder, report.dataset_version)


@dataclass(frozen=True, slots=True)
class FixedImage:
    """An image that a fix changes.

    Attributes:
        row: Its row.
        path: Its path.
        before: Its class, its split or the number of its objects before the fix.
        after: The same after the fix; empty for an excluded image.
    """

    row: int
    path: str
    before: str
    after: str


def preview_fix(folder: Path, kind: str, action: Action, label: int | None) -> list[FixedImage]:
    """Return the images that a fix would change, in the order of the finding; see `fix_finding`.

    Args:
        folder: Folder of the dataset.
        kind: Kind of the finding.
        action: What is done with its images.
        label: Class for all of them; None for that of each.

    Raises:
        StudioError: The audit no longer offers it, or no image is left to change.
    """
    store, finding, edits = _current_fix(folder, kind, action, label)
    count = len(store.labels)
    changed: dict[int, FixedImage] = {}
    for edit in edits:
        if isinstance(edit, _OF_IMAGES):
            for row in rows_of(edit.rows, count).tolist():
                changed[row] = FixedImage(row, store.paths[row], *_states(store, edit, row))
    ordered = dict.fromkeys([*finding.rows, *sorted(changed)])
    return [changed[row] for row in ordered if row in changed]


def _states(store: Store, edit: Edit, row: int) -> tuple[str, str]:
    """Return what an edit changes of an image, before and after it."""
    match edit:
        case Relabel():
            return store.classes[int(store.labels[row])], store.classes[edit.label]
        case Move():
            return SPLIT_NAMES[int(store.split[row])], edit.split
        case RemoveObjects():
            objects = int(store.targets[row].sum())
            gone = len(rows_of(edit.places, len(store.required_regions[row])))
            return str(objects), str(objects - gone)
    return store.annotation(row), ""


def fix_finding(
    folder: Path,
    kind: str,
    action: Action,
    label: int | None,
    note: Callable[[int, str], str],
) -> None:
    """Apply a fix of the newest audit as one step.

    Args:
        folder: Folder of the dataset.
        kind: Kind of the finding.
        action: What is done with its images.
        label: Class for all of them; None for that of each.
        note: Describes the step by the number of its images and the name of the class.

    Raises:
        StudioError: The audit no longer offers it, or no image is left to change.
        DiskFullError: No space was left; nothing changed.
    """
    store, _finding, edits = _current_fix(folder, kind, action, label)
    name = "" if label is None else store.classes[label]
    edit_dataset(folder, edits, note(len(rows_changed(edits, len(store.labels))), name))
