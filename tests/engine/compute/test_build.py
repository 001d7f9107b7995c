"""Descriptions turned into Keras models: every layer, every network of the zoo, every trap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from studio.engine.compute.backend import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BACKBONES
from studio.engine.networks.spec import HEAD, InputShape, NetworkSpec
from studio.engine.networks.zoo import ZOO

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from studio.engine.compute.build import build, derived_seed, inspect  # noqa: E402

PARAMETERS = {
    ("perceptron", (28, 28, 1), 10): 784 * 10 + 10,
    ("mlp", (28, 28, 1), 10): 784 * 256 + 256 + 256 * 128 + 128 + 128 * 10 + 10,
    ("lenet", (32, 32, 1), 10): 61_706,
    ("lenet", (28, 28, 1), 10): 61_706,
    ("small_cnn", (64, 64, 3), 10): 289_642,
    # Published: 3,538,984 with a head of 1,000 classes; the head has 1280 * 1000 + 1000.
    ("mobilenet_v2", (224, 224, 3), 1000): 3_538_984,
}


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
    if LAYERS[name].joins:
        trunk = net.last
        net.add("activation").add(name, "it", after=(net.last, trunk))
    else:
        net.add(name, "it")

    model = build(_headed(net), seed=0)

    assert model(_images(2, (32, 32, 3))).shape == (2, 4)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n == "mobilenet_v2" else n for n in ZOO.names()],
)
def test_every_network_builds_fits_saves_and_loads(name: str, tmp_path: Path) -> None:
    height, width = ZOO[name].smallest
    shape = (max(height, 8), max(width, 9), 3)
    images, labels = _images(4, shape), np.array([0, 1, 2, 0])
    model = build(ZOO[name].build(shape, 3), seed=0)
    start = model.get_weights()
    model.compile("adam", "sparse_categorical_crossentropy")

    model.fit(images, labels, verbose=0)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")

    assert not all(
        np.array_equal(old, new) for old, new in zip(start, model.get_weights(), strict=True)
    )
    outputs = np.asarray(again(images, training=False))
    assert np.allclose(outputs, np.asarray(model(images, training=False)), atol=1e-6)
    assert np.allclose(outputs.sum(axis=1), 1, atol=1e-5)


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


def test_layers_alike_start_with_weights_of_their_own() -> None:
    net = _net().add("conv2d", "a", filters=3).add("conv2d", "b", filters=3)

    model = build(_headed(net), seed=0)

    one, other = (model.get_layer(name).get_weights()[0] for name in "ab")
    assert not np.array_equal(one, other)


def _dropouts(spec: NetworkSpec) -> dict[str, int]:
    model = build(spec, seed=5)
    layers = (layer for layer in model.layers if isinstance(layer, keras.layers.Dropout))
    return {layer.name: layer.seed for layer in layers}


def test_every_dropout_has_a_seed_of_its_own() -> None:
    net = _net(32).add("backbone", architecture="efficientnet_v2_b0")
    seeds = _dropouts(_headed(net.add("dropout", "last").add("dropout", "more")))

    assert len(seeds) > 2  # the backbone has some too
    assert all(isinstance(seed, int) for seed in seeds.values())
    assert len(set(seeds.values())) == len(seeds)
    assert seeds["last"] == derived_seed(5, "last", "seed")


def test_derived_seeds_do_not_change_between_versions() -> None:
    assert derived_seed(0, "dropout_1", "seed") == 1_918_009_932
    assert derived_seed(1, "dropout_1", "seed") != derived_seed(0, "dropout_1", "seed")


def test_batch_norm_in_a_backbone_is_fast_and_the_model_is_flat() -> None:
    model = build(ZOO["mobilenet_v2"].build((32, 32, 3), 3), seed=0)

    norms = [x for x in model.layers if isinstance(x, keras.layers.BatchNormalization)]
    assert len(norms) == 52
    assert {layer.momentum for layer in norms} == {0.9}
    assert not any(isinstance(layer, keras.Model) for layer in model.layers)


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

    with pytest.raises(StudioError, match="8x8x5 and 16x16x3") as caught:
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


def test_an_inspection_is_plain_data() -> None:
    report = inspect(ZOO["lenet"].build((28, 28, 1), 10))

    data = json.loads(json.dumps(report.to_data()))
    first = next(layer for layer in data["layers"] if layer["node"] == "c1")
    assert first == {
        "name": "c1",
        "node": "c1",
        "type": "Conv2D",
        "output_shape": [28, 28, 6],
        "parameters": 156,
        "trainable": 156,
    }
    assert data["parameters"] == {"total": 61_706, "trainable": 61_706}


def test_running_statistics_are_not_trainable() -> None:
    report = inspect(ZOO["small_cnn"].build((16, 16, 3), 10))

    # Two running statistics for each channel of each of the six normalizations.
    assert report.parameters - report.trainable == 2 * 2 * (32 + 64 + 128)


@pytest.mark.slow
@pytest.mark.parametrize("name", BACKBONES.names())
def test_every_backbone_builds_the_same_twice(name: str) -> None:
    net = _net(BACKBONES[name].smallest).add("backbone", architecture=name)
    spec = _headed(net.add("global_average_pool"))

    first, second = build(spec, seed=1), build(spec, seed=1)

    assert [layer.name for layer in first.layers] == [layer.name for layer in second.layers]
    assert _same_weights(first, second)


@pytest.mark.slow
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
