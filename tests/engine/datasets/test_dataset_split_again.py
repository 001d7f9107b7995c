from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dataset_stores import make_store, plain
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.datasets.edits import Exclude, Include, Resplit, read_edits
from studio.engine.datasets.origins.record import origins_by_pattern
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.splits import (
    SKIPPED,
    TEST,
    TRAIN,
    VAL,
    ImagesToSplit,
    assign_splits,
    resplit,
)
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset, preview_split, resplit_dataset, undo
from studio.engine.errors import StudioError


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"val_percent": 60, "test_percent": 40}, "nothing to train on"),
        ({"val_percent": 120}, "less than 100"),
        ({"pattern": "("}, "not a regular expression"),
        ({"method": "kfold", "folds": 3, "fold": 3}, "fold must be 0 to 2"),
        ({"method": "kfold", "folds": 1}, "must be at least 2"),
    ],
)
def test_invalid_plans(values: dict[str, object], words: str) -> None:
    with pytest.raises(StudioError, match=words):
        SplitPlan.parse(values)


def _deal(plan: SplitPlan, labels: np.ndarray, paths: list[str] | None = None) -> np.ndarray:
    count = len(labels)
    groups = origins_by_pattern(paths, plan.pattern, np.arange(count)).groups if paths else None
    split = np.zeros(count, np.int8)
    images = ImagesToSplit(labels, split, np.ones(count, np.bool_), groups=groups)
    return resplit(plan, images)


def test_stratified_keeps_every_class_and_ratio_only_the_whole() -> None:
    labels = np.repeat([0, 1], [900, 100])
    stratified = _deal(SplitPlan(val_percent=10, test_percent=20), labels)
    assert [int(((stratified == s) & (labels == 1)).sum()) for s in range(3)] == [70, 10, 20]
    assert np.array_equal(stratified, assign_splits(labels, 10, 20, 0))
    ratio = _deal(SplitPlan(method="ratio", val_percent=10, test_percent=20), labels)
    assert [int((ratio == s).sum()) for s in range(3)] == [700, 100, 200]
    assert [int(((ratio == s) & (labels == 1)).sum()) for s in range(3)] != [70, 10, 20]
    other = _deal(SplitPlan(method="ratio", val_percent=10, test_percent=20, seed=1), labels)
    assert not np.array_equal(ratio, other)


def test_groups_stay_together_and_fractions_are_met() -> None:
    paths = [f"x/patient{i // 10:02}_{i}.png" for i in range(400)] + ["x/alone.png"] * 4
    plan = SplitPlan(pattern=r"(patient\d+)_", val_percent=20, test_percent=10, seed=5)
    dealt = _deal(plan, np.zeros(404, np.int64), paths)
    for patient in range(40):
        assert len(set(dealt[patient * 10 : patient * 10 + 10].tolist())) == 1
    assert abs(int((dealt == VAL).sum()) - 81) <= 10
    assert abs(int((dealt == TEST).sum()) - 40) <= 10
    with pytest.raises(StudioError, match=r'matches no path; one of them is "x/patient00_0.png"'):
        _deal(plan.changed(pattern="doctor"), np.zeros(404, np.int64), paths)


def test_group_names() -> None:
    paths = ["a_1.png", "b_1.png", "a_2.png", "none", "none"]
    alone = np.arange(5)
    assert origins_by_pattern(paths, r"^(\w)_", alone).name_of.tolist() == [0, 1, 0, -1, -1]
    assert origins_by_pattern(paths, r"_\d", alone).groups.tolist() == [0, 0, 1, 2, 3]


@given(
    st.integers(2, 7),
    st.lists(st.integers(0, 3), min_size=1, max_size=80),
    st.booleans(),
    st.integers(0, 9),
)
def test_folds_part_all_but_the_test_images(
    folds: int, labels: list[int], grouped: bool, seed: int
) -> None:
    split = np.where(np.arange(len(labels)) % 5 == 4, TEST, TRAIN).astype(np.int8)
    groups = np.arange(len(labels)) // 3 if grouped else None
    measured = np.zeros(len(labels), np.int64)
    for fold in range(folds):
        plan = SplitPlan(method="kfold", folds=folds, fold=fold, seed=seed)
        used = np.ones(len(labels), np.bool_)
        dealt = resplit(plan, ImagesToSplit(np.array(labels), split, used, groups=groups))
        assert np.array_equal(dealt == TEST, split == TEST)
        measured += dealt == VAL
        if not grouped:
            size = int((split != TEST).sum()) / folds
            assert abs(int((dealt == VAL).sum()) - size) < 1
            for label in range(4):
                mine = (np.array(labels) == label) & (split != TEST)
                assert abs(int((dealt[mine] == VAL).sum()) - mine.sum() / folds) <= 1
    assert np.array_equal(measured == 1, split != TEST)


def test_images_left_out_count_in_no_share_and_come_back_dealt(tmp_path: Path) -> None:
    make_store(tmp_path, plain(100), [0] * 100, [SKIPPED] + [TRAIN] * 99)
    edit_dataset(tmp_path, [Exclude(rows="1-49")])

    version = resplit_dataset(tmp_path, SplitPlan(val_percent=20, test_percent=20), "again")

    store = Store.open(tmp_path, version)
    assert store.counts() == {"train": 30, "val": 10, "test": 10}
    edit_dataset(tmp_path, [Include(rows="1-49")])
    assert sum(Store.open(tmp_path).counts().values()) == 99
    assert Store.open(tmp_path).split[0] == SKIPPED
    (edit,) = read_edits(tmp_path)[1].edits
    assert isinstance(edit, Resplit)
    assert edit.plan.val_percent == 20


def test_a_group_that_was_left_out_comes_back_to_its_own(tmp_path: Path) -> None:
    paths = [f"a/p{i // 4}_{i}.png" for i in range(40)]
    make_store(tmp_path, plain(40), [0] * 40, paths=paths)
    edit_dataset(tmp_path, [Exclude(rows="0,5,10-13")])
    resplit_dataset(tmp_path, SplitPlan(pattern=r"p\d+_", val_percent=30, test_percent=20))
    assert Store.open(tmp_path).origins.kind == "pattern"
    assert Store.open(tmp_path, 0).origins.kind == "none"
    edit_dataset(tmp_path, [Include(rows="0,5,10-13")])
    split = Store.open(tmp_path).split
    for first in range(0, 40, 4):
        assert len(set(split[first : first + 4].tolist())) == 1


def test_a_test_split_of_the_source_is_kept_by_default(tmp_path: Path) -> None:
    split = [TRAIN] * 70 + [TEST] * 30
    make_store(tmp_path, plain(100), [0, 1] * 50, split, source_splits=["test"])
    before = Store.open(tmp_path).split.copy()

    promised = preview_split(tmp_path, SplitPlan())
    assert (promised.before, promised.after) == (
        {"train": 70, "val": 0, "test": 30},
        {"train": 56, "val": 14, "test": 30},
    )
    assert (promised.moved, promised.test_to_train) == (14, 0)
    resplit_dataset(tmp_path, SplitPlan())
    assert Store.open(tmp_path).counts() == promised.after
    assert np.array_equal(Store.open(tmp_path).split == TEST, before == TEST)
    undo(tmp_path)
    assert np.array_equal(Store.open(tmp_path).split, before)

    everything = SplitPlan(keep_source_splits=False)
    promised = preview_split(tmp_path, everything)
    assert promised.test_to_train > 0
    resplit_dataset(tmp_path, everything)
    assert Store.open(tmp_path).counts() == promised.after == {"train": 70, "val": 20, "test": 10}


def test_splits_that_studio_made_are_not_kept(tmp_path: Path) -> None:
    make_store(tmp_path, plain(100), [0] * 100, [TRAIN] * 70 + [TEST] * 30)
    resplit_dataset(tmp_path, SplitPlan())
    assert Store.open(tmp_path).counts() == {"train": 70, "val": 20, "test": 10}
