"""Edits of label images change what they name, can be undone, and leave other objects alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import IGNORED, MAX_NUMBER, class_of
from studio.engine.tasks.instances import edits
from studio.engine.tasks.instances.edits import Edit

A, B, C = 256, 512 + 1, 768
LABELS = arrays(np.int32, (7, 9), elements=st.sampled_from([0, A, B, C, IGNORED]))
PATCHES = st.builds(
    Patch.of,
    st.integers(-4, 10),
    st.integers(-4, 8),
    arrays(np.bool_, st.tuples(st.integers(1, 6), st.integers(1, 6))),
)


def changed(labels: Instances, edit: Edit | None) -> Instances:
    found = labels.copy()
    if edit is not None:
        edit.apply(found)
    return found


EDITS: dict[str, Callable[[Instances, Patch], Edit | None]] = {
    "new": lambda labels, patch: edits.painted(labels, patch, edits.new_value(labels, 2)),
    "cover": lambda labels, patch: edits.painted(labels, patch, A, covers=True),
    "erase": edits.erased,
    "erase one": lambda labels, patch: edits.erased(labels, patch, [B]),
    "fill": lambda labels, _: edits.filled_holes(labels, A),
    "split": lambda labels, patch: edits.split(labels, A, patch),
    "separate": lambda labels, _: edits.separated(labels, A),
    "merge": lambda labels, _: edits.merged(labels, [B, A]),
    "delete": lambda labels, _: edits.deleted(labels, [A, C]),
    "ignore": lambda labels, _: edits.ignored(labels, [A]),
    "class": lambda labels, _: edits.reclassified(labels, [A, B], 7),
}


@pytest.mark.parametrize("name", EDITS)
@settings(max_examples=60, deadline=None)
@given(labels=LABELS, patch=PATCHES)
def test_an_edit_is_undone_exactly(name: str, labels: Instances, patch: Patch) -> None:
    before = labels.copy()
    edit = EDITS[name](labels, patch)
    np.testing.assert_array_equal(labels, before)  # nothing happens before it is applied
    if edit is None:
        return
    edit.apply(labels)
    assert (labels != before).any()
    left, top, right, bottom = edit.rectangle
    outside = np.ones(labels.shape, np.bool_)
    outside[top:bottom, left:right] = False
    np.testing.assert_array_equal(labels[outside], before[outside])
    edit.undo(labels)
    np.testing.assert_array_equal(labels, before)


@settings(max_examples=60, deadline=None)
@given(LABELS, PATCHES)
def test_a_new_object_takes_free_pixels_alone(labels: Instances, patch: Patch) -> None:
    value = edits.new_value(labels, 2)
    after = changed(labels, edits.painted(labels, patch, value))
    np.testing.assert_array_equal(after[labels != 0], labels[labels != 0])
    padded = np.zeros((30, 30), np.bool_)
    patch_in_frame = Patch(patch.left + 10, patch.top + 10, patch.inside)
    patch_in_frame.paint(padded, value=True)
    inside = padded[10:17, 10:19]
    np.testing.assert_array_equal(after == value, inside & (labels == 0))


@settings(max_examples=60, deadline=None)
@given(LABELS)
def test_parts_become_objects_and_are_merged_again(labels: Instances) -> None:
    after = changed(labels, edits.separated(labels, A))
    np.testing.assert_array_equal(after[labels != A], labels[labels != A])
    new = sorted({*np.unique(after[labels == A]).tolist()} - {A})
    assert {*class_of(np.array(new, np.int32)).tolist()} <= {0}
    np.testing.assert_array_equal(changed(after, edits.merged(after, [A, *new])), labels)


def drawing(*rows: str) -> Instances:
    values = {".": 0, "a": A, "b": B, "-": IGNORED}
    return np.array([[values[sign] for sign in row] for row in rows], np.int32)


def test_a_line_splits_an_object_and_its_pixels_go_to_the_nearest_part() -> None:
    labels = drawing(".aaaaaaa", ".aaaaaaa", "bbbbbbbb")
    line = Patch.of(3, 0, np.ones((2, 1), np.bool_))
    edit = edits.split(labels, A, line)
    assert edit is not None
    after = changed(labels, edit)
    first, second = np.unique(after[:2][after[:2] > 0]).tolist()
    assert first == A  # the larger part keeps its number
    assert second == C  # the next free number, of the same class
    np.testing.assert_array_equal(after[2], labels[2])
    assert (after[:2] > 0).sum() == 14  # no pixel is lost
    assert (after[:2, 4:8] == first).all()
    assert (after[:2, 1:3] == second).all()
    assert edits.split(labels, A, Patch.of(3, 0, np.ones((1, 1), np.bool_))) is None


def test_holes_are_filled_but_not_over_other_objects() -> None:
    labels = drawing("aaaaa", "a.ab.", "aaaaa")
    after = changed(labels, edits.filled_holes(labels, A))
    np.testing.assert_array_equal(after, drawing("aaaaa", "aaab.", "aaaaa"))


def test_numbers_that_are_used_up_are_given_again() -> None:
    labels = np.array([[MAX_NUMBER * 256, 256, 0]], np.int32)
    assert edits.new_value(labels, 3) == 2 * 256 + 3


def test_pixels_outside_of_the_image_belong_to_nothing() -> None:
    labels: NDArray[np.int32] = drawing("ab")
    assert [edits.value_at(labels, x, 0) for x in (-1, 0, 1, 2)] == [0, A, B, 0]
    assert edits.deleted(labels, [C]) is None
    assert edits.merged(labels, [A]) is None


def test_parts_that_a_line_does_not_touch_stay_in_their_object() -> None:
    labels = drawing("aaaa.aa", "aaaa.aa")
    after = changed(labels, edits.split(labels, A, Patch.of(1, 0, np.ones((2, 1), np.bool_))))
    assert len(np.unique(after[:, :4])) == 2
    assert (after[:, 5:] == A).all()
