"""Findings that remain after a dataset was edited, and the effect of each fix on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import Action, AuditReport, Finding
from studio.engine.datasets.audit.fixes import fix_edits
from studio.engine.datasets.audit.label_errors import KIND as LABEL_ERRORS
from studio.engine.datasets.edits import Edit, Exclude, Include, Move, Relabel
from studio.engine.datasets.overlay import rows_of
from studio.engine.datasets.splits import SKIPPED
from studio.engine.datasets.store import Store

Rows = NDArray[np.int64]


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
    parts = [
        rows_of(edit.rows, total)
        for edit in edits
        if isinstance(edit, Exclude | Include | Move | Relabel)
    ]
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
    if finding.kind == LABEL_ERRORS and audited is not None:
        pairs = (
            (store.labels, audited.labels)
            if store.targets is None or audited.targets is None
            else (store.targets, audited.targets)
        )
        now, before = (each[rows].reshape(len(rows), -1) for each in pairs)
        left &= (now == before).all(axis=1)
    found: Rows = rows[left]
    return found


def _changed_by(
    report: AuditReport, finding: Finding, action: Action, store: Store, rows: Rows
) -> int:
    if action == "relabel":  # which of them depends on the class
        return len(rows)
    edits = fix_edits(report, finding, action, store, rows.tolist())
    return len(rows_changed(edits, len(store.labels)))
