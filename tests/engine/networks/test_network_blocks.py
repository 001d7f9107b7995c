"""Every block fits where it is put, carries its name, and acts on each of its parameters."""

from __future__ import annotations

import pytest

from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.networks.blocks import BLOCKS, Block
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.checks import check
from studio.engine.networks.spec import HEAD, InputShape, NetworkSpec
from studio.engine.plans import FieldKind, fields_of

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

from helpers.inspecting import inspect  # noqa: E402 - after the backend is chosen

EVERY = pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)


def _network(block: Block, **values: object) -> NetworkSpec:
    shape = InputShape(height=16, width=16, channels=3)
    net = GraphBuilder("Test", shape, 4).add("rescaling").add("conv2d", "stem", filters=32)
    nodes = block.nodes("mine", net.last, block.parameters.parse(values))
    end = GraphBuilder("Test", shape, 4)
    end.last = nodes[-1].id
    end.add("global_average_pool").add("dense", HEAD, units=4, activation="softmax")
    spec = net.spec()
    return spec.model_copy(
        update={"nodes": (*spec.nodes, *nodes, *end.spec().nodes), "output": HEAD}
    )


@EVERY
def test_a_block_works_behind_any_layer(block: Block) -> None:
    spec = _network(block)

    assert check(spec) == []
    assert inspect(spec).parameters > 0
    for node in spec.nodes:
        assert (node.block == "mine") == node.id.startswith("mine_")


@EVERY
def test_a_block_is_explained_and_every_parameter_acts(block: Block) -> None:
    assert block.label
    assert block.summary.endswith(".")
    assert block.paper
    usual = block.parameters.parse({})
    for field in fields_of(block.parameters):
        value = getattr(usual, field.name)
        other: object = not value if field.kind is FieldKind.SWITCH else value
        if field.kind is FieldKind.INTEGER:
            other = value + 1
        if field.kind is FieldKind.CHOICE:
            other = next(choice for choice in field.choices if choice != value)

        changed = block.nodes("mine", "stem", usual.changed(**{field.name: other}))

        assert changed != block.nodes("mine", "stem", usual), field.name


def test_the_shortcut_is_taken_where_shapes_are_equal() -> None:
    spec = _network(BLOCKS["residual"], filters=32, projection=False)
    inverted = _network(BLOCKS["inverted_residual"], filters=32, shortcut=True)

    assert spec.node("mine_add").inputs == ("mine_norm2", "stem")
    assert inverted.node("mine_add").inputs == ("stem", "mine_norm_project")
    assert inspect(spec).parameters < inspect(_network(BLOCKS["residual"], filters=32)).parameters
    assert inspect(inverted).parameters > 0
