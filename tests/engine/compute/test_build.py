"""Descriptions turned into Keras models: every layer, every network of the zoo, every trap."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BACKBONES
from studio.engine.networks.spec import HEAD, AuxiliaryHead, InputShape, NetworkSpec
from studio.engine.networks.zoo import ZOO

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from helpers.inspecting import inspect  # noqa: E402
from studio.engine.compute.build import build, derived_seed  # noqa: E402

PARAMETERS = {
    ("perceptron", (28, 28, 1), 10): 784 * 10 + 10,
    ("mlp", (28, 28, 1), 10): 784 * 256 + 256 + 256 * 128 + 128 + 128 * 10 + 10,
    ("lenet", (32, 32, 1), 10): 61_706,
    ("lenet", (28, 28, 1), 10): 61_706,
    ("small_cnn", (64, 64, 3), 10): 289_642,
    # Published: 3,538,984 with a head of 1,000 classes; the head has 1280 * 1000 + 1000.
    ("mobilenet_v2", (224, 224, 3), 1000): 3_538_984,
}


ONE_OF_EACH_KIND = [
    "mobilenet_v3_small",
    "efficientnet_v2_b0",
    "inception_v3",
    "xception",
    "convnext_tiny",
]
"""Backbones that together have every layer that draws numbers, and names that Keras makes up."""


def _images(count: int, shape: tuple[int, int, int]) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(1).integers(0, 256, (count, *shape), dtype=np.uint8)


def _net(side: int = 16) -> GraphBuilder:
    shape = InputShape(height=side, width=side, channels=3)
    return GraphBuilder("Test", shape, 4).add("rescaling")


def _headed(net: GraphBuilder) -> NetworkSpec:
    return net.add("flatten").add("dense", HEAD, units=4, activation="softmax").spec()


def _same_weights(one: Any, other: Any) -> bool:
    pairs = zip(one.get_weights(), other.get_weights(), strict=True)
    return all(np.array_equal(left, right) for left, right in pairs)


@pytest.mark.parametrize("name", LAYERS.names())
def test_every_layer_builds_with_its_defaults(name: str) -> None:
    net = _net(32)
    if LAYERS[name].family == "recurrent":
        net.add("reshape", target_shape="32, -1")
    if name == "box_head":
        trunk = net.last
        net.add("conv2d", "sides", after=trunk, filters=4)
        net.add(name, "it", after=(trunk, "sides"))
    elif LAYERS[name].joins:
        trunk = net.last
        net.add("activation").add(name, "it", after=(net.last, trunk))
    elif name == "inside_backbone":
        net.add("backbone").add(name, "it", place="block_2_add")
    else:
        net.add(name, "it")

    model = build(_headed(net), seed=0)

    assert model(_images(2, (32, 32, 3))).shape == (2, 4)


@pytest.mark.parametrize(("case", "expected"), PARAMETERS.items(), ids=str)
def test_parameter_counts(case: tuple[str, tuple[int, int, int], int], expected: int) -> None:
    name, shape, classes = case

    assert inspect(ZOO[name].build(shape, classes)).parameters == expected


def test_the_same_seed_gives_the_same_weights_whatever_was_built_before() -> None:
    spec = ZOO["mobilenet_v2"].build((32, 32, 3), 3)

    first = build(spec, seed=5)
    build(ZOO["small_cnn"].build((16, 16, 3), 3), seed=None)
    keras.utils.set_random_seed(77)
    second = build(spec, seed=5)

    assert _same_weights(first, second)
    assert [layer.name for layer in first.layers] == [layer.name for layer in second.layers]
    assert not _same_weights(first, build(spec, seed=6))


def test_without_a_seed_weights_differ() -> None:
    spec = ZOO["perceptron"].build((8, 8, 1), 3)

    assert not _same_weights(build(spec, seed=None), build(spec, seed=None))


def test_similar_layers_start_with_different_weights() -> None:
    net = _net().add("conv2d", "a", filters=3).add("conv2d", "b", filters=3)

    model = build(_headed(net), seed=0)

    one, other = (model.get_layer(name).get_weights()[0] for name in "ab")
    assert not np.array_equal(one, other)


def _dropouts(spec: NetworkSpec) -> dict[str, int]:
    model = build(spec, seed=5)
    layers = (layer for layer in model.layers if isinstance(layer, keras.layers.Dropout))
    return {layer.name: layer.seed for layer in layers}


@pytest.mark.thorough
def test_every_dropout_has_its_own_seed() -> None:
    net = _net(32).add("backbone", architecture="efficientnet_v2_b0")
    seeds = _dropouts(_headed(net.add("dropout", "last").add("dropout", "more")))

    assert len(seeds) > 2  # the backbone has some too
    assert all(isinstance(seed, int) for seed in seeds.values())
    assert len(set(seeds.values())) == len(seeds)
    assert seeds["last"] == derived_seed(5, "last", "seed")


def test_derived_seeds_do_not_change_between_versions() -> None:
    assert derived_seed(0, "dropout_1", "seed") == 1_918_009_932
    assert derived_seed(1, "dropout_1", "seed") != derived_seed(0, "dropout_1", "seed")


@pytest.mark.thorough
def test_batch_norm_in_a_backbone_is_fast_and_the_model_is_flat() -> None:
    model = build(ZOO["mobilenet_v2"].build((32, 32, 3), 3), seed=0)

    norms = [x for x in model.layers if isinstance(x, keras.layers.BatchNormalization)]
    assert len(norms) == 52
    assert {layer.momentum for layer in norms} == {0.9}
    assert not any(isinstance(layer, keras.Model) for layer in model.layers)


@pytest.mark.thorough
def test_names_that_keras_makes_up_do_not_clash_with_ids() -> None:
    net = GraphBuilder("Test", InputShape(height=32, width=32, channels=3), 4)
    taken = keras.layers.Rescaling(1.0).name
    number = int(taken.rpartition("_")[2]) if "_" in taken else 0
    # The backbone has a layer without a name: Keras gives it the next number.
    net.add("rescaling", f"rescaling_{number + 1}")
    net.add("backbone", "trunk", architecture="efficientnet_b0")

    model = build(_headed(net.add("global_average_pool")), seed=0)

    assert f"rescaling_{number + 1}" in [layer.name for layer in model.layers]


def test_two_backbones_of_one_kind_live_in_one_network() -> None:
    net = _net(32)
    trunk = net.last
    net.add("backbone", "left").add("backbone", "right", after=trunk)
    net.add("concatenate", after=("left", "right"))

    report = inspect(_headed(net))

    assert {"left", "right"} <= {layer.node for layer in report.layers}
    assert report.layers[-1].parameters == 2 * 1280 * 4 + 4


def test_pixels_go_in_as_they_are_and_probabilities_come_out_in_full_precision() -> None:
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = build(ZOO["lenet"].build((28, 28, 1), 3), seed=0)
    finally:
        keras.config.set_dtype_policy(policy)

    assert model.inputs[0].dtype == "float32"
    assert model.get_layer("c3").compute_dtype == "bfloat16"
    assert model.output.dtype == "float32"


def test_what_leads_nowhere_is_left_out() -> None:
    net = _net()
    trunk = net.last
    net.add("conv2d", "loose").add("activation", after=trunk)

    assert "loose" not in [layer.name for layer in build(_headed(net), seed=0).layers]


def test_a_layer_that_does_not_fit_is_named() -> None:
    net = _net().add("conv2d", "wide", kernel=17, padding="valid")

    with pytest.raises(StudioError, match="16x16x3") as caught:
        build(_headed(net), seed=0)

    assert caught.value.where == "wide"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("layer", ["add", "concatenate"])
def test_branches_that_do_not_fit_are_named(layer: str) -> None:
    net = _net()
    trunk = net.last
    net.add("conv2d", filters=5, stride=2).add(layer, "join", after=(net.last, trunk))

    with pytest.raises(StudioError, match="8x8x5, 16x16x3") as caught:
        build(_headed(net), seed=0)

    assert caught.value.where == "join"


def test_a_backbone_refuses_small_images() -> None:
    with pytest.raises(StudioError, match="32x32") as caught:
        build(_headed(_net(31).add("backbone", "trunk")), seed=0)

    assert caught.value.where == "trunk"


@pytest.mark.parametrize(("units", "flat"), [(5, True), (4, False)])
def test_an_output_that_is_not_one_value_per_class_is_refused(units: int, flat: bool) -> None:
    net = _net().add("flatten") if flat else _net()

    with pytest.raises(StudioError, match="4 classes"):
        build(net.add("dense", HEAD, units=units, activation="softmax").spec(), seed=0)


def test_problems_of_the_description_come_first() -> None:
    with pytest.raises(StudioError, match="probabilities"):
        build(_net().add("flatten").spec(), seed=0)


def _states(model: Any) -> dict[str, list[Any]]:
    return {layer.name: layer.get_weights() for layer in model.layers}


def _changed_layers(spec: NetworkSpec) -> set[str]:
    """Names of the layers that one step of training changes, running statistics too."""
    model = build(spec, seed=0)
    before = _states(model)
    model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy")
    shape = tuple(model.input_shape[1:])
    model.fit(_images(4, shape), np.array([0, 1, 2, 0]), verbose=0)
    after = _states(model)
    return {
        name
        for name, values in before.items()
        if not all(np.array_equal(x, y) for x, y in zip(values, after[name], strict=True))
    }


def test_frozen_layers_and_their_statistics_stay_as_they_are() -> None:
    spec = ZOO["small_cnn"].build((16, 16, 3), 3)
    still = {node.id for node in spec.nodes if node.id.endswith(("1_1", "1_2", "2_1"))}
    nodes = tuple(n.model_copy(update={"frozen": n.id in still}) for n in spec.nodes)

    changed = _changed_layers(spec.model_copy(update={"nodes": nodes}))

    assert {"conv_1_1", "norm_1_1", "norm_2_1"} <= still
    assert changed & still == set()
    assert {"conv_2_2", "norm_2_2", HEAD} <= changed


@pytest.mark.parametrize("last", ["block_3_expand_relu", "block_3"])
def test_a_backbone_is_frozen_up_to_a_layer_or_block(last: str) -> None:
    spec = ZOO["mobilenet_v2"].build((32, 32, 3), 3)
    nodes = tuple(
        n.model_copy(update={"parameters": {**n.parameters, "frozen_up_to": last}})
        if n.layer == "backbone"
        else n
        for n in spec.nodes
    )

    model = build(spec.model_copy(update={"nodes": nodes}), seed=0)

    inner = [layer for layer in model.layers if "-" in layer.name]
    still = [layer.trainable for layer in inner]
    end = next(i for i, layer in enumerate(inner) if f"{layer.name}_".find(f"-{last}_") > 0)
    assert still[: end + 1] == [False] * (end + 1)
    assert any(still)
    assert not any(inner[i].name.find("-block_3_") > 0 for i in range(len(still)) if still[i]) or (
        last == "block_3_expand_relu"
    )
    assert model.get_layer(HEAD).trainable


def test_a_backbone_without_such_a_layer_is_not_frozen_in_silence() -> None:
    net = _net(32).add("backbone", "trunk", frozen_up_to="block_99")

    with pytest.raises(StudioError, match="block_99") as caught:
        build(_headed(net), seed=0)

    assert caught.value.where == "trunk"


def test_auxiliary_heads_exist_in_training_only() -> None:
    net = _net()
    trunk = net.last
    net.add("global_average_pool", "side_pool")
    net.add("dense", "side", units=4, activation="softmax")
    net.add("conv2d", "on", after=trunk)
    spec = _headed(net).model_copy(update={"auxiliary": (AuxiliaryHead(node="side"),)})

    plain, training = build(spec, seed=3), build(spec, seed=3, auxiliary=True)

    images = _images(2, (16, 16, 3))
    main, side = training(images, training=False)
    assert "side" not in [layer.name for layer in plain.layers]
    assert np.allclose(main, plain(images, training=False))
    assert side.shape == (2, 4)


def test_a_foreign_layer_keeps_its_settings_and_brings_no_code() -> None:
    config = json.dumps({"negative_slope": 0.25, "max_value": 3.0, "threshold": 1.0})
    net = _net().add("keras", "odd", class_name="ReLU", config=config)

    model = build(_headed(net), seed=0)

    assert model.get_layer("odd").get_config()["threshold"] == 1.0
    inner = {"module": "evil", "class_name": "Thing", "config": {}, "registered_name": "evil>T"}
    hostile = json.dumps({"layer": inner})
    with pytest.raises(StudioError, match="not part of Keras"):
        build(_headed(_net().add("keras", class_name="TimeDistributed", config=hostile)), seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(ONE_OF_EACH_KIND, 1))
def test_every_kind_of_backbone_builds_the_same_twice(name: str) -> None:
    net = _net(BACKBONES[name].smallest).add("backbone", architecture=name)
    spec = _headed(net.add("global_average_pool"))

    first, second = build(spec, seed=1), build(spec, seed=1)

    assert [layer.name for layer in first.layers] == [layer.name for layer in second.layers]
    assert _same_weights(first, second)


@pytest.mark.thorough
def test_lenet_reads_handwritten_digits_after_five_epochs() -> None:
    from PIL import Image
    from sklearn.datasets import load_digits

    digits = load_digits()
    small = (digits.images * 255 / 16).astype(np.uint8)
    images = np.stack([np.asarray(Image.fromarray(image).resize((28, 28))) for image in small])
    order = np.random.default_rng(0).permutation(len(images))
    train, held_back = order[: len(order) * 7 // 10], order[len(order) * 7 // 10 :]
    model = build(ZOO["lenet"].build((28, 28, 1), 10), seed=0)
    adam = keras.optimizers.Adam(1e-3)
    model.compile(adam, "sparse_categorical_crossentropy", metrics=["accuracy"])

    x, y = images[..., np.newaxis], digits.target
    model.fit(x[train], y[train], batch_size=32, epochs=5, shuffle=False, verbose=0)

    _, accuracy = model.evaluate(x[held_back], y[held_back], verbose=0)
    assert accuracy >= 0.97
