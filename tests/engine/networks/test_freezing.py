"""What is frozen, and how fast the rest learns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.fitting import head_of
from studio.engine.networks.parts import ALL, NONE, freezable, with_freezing, with_rates
from studio.engine.networks.spec import HEAD_BLOCK, InputShape, NetworkSpec, ancestors


def branches() -> NetworkSpec:
    net = GraphBuilder("Branches", InputShape(height=32, width=32, channels=3), 4)
    net.add("rescaling").add("conv2d", "conv1", block="stem", padding="same")
    net.add("conv2d", "left", after="conv1", block="fork", padding="same")
    net.add("conv2d", "right", after="conv1", block="fork", padding="same")
    net.add("concatenate", "both", after=("left", "right"), block="fork")
    net.add("conv2d", "top", block="last").add("flatten", block=HEAD_BLOCK)
    net.add("dense", "predictions", block=HEAD_BLOCK, units=4, activation="softmax")
    return net.spec()


def backbone(count: int = 1) -> NetworkSpec:
    net = GraphBuilder("Backbones", InputShape(height=64, width=64, channels=3), 4)
    net.add("rescaling", "scale")
    for _ in range(count):
        net.add("backbone", after="scale")
    if count > 1:
        net.add("add", after=("backbone_1", "backbone_2"))
    net.add("global_average_pool")
    net.add("dense", "predictions", block=HEAD_BLOCK, units=4, activation="softmax")
    return net.spec()


def frozen(spec: NetworkSpec) -> set[str]:
    return {node.id for node in spec.nodes if node.frozen}


def test_none_changes_nothing_and_all_spares_the_head() -> None:
    spec = branches()

    assert with_freezing(spec, NONE) is spec
    assert with_freezing(spec, "") is spec
    everything = frozen(with_freezing(spec, ALL))
    assert everything == {"rescaling_1", "conv1", "left", "right", "both", "top"}


@pytest.mark.parametrize(
    ("freeze", "expected"),
    [
        ("conv1", {"rescaling_1", "conv1"}),
        ("stem", {"rescaling_1", "conv1"}),
        ("right", {"rescaling_1", "conv1", "right"}),
        ("fork", {"rescaling_1", "conv1", "left", "right", "both"}),
    ],
)
def test_a_layer_or_block_is_frozen_with_all_that_leads_to_it(
    freeze: str, expected: set[str]
) -> None:
    assert frozen(with_freezing(branches(), freeze)) == expected


@given(st.data())
def test_nothing_before_a_frozen_layer_trains_and_the_head_always_does(
    data: st.DataObject,
) -> None:
    spec = branches()
    first = data.draw(st.sampled_from(freezable(spec)))
    second = data.draw(st.sampled_from(freezable(spec)))

    result = with_freezing(with_freezing(spec, first), second)

    still = frozen(result)
    assert not still & head_of(spec)
    assert all(ancestors(spec, each) <= still for each in still)
    assert still >= frozen(with_freezing(spec, first)) | frozen(with_freezing(spec, second))
    assert [node.id for node in result.nodes] == [node.id for node in spec.nodes]


@pytest.mark.parametrize("freeze", ["conv9", "fork-left", "-", "predictions", HEAD_BLOCK])
def test_missing_layers_and_head_layers_are_refused_with_the_valid_ones(freeze: str) -> None:
    with pytest.raises(StudioError) as caught:
        with_freezing(branches(), freeze)

    assert caught.value.where == "freeze"
    assert "none, all, stem, fork, last, rescaling_1, conv1, left" in caught.value.hint


def test_a_layer_inside_a_backbone_is_handed_to_it() -> None:
    alone = with_freezing(backbone(), "block_12_add")
    named = with_freezing(backbone(2), "backbone_2-block_12_add")

    assert alone.node("backbone_1").parameters["frozen_up_to"] == "block_12_add"
    assert frozen(alone) == {"scale"}
    assert named.node("backbone_2").parameters["frozen_up_to"] == "block_12_add"
    assert named.node("backbone_1").parameters["frozen_up_to"] == ""
    with pytest.raises(StudioError):
        with_freezing(backbone(2), "block_12_add")


@given(st.floats(0, 1000), st.floats(0, 1000))
def test_rates_multiply_and_keep_within_bounds(below: float, head: float) -> None:
    spec = branches()
    own = spec.model_copy(
        update={"nodes": tuple(node.model_copy(update={"rate": 0.5}) for node in spec.nodes)}
    )

    result = with_rates(own, below, head)

    heads = head_of(spec)
    for node in result.nodes:
        assert node.rate == 0.5 * (head if node.id in heads else below)
    assert NetworkSpec.parse(result.model_dump()) == result
    assert with_rates(spec, 1, 1) is spec
