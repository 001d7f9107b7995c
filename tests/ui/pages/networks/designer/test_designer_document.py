"""Changes of a drawing and its past, without Qt."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.networks import edits
from studio.engine.networks.catalog import new_network
from studio.engine.networks.checks import check
from studio.engine.networks.drafts import NetworkDocument
from studio.engine.networks.edits import CLASSES
from studio.engine.networks.fitting import class_layers
from studio.engine.networks.placing import added
from studio.engine.networks.spec import INPUT, InputShape, NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task

SHAPE = InputShape(height=28, width=28, channels=1)


def start() -> NetworkSpec:
    return new_network("mine", SHAPE, 10, DEFAULT_TASK)


def inputs(spec: NetworkSpec, node_id: str) -> tuple[str, ...]:
    return spec.node(node_id).inputs


@pytest.mark.parametrize("task", TASKS)
def test_a_new_network_has_nothing_wrong(task: str) -> None:
    spec = new_network("mine", SHAPE, 10, TASKS[task])
    assert spec.task == task
    assert check(spec) == []


@pytest.mark.parametrize(
    "task", [task for task in TASKS.values() if task.geometry.unit == "pixels"]
)
def test_a_new_network_for_masks_answers_for_each_pixel(task: Task) -> None:
    spec = new_network("mine", SHAPE, 10, task)
    assert [spec.nodes[at].layer for at in (0, -1)] == ["rescaling", "conv2d"]
    head = spec.node(spec.output).parameters
    assert (head["filters"], head["kernel"], head["stride"]) == (10, 1, 1)
    assert head["activation"] == task.activation
    assert [node.id for node in class_layers(spec, spec.output)] == [spec.output]


def test_one_input_lets_go_of_the_old_wire_and_a_join_keeps_it() -> None:
    spec, (conv,) = added(start(), "conv2d", (0, 0), None, "down")
    spec, (join,) = added(spec, "add", (0, 0), None, "down")
    spec = edits.wire(spec, "rescaling_1", conv)
    spec = edits.wire(spec, INPUT, conv)
    assert inputs(spec, conv) == (INPUT,)
    for source in (conv, "rescaling_1", conv):
        spec = edits.wire(spec, source, join)
    assert inputs(spec, join) == (conv, "rescaling_1")
    spec = edits.unwire(spec, conv, join)
    assert inputs(spec, join) == ("rescaling_1",)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("predictions", "flatten_1"),
        ("flatten_1", "flatten_1"),
        ("nobody", "flatten_1"),
        ("flatten_1", "nobody"),
        ("flatten_1", INPUT),
        (INPUT, CLASSES),
    ],
)
def test_wires_that_cannot_be(source: str, target: str) -> None:
    with pytest.raises(StudioError):
        edits.wire(start(), source, target)
    assert target not in edits.targets(start(), source)


def test_targets_are_what_wire_takes() -> None:
    spec = ZOO["lenet"].build((28, 28, 1), 10)
    everything = edits.ids_of(spec) | {CLASSES}
    for source in everything - {CLASSES}:
        allowed = {end for end in everything if not edits.refusal(spec, source, end)}
        assert allowed == edits.targets(spec, source)


def test_removing_closes_the_gap() -> None:
    spec = edits.remove(ZOO["lenet"].build((28, 28, 1), 10), ["predictions", "nobody"])
    assert spec.output in edits.ids_of(spec)
    whole = ZOO["lenet"].build((28, 28, 1), 10)
    middle = whole.nodes[2]
    after = edits.remove(whole, [middle.id, whole.nodes[3].id])
    assert inputs(after, whole.nodes[4].id) == middle.inputs
    assert not any(problem.serious for problem in check(after))


def test_removing_a_join_leaves_its_readers_open() -> None:
    spec, (join,) = added(start(), "add", (0, 0), None, "down")
    spec = edits.wire(spec, INPUT, join)
    spec = edits.wire(spec, "rescaling_1", join)
    spec = edits.wire(spec, join, "flatten_1")
    assert inputs(edits.remove(spec, [join]), "flatten_1") == ()


def test_removing_everything_leaves_a_drawing() -> None:
    spec = edits.remove(start(), [node.id for node in start().nodes])
    assert spec.nodes == ()
    assert edits.wires_of(spec) == []


def test_renaming_follows_everywhere() -> None:
    spec = edits.move(start(), {"flatten_1": (1.0, 2.0), "predictions": (3.0, 4.0)})
    spec = edits.rename(edits.rename(spec, "flatten_1", "row"), "predictions", "answer")
    assert inputs(spec, "answer") == ("row",)
    assert spec.output == "answer"
    assert spec.positions == {"row": (1.0, 2.0), "answer": (3.0, 4.0)}
    assert check(spec) == []


@pytest.mark.parametrize("name", ["", "predictions", "input", "2d", "a b", "ä", "@classes"])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(StudioError):
        edits.rename(start(), "flatten_1", name)


def test_the_head_follows_the_number_of_classes() -> None:
    spec = edits.set_sizes(start(), InputShape(height=32, width=32, channels=3), 4)
    assert (spec.classes, spec.input.channels) == (4, 3)
    assert spec.node("predictions").parameters["units"] == 4
    assert check(spec) == []


def test_undo_and_redo_name_the_change() -> None:
    document = NetworkDocument.opened(start())
    changed = document.changed(edits.change(start(), ["flatten_1"], frozen=True), "Freeze")
    assert (changed.undo_word, changed.redo_word, changed.is_dirty) == ("Freeze", "", True)
    back = changed.undo()
    assert (back.undo_word, back.redo_word, back.is_dirty) == ("", "Freeze", False)
    assert back.redo().spec == changed.spec
    assert document.undo() is document
    assert document.redo() is document
    assert document.changed(start(), "Nothing") is document


def test_typing_is_undone_in_one_go_until_something_else_happens() -> None:
    document = NetworkDocument.opened(start())
    for rate in (0.1, 0.2, 0.3):
        spec = edits.change(document.spec, ["flatten_1"], rate=rate)
        document = document.changed(spec, "Rate", "rate flatten_1")
    assert len(document.past) == 1
    stored = document.as_saved()
    later = stored.changed(
        edits.change(stored.spec, ["flatten_1"], rate=0.4), "Rate", "rate flatten_1"
    )
    assert len(later.past) == 2
    assert later.undo().spec == document.spec
    assert document.undo().spec == start()
    again = document.undo().changed(
        edits.change(start(), ["flatten_1"], rate=0.9), "Rate", "rate flatten_1"
    )
    assert again.undo().spec == start()


def test_positions_found_for_a_drawing_are_no_change() -> None:
    document = NetworkDocument.opened(start())
    placed = document.settled(edits.move(start(), {"flatten_1": (0.0, 0.0)}))
    assert not placed.is_dirty
    assert placed.undo() is placed


CHOICES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 30), st.integers(0, 30)))


def some_change(spec: NetworkSpec, kind: int, first: int, second: int) -> NetworkSpec:
    """One of the changes that a hand can make, on some of the nodes."""
    ids = [node.id for node in spec.nodes]
    one = ids[first % len(ids)] if ids else INPUT
    other = ids[second % len(ids)] if ids else INPUT
    layer = ("conv2d", "add", "dense")[first % 3]
    changes: list[Callable[[], NetworkSpec]] = [
        lambda: added(spec, layer, (0.0, float(second)), None, "down")[0],
        lambda: edits.wire(spec, one, other),
        lambda: edits.remove(spec, [one, other]),
        lambda: copied_twice(spec, [one, other]),
        lambda: edits.rename(spec, one, f"other_{second}"),
        lambda: edits.unwire(spec, one, other),
        lambda: edits.move(spec, {one: (float(first), float(second))}) if ids else spec,
    ]
    try:
        return changes[kind]()
    except StudioError:
        return spec


def copied_twice(spec: NetworkSpec, ids: list[str]) -> NetworkSpec:
    return edits.pasted(spec, edits.read_fragment(edits.copied(spec, ids)), None)[0]


@given(CHOICES)
def test_undo_goes_back_all_the_way_and_redo_forth(changes: list[tuple[int, int, int]]) -> None:
    document = NetworkDocument.opened(start())
    states = [document.spec]
    for kind, first, second in changes:
        spec = some_change(document.spec, kind, first, second)
        after = document.changed(spec, "change")
        if after is not document:
            states.append(after.spec)
        document = after
    end = document
    for state in reversed(states):
        assert document.spec == state
        document = document.undo()
    assert not document.is_dirty
    for state in states:
        assert document.spec == state
        document = document.redo()
    assert document.spec == end.spec


@given(CHOICES)
def test_ids_stay_unique_and_wires_never_close_a_circle(
    changes: list[tuple[int, int, int]],
) -> None:
    spec = start()
    for kind, first, second in changes:
        spec = some_change(spec, kind, first, second)
        ids = [node.id for node in spec.nodes]
        assert len(set(ids)) == len(ids)
        assert set(spec.positions) <= set(ids)
        known = {INPUT, *ids}
        assert all(set(node.inputs) <= known for node in spec.nodes)
        assert not any("circle" in problem.message for problem in check(spec))
        assert NetworkSpec.model_validate_json(spec.model_dump_json()) == spec
