"""What is left of a finding is what the newest version still shows; what fixes would change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from audit_pictures import compressed, scene
from dataset_stores import make_store

from studio.engine.datasets.audit.findings import Action, AuditPlan, AuditReport, Finding
from studio.engine.datasets.audit.fixes import fix_edits, fix_finding
from studio.engine.datasets.audit.remaining import left_of, remaining, rows_changed
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.edits import Confirm, Exclude, Move, Relabel
from studio.engine.datasets.splits import TEST, TRAIN, VAL
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import compare_versions, edit_dataset, undo
from studio.engine.progress import SilentProgress

PLAIN = 30
# Rows behind the plain ones: a trio, a leak, two classes of one picture, a blank.
ONE, TWO, THREE, LEARNED, LEAKED, CAT, DOG, BLANK = range(PLAIN, PLAIN + 8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    images = [scene(seed) for seed in range(PLAIN)]
    images += [scene(500), scene(500), scene(500), scene(501), scene(501)]
    images += [scene(502), compressed(scene(502)), scene(0) * 0]
    split = [TRAIN] * PLAIN + [TRAIN, TRAIN, TRAIN, TRAIN, TEST, TRAIN, TRAIN, VAL]
    labels = [row % 3 for row in range(PLAIN)] + [0, 0, 0, 1, 1, 0, 1, 2]
    make_store(tmp_path, images, labels, split)
    audit_dataset(tmp_path, AuditPlan(dataset="d"), SilentProgress())
    return tmp_path


def left(folder: Path, kind: str) -> tuple[int, list[int], dict[Action, int]]:
    report = AuditReport.read(folder)
    assert report is not None
    finding = report.finding(kind)
    assert finding is not None
    store = Store.open(folder)
    found = remaining(report, finding, store)
    assert left_of(finding, store)[0] == found.count
    return found.count, found.rows.tolist(), found.fixes


def test_everything_is_left_at_first_and_fixes_say_what_they_change(folder: Path) -> None:
    assert left(folder, "exact_duplicates") == (
        3,
        [ONE, TWO, THREE, LEARNED, LEAKED],
        {"exclude": 3},
    )
    assert left(folder, "leakage") == (1, [LEARNED, LEAKED], {"move": 1, "exclude": 1})
    assert left(folder, "conflicting_labels")[2] == {"relabel": 2, "exclude": 2}
    assert left(folder, "blank") == (1, [BLANK], {"exclude": 1})


def test_what_a_fix_did_is_not_left_and_comes_back_with_undo(folder: Path) -> None:
    before = left(folder, "exact_duplicates")
    fix_finding(folder, "exact_duplicates", "exclude")
    assert left(folder, "exact_duplicates") == (0, [], {})
    assert left(folder, "leakage") == (0, [], {}), "the copy that leaked is gone, too"
    undo(folder)
    assert left(folder, "exact_duplicates") == before


def test_edits_by_hand_count_as_much(folder: Path) -> None:
    edit_dataset(folder, [Exclude(rows=str(TWO))])
    assert left(folder, "exact_duplicates")[0] == 2
    edit_dataset(folder, [Move(rows=str(LEAKED), split="train")])
    assert left(folder, "leakage") == (0, [], {})
    assert left(folder, "exact_duplicates")[0] == 2, "moved, they are still the same"
    edit_dataset(folder, [Relabel(rows=str(DOG), label=0)])
    assert left(folder, "conflicting_labels") == (0, [], {})


def test_the_remaining_classes_are_the_current_ones(folder: Path) -> None:
    report = AuditReport.read(folder)
    assert report is not None
    finding = report.finding("conflicting_labels")
    assert finding is not None
    assert remaining(report, finding, Store.open(folder)).labels == (0, 1)
    edit_dataset(folder, [Relabel(rows=str(DOG), label=2)])
    assert remaining(report, finding, Store.open(folder)).labels == (0, 2)


def test_a_doubted_label_that_was_changed_is_not_left(folder: Path) -> None:
    old = AuditReport.read(folder)
    assert old is not None
    finding = Finding(
        kind="label_errors",
        severity="warning",
        message="",
        suggestion="",
        count=2,
        rows=[5, 1],
        classes=["b", "a"],
        actions=("relabel", "exclude"),
    )
    report = AuditReport.model_validate({**old.model_dump(), "findings": [finding]})
    before = Store.open(folder)
    edit_dataset(folder, [Relabel(rows="5", label=0)])
    found = remaining(report, finding, Store.open(folder), before)
    assert (found.count, found.rows.tolist()) == (1, [1])


def test_a_doubted_label_that_was_confirmed_is_not_left(folder: Path) -> None:
    report = AuditReport.read(folder)
    assert report is not None
    finding = Finding(
        kind="label_errors",
        severity="warning",
        message="",
        suggestion="",
        count=2,
        rows=[5, 1],
        classes=["b", "a"],
        labels=["a", "b"],
    )
    edit_dataset(folder, [Confirm(rows="5")])
    assert remaining(report, finding, Store.open(folder)).rows.tolist() == [1]
    edit_dataset(folder, [Relabel(rows="5", label=1)])
    assert not Store.open(folder).confirmed.any(), "another label is not the confirmed one"
    undo(folder)
    before = Store.open(folder, 0)
    assert compare_versions(before, Store.open(folder)).confirmed.tolist() == [5]
    undo(folder)
    assert remaining(report, finding, Store.open(folder)).count == 2


def test_rows_of_edits_are_each_counted_once(folder: Path) -> None:
    edits = (Exclude(rows="3-5,9"), Move(rows="4", split="val"))
    assert rows_changed(edits, 20).tolist() == [3, 4, 5, 9]
    assert rows_changed([], 20).dtype == np.int64
    report = AuditReport.read(folder)
    assert report is not None
    leak = report.finding("leakage")
    assert leak is not None
    assert rows_changed(fix_edits(report, leak, "move", Store.open(folder)), 99).tolist() == [
        LEAKED
    ]
