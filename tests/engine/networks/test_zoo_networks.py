"""Every network of the zoo as Keras builds it: size, limits, one step of training, files."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.catalog import DEFAULT_CLASSES, Entry, backbone_of, zoo_entries
from studio.engine.networks.checks import check
from studio.engine.networks.fitting import COLOR_NODE, fitted
from studio.engine.networks.spec import HEAD, HEAD_BLOCK, NetworkSpec
from studio.engine.networks.zoo import DRAWN, ZOO
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.tasks import first_task
from studio.engine.tasks.boxes import SIDES, strides_of
from studio.engine.tasks.masks import MaskLevels
from studio.engine.tasks.outputs import ANOMALY_MAP, OBJECT_MASKS, PIXELS, POSITIONS, RAYS, STARS
from studio.engine.tasks.stars import stride_of as star_stride

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from studio.engine.compute.build import build, without_weights  # noqa: E402
from studio.engine.compute.tasks import learning_class  # noqa: E402

TOLERANCE = 0.05
"""Papers round: LeNet-5 "about 60,000", MobileNetV2 "3.4 million"."""

COUNTED = {
    "alexnet": 61_100_840,
    "fcn_8s": 134_362_751,
    "fcn_alexnet": 57_089_877,
    "googlenet": 6_998_552,
    "lenet": 61_706,
    "mobilenet_v2": 3_538_984,
    "nin": 966_986,
    "resnet18": 11_689_512,
    "resnet34": 21_797_672,
    "resnet50": 25_557_032,
    "squeezenet": 1_235_496,
    "vgg11": 132_863_336,
    "vgg16": 138_357_544,
    "vgg19": 143_667_240,
}
"""Weights, without running statistics, as other libraries count them in the same networks."""

MAX_AT_FIRST = 10.0
"""Loss of random weights: chance is 1.1; far more means that the start values do not fit. That of
boxes is divided by the few positions that learn an object: it starts at 5 to 100."""

SAVED_LIKE_ANOTHER = {"vgg16", "vgg19", "resnet34", "fcn_8s", "fcn_alexnet"}
"""Larger ones of a kind, of hundreds of megabytes; `vgg11` and `resnet18` stand for them."""

HEAVY = {"alexnet", "googlenet", "mobilenet_v2", "unet", "fcn_8s", "fcn_alexnet"} | {
    network.name for network in DRAWN if network.name.startswith(("vgg", "resnet"))
}
EVERY = [
    pytest.param(network, id=network.name, marks=[pytest.mark.slow] * (network.name in HEAVY))
    for network in DRAWN
    if not network.output.trainer
]


def _traced(spec: NetworkSpec) -> keras.Model:
    """The model with the shapes of its weights, but no memory for them."""
    with without_weights():  # otherwise Keras would fill all of them later, in another test
        return build(spec, seed=0)


def _images(count: int, shape: tuple[int, int, int]) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(1).integers(0, 256, (count, *shape), dtype=np.uint8)


@pytest.mark.parametrize("name", sample(COUNTED, 2))
def test_the_number_of_weights_is_the_published_one(name: str) -> None:
    published = ZOO[name].published
    assert published is not None

    model = _traced(ZOO[name].build(published.at, published.classes))

    moving = sum(
        int(np.prod(weight.shape)) for weight in model.non_trainable_weights if weight.shape
    )
    assert model.count_params() - moving == COUNTED[name] or name == "mobilenet_v2"
    assert model.count_params() == pytest.approx(published.parameters, rel=TOLERANCE)


def test_every_published_number_is_compared() -> None:
    assert {network.name for network in ZOO if network.published} == set(COUNTED)


@pytest.mark.parametrize(
    "network",
    sample(DRAWN, ("lenet", "mlp", "googlenet", "mobilenet_v2")),
    ids=lambda network: network.name,
)
@pytest.mark.parametrize("channels", [1, 3, 5])
def test_the_smallest_image_works(network: ZooNetwork, channels: int) -> None:
    model = _traced(network.build((*network.smallest, channels), 3))

    if network.output == POSITIONS:
        assert strides_of(model.output_shape[1], *network.smallest)
        assert model.output_shape[2] == 3 + SIDES
    elif network.output == OBJECT_MASKS:
        assert MaskLevels.of(model.output_shape[1], network.smallest).strides
        assert model.output_shape[2] == OBJECT_MASKS.width_of(3)
    elif network.output == STARS:
        rows, columns, numbers = model.output_shape[1:]
        assert star_stride(rows, network.smallest[0]) == star_stride(columns, network.smallest[1])
        assert numbers == 3 + RAYS
    else:
        maps = network.smallest if network.output in (PIXELS, ANOMALY_MAP) else ()
        assert model.output_shape == (None, *maps, 3)
    assert model.input_shape[1:] == (*network.smallest, channels)


@pytest.mark.parametrize(
    "name", ["lenet", "squeezenet", "vgg11", "vgg16", "vgg19", "alexnet", "pattern"]
)
def test_a_pixel_less_than_the_smallest_does_not_build(name: str) -> None:
    lax = replace(ZOO[name], smallest=(1, 1))
    height, width = ZOO[name].smallest
    for size in ((height - 1, width), (height, width - 1)):
        with pytest.raises(StudioError, match="does not support its input"):
            _traced(lax.build((*size, 3), 3))


@pytest.mark.parametrize("network", sample(EVERY, ("lenet", "mlp")))
def test_it_fits_a_batch_and_is_the_same_after_saving(network: ZooNetwork, tmp_path: Path) -> None:
    shape = (max(network.smallest[0], 8), max(network.smallest[1], 9), 1)
    images, labels = _images(4, shape), np.array([0, 1, 2, 0])
    loss_function: object = "sparse_categorical_crossentropy"
    if network.output == PIXELS:
        labels = np.broadcast_to(labels[:, None, None], (4, *shape[:2]))
    elif network.output == POSITIONS:
        whole = [0, 0, shape[1], shape[0], 0]
        labels = np.array([[[label, *whole]] for label in labels], np.float32)
        loss_function = learning_class(first_task(network.output)).plain_loss(*shape[:2], 3)
    elif network.output in (STARS, OBJECT_MASKS):
        output, task = network.output, first_task(network.output)
        labels = task.geometry.first_class((4, *shape[:2]), output)
        loss_function = learning_class(task, output).plain_loss(*shape[:2], 3)
    model = build(network.build(shape, 3), seed=0)
    start = model.get_weights()
    model.compile(keras.optimizers.SGD(1e-3), loss_function, run_eagerly=True)

    loss = model.fit(images, labels, verbose=0).history["loss"][0]

    assert loss < MAX_AT_FIRST * (10 if network.output in (POSITIONS, OBJECT_MASKS) else 1)
    pairs = zip(start, model.get_weights(), strict=True)
    assert not all(np.array_equal(old, new) for old, new in pairs)
    if network.name in SAVED_LIKE_ANOTHER:
        return
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras", compile=False)
    outputs = np.asarray(again(images, training=False))
    assert np.allclose(outputs, np.asarray(model(images, training=False)), atol=1e-5)
    if network.output not in (POSITIONS, STARS, OBJECT_MASKS):
        assert np.allclose(outputs.sum(axis=-1), 1, atol=1e-4)


def test_the_heads_of_papers_are_heads() -> None:
    heads = {
        name: [n.id for n in ZOO[name].build((64, 64, 3), 7).nodes if n.block == HEAD_BLOCK]
        for name in ("vgg16", "squeezenet", "nin")
    }

    assert heads["vgg16"] == ["flatten", "fc6", "fc6_dropout", "fc7", "fc7_dropout", HEAD]
    assert heads["squeezenet"] == ["dropout", "conv10", "conv10_mean", HEAD]
    assert heads["nin"] == ["cccp3_2", "cccp3_2_mean", HEAD]


def test_auxiliary_heads_exist_where_they_fit() -> None:
    large, small = ZOO["googlenet"].build((224, 224, 3), 7), ZOO["googlenet"].build((64, 64, 3), 7)

    assert [head.node for head in large.auxiliary] == [
        "auxiliary1_predictions",
        "auxiliary2_predictions",
    ]
    assert {head.weight for head in large.auxiliary} == {0.3}
    assert check(large) == []
    for side in large.auxiliary:
        _traced(large.model_copy(update={"output": side.node, "auxiliary": ()}))
    assert small.auxiliary == ()


@pytest.mark.parametrize("side", [65, 80])
def test_the_smallest_grid_of_an_auxiliary_head_is_enough(side: int) -> None:
    spec = ZOO["googlenet"].build((side, side, 3), 7)

    assert spec.auxiliary
    _traced(spec.model_copy(update={"output": spec.auxiliary[0].node, "auxiliary": ()}))


def test_gray_images_are_seen_in_color_by_networks_with_published_weights() -> None:
    gray = ZOO["squeezenet"].build((64, 64, 1), 3)

    assert gray.node(COLOR_NODE).inputs == ("input", "input", "input")
    assert _traced(gray).get_layer("conv1").kernel.shape == (3, 3, 3, 64)
    assert fitted(gray, (64, 64, 3), 3) == ZOO["squeezenet"].build((64, 64, 3), 3)


def test_the_squeezenet_has_the_names_and_shapes_of_the_published_file() -> None:
    model = _traced(ZOO["squeezenet"].build((227, 227, 3), 5))

    shapes = {
        layer.name: tuple(layer.kernel.shape) for layer in model.layers if hasattr(layer, "kernel")
    }
    assert shapes["fire2_squeeze1x1"] == (1, 1, 64, 16)
    assert shapes["fire9_expand3x3"] == (3, 3, 64, 256)
    assert [name for name in shapes if name.startswith("fire4")] == [
        "fire4_squeeze1x1",
        "fire4_expand1x1",
        "fire4_expand3x3",
    ]
    assert model.get_layer("fire9_concat").output.shape == (None, 13, 13, 512)


def test_the_pattern_takes_numbers() -> None:
    deep = ZOO["pattern:convolutions=3,stages=2,dense=0"]

    layers = [node.layer for node in deep.build((16, 16, 3), 4).nodes]

    assert layers.count("conv2d") == 6
    assert layers.count("max_pool") == 2
    assert layers.count("dense") == 1
    assert deep.smallest == (4, 4)
    assert ZOO[deep.name].build((16, 16, 3), 4) == deep.build((16, 16, 3), 4)
    assert deep.name == "pattern:convolutions=3,stages=2,dense=0"
    assert "pattern:stages=1" in ZOO
    assert _traced(ZOO["pattern:stages=0,dense=2"].build((5, 5, 1), 2)).output_shape == (None, 2)


@pytest.mark.parametrize(
    "name", ["pattern:stages", "pattern:depth=3", "pattern:stages=9", "lenet:stages=2", "none:a=1"]
)
def test_numbers_that_a_network_does_not_have_are_refused(name: str) -> None:
    with pytest.raises(StudioError):
        ZOO[name]


@pytest.mark.parametrize("entry", zoo_entries(), ids=attrgetter("name"))
def test_a_network_names_the_backbone_that_it_has(entry: Entry) -> None:
    assert entry.backbone == backbone_of(entry.spec(entry.usual, DEFAULT_CLASSES))
