"""Keras models turned into descriptions: ours, the published ones, and those of strangers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.checks import check
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.layer import numbers_in
from studio.engine.networks.parts import block_of, clean
from studio.engine.networks.spec import (
    HEAD,
    HEAD_BLOCK,
    AuxiliaryHead,
    InputShape,
    LayerNode,
    NetworkSpec,
)
from studio.engine.networks.zoo import DRAWN, ZOO
from studio.engine.tasks.outputs import VECTOR

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen
from keras import layers  # noqa: E402

from studio.engine.compute.build import build, without_weights  # noqa: E402
from studio.engine.compute.read import expand, read_model  # noqa: E402

Graph = dict[str, tuple[str, Any, tuple[str, ...]]]


def _net(side: int = 16) -> GraphBuilder:
    shape = InputShape(height=side, width=side, channels=3)
    return GraphBuilder("Test", shape, 4).add("rescaling")


def _headed(net: GraphBuilder) -> NetworkSpec:
    return net.add("flatten").add("dense", HEAD, units=4, activation="softmax").spec()


def _backbone(architecture: str, side: int, **parameters: Any) -> NetworkSpec:
    net = _net(side).add("backbone", "trunk", architecture=architecture, **parameters)
    return _headed(net.add("global_average_pool"))


def _used(spec: NetworkSpec) -> list[LayerNode]:
    from studio.engine.networks.spec import ancestors

    stored = ancestors(spec, spec.output)
    return [node for node in spec.nodes if node.id in stored]


def _graph(spec: NetworkSpec) -> Graph:
    return {node.id: (node.layer, _values(node), node.inputs) for node in _used(spec)}


def _values(node: LayerNode) -> dict[str, Any]:
    """All parameters; a stride as long as the window is what an empty one means."""
    layer = LAYERS[node.layer]
    values = layer.parameters.parse(node.parameters).model_dump()
    values |= {name: numbers_in(values[name], kind) for name, kind in layer.numbers.items()}
    return values | ({"stride": None} if values.get("stride") == values.get("size") else {})


def _images(spec: NetworkSpec) -> Any:
    shape = (2, spec.input.height, spec.input.width, spec.input.channels)
    return np.random.default_rng(0).integers(0, 256, shape).astype(np.float32)


NOT_LAYERS = ("backbone", "inside_backbone", "resize_like", "box_head")
"""Of these Keras makes something else: many layers, none, or one of two that depends on sizes."""
PER_IMAGE = [network.name for network in DRAWN if network.output == VECTOR]


@pytest.mark.parametrize("name", sample(PER_IMAGE, ("lenet", "mlp")))
def test_what_is_built_is_read_back(name: str) -> None:
    network = ZOO[name]
    channels = 1
    side = max(*network.smallest, 12)
    spec = expand(network.build((side, side, channels), 3))

    with without_weights():
        read = read_model(build(spec, seed=0))

    assert _graph(read.spec) == _graph(spec)
    assert read.spec.input == spec.input
    assert (read.spec.classes, read.spec.output) == (3, spec.output)
    assert check(read.spec) == []
    assert set(read.names) == {node.id for node in read.spec.nodes}


@pytest.mark.parametrize("layer", [name for name in LAYERS.names() if name not in NOT_LAYERS])
def test_every_layer_is_read_back_with_its_defaults(layer: str) -> None:
    net = _net(8)
    if LAYERS[layer].family == "recurrent":
        net.add("reshape", target_shape="8, -1")
    trunk = net.last
    net.add(layer, "it", after=(trunk, trunk) if LAYERS[layer].joins else trunk)
    spec = _headed(net)

    read = read_model(build(spec, seed=0))

    if layer == "keras":
        assert read.spec.node("it").parameters["class_name"] == "Identity"
    else:
        assert _graph(read.spec)["it"] == _graph(spec)["it"]


@pytest.mark.parametrize(
    ("layer", "parameters"),
    [
        ("conv2d", {"kernel": 1, "kernel_width": 7, "stride": 2, "padding": "valid"}),
        ("conv2d", {"dilation": 2, "activation": "relu6", "kernel_initializer": "orthogonal"}),
        ("max_pool", {"size": 3, "stride": 2}),
        ("zero_padding", {"top": 0, "bottom": 1, "left": 2, "right": 3}),
        ("channel_scaling", {"scale": "1.0, 2.0, 3.0", "offset": "0.0, -1.5, 4.0"}),
        ("subtract_mean", {"mean": (123.68, 116.779, 103.939)}),
        ("subtract_mean", {"mean": tuple(range(768)), "height": 16, "width": 16}),
        ("group_normalization", {"groups": 3, "epsilon": 1e-5}),
        ("dropout", {"rate": 0.25}),
    ],
)
def test_parameters_are_read_back(layer: str, parameters: dict[str, Any]) -> None:
    spec = _headed(_net().add(layer, "it", **parameters))

    read = read_model(build(spec, seed=0))

    assert _graph(read.spec) == _graph(spec)


def test_frozen_layers_are_read_back() -> None:
    spec = ZOO["small_cnn"].build((16, 16, 3), 3)
    nodes = tuple(n.model_copy(update={"frozen": n.id == "norm_1_1"}) for n in spec.nodes)

    read = read_model(build(spec.model_copy(update={"nodes": nodes}), seed=0))

    assert [node.id for node in read.spec.nodes if node.frozen] == ["norm_1_1"]


def _given_the_same(one: Any, other: Any) -> None:
    """Copy weights by the names of layers, as far as they have any."""
    inside = one._flatten_layers(include_self=False)  # ConvNeXt has small models in it
    values = {clean(x.name.rpartition("-")[2]): x.get_weights() for x in inside}
    for layer in other.layers:
        if layer.weights:
            layer.set_weights(values[layer.name])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("architecture", "side"),
    sample(
        [
            ("mobilenet_v2", 32),
            pytest.param("efficientnet_v2_b0", 32, marks=pytest.mark.slow),
            pytest.param("convnext_tiny", 32, marks=pytest.mark.slow),
            pytest.param("inception_resnet_v2", 75, marks=pytest.mark.slow),
        ],
        1,
    ),
)
def test_an_expanded_backbone_gives_the_same(architecture: str, side: int) -> None:
    spec = _backbone(architecture, side)

    explicit = expand(spec)

    assert all(node.layer != "backbone" for node in explicit.nodes)
    one, other = build(spec, seed=1), build(explicit, seed=2)
    _given_the_same(one, other)
    images = _images(spec)
    expected = np.asarray(one(images, training=False))
    assert np.allclose(expected, np.asarray(other(images, training=False)), atol=1e-6)
    assert one.count_params() == other.count_params()
    norms = [x for x in other.layers if isinstance(x, layers.BatchNormalization)]
    assert {norm.momentum for norm in norms} <= {0.9}


def test_an_expanded_backbone_stays_frozen_and_gets_blocks() -> None:
    explicit = expand(_backbone("mobilenet_v2", 32, frozen_up_to="block_5"))
    by_id = {node.id: node for node in explicit.nodes}

    assert by_id["block_5_project"].frozen
    assert not by_id["block_6_expand"].frozen
    assert by_id["block_6_expand"].block == "block_6"
    assert explicit.positions == {}


def test_two_backbones_of_one_kind_expand_beside_each_other() -> None:
    net = _net(32)
    trunk = net.last
    net.add("backbone", "left").add("backbone", "right", after=trunk)
    spec = _headed(net.add("concatenate", after=("left", "right")))

    explicit = expand(spec)

    assert check(explicit) == []
    assert {"Conv1", "right_Conv1"} <= {node.id for node in explicit.nodes}


def test_a_backbone_that_does_not_fit_is_not_expanded() -> None:
    with pytest.raises(StudioError, match="32x32") as caught:
        expand(_backbone("mobilenet_v2", 20))
    assert caught.value.where == "trunk"


def _image(side: int | None = 8) -> Any:
    return keras.Input((side, side, 3))


def _classes(tensor: Any, count: int = 3) -> Any:
    pooled = layers.GlobalAveragePooling2D()(tensor)
    return layers.Dense(count, activation="softmax")(pooled)


def test_models_inside_models_are_laid_flat() -> None:
    inner_in = keras.Input((8, 8, 3))
    inner = keras.Model(inner_in, layers.Conv2D(4, 3, name="conv")(inner_in), name="base")
    top = keras.Sequential([layers.GlobalMaxPooling2D(), layers.Dense(3, activation="softmax")])
    images = _image()
    model = keras.Model(images, top(inner(images)))

    read = read_model(model, "Mine")

    assert read.spec.name == "Mine"
    assert [node.layer for node in read.spec.nodes] == ["conv2d", "global_max_pool", "dense"]
    assert read.spec.nodes[0].block == "base"
    assert read.names["conv"] == "base/conv"
    ours = build(read.spec, seed=0)
    ours.set_weights(model.get_weights())
    pixels = _images(read.spec)
    assert np.allclose(ours(pixels), model(pixels), atol=1e-6)


def test_settings_without_a_parameter_are_kept() -> None:
    images = _image()
    odd = layers.Conv2D(4, 3, strides=(2, 1), kernel_regularizer="l2", name="odd")(images)
    scaled = layers.LeakyReLU(negative_slope=0.25)(odd)
    model = keras.Model(images, _classes(scaled))

    read = read_model(model)

    node = read.spec.node("odd")
    assert node.layer == "keras"
    assert json.loads(str(node.parameters["config"]))["strides"] == [2, 1]
    assert any("Conv2D" in note for note in read.notes)
    built = build(read.spec, seed=0).get_layer("odd")
    assert built.get_config()["kernel_regularizer"] == odd_config(model)["kernel_regularizer"]


def odd_config(model: Any) -> Any:
    return model.get_layer("odd").get_config()


def test_axes_that_are_counted_out_are_known() -> None:
    images = _image()
    normed = layers.BatchNormalization(axis=3, momentum=0.9, name="norm")(images)

    read = read_model(keras.Model(images, _classes(normed)))

    assert read.spec.node("norm").layer == "batch_normalization"


def test_arithmetic_becomes_layers() -> None:
    images = _image()
    scaled = 1.0 - (images / 127.5)
    both = scaled + keras.ops.relu(scaled * 2)
    model = keras.Model(images, _classes(keras.activations.relu(-both)))

    read = read_model(model)
    ours = build(read.spec, seed=0)
    ours.set_weights(model.get_weights())

    pixels = _images(read.spec)
    assert np.allclose(ours(pixels), model(pixels), atol=1e-5)


def test_a_part_that_is_called_as_in_use_has_frozen_normalization() -> None:
    inner_in = keras.Input((8, 8, 3))
    inner = keras.Model(inner_in, layers.BatchNormalization(name="norm")(inner_in))
    images = _image()

    read = read_model(keras.Model(images, _classes(inner(images, training=False))))

    assert read.spec.node("norm").frozen
    assert any("training=False" in note for note in read.notes)


def test_odd_names_become_distinct_ids() -> None:
    images = _image()
    first = layers.Activation("relu", name="1 relu é")(images)
    second = layers.Activation("relu", name="input")(first)

    read = read_model(keras.Model(images, _classes(second)))

    assert check(read.spec) == []
    assert [node.id for node in read.spec.nodes][:1] != ["input"]
    assert len({node.id for node in read.spec.nodes}) == 4


def test_a_model_of_any_size_gets_one() -> None:
    read = read_model(keras.Model(images := _image(None), _classes(images)))

    assert str(read.spec.input) == "224x224x3"
    assert any("any size" in note for note in read.notes)
    assert any("raw pixels" in note for note in read.notes)


def test_scores_become_probabilities_and_features_get_a_head() -> None:
    images = _image()
    pooled = layers.GlobalAveragePooling2D()(images)
    logits = read_model(keras.Model(images, layers.Dense(5)(pooled)))
    features = read_model(keras.Model(images, pooled))
    grid = read_model(keras.Model(images, layers.Conv2D(4, 3)(images)))

    assert logits.spec.classes == 5
    assert logits.spec.node(logits.spec.output).parameters == {"activation": "softmax"}
    assert features.spec.classes == grid.spec.classes == 2
    assert [node.layer for node in grid.spec.nodes][-2:] == ["global_average_pool", "dense"]
    for read in (logits, features, grid):
        assert check(read.spec) == []
        assert len(read.notes) == 2
        assert read.spec.node(read.spec.output).block == HEAD_BLOCK
        build(read.spec, seed=0)


def test_a_last_layer_that_is_kept_as_it_is_still_gives_probabilities() -> None:
    images = _image()
    pooled = layers.Flatten()(images)
    last = layers.Dense(3, activation="softmax", kernel_regularizer="l2")(pooled)
    model = keras.Model(images, last)

    read = read_model(model)
    ours = build(read.spec, seed=0)
    ours.set_weights(model.get_weights())

    pixels = _images(read.spec)
    assert np.allclose(ours(pixels), model(pixels), atol=1e-6)


def test_further_outputs_are_auxiliary_heads() -> None:
    net = _net()
    trunk = net.last
    net.add("global_average_pool", "pool").add("dense", "side", units=4, activation="softmax")
    net.add("conv2d", "on", after=trunk)
    spec = _headed(net).model_copy(update={"auxiliary": (AuxiliaryHead(node="side"),)})

    read = read_model(build(spec, seed=0, auxiliary=True))

    assert [head.node for head in read.spec.auxiliary] == ["side"]
    assert read.spec.output == HEAD


class _Own(layers.Layer):  # type: ignore[misc]  # keras has no types
    def call(self, inputs: Any) -> Any:
        return inputs


class _OwnModel(keras.Model):  # type: ignore[misc]  # keras has no types
    def call(self, inputs: Any) -> Any:
        return inputs


def _two_inputs() -> Any:
    one, other = _image(), _image()
    return keras.Model([one, other], _classes(layers.Add()([one, other])))


def _shared() -> Any:
    images, conv = _image(), layers.Conv2D(3, 3, padding="same")
    return keras.Model(images, _classes(conv(conv(images))))


def _of(make: Callable[[Any], Any]) -> Callable[[], Any]:
    def model() -> Any:
        images = _image()
        return keras.Model(images, make(images))

    return model


def _attention(images: Any) -> Any:
    rows = layers.Reshape((64, 3))(images)
    return _classes(layers.Reshape((8, 8, 3))(layers.MultiHeadAttention(1, 3)(rows, rows)))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_two_inputs, "2 inputs"),
        (_shared, "same weights"),
        (_of(lambda x: _classes(_Own()(x))), "_Own"),
        (_of(lambda x: _classes(layers.Lambda(lambda y: y)(x))), "contains code"),
        (_of(lambda x: _classes(keras.ops.flip(x, axis=-1))), "outside of a layer"),
        (_of(lambda x: _classes(keras.activations.relu(x, max_value=3.0))), "outside of a layer"),
        (_of(lambda x: layers.Dense(1, activation="tanh")(layers.Flatten()(x))), "one number"),
        (_of(lambda x: layers.Dense(3, activation="sigmoid")(layers.Flatten()(x))), "sigmoids"),
        (_of(layers.Reshape((64, 3))), "64x3"),
        (_of(lambda x: [_classes(x), layers.Conv2D(2, 3)(x)]), "2 outputs"),
        (_of(_attention), "additional arguments"),
        (lambda: keras.Sequential([layers.Dense(3)]), "no input size"),
        (_OwnModel, "custom class"),
        (lambda: keras.Sequential([keras.Input((9,)), layers.Dense(3)]), "not an image"),
    ],
)
def test_what_cannot_be_described_is_refused_with_the_reason(
    make: Callable[[], Any], reason: str
) -> None:
    with pytest.raises(StudioError, match=reason) as caught:
        read_model(make())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("block_1_expand", "block_1"),
        ("block2b_se_reduce", "block2b"),
        ("conv2_block1_0_bn", "conv2_block1"),
        ("fire2/squeeze1x1", "fire2"),
        ("base/fire9/expand3x3", "fire9"),
        ("trunk-block5_conv3", "block5"),
        ("expanded_conv_depthwise", "expanded_conv"),
        ("conv_dw_3_relu", "conv_3"),
        ("inception_3a/1x1", "inception_3a"),
        ("convnext_tiny_stage_0_block_2_gelu", "stage_0_block_2"),
        ("dense", ""),
        ("my model/dense", "my_model"),
    ],
)
def test_names_determine_blocks(name: str, block: str) -> None:
    assert block_of(name) == block
