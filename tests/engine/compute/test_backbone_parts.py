"""What the slider offers and what recipes name freezes what it says, in every backbone."""

from __future__ import annotations

import functools
import re

import pytest

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.code import keras_code
from studio.engine.networks.layers.backbone import BACKBONES, BackboneParameters
from studio.engine.networks.parts import (
    INNER,
    block_of,
    blocks_of,
    frozen_count,
    names_in,
    with_freezing,
)
from studio.engine.networks.spec import HEAD, InputShape, NetworkSpec
from studio.engine.training.recipes import top_of

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from studio.engine.compute.build import grow_backbone, without_weights  # noqa: E402
from studio.engine.compute.read import expand  # noqa: E402

SIDE = 96
FAMILIES = (
    "mobilenet",
    "mobilenet_v3_small",
    "efficientnet_b0",
    "resnet50",
    "densenet121",
    "inception_v3",
    "convnext_tiny",
    "nasnet_mobile",
    "vgg16",
)
"""Backbones that are described whole, which takes longer than to grow them."""


def _spec(architecture: str) -> NetworkSpec:
    shape = InputShape(height=SIDE, width=SIDE, channels=3)
    net = GraphBuilder(architecture, shape, 3)
    net.add("backbone", "trunk", architecture=architecture).add("global_average_pool", "pool")
    return net.add("dense", HEAD, units=3, activation="softmax").spec()


@functools.cache
def _grown(architecture: str) -> tuple[tuple[str, ...], int]:
    """The names of its layers, and how many parameters they have."""
    parameters = BackboneParameters.parse({"architecture": architecture})
    with without_weights():
        layers, _ = grow_backbone("trunk", parameters, keras.Input((SIDE, SIDE, 3)))
    names = tuple(layer.name.partition(INNER)[2] for layer in layers)
    return names, sum(layer.count_params() for layer in layers)


def _names(architecture: str) -> list[str]:
    return list(_grown(architecture)[0])


@pytest.mark.parametrize("architecture", sample(BACKBONES.names(), ("mobilenet_v2",)))
def test_blocks_and_tops_freeze_their_layers(architecture: str) -> None:
    names, parameters = _names(architecture), _grown(architecture)[1]

    assert 0 < parameters <= BACKBONES[architecture].parameters, "those of a head come to it"
    blocks = list(dict.fromkeys(filter(None, map(block_of, names))))
    counts = [frozen_count(names, block) for block in blocks]
    assert sorted({0, *counts}) == [0, *counts]
    for name in names:
        assert frozen_count(names, name) > names.index(name)
        block = block_of(name)
        others = [other for other in blocks if re.match(names_in(other), name)]
        # The layer `conv1` comes before the rest of the block `conv1`.
        assert others in ([[block]] if block else [[], [name]]), name

    share = frozen_count(names, top_of(_spec(architecture))) / len(names)
    assert 0.5 < share < 0.75


@pytest.mark.parametrize("architecture", sample(FAMILIES, 1))
def test_the_slider_offers_what_can_be_frozen(architecture: str) -> None:
    names = _names(architecture)
    spec = _spec(architecture)

    offered = blocks_of(expand(spec))

    assert len(offered) >= 5
    counts = [frozen_count(names, part) for part in offered]
    assert sorted({0, *counts}) == [0, *counts]
    for part in offered:
        assert with_freezing(spec, part).node("trunk").parameters["frozen_up_to"] == part


def test_the_first_block_is_not_all_that_begin_like_it() -> None:
    names = _names("mobilenet_v3_small")

    last = names[frozen_count(names, "expanded_conv") - 1]

    assert last == "expanded_conv_project_bn"
    assert frozen_count(names, "block_99") == 0


def test_a_stage_is_all_of_its_blocks() -> None:
    assert frozen_count(["block4a_add", "block4b_add", "block5a_add"], "block4") == 2
    assert frozen_count(["conv4_block1_out", "conv4_block2_out", "conv5_block1_out"], "conv4") == 2
    assert frozen_count(["mixed9_0", "mixed9", "mixed9_1"], "mixed9") == 2


def test_the_code_freezes_by_the_same_rule() -> None:
    spec = with_freezing(_spec("mobilenet_v3_small"), "expanded_conv")
    helpers = keras_code(spec).partition("inputs = ")[0]
    names = _names("mobilenet_v3_small")
    layers = [keras.layers.ReLU(name=name) for name in names]
    room: dict[str, object] = {"grown": layers, "last": names_in("expanded_conv")}

    exec(f"{helpers}\nfreeze(grown, last=last)", room)

    assert repr(names_in("expanded_conv"))[1:-1] in keras_code(spec)
    frozen = [layer.name for layer in layers if not layer.trainable]
    assert frozen == names[: frozen_count(names, "expanded_conv")]
