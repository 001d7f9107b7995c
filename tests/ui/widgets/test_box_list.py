"""Boxes while they are drawn: what changes, what is clipped, and undo."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.tasks.boxes import padded
from studio.ui.widgets.canvas.box_list import NONE, BoxList

WIDTH, HEIGHT = 200, 100


def made(*rows: tuple[float, ...], most: int = 50) -> BoxList:
    found = BoxList(most)
    array = np.array([(*row, 0)[:6] for row in rows], np.float32).reshape(-1, 6)
    found.reset(array, WIDTH, HEIGHT)
    return found


def test_places_without_a_box_are_left_out() -> None:
    boxes = BoxList(9)
    boxes.reset(padded(np.array([[1, 2, 3, 4, 5, 0]], np.float32), 7), WIDTH, HEIGHT)

    assert boxes.boxes.tolist() == [[1, 2, 3, 4, 5, 0]]


def test_a_box_is_clipped_to_whole_pixels_of_the_picture() -> None:
    boxes = made()

    assert boxes.add(2, (190.4, -3, 260, 20.6))
    assert not boxes.add(2, (205, 5, 260, 20))

    assert boxes.boxes.tolist() == [[2, 190, 0, 200, 21, 0]]
    assert boxes.selected == 0


def test_a_moved_box_keeps_its_size_at_the_edge() -> None:
    boxes = made((0, 10, 10, 40, 30))

    boxes.move(0, -50, 500)

    assert boxes.rect(0) == (0, 80, 30, 100)


def test_changes_of_one_kind_are_one_step() -> None:
    boxes = made((0, 10, 10, 40, 30))
    for _ in range(5):
        boxes.move(0, 1, 0, "arrows")
    boxes.end_step()
    boxes.move(0, 1, 0, "arrows")

    assert boxes.undo()
    assert boxes.rect(0)[0] == 15
    assert boxes.undo()
    assert boxes.rect(0)[0] == 10
    assert not boxes.undo()
    assert boxes.redo()
    assert boxes.redo()
    assert boxes.rect(0)[0] == 16
    assert not boxes.redo()


def test_a_change_forgets_what_was_undone() -> None:
    boxes = made((0, 10, 10, 40, 30))
    boxes.set_class(0, 3)
    boxes.undo()
    boxes.toggle_flag(0, 2)

    assert not boxes.can_redo
    assert boxes.boxes[0, 5] == 2


def test_boxes_of_the_previous_picture_come_once() -> None:
    boxes = made((0, 10, 10, 40, 30), most=3)
    other = np.array(
        [[0, 10, 10, 40, 30, 0], [1, 50, 50, 400, 90, 1], [1, 300, 0, 310, 9, 0]], np.float32
    )

    assert boxes.paste(other) == 1
    assert boxes.paste(other) == 0
    assert boxes.boxes[1].tolist() == [1, 50, 50, 200, 90, 1]


def test_a_picture_takes_no_more_boxes_than_it_may_have() -> None:
    boxes = made((0, 10, 10, 40, 30), most=2)

    assert boxes.add(0, (1, 1, 5, 5))
    assert not boxes.add(0, (2, 2, 6, 6))
    assert boxes.paste(np.array([[0, 2, 2, 6, 6, 0]], np.float32)) == 0


def test_the_smallest_box_at_a_position_is_found() -> None:
    boxes = made((0, 0, 0, 100, 100), (1, 20, 20, 60, 60), (2, 150, 50, 160, 60))

    assert boxes.at(30, 30, 0) == 1
    assert boxes.at(80, 80, 0) == 0
    assert boxes.at(163, 55, 4) == 2
    assert boxes.at(190, 5, 4) == NONE


def test_the_box_before_a_removed_one_is_selected() -> None:
    boxes = made((0, 0, 0, 10, 10), (1, 20, 20, 60, 60))
    boxes.remove(1)
    assert boxes.selected == 0
    boxes.remove(0)
    assert boxes.selected == NONE


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "move", "size", "class", "remove", "undo", "redo"]),
        st.floats(-50, 250, width=32),
        st.floats(-50, 150, width=32),
    ),
    max_size=25,
)


def perform(boxes: BoxList, action: str, x: float, y: float) -> None:
    if action == "add":
        boxes.add(1, (x, y, x + 30, y + 20))
    elif action == "undo":
        boxes.undo()
    elif action == "redo":
        boxes.redo()
    elif len(boxes.boxes):
        {
            "move": lambda: boxes.move(0, x, y),
            "size": lambda: boxes.set_rect(0, (5, 5, x, y)),
            "class": lambda: boxes.set_class(0, int(abs(x))),
            "remove": lambda: boxes.remove(0),
        }[action]()


@given(STEPS)
def test_undo_returns_to_each_state(steps: list[tuple[str, float, float]]) -> None:
    boxes = made((0, 10, 10, 40, 30))
    states = [boxes.boxes]
    for action, x, y in steps:
        before = boxes.boxes
        perform(boxes, action, x, y)
        if action == "undo" and len(states) > 1:
            states.pop()
        elif action != "undo" and boxes.boxes is not before:
            states.append(boxes.boxes)
        inside = boxes.boxes
        assert np.array_equal(inside, states[-1])
        assert (inside[:, 1] >= 0).all()
        assert (inside[:, 3] <= WIDTH).all()
        assert (inside[:, 3] > inside[:, 1]).all()
        assert (inside[:, 4] > inside[:, 2]).all()
    while boxes.undo():
        states.pop()
        assert np.array_equal(boxes.boxes, states[-1])
    assert len(states) == 1
