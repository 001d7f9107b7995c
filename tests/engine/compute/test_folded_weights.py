"""Weights with folded batch normalization keep their statistics while the rest learns."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.compute.backends.prepare import prepare_backend

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402
import numpy as np  # noqa: E402

from studio.engine.compute.build import build  # noqa: E402
from studio.engine.compute.features import cut_before  # noqa: E402
from studio.engine.compute.layer_table import table_of  # noqa: E402
from studio.engine.compute.weights import freeze_folded, load_weights  # noqa: E402
from studio.engine.networks.catalog import layer_tables  # noqa: E402
from studio.engine.networks.zoo import ZOO  # noqa: E402
from studio.engine.progress import SilentProgress  # noqa: E402
from studio.engine.workspace import Workspace  # noqa: E402

FILE = (
    Path(__file__).resolve().parents[4]
    / "shared"
    / "models"
    / "mobilenet_v2_1.0_224_imagenet.weights.h5"
)


def test_only_folded_layers_are_frozen() -> None:
    model = build(ZOO["small_cnn"].build((16, 16, 3), 3), seed=0)
    layers = [each for each in model.layers if isinstance(each, keras.layers.BatchNormalization)]
    assert freeze_folded(model) == 0, "new layers learn"

    layers[0].beta.assign(np.linspace(-1, 1, 32))
    layers[0].moving_variance.assign(np.full(32, 0.999))
    layers[1].beta.assign(np.linspace(-1, 1, 32))
    layers[1].moving_mean.assign(np.full(32, 0.1))

    assert freeze_folded(model) == 1
    assert [layer.trainable for layer in layers[:3]] == [False, True, True]
    assert freeze_folded(model) == 0, "a resumed run finds them frozen"
    image = np.random.default_rng(0).uniform(size=(4, 16, 16, 32)).astype("float32")
    learning, answering = (np.asarray(layers[0](image, training=on)) for on in (True, False))
    assert np.array_equal(learning, answering)


@pytest.mark.thorough
@pytest.mark.skipif(not FILE.is_file(), reason="the shared files are not here")
def test_the_converted_file_gives_the_features_of_keras(tmp_path: Path) -> None:
    spec = ZOO["mobilenet_v2"].build((96, 96, 3), 5)
    model = build(spec, seed=0)
    workspace = Workspace.open(tmp_path / "w")

    found = load_weights(model, spec, str(FILE), workspace, SilentProgress())

    assert found.random == ()
    assert freeze_folded(model) == 52
    keras_own = keras.applications.MobileNetV2((96, 96, 3), weights=None, classes=1000)
    keras_own.load_weights(FILE)
    images = np.random.default_rng(0).uniform(0, 255, (2, 96, 96, 3)).astype("float32")
    expected = keras.Model(keras_own.input, keras_own.layers[-2].output)(images / 127.5 - 1)
    features = cut_before(model, spec.output).features(images)
    assert np.allclose(np.asarray(features), np.asarray(expected), atol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["lenet", "squeezenet", "small_resnet_64", "mobilenet_v2"])
def test_the_table_of_layers_is_that_of_keras(name: str) -> None:
    assert table_of(ZOO[name]) == layer_tables()[name], (
        "run: python -m studio.engine.compute.layer_table"
    )
