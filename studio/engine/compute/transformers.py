"""Transformers by their sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

import keras

from studio.engine.compute.rotary_transformer import rotary_transformer
from studio.engine.compute.vision_transformer import vision_transformer
from studio.engine.compute.window_transformer import window_transformer
from studio.engine.networks.backbones import (
    RotaryTransformer,
    Transformer,
    TransformerSizes,
    WindowTransformer,
)

_BUILDERS: Mapping[type, Callable[..., keras.Model]] = {
    Transformer: vision_transformer,
    RotaryTransformer: rotary_transformer,
    WindowTransformer: window_transformer,
}


def transformer(sizes: TransformerSizes, images: keras.KerasTensor) -> keras.Model:
    """Return a transformer whose first output is its map of features.

    Args:
        sizes: Its sizes.
        images: Scaled images, shape (batch, height, width, 3).
    """
    arguments = asdict(sizes)
    del arguments["family"]
    return _BUILDERS[type(sizes)](images, **arguments)
