"""Layers: what each is called, what it takes, and which Keras layer it stands for.

Declarations only; never imports Keras.

To add a layer: 1. write it in the file of its family, or a new file, as a parameter plan and a
`Layer`; 2. list it below. Palette, form, files, build and tests follow by themselves.
"""

from __future__ import annotations

from studio.engine.networks.layers.backbone import BACKBONE
from studio.engine.networks.layers.convolution import (
    CONV2D,
    DEPTHWISE_CONV2D,
    SEPARABLE_CONV2D,
)
from studio.engine.networks.layers.core import (
    ACTIVATION,
    ADD,
    CONCATENATE,
    DENSE,
    DROPOUT,
    FLATTEN,
    RESCALING,
)
from studio.engine.networks.layers.layer import Layer
from studio.engine.networks.layers.normalization import BATCH_NORMALIZATION
from studio.engine.networks.layers.pooling import AVERAGE_POOL, GLOBAL_AVERAGE_POOL, MAX_POOL
from studio.engine.networks.layers.preprocessing import CENTER_CROP, SUBTRACT_MEAN, WHITENING
from studio.engine.registry import Registry

LAYERS: Registry[Layer] = Registry(
    "layer",
    [
        RESCALING,
        CENTER_CROP,
        SUBTRACT_MEAN,
        WHITENING,
        CONV2D,
        DEPTHWISE_CONV2D,
        SEPARABLE_CONV2D,
        MAX_POOL,
        AVERAGE_POOL,
        GLOBAL_AVERAGE_POOL,
        BATCH_NORMALIZATION,
        ACTIVATION,
        FLATTEN,
        DENSE,
        DROPOUT,
        ADD,
        CONCATENATE,
        BACKBONE,
    ],
)
