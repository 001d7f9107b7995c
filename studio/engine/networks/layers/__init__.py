"""Layers: their names, parameters and Keras layers.

Declarations only; never imports Keras.

To add a layer: write its parameter plan and a `Layer` in the table of its family. Palette, form,
files, build and tests follow by themselves.
"""

from __future__ import annotations

from dataclasses import replace

from studio.engine.networks.layers.backbone import BACKBONE, INSIDE_BACKBONE
from studio.engine.networks.layers.convolution import CONVOLUTIONS, POOLING
from studio.engine.networks.layers.core import ACTIVATIONS, CORE, NORMALIZATION, REGULARIZATION
from studio.engine.networks.layers.foreign import KERAS
from studio.engine.networks.layers.layer import Family, Layer
from studio.engine.networks.layers.preprocessing import PREPROCESSING
from studio.engine.networks.layers.recurrent import RECURRENT
from studio.engine.networks.layers.shape import MERGING, SHAPE
from studio.engine.registry import Registry

_FAMILIES: tuple[tuple[Family, tuple[Layer, ...]], ...] = (
    ("preprocessing", PREPROCESSING),
    ("convolution", CONVOLUTIONS),
    ("pooling", POOLING),
    ("normalization", NORMALIZATION),
    ("activation", ACTIVATIONS),
    ("core", CORE),
    ("regularization", REGULARIZATION),
    ("merging", MERGING),
    ("shape", SHAPE),
    ("recurrent", RECURRENT),
    ("backbone", (BACKBONE, INSIDE_BACKBONE)),
    ("core", (KERAS,)),
)

LAYERS: Registry[Layer] = Registry(
    "layer",
    [replace(layer, family=family) for family, layers in _FAMILIES for layer in layers],
)
