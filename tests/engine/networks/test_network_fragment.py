"""The clipboard of the designer: what is copied comes back, what is foreign does not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.networks import edits
from studio.engine.networks.spec import INPUT, NetworkSpec
from studio.engine.networks.zoo import ZOO


def lenet() -> NetworkSpec:
    return ZOO["lenet"].build((28, 28, 1), 10)


def test_a_whole_network_is_pasted_beside_itself() -> None:
    spec = lenet()
    ids = [node.id for node in spec.nodes]
    after, new = edits.pasted(spec, edits.read_fragment(edits.copied(spec, ids)), None)
    assert len(after.nodes) == 2 * len(ids)
    assert set(new).isdisjoint(ids)
    names = dict(zip(ids, new, strict=True)) | {INPUT: INPUT}
    for old, copy in zip(ids, new, strict=True):
        there, here = spec.node(old), after.node(copy)
        assert here.inputs == tuple(names[source] for source in there.inputs)
        assert (here.layer, here.parameters) == (there.layer, there.parameters)


def test_wires_from_other_layers_are_not_taken_along() -> None:
    spec = lenet()
    second = spec.nodes[1]
    after, (new,) = edits.pasted(
        spec, edits.read_fragment(edits.copied(spec, [second.id])), (5, 6)
    )
    assert after.node(new).inputs == ()


def test_boxes_keep_their_distances() -> None:
    spec = lenet()
    first, second = spec.nodes[0].id, spec.nodes[1].id
    spec = edits.move(spec, {first: (100.0, 50.0), second: (130.0, 90.0)})
    part = edits.read_fragment(edits.copied(spec, [first, second]))
    after, new = edits.pasted(spec, part, (0.0, 0.0))
    assert [after.positions[key] for key in new] == [(0.0, 0.0), (30.0, 40.0)]


def test_the_json_of_a_network_can_be_pasted() -> None:
    part = edits.read_fragment(lenet().to_json())
    assert [node.id for node in part.nodes] == [node.id for node in lenet().nodes]


def test_a_pasted_block_gets_a_new_name_and_the_head_does_not() -> None:
    spec = edits.change(lenet(), [lenet().nodes[0].id], block="stem")
    ids = [spec.nodes[0].id, spec.output]
    after, new = edits.pasted(spec, edits.read_fragment(edits.copied(spec, ids)), None)
    assert [after.node(key).block for key in new] == ["stem_1", "head"]


def node(**changes: object) -> dict[str, object]:
    return {"id": "a", "layer": "flatten", "parameters": {}, "inputs": []} | changes


def words(*nodes: dict[str, object], **more: object) -> str:
    return json.dumps({"studio": "network layers", "nodes": nodes} | more)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[1, 2]",
        "null",
        '{"studio": "something else", "nodes": []}',
        "[" * 100_000,
        "x" * (edits.LONGEST + 1),
        words(node(layer="lambda")),
        words(node(layer="os.system")),
        words(node(id="a b")),
        words(node(id=INPUT)),
        words(node(id="../../etc/passwd")),
        words(node(), node()),
        words(node(layer="dense", parameters={"units": -1})),
        words(node(layer="dense", parameters={"units": 8, "evil": 1})),
        words(node(rate=-1)),
        words(node(), extra=1),
        words(node(), positions={"a": [float("nan"), 0]}),
        words(*(node(id=f"a{number}") for number in range(edits.MAX_NODES + 1))),
        '{"output": "a", "nodes": []}',
    ],
    ids=str.__len__,
)
def test_foreign_text_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(StudioError) as refused:
        edits.read_fragment(text)
    assert str(refused.value)


def test_out_of_range_positions_are_dropped() -> None:
    part = edits.read_fragment(words(node(), positions={"a": [1e300, 0.0], "b": [0.0, 0.0]}))
    after, (new,) = edits.pasted(lenet(), part, (0.0, 0.0))
    assert new not in after.positions


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["studio", "nodes", "output", "positions"]), JSON))
def test_whatever_comes_is_read_or_refused(data: dict[str, object]) -> None:
    try:
        part = edits.read_fragment(json.dumps(data))
    except StudioError:
        return
    after, _ = edits.pasted(lenet(), part, None)
    assert len(edits.ids_of(after)) == 1 + len(after.nodes)
