"""The description of a network: JSON, order, builder and checks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import Problem, StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.checks import check
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import (
    HEAD,
    INPUT,
    AuxiliaryHead,
    InputShape,
    LayerNode,
    NetworkSpec,
    ancestors,
    topological_order,
)
from studio.engine.networks.zoo import ZOO

SHAPE = InputShape(height=8, width=8, channels=1)


def _spec(*nodes: LayerNode, output: str = HEAD) -> NetworkSpec:
    return NetworkSpec(name="Test", input=SHAPE, classes=3, nodes=nodes, output=output)


def _node(node_id: str, layer: str, *inputs: str, **parameters: float | str) -> LayerNode:
    return LayerNode(id=node_id, layer=layer, inputs=inputs, parameters=parameters)


def _head(*inputs: str) -> LayerNode:
    return _node(HEAD, "dense", *inputs, units=3, activation="softmax")


def _serious(spec: NetworkSpec) -> list[Problem]:
    return [problem for problem in check(spec) if problem.serious]


@st.composite
def _graphs(draw: st.DrawFn) -> NetworkSpec:
    """Random graphs without circles, written down in a random order."""
    size = draw(st.integers(1, 30))
    nodes = []
    for index in range(size):
        earlier = [INPUT, *(f"n{number}" for number in range(index))]
        inputs = draw(st.lists(st.sampled_from(earlier), min_size=1, max_size=3))
        nodes.append(_node(f"n{index}", "add", *inputs))
    return _spec(*draw(st.permutations(nodes)), output=f"n{size - 1}")


@pytest.mark.parametrize("name", ZOO.names())
def test_json_round_trip(name: str) -> None:
    spec = ZOO[name].build(ZOO[name].default_input, 7)

    again = NetworkSpec.parse(json.loads(spec.to_json()))

    assert again == spec
    assert again.to_json() == spec.to_json()


@given(spec=_graphs())
def test_order_puts_every_node_after_its_inputs(spec: NetworkSpec) -> None:
    order = [node.id for node in topological_order(spec)]

    assert sorted(order) == sorted(node.id for node in spec.nodes)
    position = {node_id: index for index, node_id in enumerate(order)}
    for node in spec.nodes:
        assert all(
            position[source] < position[node.id] for source in node.inputs if source != INPUT
        )


def test_order_keeps_what_is_written_when_free() -> None:
    spec = _spec(_node("b", "flatten", INPUT), _node("a", "flatten", INPUT), output="a")

    assert [node.id for node in topological_order(spec)] == ["b", "a"]


def test_a_circle_is_refused_and_named() -> None:
    spec = _spec(
        _node("a", "add", "b", INPUT), _node("b", "flatten", "a"), _head("b"), output=HEAD
    )

    with pytest.raises(StudioError, match="a, b, predictions"):
        topological_order(spec)
    assert any("cycle" in problem.message for problem in _serious(spec))


def test_a_sound_network_has_no_problems() -> None:
    assert check(_spec(_node("flat", "flatten", INPUT), _head("flat"))) == []


def test_all_problems_are_listed_at_once() -> None:
    spec = _spec(
        _node("a", "conv2dd", INPUT),
        _node("b", "conv2d", "nowhere", filters=0),
        _node("b", "add", "a"),
        _node("bad id", "flatten", INPUT, depth=3),
        _head("b"),
    )

    said = {(problem.where, problem.message) for problem in _serious(spec)}

    assert {where for where, _ in said} == {"a", "b", "b.filters", "bad id", "bad id.depth"}
    text = " ".join(message for _, message in said)
    for part in ("conv2dd", "nowhere", "2 layers have the id", "at least 2 inputs", "no such"):
        assert part in text
    assert any(problem.hint == 'Did you mean "conv2d"?' for problem in check(spec))


@pytest.mark.parametrize("output", ["gone", "flat"])
def test_the_output_must_exist_and_give_probabilities(output: str) -> None:
    spec = _spec(_node("flat", "flatten", INPUT), _head("flat"), output=output)

    assert _serious(spec)


def test_the_id_of_the_images_is_taken() -> None:
    assert _serious(_spec(_node(INPUT, "flatten", INPUT), _head(INPUT)))


def test_a_loose_node_is_advice() -> None:
    spec = _spec(_node("flat", "flatten", INPUT), _node("loose", "flatten", INPUT), _head("flat"))

    (problem,) = check(spec)

    assert (problem.where, problem.serious) == ("loose", False)
    assert ancestors(spec, HEAD) == {"flat", HEAD}


def _with_heads(*heads: str) -> NetworkSpec:
    spec = _spec(
        _node("flat", "flatten", INPUT),
        _node("side", "dense", "flat", units=3, activation="softmax"),
        _head("flat"),
    )
    return spec.model_copy(update={"auxiliary": tuple(AuxiliaryHead(node=n) for n in heads)})


def test_an_auxiliary_head_is_used() -> None:
    assert check(_with_heads("side")) == []
    assert [problem.where for problem in check(_with_heads())] == ["side"]


@pytest.mark.parametrize(
    ("heads", "where", "said"),
    [
        (("gone",), "auxiliary.0", "does not exist"),
        (("side", "flat"), "flat", "does not give probabilities"),
        (("side", "side"), "side", "already"),
        (("side", HEAD), HEAD, "already"),
    ],
)
def test_an_auxiliary_head_that_cannot_be_one_is_refused(
    heads: tuple[str, ...], where: str, said: str
) -> None:
    (problem,) = _serious(_with_heads(*heads))

    assert problem.where == where
    assert said in problem.message


def test_a_network_that_cannot_learn_is_advice() -> None:
    spec = _spec(_node("flat", "flatten", INPUT), _head("flat"))
    still = tuple(node.model_copy(update={"frozen": True}) for node in spec.nodes)
    slow = tuple(node.model_copy(update={"rate": 0.0}) for node in spec.nodes)

    (frozen,) = check(spec.model_copy(update={"nodes": still}))
    (zero,) = check(spec.model_copy(update={"nodes": slow}))

    assert (frozen.serious, zero.serious) == (False, False)
    assert "every layer is frozen" in frozen.message
    assert f"flat, {HEAD}" in zero.message


def test_positions_in_the_drawing_do_not_matter() -> None:
    spec = _spec(_node("flat", "flatten", INPUT), _head("flat"))

    assert check(spec.model_copy(update={"positions": {"nowhere": (1.0, 2.0)}})) == []


@pytest.mark.parametrize("last", ["softmax", "keras"])
def test_probabilities_may_come_from_a_separate_layer(last: str) -> None:
    spec = _spec(
        _node("flat", "flatten", INPUT), _node("d", "dense", "flat"), _node(HEAD, last, "d")
    )

    assert check(spec) == []


def test_a_layer_of_keras_takes_one_input_or_several() -> None:
    flat = _node("flat", "flatten", INPUT)
    several = _spec(flat, _node("it", "keras", "flat", "flat"), _head("it"))
    none = _spec(_node("it", "keras"), _head("it"))

    assert check(several) == []
    assert any("at least 1 input" in problem.message for problem in check(none))


@given(
    nodes=st.lists(
        st.builds(
            LayerNode,
            id=st.sampled_from(["a", "b", "c", INPUT, ""]),
            layer=st.sampled_from([*LAYERS.names(), "unknown"]),
            inputs=st.lists(st.sampled_from(["a", "b", "c", "d", INPUT]), max_size=3).map(tuple),
            parameters=st.dictionaries(
                st.sampled_from(["units", "kernel", "x"]), st.integers(), max_size=2
            ),
        ),
        max_size=5,
    )
)
def test_checks_never_raise(nodes: list[LayerNode]) -> None:
    check(_spec(*nodes, output="a"))


def test_the_builder_chains_branches_and_completes() -> None:
    net = GraphBuilder("Test", SHAPE, 3).add("conv2d", "stem", filters=4)
    trunk = net.last
    net.add("conv2d", filters=4).add("add", after=(net.last, trunk))
    spec = net.add("flatten").add("dense", HEAD, units=3, activation="softmax").spec()

    assert check(spec) == []
    assert [node.id for node in spec.nodes] == ["stem", "conv2d_2", "add_1", "flatten_1", HEAD]
    assert spec.node("add_1").inputs == ("conv2d_2", "stem")
    assert spec.node("stem").parameters["kernel"] == 3


def test_the_builder_refuses_a_wrong_parameter() -> None:
    with pytest.raises(StudioError, match="filtres"):
        GraphBuilder("Test", SHAPE, 3).add("conv2d", filtres=4)
