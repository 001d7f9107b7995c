"""Fixes are edits: they do what they say, can be undone, and know what was done since."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from audit_pictures import compressed, scene
from dataset_stores import make_store

from studio.engine.datasets.audit.findings import Action, AuditPlan, AuditReport
from studio.engine.datasets.audit.fixes import fix_finding, leaking_rows
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.edits import Exclude, Move, read_edits
from studio.engine.datasets.splits import SKIPPED, TEST, TRAIN, VAL
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset, undo
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress

PLAIN = 40
# Rows behind the plain ones.
TRAIN_A, VAL_A, TEST_A, TEST_A2, VAL_B, TEST_B, CAT, DOG, BLANK = range(PLAIN, PLAIN + 9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    images = [scene(seed) for seed in range(PLAIN)]
    images += [scene(500), scene(500), compressed(scene(500)), compressed(scene(500))]
    images += [scene(501), scene(501), scene(502), compressed(scene(502)), scene(0) * 0]
    split = [TRAIN] * PLAIN + [TRAIN, VAL, TEST, TEST, VAL, TEST, TRAIN, TRAIN, TRAIN]
    labels = [0] * PLAIN + [0, 0, 0, 0, 1, 1, 0, 1, 2]
    make_store(tmp_path, images, labels, split)
    audit_dataset(tmp_path, AuditPlan(dataset="d"), SilentProgress())
    return tmp_path


def report_of(folder: Path) -> AuditReport:
    report = AuditReport.read(folder)
    assert report is not None
    return report


def test_leaks_move_to_the_training_split(folder: Path) -> None:
    report = report_of(folder)
    leaking = leaking_rows(report, Store.open(folder))
    assert leaking.tolist() == [VAL_A, TEST_A, TEST_A2, TEST_B]

    version = fix_finding(folder, "leakage", "move")

    store = Store.open(folder)
    assert store.split[[VAL_A, TEST_A, TEST_A2]].tolist() == [TRAIN] * 3
    assert store.split[[VAL_B, TEST_B]].tolist() == [VAL, VAL]
    assert len(leaking_rows(report, store)) == 0
    assert read_edits(folder)[-1].note == "leakage: move"
    assert version == 1
    again = audit_dataset(folder, AuditPlan(dataset="d"), SilentProgress())
    assert again.finding("leakage") is None
    undo(folder)
    assert len(leaking_rows(report, Store.open(folder))) == 4


def test_leaks_are_left_out_of_measuring(folder: Path) -> None:
    fix_finding(folder, "leakage", "exclude")
    store = Store.open(folder)
    assert np.flatnonzero(store.split == SKIPPED).tolist() == [VAL_A, TEST_A, TEST_A2, TEST_B]
    with pytest.raises(StudioError, match="no images left"):
        fix_finding(folder, "leakage", "exclude")
    with pytest.raises(StudioError, match="no images left"):
        fix_finding(folder, "leakage", "move")


def test_one_of_each_duplicate_is_kept(folder: Path) -> None:
    fix_finding(folder, "exact_duplicates", "exclude")
    gone = np.flatnonzero(Store.open(folder).split == SKIPPED).tolist()
    assert gone == [VAL_A, TEST_A2, TEST_B]
    fix_finding(folder, "near_duplicates", "exclude")
    gone = np.flatnonzero(Store.open(folder).split == SKIPPED).tolist()
    # Not the dog that looks like a cat: one of the two has a wrong label, and who knows which.
    assert gone == [VAL_A, TEST_A, TEST_A2, TEST_B]
    assert len(read_edits(folder)) == 2


def test_only_the_chosen_images_are_fixed(folder: Path) -> None:
    fix_finding(folder, "exact_duplicates", "exclude", rows=[TEST_B, 0])
    assert np.flatnonzero(Store.open(folder).split == SKIPPED).tolist() == [TEST_B]
    fix_finding(folder, "leakage", "move", rows=[TEST_A])
    assert Store.open(folder).split[[VAL_A, TEST_A, TEST_A2]].tolist() == [TRAIN] * 3


def test_conflicts_are_decided_by_a_person(folder: Path) -> None:
    with pytest.raises(StudioError, match="Choose the new class"):
        fix_finding(folder, "conflicting_labels", "relabel")
    fix_finding(folder, "conflicting_labels", "relabel", label=1)
    assert Store.open(folder).labels[[CAT, DOG]].tolist() == [1, 1]
    with pytest.raises(StudioError, match="no images left"):
        fix_finding(folder, "conflicting_labels", "relabel", label=1)
    fix_finding(folder, "conflicting_labels", "exclude")
    assert np.flatnonzero(Store.open(folder).split == SKIPPED).tolist() == [CAT, DOG]


def test_blank_images_are_left_out(folder: Path) -> None:
    fix_finding(folder, "blank", "exclude")
    assert np.flatnonzero(Store.open(folder).split == SKIPPED).tolist() == [BLANK]


@pytest.mark.parametrize(
    ("kind", "action", "words"),
    [
        ("blank", "move", "does not fix"),
        ("leakag", "move", 'no finding "leakag"'),
        ("tiny", "exclude", "no finding"),
    ],
)
def test_fixes_that_there_are_not(folder: Path, kind: str, action: Action, words: str) -> None:
    with pytest.raises(StudioError, match=words) as caught:
        fix_finding(folder, kind, action)
    assert caught.value.hint
    (folder / "audit.json").unlink()
    with pytest.raises(StudioError, match="no finding") as caught:
        fix_finding(folder, "blank", "exclude")
    assert "Audit the dataset first" in caught.value.hint


def test_leakage_is_that_of_the_dataset_as_it_is_now(folder: Path) -> None:
    report = report_of(folder)
    edit_dataset(folder, [Exclude(rows=f"{TRAIN_A},{VAL_A}"), Move(rows=str(DOG), split="test")])
    # Both test copies are near each other only now; the dog that was moved is near the cat.
    assert leaking_rows(report, Store.open(folder)).tolist() == [TEST_B, DOG]
    assert leaking_rows(report, Store.open(folder, 0)).tolist() == [
        VAL_A,
        TEST_A,
        TEST_A2,
        TEST_B,
    ]
