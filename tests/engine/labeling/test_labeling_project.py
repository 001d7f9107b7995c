"""Decisions of people: saved at once, undone one by one, and never lost to a kill."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.faults import FaultyDisk
from studio.engine.errors import BadDataError, StudioError
from studio.engine.labeling.editors import editor_of, no_labeling
from studio.engine.labeling.items import ItemLine
from studio.engine.labeling.journal import (
    ITEMS_NAME,
    LABELS_NAME,
    LINE,
    AddClassLine,
    Change,
    DecisionLine,
    LabelState,
    Line,
    RedoLine,
    UndoLine,
)
from studio.engine.labeling.plan import LabelClass, LabelingPlan, parsed_class
from studio.engine.labeling.project import Changed, Labeling
from studio.engine.labeling.proposals import Proposal, accept
from studio.engine.labeling.values import (
    EXCLUDED,
    BoxesValue,
    ClassValue,
    LabelsValue,
    NumbersValue,
    Value,
)
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE
from studio.engine.workspace import RecordKind, Workspace


def item_line(number: int, width: int = 8, height: int = 6) -> ItemLine:
    return ItemLine(
        path=f"/somewhere/{number}.png",
        name=f"{number}.png",
        origin="folder",
        width=width,
        height=height,
    )


def made(
    workspace: Workspace, task: str = "classification", items: int = 5, names: str = "cat dog"
) -> Labeling:
    classes = [LabelClass(name=name) for name in names.split()]
    labeling = Labeling.create(workspace, "pets", LabelingPlan(task=task, classes=classes))
    labeling.add_items(item_line(number) for number in range(items))
    return labeling


CAT, DOG = ClassValue(index=0), ClassValue(index=1)


def test_labels_are_there_when_it_is_opened_again(workspace: Workspace) -> None:
    labeling = made(workspace)
    labeling.label(1, CAT, "key", 0.8)
    labeling.label([2, 3], DOG, "group")
    labeling.label(2, None)
    labeling.label(4, EXCLUDED)
    labeling.close()

    again = Labeling.find(workspace, "pets")
    assert {item: label.value for item, label in again.labels.items()} == {
        1: CAT,
        3: DOG,
        4: EXCLUDED,
    }
    assert again.undecided() == [0, 2]
    assert (again.of_class(0), again.of_class(1), again.excluded()) == ([1], [3], [4])
    assert again.counts() == [1, 1]
    label = again.label_of(1)
    assert label is not None
    assert (label.via, label.seconds) == ("key", 0.8)
    assert [item.index for item in again.items] == list(range(5))


def test_a_label_is_added_to_pictures_and_taken_from_them_where_all_have_it(
    workspace: Workspace,
) -> None:
    labeling = made(workspace, "multi_label")
    labeling.label(1, LabelsValue.of([1]))
    for expected in ([(0, [0]), (1, [0, 1])], [(0, []), (1, [1])]):
        before = [labeling.value_of(item) for item in (0, 1)]
        values = list(enumerate(labeling.editor.with_class(before, 0)))
        assert values == [(item, LabelsValue.of(indices)) for item, indices in expected]
        labeling.decide([Change(item=item, value=value) for item, value in values], "key")


def test_names_with_brackets_are_classes_of_their_own(workspace: Workspace) -> None:
    labeling = made(workspace, "detection", names="car")
    assert [labeling.class_named(name) for name in ("wheel [left]", "wheel [right]")] == [1, 2]
    assert labeling.class_named("CAR") == 0
    assert labeling.names == ("car", "wheel [left]", "wheel [right]")


def test_a_decision_about_many_pictures_is_undone_at_once(workspace: Workspace) -> None:
    labeling = made(workspace)
    labeling.label(0, CAT)
    labeling.label([0, 1, 2], DOG, "group")

    assert set(labeling.undo()) == {0, 1, 2}
    assert labeling.value_of(0) == CAT
    assert labeling.undecided() == [1, 2, 3, 4]
    assert set(labeling.redo()) == {0, 1, 2}
    assert labeling.value_of(0) == DOG
    labeling.undo()
    labeling.undo()
    assert not labeling.can_undo
    assert labeling.undo() == ()
    labeling.label(4, CAT)
    assert not labeling.can_redo


def test_each_annotator_undoes_what_is_theirs(workspace: Workspace) -> None:
    ana = made(workspace)
    ana.annotator = "Ana"
    ben = Labeling.find(workspace, "pets", "Ben")
    ana.label(0, CAT)
    ben.label(0, DOG)
    ana.label(1, CAT)

    assert ben.undo() == (0,)
    assert ana.refresh().items == {0}
    assert ana.value_of(0) == CAT
    assert ben.value_of(1) == CAT
    alone = Labeling(ben.record, "Ben", independent=True)
    assert alone.undecided() == [0, 1, 2, 3, 4]
    assert ben.annotators == ["Ana", "Ben"]


def test_two_processes_see_new_pictures_labels_and_classes(workspace: Workspace) -> None:
    one = made(workspace)
    other = Labeling.find(workspace, "pets")
    other.add_items([item_line(5)])
    bird = other.add_class(LabelClass(name="bird", color="#112233"))
    other.label(5, ClassValue(index=bird))
    other.change_class(0, LabelClass(name="tiger"))

    changed = one.refresh()
    assert changed == Changed(frozenset({5}), 1, classes=True)
    assert one.names == ("tiger", "dog", "bird")
    assert one.classes[2].color == "#112233"
    assert len({each.color for each in one.classes}) == 3
    assert one.add_class(LabelClass(name="Bird")) == bird
    assert one.class_index(" DOG ") == 1
    assert one.refresh() == Changed()


@pytest.mark.parametrize(
    ("task", "value"),
    [
        ("classification", ClassValue(index=2)),
        ("classification", LabelsValue.of([0])),
        ("multi_label", LabelsValue.of([0, 2])),
        ("regression", NumbersValue(numbers=(1.0,))),
        ("segmentation", BoxesValue()),
    ],
)
def test_values_that_do_not_fit_are_refused(workspace: Workspace, task: str, value: Value) -> None:
    labeling = made(workspace, task)

    with pytest.raises(StudioError):
        labeling.label(0, value)
    assert labeling.labeled_count == 0
    with pytest.raises(StudioError, match="There is no image 5"):
        labeling.label(5, None)


def test_the_kind_of_value_follows_from_the_task() -> None:
    kinds = {name: editor_of(task).kind for name, task in TASKS.items() if not no_labeling(task)}

    assert (
        kinds.items()
        >= {
            "classification": "class",
            "multi_label": "labels",
            "regression": "numbers",
            "segmentation": "mask",
        }.items()
    )


def test_masks_are_files_of_the_record(workspace: Workspace) -> None:
    labeling = made(workspace, "segmentation")
    mask = np.zeros((6, 8), np.uint8)
    mask[2:, 3:] = 1
    mask[0] = IGNORE
    accept(labeling, [Proposal(3, None, 0.9, mask=mask)])

    value = Labeling.find(workspace, "pets").value_of(3)
    assert value is not None
    assert value.kind == "mask"
    np.testing.assert_array_equal(labeling.read_mask(value), mask)
    with pytest.raises(StudioError, match="8x5"):
        labeling.write_mask(3, mask[1:])
    with pytest.raises(StudioError, match="outside its folder"):
        labeling.read_mask(value.model_copy(update={"file": "../../studio.json"}))


def test_boxes_come_back_as_they_were(workspace: Workspace) -> None:
    boxes = np.array([[1, 0.25, 2, 30.5, 4, 1], [0, 1, 2, 3, 4, 0]], np.float32)
    value = BoxesValue.of(boxes)

    again = BoxesValue.model_validate_json(value.model_dump_json())
    np.testing.assert_array_equal(again.array(), boxes)
    assert BoxesValue().array().shape == (0, 6)


def test_a_box_more_stores_that_box_alone(workspace: Workspace) -> None:
    labeling = made(workspace, "detection")
    random = np.random.default_rng(0)
    boxes = np.hstack([np.zeros((500, 1)), random.random((500, 4)), np.zeros((500, 1))])
    values = [BoxesValue.of(boxes[: number + 1].astype(np.float32)) for number in range(500)]
    for value in values:
        labeling.label(0, value, "drawn")
    assert labeling.value_of(0) == values[-1]
    kept = labeling.labels_by("")[0].value
    assert isinstance(kept, BoxesValue)
    assert Labeling.find(workspace, "pets").value_of(0) == values[-1]
    size = (labeling.record.folder / LABELS_NAME).stat().st_size
    whole = len(values[-1].model_dump_json())
    assert size < 20 * whole, "500 whole values would be 250 times as large"
    for value in reversed(values[-40:-1]):
        labeling.undo()
        assert labeling.value_of(0) == value


_some_boxes = st.lists(
    st.sampled_from([BoxesValue(boxes=((index, 1, 2, 3, 4, 0),)).boxes[0] for index in (0, 1)]),
    max_size=4,
).map(lambda boxes: BoxesValue(boxes=tuple(boxes)))


@given(
    st.lists(
        st.one_of(
            st.tuples(
                st.sampled_from(["ana", "bob"]),
                st.lists(st.tuples(st.integers(0, 1), st.none() | _some_boxes), max_size=3),
            ),
            st.tuples(st.sampled_from(["ana", "bob"]), st.sampled_from([UndoLine, RedoLine])),
        ),
        max_size=20,
    )
)
def test_stored_edits_of_boxes_give_the_same_labels(steps: list[tuple[str, Any]]) -> None:
    whole, stored = LabelState([]), LabelState([])
    for time, (by, step) in enumerate(steps):
        line: Line
        if isinstance(step, list):
            changes = tuple(Change(item=item, value=value) for item, value in step)
            line = DecisionLine(by=by, t=time, changes=changes, via="drawn")
            whole.apply(line)
            line = LINE.validate_json(stored.compact(line).model_dump_json())
        else:
            line = step(by=by, t=time)
            whole.apply(line)
        stored.apply(line)
        assert stored.newest == whole.newest
        assert all(stored.labels_by(each) == whole.labels_by(each) for each in ("ana", "bob"))


@pytest.mark.parametrize(("damaged", "left"), [(20, 64), (40, 40)])
def test_a_damaged_line_of_boxes_spoils_few_others(
    workspace: Workspace, damaged: int, left: int
) -> None:
    """All boxes are stored again every 32 decisions."""
    labeling = made(workspace, "detection")
    for number in range(64):
        boxes = tuple((0.0, at, 0.0, at + 1, 1.0, 0.0) for at in range(number + 1))
        labeling.label(0, BoxesValue(boxes=boxes), "drawn")
    path = labeling.record.folder / LABELS_NAME
    lines = path.read_bytes().splitlines(keepends=True)
    lines[damaged] = b"x" * (len(lines[damaged]) - 1) + b"\n"
    path.write_bytes(b"".join(lines))
    found = Labeling.find(workspace, "pets").value_of(0)
    assert isinstance(found, BoxesValue)
    assert len(found.boxes) == left


def test_a_torn_or_damaged_line_is_passed_over(workspace: Workspace) -> None:
    labeling = made(workspace)
    labeling.label(0, CAT)
    path = labeling.record.folder / LABELS_NAME
    with path.open("ab") as file:
        file.write(b'{"action":"of the future"}\n{"action":"label","chan')

    again = Labeling.find(workspace, "pets")
    assert again.value_of(0) == CAT
    again.label(1, DOG)
    third = Labeling.find(workspace, "pets")
    assert (third.value_of(0), third.value_of(1)) == (CAT, DOG)
    assert path.read_bytes().endswith(b"\n")


_LABELS_FOREVER = """
import sys
from collections.abc import Iterator
from pathlib import Path
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.values import ClassValue
from studio.engine.workspace import Record, RecordKind

labeling = Labeling(Record(RecordKind.LABELING, Path(sys.argv[1])))
number = 0
while True:
    labeling.label(number % 1000, ClassValue(index=number // 1000 % 2))
    number += 1
    print(number, flush=True)
"""


def test_a_kill_loses_at_most_the_last_label(workspace: Workspace) -> None:
    labeling = made(workspace, items=1000)
    command = [sys.executable, "-c", _LABELS_FOREVER, str(labeling.record.folder)]
    for enough in (3, 217, 391):
        before = labeling.version
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        while int(process.stdout.readline()) < enough:
            pass
        os.kill(process.pid, signal.SIGKILL)
        announced = process.stdout.read().split()
        process.wait()
        last = int(announced[-1]) if announced else enough

        labeling.refresh()
        # One more may have been written than was announced.
        assert last <= labeling.version - before <= last + 1
        assert labeling.undecided() == list(range(min(labeling.labeled_count, 1000), 1000))
    labeling.label(999, DOG)
    assert Labeling.find(workspace, "pets").value_of(999) == DOG


def test_a_full_disk_loses_no_label(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    labeling = made(workspace)
    labeling.label(0, CAT)
    labeling.close()
    # It runs in another thread, whose calls would be counted at random.
    monkeypatch.setattr(labeling._flusher, "flush_soon", lambda path: None)
    disk = FaultyDisk(monkeypatch, labeling.record.folder)
    with disk.listening():
        labeling.label(1, CAT)
    first = disk.calls.index(f"open {LABELS_NAME}")
    calls = list(enumerate(disk.calls))[first:]
    # What the lock does to its own file behind that is not ours.
    ours = [number for number, call in calls if call.split()[0] in ("open", "write")]
    assert len(ours) >= 2, disk.calls
    for number in ours:
        with disk.listening(number, errno.ENOSPC), pytest.raises((StudioError, OSError)):
            labeling.label(2, DOG)
        assert labeling.undecided() == [2, 3, 4]
        assert Labeling.find(workspace, "pets").undecided() == [2, 3, 4]
    labeling.label(2, DOG)
    assert Labeling.find(workspace, "pets").value_of(2) == DOG


def test_what_cannot_be_put_on_the_disk_is_said(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path) -> None:
        raise OSError(errno.EIO, "the disk is broken", str(path))

    labeling = made(workspace)
    labeling.close()
    with monkeypatch.context() as patch:
        patch.setattr("studio.engine.labeling.line_file.flush_to_disk", fail)
        labeling.label(0, CAT)
        with pytest.raises(OSError, match="the disk is broken"):
            labeling.close()
    labeling.label(1, CAT)
    labeling.close()
    assert labeling.undecided() == [2, 3, 4]


def test_it_is_a_record_like_others(workspace: Workspace) -> None:
    labeling = made(workspace)
    record = workspace.find(RecordKind.LABELING, "pets")
    workspace.rename(record, "animals")
    trashed = workspace.trash(record)
    workspace.restore(trashed)

    assert Labeling.find(workspace, "animals").record.id == labeling.record.id


def test_classes_are_read_as_typed() -> None:
    bear = LabelClass(name="polar bear", color="#a0b1c2")
    assert parsed_class("polar bear #A0B1c2", has_units=False) == bear
    assert parsed_class("height [cm]", has_units=True) == LabelClass(name="height", unit="cm")
    assert parsed_class("wheel [left]", has_units=False) == LabelClass(name="wheel [left]")
    assert parsed_class("#1", has_units=False) == LabelClass(name="#1")
    with pytest.raises(StudioError):
        parsed_class("  ", has_units=False)
    _, problems = LabelingPlan.check({"task": "classification", "classes": [{"name": "a"}] * 2})
    assert "named twice" in problems[0].message


_steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("label"),
            st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, 0, 1])), max_size=3),
        ),
        st.tuples(st.sampled_from(["undo", "redo", "class"]), st.just([])),
    ),
    max_size=30,
)


@given(_steps)
def test_undo_and_redo_are_exact(steps: list[tuple[str, list[tuple[int, int | None]]]]) -> None:
    """The state equals that of a plain list of snapshots."""
    state = LabelState([])
    past: list[dict[int, int]] = [{}]
    future: list[dict[int, int]] = []
    for action, changes in steps:
        if action == "label":
            now = dict(past[-1])
            for item, index in changes:
                now.pop(item, None)
                if index is not None:
                    now[item] = index
            past.append(now)
            future.clear()
            made_changes = tuple(
                Change(item=item, value=None if index is None else ClassValue(index=index))
                for item, index in changes
            )
            state.apply(DecisionLine(changes=made_changes, via="key"))
        elif action == "undo":
            if len(past) > 1:
                future.append(past.pop())
            state.apply(UndoLine())
        elif action == "redo":
            if future:
                past.append(future.pop())
            state.apply(RedoLine())
        else:
            state.apply(AddClassLine(added=LabelClass(name="x")))
        found = {item: label.value for item, label in state.newest.items()}
        assert found == {item: ClassValue(index=index) for item, index in past[-1].items()}


def test_nothing_stays_open(workspace: Workspace, tmp_path: Path) -> None:
    labeling = made(workspace)
    labeling.label(0, CAT)
    labeling.close()
    links = Path(f"/proc/{os.getpid()}/fd")
    if not links.is_dir():
        pytest.skip("this system has no /proc")
    opened = [str(each.readlink()) for each in links.iterdir() if each.exists()]
    assert not [path for path in opened if path.startswith(str(labeling.record.folder))]


def test_a_decision_about_nothing_is_none(workspace: Workspace) -> None:
    labeling = made(workspace)
    version = labeling.version

    assert labeling.label([], CAT) == ()
    assert (labeling.version, labeling.can_undo) == (version, False)


def test_a_damaged_line_of_pictures_is_an_error_each_time(workspace: Workspace) -> None:
    labeling = made(workspace, items=2)
    file = labeling.record.folder / ITEMS_NAME
    whole = file.read_bytes()
    good = item_line(3).model_dump_json().encode()
    file.write_bytes(whole + b'{"path": 7}\n' + good + b"\n")

    # Passed over, the next picture would have the number of the damaged one.
    for _ in range(2):
        with pytest.raises(BadDataError, match="Line 3 of"):
            labeling.refresh()
    with pytest.raises(BadDataError, match="Line 3 of"):
        labeling.add_items([item_line(4)])
    assert len(labeling.items) == 2
    file.write_bytes(whole + good + b"\n")
    assert labeling.refresh().added == 1
    assert labeling.items[2].name == "3.png"


def test_masks_have_one_value_for_each_pixel_and_only_classes(workspace: Workspace) -> None:
    labeling = made(workspace, "segmentation", items=1)
    masks: list[tuple[NDArray[Any], str]] = [
        (np.zeros((6, 8, 3), np.uint8), "one value"),
        (np.zeros((6, 8), np.uint16), "one value"),
        (np.full((6, 8), 2, np.uint8), "class 2"),
        (np.zeros((8, 6), np.uint8), "6x8"),
    ]
    for mask, reason in masks:
        with pytest.raises(StudioError, match=reason):
            labeling.write_mask(0, mask)
    with pytest.raises(StudioError, match="no image 1"):
        labeling.write_mask(1, np.zeros((6, 8), np.uint8))
    labeling.write_mask(0, np.full((6, 8), IGNORE, np.uint8))


def test_labels_can_be_counted_while_others_change(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    labeling = made(workspace, items=5)
    labeling.label((0, 1), ClassValue(index=0))
    others = labeling.undecided()

    def interrupted(value: ClassValue) -> Sequence[int]:
        if others:  # as another thread may
            labeling.label(others.pop(), ClassValue(index=1))
        return (value.index,)

    monkeypatch.setattr(ClassValue, "classes", property(interrupted))
    assert labeling.counts() == [2, 0]
