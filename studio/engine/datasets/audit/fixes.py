"""One-click fixes: findings turned into edits, which can be undone like any others.

A finding is about the audited version; a fix applies to the current one. So images that were left
out, moved or relabeled since are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import Action, AuditReport, Finding
from studio.engine.datasets.audit.label_errors import KIND as LABEL_ERRORS
from studio.engine.datasets.audit.task_audit import audit_of
from studio.engine.datasets.edits import Edit, Exclude, Move, Relabel, RemoveObjects
from studio.engine.datasets.overlay import rows_text
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.messages import message

DUPLICATE_KINDS = ("exact_duplicates", "near_duplicates", "leakage", "conflicting_labels")


def fix_finding(
    folder: Path,
    kind: str,
    action: Action,
    rows: Iterable[int] | None = None,
    label: int | None = None,
) -> int:
    """Do a fix of the newest audit as one step, which one undo takes back.

    Args:
        folder: The dataset's folder.
        kind: Kind of the finding.
        action: One of its `actions`.
        rows: Only these images of it; None means all.
        label: For `relabel`: the new class of the images; None for the class that the finding
            suggests for each image.

    Returns:
        The new version of the dataset.

    Raises:
        StudioError: There is no such finding, it has no such fix, or nothing is left to be done.
    """
    report = AuditReport.read(folder)
    finding = None if report is None else report.finding(kind)
    if report is None or finding is None:
        known = [] if report is None else [found.kind for found in report.findings]
        raise StudioError(
            'The audit has no finding "{finding}".',
            did_you_mean(kind, known) if known else "Audit the dataset first.",
            "finding",
            finding=kind,
        )
    if action not in finding.actions:
        raise StudioError(
            '"{fix}" does not fix the finding "{finding}".',
            message(
                "Available fixes: {fixes}.", fixes=", ".join(finding.actions) or message("none")
            ),
            "action",
            fix=action,
            finding=kind,
        )
    edits = fix_edits(report, finding, action, Store.open(folder), rows, label)
    if not edits:
        raise StudioError(
            'The finding "{finding}" has no images left.',
            "Audit the dataset again to update the findings.",
            finding=kind,
        )
    return edit_dataset(folder, edits, f"{kind}: {action}")


def fix_edits(
    report: AuditReport,
    finding: Finding,
    action: Action,
    store: Store,
    rows: Iterable[int] | None = None,
    label: int | None = None,
) -> list[Edit]:
    """Return the edits of a fix; empty if nothing is left to do. See `fix_finding`.

    Args:
        report: The audit.
        finding: The finding to fix.
        action: The fix.
        store: The dataset.
        rows: Images to fix; None for all of the finding.
        label: New class for `relabel`; None for the suggested one.
    """
    chosen = set(finding.rows) & (set(finding.rows) if rows is None else set(rows))
    shown = {row for row in chosen if store.split[row] != SKIPPED}
    if action == "relabel":
        return _relabel(_goals(finding, shown, store, label), store)
    if action == "move":
        return _move(report, shown, store)
    if action == "deduplicate":
        return _deduplicate(shown, store)
    if finding.pairs and finding.kind != "conflicting_labels":
        across = finding.kind == "leakage"
        pairs = _live(finding.pairs, store, across=across)
        if not across:
            # Which of two labels is right is asked by the finding of conflicting labels.
            different = store.differ(np.array(pairs, np.int64).reshape(-1, 2))
            pairs = [pair for pair, other in zip(pairs, different, strict=True) if not other]
        shown &= _superfluous(pairs, store)
    return [Exclude(rows=rows_text(shown))] if shown else []


def duplicate_pairs(report: AuditReport) -> NDArray[np.int64]:
    """Return all pairs of duplicates of any finding, shape (K, 2)."""
    found = [report.finding(kind) for kind in DUPLICATE_KINDS]
    pairs = [pair for finding in found if finding is not None for pair in finding.pairs]
    return np.array(sorted(set(pairs)), np.int64).reshape(-1, 2)


def leaking_rows(report: AuditReport, store: Store) -> NDArray[np.int64]:
    """Return the images outside training that are currently also in training or validation.

    Args:
        report: An audit of any version of the dataset.
        store: The version that is asked about.
    """
    pairs = duplicate_pairs(report)
    splits = store.split[pairs]
    across = (splits[:, 0] != splits[:, 1]) & (splits != SKIPPED).all(axis=1)
    held_out = np.where(splits[:, 0] > splits[:, 1], pairs[:, 0], pairs[:, 1])
    leaking: NDArray[np.int64] = np.unique(held_out[across])
    return leaking


def _goals(finding: Finding, rows: set[int], store: Store, label: int | None) -> dict[int, int]:
    """Return the class that each of some images gets."""
    if label is not None:
        return dict.fromkeys(rows, label)
    if finding.kind != LABEL_ERRORS:
        raise StudioError("Choose the new class of the images.", "Choose a class.", "class")
    suggested = zip(finding.rows, finding.classes, strict=True)
    return {row: store.classes.index(name) for row, name in suggested if row in rows}


def _relabel(goals: dict[int, int], store: Store) -> list[Edit]:
    by_label: dict[int, set[int]] = {}
    for row, label in goals.items():
        if store.labels[row] != label:
            by_label.setdefault(label, set()).add(row)
    return [Relabel(rows=rows_text(rows), label=label) for label, rows in sorted(by_label.items())]


def _deduplicate(rows: set[int], store: Store) -> list[Edit]:
    """Remove one object of each pair of duplicates.

    Places are those of the import: what earlier edits removed comes before.
    """
    audit = audit_of(store.task)
    found: list[Edit] = []
    for row in sorted(rows):
        places = audit.duplicates(store.required_regions[row])
        if places:
            imported = _imported_places(store, row, places)
            found.append(RemoveObjects(rows=rows_text([row]), places=rows_text(imported)))
    return found


def _imported_places(store: Store, row: int, places: list[int]) -> list[int]:
    """Return the indices that objects had before earlier ones were removed."""
    removed = frozenset() if store.overlay is None else store.overlay.removed.get(row, frozenset())
    total = len(store.required_regions[row])
    left = [place for place in range(total) if place not in removed]
    return [left[place] for place in places]


def _move(report: AuditReport, rows: set[int], store: Store) -> list[Edit]:
    """Return moves of duplicates to a common split: training if possible, else the next one."""
    pairs = duplicate_pairs(report)
    pairs = pairs[(store.split[pairs] != SKIPPED).all(axis=1)]
    goals: dict[int, set[int]] = {}
    for group in _groups(pairs.tolist()):
        if rows & group:
            goal = min(int(store.split[row]) for row in group)
            moving = {row for row in group if int(store.split[row]) != goal}
            goals.setdefault(goal, set()).update(moving)
    return [
        Move(rows=rows_text(moving), split=SPLIT_NAMES[goal])
        for goal, moving in sorted(goals.items())
        if moving
    ]


def _live(
    pairs: Iterable[tuple[int, int]], store: Store, *, across: bool
) -> list[tuple[int, int]]:
    """Return the pairs that the dataset still contains, in two splits if that is the finding."""
    split = store.split
    return [
        (first, second)
        for first, second in pairs
        if SKIPPED not in (split[first], split[second])
        and not (across and split[first] == split[second])
    ]


def _superfluous(pairs: Iterable[tuple[int, int]], store: Store) -> set[int]:
    """Return the duplicates to remove; the first one is kept, preferably a training image."""
    others: dict[int, list[int]] = {}
    for first, second in pairs:
        others.setdefault(first, []).append(second)
        others.setdefault(second, []).append(first)
    gone: set[int] = set()
    for row in sorted(others, key=lambda row: (int(store.split[row]), row)):
        if row not in gone:
            gone.update(others[row])
    return gone


def _groups(pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Return everything that hangs together through pairs."""
    group_of: dict[int, set[int]] = {}
    for first, second in pairs:
        one, other = group_of.get(first, {first}), group_of.get(second, {second})
        if one is other:
            continue
        small, large = sorted((one, other), key=len)
        large |= small
        for row in (first, second, *small):
            group_of[row] = large
    return list({id(group): group for group in group_of.values()}.values())
