"""Other images, other classes, and the head that is replaced by itself."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.checks import check
from studio.engine.networks.fitting import COLOR_NODE, class_layers, fitted, head_of, without
from studio.engine.networks.spec import (
    HEAD_BLOCK,
    INPUT,
    AuxiliaryHead,
    InputShape,
    LayerNode,
    NetworkSpec,
    ancestors,
)
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks.outputs import VECTOR

COLOR, GRAY = (32, 32, 3), (32, 32, 1)
SMALL = [name for name in ZOO.names() if max(ZOO[name].smallest) <= 32]


def squeeze() -> NetworkSpec:
    """A head as SqueezeNet has it: convolution, pooling, softmax; and an auxiliary one."""
    net = GraphBuilder("Squeeze", InputShape(height=32, width=32, channels=3), 10)
    net.add("rescaling").add("conv2d", "conv1", block="stem", filters=8)
    net.add("conv2d", "conv10", block=HEAD_BLOCK, filters=10)
    net.add("global_average_pool", "pool10", block=HEAD_BLOCK)
    net.add("activation", "predictions", block=HEAD_BLOCK, activation="softmax")
    spec = net.spec()
    net.add("flatten", "side_flat", after="conv1", block="side")
    net.add("dense", "side", block="side", units=10, activation="softmax")
    nodes = (*spec.nodes, *net.spec().nodes[len(spec.nodes) :])
    return spec.model_copy(update={"nodes": nodes, "auxiliary": (AuxiliaryHead(node="side"),)})


def serious(spec: NetworkSpec) -> list[str]:
    return [problem.message for problem in check(spec) if problem.serious]


@given(
    st.sampled_from(SMALL),
    st.sampled_from([COLOR, GRAY]),
    st.integers(2, 2000),
    st.sampled_from([COLOR, GRAY, (48, 64, 3), (64, 48, 1)]),
    st.integers(2, 2000),
)
def test_every_network_fits_other_images_and_classes_and_back(
    name: str,
    shape: tuple[int, int, int],
    classes: int,
    other: tuple[int, int, int],
    more: int,
) -> None:
    spec = ZOO[name].build(shape, classes)

    there = fitted(spec, other, more)
    back = fitted(there, shape, classes)

    assert (there.input.height, there.input.width, there.input.channels) == other
    assert there.classes == more
    assert serious(there) == []
    counts = [node.parameters for node in class_layers(there, there.output)]
    assert {count.get("units", count.get("filters")) for count in counts} == {more}
    assert len(counts) == 1 or ZOO[name].output != VECTOR
    if shape[2] == 3:
        assert back == spec
    ids = {node.id for node in there.nodes} - {node.id for node in spec.nodes}
    assert ids == ({COLOR_NODE} if (shape[2], other[2]) == (3, 1) else set())


def test_only_what_counts_the_classes_changes() -> None:
    spec = squeeze()

    other = fitted(spec, COLOR, 3)

    changed = {new.id for old, new in zip(spec.nodes, other.nodes, strict=True) if old != new}
    assert changed == {"conv10", "side"}
    assert other.node("conv10").parameters["filters"] == 3
    assert other.node("side").parameters["units"] == 3
    assert fitted(spec, COLOR, 10) == spec


def test_gray_images_become_three_equal_channels_for_every_first_layer() -> None:
    spec = squeeze()
    both = spec.model_copy(
        update={"nodes": (*spec.nodes, LayerNode(id="b", layer="flatten", inputs=(INPUT,)))}
    )

    gray = fitted(both, GRAY, 10)

    assert gray.node(COLOR_NODE).inputs == (INPUT, INPUT, INPUT)
    assert [n.id for n in gray.nodes if INPUT in n.inputs] == [COLOR_NODE]
    assert fitted(gray, COLOR, 10) == both
    assert without(gray, COLOR_NODE).nodes == both.nodes


def test_an_opaque_layer_counts_classes_in_its_configuration() -> None:
    spec = squeeze()
    config = json.dumps({"filters": 10, "kernel_size": 1})
    opaque = spec.node("conv10").model_copy(
        update={"layer": "keras", "parameters": {"class_name": "Conv2D", "config": config}}
    )
    nodes = tuple(opaque if node.id == "conv10" else node for node in spec.nodes)
    (layer,) = class_layers(spec.model_copy(update={"nodes": nodes}), spec.output)

    assert layer is opaque


def test_a_network_that_counts_no_classes_is_refused() -> None:
    net = GraphBuilder("Odd", InputShape(height=8, width=8, channels=1), 4)
    net.add("flatten").add("activation", "predictions", activation="softmax")

    assert fitted(net.spec(), (9, 9, 1), 4).input.height == 9
    with pytest.raises(StudioError, match="cannot be changed"):
        fitted(net.spec(), (8, 8, 1), 5)


def test_a_network_with_mistakes_is_refused() -> None:
    spec = squeeze().model_copy(update={"output": "nothing"})

    with pytest.raises(StudioError, match="does not exist"):
        fitted(spec, COLOR, 3)


def test_the_head_is_the_block_or_what_counts_the_classes() -> None:
    spec = squeeze()
    unnamed = spec.model_copy(
        update={"nodes": tuple(node.model_copy(update={"block": ""}) for node in spec.nodes)}
    )

    expected = {"conv10", "pool10", "predictions", "side", "side_flat"}
    assert head_of(spec) == head_of(unnamed) == expected


@pytest.mark.parametrize("name", ZOO.names())
def test_every_network_of_the_zoo_has_a_head_that_ends_it(name: str) -> None:
    spec = ZOO[name].build(ZOO[name].default_input, 10)
    head = head_of(spec)

    body = {node.id for node in spec.nodes} - head
    assert spec.output in head
    assert all(not ancestors(spec, each) & head for each in body)
