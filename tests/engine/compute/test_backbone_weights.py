"""Weights of published backbones land in their layers, and pixels come as those weights saw them.

The published files are not here. The networks of Keras with made-up weights, saved in its layout,
stand in for them; what is compared are features of the same pictures.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import BACKBONES, IMAGENET, TORCH_DEVIATION, TORCH_MEAN
from studio.engine.networks.zoo import DRAWN, ZOO
from studio.engine.pretrained.sources import SOURCES
from studio.engine.progress import SilentProgress
from studio.engine.workspace import Workspace

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen
from keras.src.legacy.saving import legacy_h5_format  # noqa: E402

from studio.engine.compute import weights  # noqa: E402
from studio.engine.compute.build import build  # noqa: E402
from studio.engine.compute.keras_files import weight_source  # noqa: E402
from studio.engine.compute.weights import load_weights  # noqa: E402

SIDE = 80
CASES = [
    # name in the zoo, module of its preprocessing; Keras' preprocessing where it is inside
    ("mobilenet_v2", "mobilenet_v2"),
    ("mobilenet_v3_small", ""),
    ("resnet50_imagenet", "resnet"),
    ("vgg16_imagenet", "vgg16"),
    ("densenet121", "densenet"),
    ("inception_v3", "inception_v3"),
    ("efficientnet_b0", ""),
    ("efficientnet_v2_b0", ""),
    ("convnext_tiny", ""),
    ("nasnet_mobile", "nasnet"),
]


def _reference(name: str) -> keras.Model:
    """The backbone of Keras with its own preprocessing where it has one inside."""
    backbone = BACKBONES[name.removesuffix("_imagenet")]
    grow = getattr(keras.applications, backbone.keras_function)
    model = grow(include_top=False, weights=None, input_shape=(SIDE, SIDE, 3))
    random = np.random.default_rng(3)
    for layer in model.layers:
        if isinstance(layer, keras.layers.Normalization):
            if layer.weights:
                # What the published file holds, without the second division that goes with it.
                squared = np.array(TORCH_DEVIATION) ** 2
                layer.set_weights([np.array(TORCH_MEAN), squared, np.array(0)])
        else:
            layer.set_weights([_shaken(random, value) for value in layer.get_weights()])
    return model


def _shaken(random: np.random.Generator, value: Any) -> Any:
    if value.ndim == 1 and value.min() >= 0 and value.max() <= 1:
        return random.uniform(0.5, 1.0, value.shape).astype("float32")  # also variances
    return value + random.normal(0, 0.01, value.shape).astype("float32")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "module"), sample(CASES, 1))
def test_features_are_those_of_keras(
    name: str, module: str, tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = _reference(name)
    path = tmp_path / "weights.h5"
    with h5py.File(path, "w") as file:
        legacy_h5_format.save_weights_to_hdf5_group(file, theirs)
    monkeypatch.setattr(weights, "fetch_imagenet", lambda spec, progress: path)
    spec = ZOO[name].build((SIDE, SIDE, 3), 4)
    model = build(spec, seed=0)
    pictures = np.random.default_rng(0).integers(0, 256, (2, SIDE, SIDE, 3)).astype("float32")

    reported = load_weights(model, spec, IMAGENET, workspace, SilentProgress())

    prepared = pictures.copy()
    if module:
        prepared = getattr(keras.applications, module).preprocess_input(prepared)
    expected = np.asarray(theirs(prepared, training=False)).mean(axis=(1, 2))
    pool = next(node.id for node in spec.nodes if node.layer == "global_average_pool")
    ours = keras.Model(model.inputs, model.get_layer(pool).output)
    assert reported.random == ()
    scale = np.abs(expected).max()
    assert np.abs(np.asarray(ours([pictures], training=False)) - expected).max() < 2e-3 * scale
    is_caffe = BACKBONES[name.removesuffix("_imagenet")].preprocessing == "caffe"
    assert reported.reversed_channels == is_caffe


@pytest.mark.slow
@pytest.mark.parametrize("name", sample([name for name, _ in CASES], ("mobilenet_v2",)))
def test_first_kernels_are_averaged_for_other_images(
    name: str, tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = _reference(name)
    path = tmp_path / "weights.h5"
    with h5py.File(path, "w") as file:
        legacy_h5_format.save_weights_to_hdf5_group(file, theirs)
    monkeypatch.setattr(weights, "fetch_imagenet", lambda spec, progress: path)
    spec = ZOO[name].build((SIDE, SIDE, 5), 4)
    model = build(spec, seed=0)

    reported = load_weights(model, spec, IMAGENET, workspace, SilentProgress())

    (kernel,) = (
        weight
        for weight in theirs.weights
        if len(weight.shape) == 4 and weight.shape[2] == 3 and weight.shape[3] > 3
    )
    (averaged,) = (
        weight
        for weight in model.weights
        if len(weight.shape) == 4 and weight.shape[2] == 5 and weight.shape[3] > 3
    )
    mean = np.asarray(kernel).mean(axis=2, keepdims=True) * 3 / 5
    assert (reported.random, reported.averaged_channels) == ((), 5)
    assert not reported.reversed_channels
    assert np.allclose(averaged, np.repeat(mean, 5, axis=2), atol=1e-6)


@pytest.mark.parametrize("name", sample(["mobilenet_v2", "efficientnet_b0", "convnext_tiny"], 1))
def test_keras_names_its_weights_files_without_loading_any(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = weight_source(name)

    assert source.name == name
    assert source.address.startswith("https://")
    assert source.address.endswith(".h5")
    assert "top" in source.file
    assert len(source.digest) in (0, 32, 64)
    (file,) = SOURCES[name].files
    assert (file.name, file.address, file.digest) == (source.file, source.address, source.digest)
    assert keras.utils.get_file.__name__ == "get_file"


def test_an_unknown_backbone_is_refused() -> None:
    with pytest.raises(StudioError, match="no backbone called"):
        weight_source("mobilenet_v9")


def test_a_network_without_a_backbone_has_no_imagenet_weights(workspace: Workspace) -> None:
    spec = DRAWN[0].build((28, 28, 1), 10)

    with pytest.raises(StudioError, match="no ImageNet weights for LeNet-5"):
        load_weights(build(spec, seed=0), spec, IMAGENET, workspace, SilentProgress())
