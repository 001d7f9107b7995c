from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest
from dataset_stores import make_store, plain
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.processes import run_together
from helpers.sampling import few_examples
from studio.engine.datasets.edits import (
    EDITS_NAME,
    AddClass,
    Edit,
    EditLine,
    Exclude,
    Include,
    Move,
    Relabel,
    RenameClass,
    Restore,
    current_version,
    edits_in_effect,
    read_edits,
)
from studio.engine.datasets.overlay import pack, rows_of, rows_text, unpack
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.splits import SKIPPED, TEST, TRAIN, VAL
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.datasets.summary import read_summary
from studio.engine.datasets.versions import (
    compare_versions,
    edit_dataset,
    excluded_rows,
    redo,
    resplit_dataset,
    restore,
    rows_of_paths,
    undo,
    version_summary,
)
from studio.engine.errors import BadDataError, DiskFullError, StudioError

LABELS = np.array([0, 0, 1, -1, 1, 2, 2, 0], np.int32)
SPLIT = np.array([TRAIN, VAL, TRAIN, SKIPPED, TEST, TRAIN, VAL, TRAIN], np.int8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_store(tmp_path, plain(8), LABELS, SPLIT)
    return tmp_path


def state(store: Store) -> tuple[list[int], list[int], list[str]]:
    return store.labels.tolist(), store.split.tolist(), store.classes


def test_without_edits_nothing_is_copied(folder: Path) -> None:
    store = Store.open(folder)

    assert (store.version, store.overlay) == (0, None)
    assert state(store) == (LABELS.tolist(), SPLIT.tolist(), ["a", "b", "c"])
    assert not (folder / EDITS_NAME).exists()


def test_every_edit_does_what_it_says(folder: Path) -> None:
    before = (folder / FILE_NAME).read_bytes()
    steps: list[list[Edit]] = [
        [Exclude(rows="0-1")],
        [Include(rows="1")],
        [Relabel(rows="2,4", label=2), Move(rows="5", split="test")],
        [AddClass(name=" dög "), Relabel(rows="7", label=3)],
        [RenameClass(label=0, name="A!")],
    ]

    versions = [edit_dataset(folder, step, f"step {index}") for index, step in enumerate(steps, 1)]

    assert versions == [1, 2, 3, 4, 5]
    assert Store.open(folder, 1).split[:2].tolist() == [SKIPPED, SKIPPED]
    assert Store.open(folder, 2).split[:2].tolist() == [SKIPPED, VAL]
    third = Store.open(folder, 3)
    assert third.labels.tolist() == [0, 0, 2, -1, 2, 2, 2, 0]
    assert third.split[5] == TEST
    newest = Store.open(folder)
    assert newest.version == 5
    assert newest.classes == ["A!", "b", "c", "dög"]
    assert newest.class_rows(3).tolist() == [7]
    assert newest.rows("train").tolist() == [2, 7]
    assert newest.counts() == {"train": 2, "val": 2, "test": 2}
    assert excluded_rows(newest).tolist() == [0]
    assert not newest.labels.flags.writeable
    assert not newest.split.flags.writeable
    assert [line.note for line in read_edits(folder)] == [f"step {i}" for i in range(1, 6)]
    assert state(Store.open(folder, 0)) == (LABELS.tolist(), SPLIT.tolist(), ["a", "b", "c"])
    assert (folder / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (Exclude(rows="8"), "There are 8 images; received the number 8"),
        (Exclude(rows="0-999999999999"), "There are 8 images"),
        (Move(rows="3", split="val"), "number 3 could not be read"),
        (Relabel(rows="0", label=3), "has 3 classes; received the number 3"),
        (RenameClass(label=9, name="x"), "has 3 classes"),
        (RenameClass(label=0, name="b"), '"b" already exists'),
        (AddClass(name="c"), '"c" already exists'),
        (AddClass(name="  "), "1 to 200 characters"),
        (AddClass(name="x" * 201), "1 to 200 characters"),
    ],
)
def test_what_cannot_be_done_changes_nothing(folder: Path, edit: Edit, words: str) -> None:
    with pytest.raises(StudioError, match="nothing to change"):
        edit_dataset(folder, [])
    with pytest.raises(StudioError) as caught:
        edit_dataset(folder, [Exclude(rows="0"), edit])
    assert words in caught.value.message
    assert current_version(folder) == 0
    assert Store.open(folder).counts() == {"train": 4, "val": 2, "test": 1}


def test_undo_and_redo_are_separate_steps(folder: Path) -> None:
    for refused in (undo, redo):
        with pytest.raises(StudioError, match="nothing to"):
            refused(folder)
    edit_dataset(folder, [Exclude(rows="0")])
    edit_dataset(folder, [Exclude(rows="1")])

    assert undo(folder) == 3
    assert excluded_rows(Store.open(folder)).tolist() == [0]
    assert undo(folder) == 4
    assert Store.open(folder).overlay is None
    assert redo(folder) == 5
    assert excluded_rows(Store.open(folder)).tolist() == [0]
    edit_dataset(folder, [Exclude(rows="5")])
    with pytest.raises(StudioError, match="nothing to redo"):
        redo(folder)
    assert excluded_rows(Store.open(folder)).tolist() == [0, 5]
    assert excluded_rows(Store.open(folder, 2)).tolist() == [0, 1]


def test_there_is_no_other_version(folder: Path) -> None:
    edit_dataset(folder, [Exclude(rows="0")])
    for wrong in (2, -1):
        with pytest.raises(StudioError, match="versions 0 to 1"):
            Store.open(folder, wrong)


def test_a_summary_counts_what_its_version_shows(folder: Path) -> None:
    edit_dataset(folder, [Exclude(rows="0"), Move(rows="7", split="test"), AddClass(name="new")])

    for _ in range(2):
        summary = version_summary(folder)
        assert summary.count == Store.open(folder).counts()
        assert summary.class_counts == Store.open(folder).class_counts()
        assert summary.classes == ["a", "b", "c", "new"]
        (folder / "current.json").unlink(missing_ok=True)
    assert version_summary(folder, 0) == read_summary(folder)
    undo(folder)
    assert version_summary(folder) == read_summary(folder)
    assert version_summary(folder, 1) == summary
    edit_dataset(folder, [Exclude(rows="1")])
    (folder / "current.json").write_text("{")
    assert version_summary(folder).count == {"train": 4, "val": 1, "test": 1}


def test_two_versions_are_compared(folder: Path) -> None:
    edit_dataset(folder, [Exclude(rows="0,1"), RenameClass(label=1, name="B")])
    edit_dataset(
        folder,
        [
            Include(rows="1"),
            Exclude(rows="7"),
            Relabel(rows="2,7", label=2),
            Move(rows="4-5", split="val"),
            AddClass(name="d"),
        ],
    )
    stores = [Store.open(folder, version) for version in range(3)]

    change = compare_versions(stores[1], stores[2])
    assert (change.excluded.tolist(), change.included.tolist()) == ([7], [1])
    assert (change.relabeled.tolist(), change.moved.tolist()) == ([2], [4, 5])
    assert (change.added_classes, change.renamed_classes) == (("d",), ())
    assert compare_versions(stores[0], stores[2]).renamed_classes == (("b", "B"),)
    assert compare_versions(stores[2], stores[0]).removed_classes == ("d",)
    assert compare_versions(stores[1], stores[1]).is_empty
    assert not change.is_empty


def test_images_are_found_by_their_paths(folder: Path) -> None:
    edit_dataset(folder, [Exclude(rows="0")])
    store = Store.open(folder)
    assert rows_of_paths(store, ["b/4.png", "a/0.png"]).tolist() == [4, 0]
    with pytest.raises(StudioError, match=r'not have 2 of the images; .* "a/3.png"'):
        rows_of_paths(store, ["a/3.png", "a/0.png", "nothing"])


def test_a_torn_line_is_ignored_and_removed_by_the_next(folder: Path) -> None:
    edit_dataset(folder, [Exclude(rows="0")])
    path = folder / EDITS_NAME
    whole = path.read_bytes()
    for cut in range(1, len(whole)):
        path.write_bytes(whole + whole[:-1][:cut])
        assert Store.open(folder).version == 1
    assert edit_dataset(folder, [Exclude(rows="1")]) == 2
    assert path.read_bytes().startswith(whole)
    assert excluded_rows(Store.open(folder)).tolist() == [0, 1]
    path.write_bytes(whole[:-5])
    assert Store.open(folder).overlay is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"nonsense", "damaged"),
        (b'{"edits": [{"kind": "exclude", "rows": "1-"}]}', "damaged"),
        (b'{"edits": [{"kind": "paint"}]}', "by a newer Studio"),
        (b'{"edits": [{"kind": "exclude", "rows": "800"}]}', "belong to other images"),
        (b'{"edits": [{"kind": "resplit", "plan": {}, "dealt": "????"}]}', "split is damaged"),
    ],
)
def test_damaged_lines_are_never_passed_over(folder: Path, line: bytes, words: str) -> None:
    edit_dataset(folder, [Exclude(rows="0")])
    with (folder / EDITS_NAME).open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(BadDataError, match=words) as caught:
        Store.open(folder)
    assert caught.value.hint
    assert Store.open(folder, 1).version == 1
    with pytest.raises(BadDataError, match=words):
        edit_dataset(folder, [Exclude(rows="1")])


def test_a_full_disk_leaves_the_lines_that_were_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_dataset(folder, [Exclude(rows="0")])
    whole = (folder / EDITS_NAME).read_bytes()
    real = os.write

    def half(handle: int, data: bytes) -> int:
        if len(data) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data[: len(data) // 2])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", half)
        with pytest.raises(DiskFullError):
            edit_dataset(folder, [Exclude(rows="1")])
    assert (folder / EDITS_NAME).read_bytes() == whole
    assert Store.open(folder).version == 1


EDITOR = """
import sys
from pathlib import Path
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.versions import edit_dataset
folder, first = Path(sys.argv[1]), int(sys.argv[2])
print("ready")
sys.stdin.readline()
print(*[edit_dataset(folder, [Exclude(rows=str(row))]) for row in range(first, first + 20)])
"""


def test_two_processes_edit_at_once(tmp_path: Path) -> None:
    make_store(tmp_path, plain(40), [0] * 40)

    said = run_together(EDITOR, [(tmp_path, "0"), (tmp_path, "20")])

    versions = sorted(int(version) for line in said for version in line.split())
    assert versions == list(range(1, 41))
    store = Store.open(tmp_path)
    assert store.version == 40
    assert excluded_rows(store).tolist() == list(range(40))
    assert version_summary(tmp_path).total == 0


@given(st.lists(st.integers(0, 10_000), min_size=1))
def test_rows_survive_as_text(rows: list[int]) -> None:
    text = rows_text(rows)
    assert rows_of(text, 10_001).tolist() == sorted(set(rows))


def test_ranges_are_short() -> None:
    assert rows_text(range(100_000)) == "0-99999"
    assert rows_text([7, 1, 2, 2, 3]) == "1-3,7"
    with pytest.raises(StudioError, match="No image"):
        rows_text([])


@given(st.lists(st.integers(-1, 2)))
def test_splits_survive_as_text(values: list[int]) -> None:
    dealt = np.array(values, np.int8)
    assert np.array_equal(unpack(pack(dealt)), dealt)


ROWS = st.sets(st.sampled_from([0, 1, 2, 4, 5, 6, 7]), min_size=1).map(rows_text)
EDITS: st.SearchStrategy[Edit] = st.one_of(
    st.builds(Exclude, rows=ROWS),
    st.builds(Include, rows=ROWS),
    st.builds(Relabel, rows=ROWS, label=st.integers(0, 2)),
    st.builds(Move, rows=ROWS, split=st.sampled_from(["train", "val", "test"])),
    st.builds(RenameClass, label=st.integers(0, 2), name=st.sampled_from(["x", "y", "ü"])),
    st.builds(AddClass, name=st.sampled_from(["p", "q"])),
)
STEPS = st.lists(st.one_of(EDITS, st.sampled_from(["undo", "redo", "split"])), max_size=14)


@settings(max_examples=few_examples())
@given(STEPS)
def test_any_steps_can_be_taken_back_and_every_version_stays(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Edit | str]
) -> None:
    folder = tmp_path_factory.mktemp("edits")
    make_store(folder, plain(8), LABELS, SPLIT)
    seen = [state(Store.open(folder))]
    history, future = [seen[0]], []
    for step in steps:
        try:
            if step == "undo":
                undo(folder)
                future.append(history.pop())
            elif step == "redo":
                redo(folder)
                history.append(future.pop())
            else:
                _do(folder, step)
                history.append(state(Store.open(folder)))
                future.clear()
        except StudioError:
            pass
        else:
            seen.append(state(Store.open(folder)))
        assert state(Store.open(folder)) == history[-1]
    for version, expected in enumerate(seen):
        assert state(Store.open(folder, version)) == expected
    while True:
        try:
            undo(folder)
        except StudioError:
            break
    assert state(Store.open(folder)) == (LABELS.tolist(), SPLIT.tolist(), ["a", "b", "c"])
    for line in (folder / EDITS_NAME).read_text().splitlines() if len(seen) > 1 else []:
        assert isinstance(json.loads(line), dict)


def _do(folder: Path, step: Edit | str) -> None:
    if isinstance(step, str):
        resplit_dataset(folder, SplitPlan(val_percent=30, test_percent=30, seed=3))
    else:
        edit_dataset(folder, [step])


def test_going_back_is_a_step_that_can_be_undone(folder: Path) -> None:
    edit_dataset(folder, [Exclude(rows="0"), AddClass(name="new")])
    edit_dataset(folder, [Relabel(rows="1", label=3), RenameClass(label=0, name="other")])
    requested = state(Store.open(folder, 1))
    assert restore(folder, 1, "as it was") == 3
    assert state(Store.open(folder)) == requested
    edit_dataset(folder, [Exclude(rows="4")])
    assert restore(folder, 0) == 5
    assert state(Store.open(folder)) == state(Store.open(folder, 0))
    assert version_summary(folder).count == read_summary(folder).count
    assert restore(folder, 4) == 6
    assert state(Store.open(folder)) == state(Store.open(folder, 4)) != requested
    undo(folder)
    undo(folder)
    assert state(Store.open(folder)) == state(Store.open(folder, 4))
    with pytest.raises(StudioError, match="already as it was in version 4"):
        restore(folder, 4)
    with pytest.raises(StudioError, match="versions 0 to 8"):
        restore(folder, 9)


def test_going_back_and_forth_stays_quick(folder: Path) -> None:
    edit_dataset(folder, [Exclude(rows="0")])
    for _ in range(40):
        restore(folder, current_version(folder) - 1)
    assert len(edits_in_effect(read_edits(folder))) in (0, 1)


def test_a_step_cannot_go_back_to_what_came_later(folder: Path) -> None:
    line = EditLine(edits=(Restore(version=1),))
    (folder / EDITS_NAME).write_text(line.model_dump_json() + "\n")
    with pytest.raises(BadDataError, match="Line 1"):
        Store.open(folder)
