"""DINOv3 and Swin: features are those of KerasHub, for images of several sizes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.compute.presets import preset_values
from studio.engine.compute.transformers import transformer
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import (
    BACKBONES,
    Backbone,
    RotaryTransformer,
    WindowTransformer,
)
from studio.engine.training.transformer_files import transformer_file

TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def hub() -> Any:
    return pytest.importorskip("keras_hub", minversion="0.32")


def _random(model: Any) -> None:
    """Move all weights, of which those that are 0 and 1 at first would hide mistakes."""
    random = np.random.default_rng(0)
    for weight in model.weights:
        if "seed" not in weight.path:
            weight.assign(weight + random.normal(0, 0.15, weight.shape))


def _images(height: int, width: int) -> NDArray[np.float32]:
    return np.random.default_rng(1).normal(0, 1, (2, height, width, 3)).astype(np.float32)


def _ours(backbone: Backbone, path: Path, side: tuple[int, int]) -> keras.Model:
    """Return the transformer of Studio with the weights of a file, all of which are used."""
    assert backbone.transformer is not None
    found = transformer_file(path)
    assert found is not None
    assert found.fits(backbone.transformer)
    model = transformer(backbone.transformer, keras.Input((*side, 3)))
    grid = model.get_layer("patches").output.shape[1:3]
    values = preset_values(path, found, backbone, grid)
    layers = {layer.name: layer for layer in model.layers if layer.weights}
    assert set(layers) == set(values)
    for name, layer in layers.items():
        layer.set_weights(values[name])
    return model


@pytest.mark.parametrize("side", [(64, 96), (80, 48)])
@pytest.mark.parametrize("registers", [0, 4])
def test_features_are_those_of_dinov3(
    hub: Any, side: tuple[int, int], registers: int, tmp_path: Path
) -> None:
    theirs = hub.models.DINOV3Backbone(
        patch_size=16,
        num_layers=2,
        hidden_dim=32,
        num_heads=2,
        intermediate_dim=64,
        num_register_tokens=registers,
        use_key_bias=False,
        image_shape=(*side, 3),
    )
    _random(theirs)
    theirs.save_to_preset(str(tmp_path))
    usual = BACKBONES["dinov3_small"]
    assert isinstance(usual.transformer, RotaryTransformer)
    sizes = replace(usual.transformer, width=32, depth=2, heads=2, hidden=64, prefix=1 + registers)
    tiny = replace(usual, transformer=sizes)
    images = _images(*side)
    expected = np.asarray(theirs({"pixel_values": images}))
    model = _ours(tiny, tmp_path / "model.weights.h5", side)
    maps, *_, image = (np.asarray(each) for each in model(images))
    patches = expected[:, 1 + registers :]
    np.testing.assert_allclose(maps.reshape(patches.shape), patches, atol=TOLERANCE)
    np.testing.assert_allclose(image, expected[:, 0], atol=TOLERANCE)


@pytest.mark.parametrize(
    "side", [(112, 112), (96, 128)], ids=["whole windows", "windows that are filled up"]
)
def test_features_are_those_of_swin(hub: Any, side: tuple[int, int], tmp_path: Path) -> None:
    depths, heads = (2, 2), (2, 4)
    theirs = hub.models.SwinTransformerBackbone(
        image_shape=(*side, 3), embed_dim=16, depths=depths, num_heads=heads, window_size=7
    )
    _random(theirs)
    theirs.save_to_preset(str(tmp_path))
    usual = BACKBONES["swin_tiny"]
    assert isinstance(usual.transformer, WindowTransformer)
    sizes = replace(usual.transformer, width=16, depths=depths, heads=heads)
    images = _images(*side)
    expected = np.asarray(theirs(images))
    model = _ours(replace(usual, transformer=sizes), tmp_path / "model.weights.h5", side)
    found = np.asarray(model(images))
    np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=TOLERANCE)
    other = transformer_file(tmp_path / "model.weights.h5")
    assert other is not None
    with pytest.raises(StudioError, match="not to Swin tiny"):
        preset_values(tmp_path / "model.weights.h5", other, usual, (1, 1))


def test_gated_perceptrons_are_not_taken_for_others(hub: Any, tmp_path: Path) -> None:
    theirs = hub.models.DINOV3Backbone(
        patch_size=16,
        num_layers=1,
        hidden_dim=32,
        num_heads=2,
        intermediate_dim=64,
        use_gated_mlp=True,
        image_shape=(32, 32, 3),
    )
    theirs.save_to_preset(str(tmp_path))
    assert transformer_file(tmp_path / "model.weights.h5") is None


@pytest.mark.parametrize("name", ["swin_tiny", "dinov3_small"])
def test_images_smaller_than_a_window_are_taken(name: str) -> None:
    sizes = BACKBONES[name].transformer
    assert sizes is not None
    model = transformer(sizes, keras.Input((32, 48, 3)))
    first = model.outputs[0]
    assert all(first.shape[1:3])
    assert np.isfinite(np.asarray(keras.Model(model.inputs, first)(_images(32, 48)))).all()
