"""Networks for pixels of any format: their first layers, precision and numbers of channels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.networks.code import keras_code
from studio.engine.networks.fitting import fitted
from studio.engine.networks.spec import INPUT_RANGE, RANGE_NODES
from studio.engine.networks.zoo import ZOO
from studio.engine.pixel_format import PixelFormat
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import MeanImage, network_for

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from studio.engine.compute.build import build, computing_in  # noqa: E402
from studio.engine.compute.exporters.source import in_use  # noqa: E402
from studio.engine.compute.read import read_model  # noqa: E402

TWELVE_BITS = PixelFormat.uniform("uint16", 1, 0, 4095)
FIVE = PixelFormat(
    dtype="uint16", channels=5, low=(0, 0, 10, 0, 5), high=(255, 4095, 1000, 65535, 6)
)
FLOATS = PixelFormat.uniform("float32", 2, -1.5, 0.25)
OWN_RANGES = TWELVE_BITS.model_copy(update={"per_image": True})
FORMATS = [
    pytest.param(TWELVE_BITS, id="12 bit"),
    pytest.param(FIVE, id="five channels"),
    pytest.param(FLOATS, id="float"),
    pytest.param(OWN_RANGES, id="per image"),
]


def plan(**values: object) -> TrainingPlan:
    return TrainingPlan.parse({"dataset": "d", "network": "small_cnn", **values})


def images(pixels: PixelFormat, side: int = 8) -> Pixels:
    shape = (3, side, side, pixels.channels)
    random = np.random.default_rng(0)
    if pixels.dtype == "float32":
        return random.uniform(-2, 1, shape).astype("float32")
    made = random.integers(0, 4000, shape).astype(pixels.dtype)
    made[2] = 3000  # a channel of one value
    return made


def scaled(model: keras.Model, pixels: PixelFormat) -> NDArray[np.generic]:
    """The values behind the layers that bring pixels to 0 to 255."""
    inner = keras.Model(model.inputs, model.get_layer(INPUT_RANGE).output)
    return np.asarray(inner(images(pixels), training=False))


@pytest.mark.parametrize("pixels", FORMATS)
def test_the_first_layer_scales_values_to_bytes(pixels: PixelFormat) -> None:
    spec = network_for(plan(), (8, 8, pixels.channels), 3, pixels=pixels)
    expected = pixels.network_values(images(pixels))
    scope: dict[str, keras.Model] = {}

    model = build(spec, seed=0)
    exec(keras_code(spec), scope)

    assert np.allclose(scaled(model, pixels), expected, rtol=1e-5, atol=1e-3)
    assert np.allclose(scaled(scope["model"], pixels), expected, rtol=1e-5, atol=1e-3)


def test_a_saved_network_is_read_with_its_first_layers(tmp_path: Path) -> None:
    spec = network_for(plan(), (8, 8, 1), 3, pixels=OWN_RANGES)
    build(spec, seed=0).save(tmp_path / "model.keras")

    saved = keras.saving.load_model(tmp_path / "model.keras")

    read = read_model(saved).spec

    assert [node.layer for node in read.nodes][:4] == [node.layer for node in spec.nodes][:4]


@pytest.mark.parametrize("pixels", [PixelFormat.bytes_of(1), PixelFormat.bytes_of(3)])
def test_bytes_need_no_first_layer(pixels: PixelFormat) -> None:
    shape = (8, 8, pixels.channels)

    assert network_for(plan(), shape, 3, pixels=pixels) == network_for(plan(), shape, 3)


def test_a_network_of_an_earlier_run_gets_the_range_of_its_dataset() -> None:
    mean, changed = MeanImage(1, 1, (100.0,)), AugmentationPlan(whitening=True).model_dump()
    earlier = network_for(plan(augmentation=changed), (8, 8, 1), 3, mean, pixels=OWN_RANGES)

    again = network_for(plan(design=earlier.model_dump()), (8, 8, 1), 3, pixels=TWELVE_BITS)
    plain = network_for(plan(design=earlier.model_dump()), (8, 8, 1), 3)

    assert again == network_for(plan(), (8, 8, 1), 3, pixels=TWELVE_BITS)
    assert plain == network_for(plan(), (8, 8, 1), 3)
    assert {node.id for node in earlier.nodes}.issuperset(RANGE_NODES)


def test_4096_levels_reach_the_weights_in_mixed_precision() -> None:
    spec = network_for(plan(network="mlp"), (64, 64, 1), 3, pixels=TWELVE_BITS)
    with computing_in("mixed_bfloat16"):
        model = build(spec, seed=0)
    levels = np.arange(4096, dtype=np.uint16).reshape(1, 64, 64, 1)

    first = next(node.id for node in spec.nodes if INPUT_RANGE in node.inputs)
    values = keras.Model(model.inputs, model.get_layer(first).output)(levels)

    assert len(np.unique(np.asarray(values))) == 4096


def test_colors_of_published_weights_are_averaged_for_other_channels() -> None:
    color = ZOO["densenet121"].build((32, 32, 3), 4)
    five = ZOO["densenet121"].build((32, 32, 5), 4)
    scaling = next(node for node in five.nodes if node.layer == "channel_scaling")
    gray = fitted(five, (32, 32, 1), 4)

    scale, offset = (float(str(scaling.parameters[name])) for name in ("scale", "offset"))
    assert scale == pytest.approx(1 / 255 / np.mean([0.229, 0.224, 0.225]), rel=1e-6)
    assert offset == pytest.approx(-0.449 / 0.226, rel=1e-6)
    assert fitted(color, (32, 32, 5), 4) == five
    assert fitted(fitted(color, (32, 32, 1), 4), (32, 32, 5), 4) == five
    assert gray.input.channels == 1
    vgg = ZOO["vgg16_imagenet"].build((32, 32, 2), 4)
    mean = next(node for node in vgg.nodes if node.layer == "subtract_mean")
    assert mean.parameters["mean"] == pytest.approx([np.mean([123.68, 116.779, 103.939])] * 2)


def test_a_network_called_without_an_argument_computes_as_in_use() -> None:
    """Batch normalization must not use the images of a batch, see the layer `auto_contrast`."""
    spec = network_for(plan(), (8, 8, 1), 3, pixels=OWN_RANGES)
    scope: dict[str, keras.Model] = {}
    exec(keras_code(spec), scope)

    for model in (build(spec, seed=0), scope["model"]):
        values = images(OWN_RANGES)
        assert np.array_equal(model(values), model(values, training=False))


def test_a_model_of_others_is_exported_as_in_use() -> None:
    inputs = keras.Input((8, 8, 1))
    changed = keras.layers.RandomBrightness(0.5)(inputs)
    outputs = keras.layers.BatchNormalization()(keras.layers.Flatten()(changed))
    model = keras.Model(inputs, outputs)
    values = images(TWELVE_BITS)

    exported = in_use(model)

    assert not np.allclose(model(values), model(values, training=False))
    assert np.array_equal(exported(values), model(values, training=False))
