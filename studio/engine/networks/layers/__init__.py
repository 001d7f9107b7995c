"""Layers: what each is called, what it takes, and which Keras layer it stands for.

Declarations only; never imports Keras.

To add a layer: 1. write it in the file of its family, or a new file, as a parameter plan and a
`Layer`; 2. list it below. Palette, form, files, build and tests follow by themselves.
"""

from __future__ import annotations

from studio.engine.networks.layers.activations import (
    ACTIVATION,
    LEAKY_RELU,
    PRELU,
    RELU,
    SOFTMAX,
)
from studio.engine.networks.layers.backbone import BACKBONE
from studio.engine.networks.layers.convolution import (
    CONV2D,
    CONV2D_TRANSPOSE,
    DEPTHWISE_CONV2D,
    SEPARABLE_CONV2D,
)
from studio.engine.networks.layers.core import DENSE, FLATTEN
from studio.engine.networks.layers.foreign import KERAS
from studio.engine.networks.layers.layer import Layer
from studio.engine.networks.layers.merging import (
    ADD,
    AVERAGE,
    CONCATENATE,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    SUBTRACT,
)
from studio.engine.networks.layers.normalization import (
    BATCH_NORMALIZATION,
    GROUP_NORMALIZATION,
    LAYER_NORMALIZATION,
)
from studio.engine.networks.layers.pooling import (
    AVERAGE_POOL,
    GLOBAL_AVERAGE_POOL,
    GLOBAL_MAX_POOL,
    MAX_POOL,
)
from studio.engine.networks.layers.preprocessing import (
    CENTER_CROP,
    CHANNEL_SCALING,
    RESCALING,
    SUBTRACT_MEAN,
    WHITENING,
)
from studio.engine.networks.layers.recurrent import BIDIRECTIONAL, GRU, LSTM, SIMPLE_RNN
from studio.engine.networks.layers.regularization import (
    DROPOUT,
    GAUSSIAN_NOISE,
    SPATIAL_DROPOUT,
)
from studio.engine.networks.layers.shape import (
    CROPPING,
    PERMUTE,
    RESHAPE,
    UPSAMPLING,
    ZERO_PADDING,
)
from studio.engine.registry import Registry

LAYERS: Registry[Layer] = Registry(
    "layer",
    [
        RESCALING,
        CHANNEL_SCALING,
        CENTER_CROP,
        SUBTRACT_MEAN,
        WHITENING,
        CONV2D,
        DEPTHWISE_CONV2D,
        SEPARABLE_CONV2D,
        CONV2D_TRANSPOSE,
        MAX_POOL,
        AVERAGE_POOL,
        GLOBAL_AVERAGE_POOL,
        GLOBAL_MAX_POOL,
        BATCH_NORMALIZATION,
        LAYER_NORMALIZATION,
        GROUP_NORMALIZATION,
        ACTIVATION,
        RELU,
        LEAKY_RELU,
        PRELU,
        SOFTMAX,
        FLATTEN,
        DENSE,
        DROPOUT,
        SPATIAL_DROPOUT,
        GAUSSIAN_NOISE,
        ADD,
        SUBTRACT,
        MULTIPLY,
        AVERAGE,
        MAXIMUM,
        MINIMUM,
        CONCATENATE,
        RESHAPE,
        PERMUTE,
        ZERO_PADDING,
        CROPPING,
        UPSAMPLING,
        LSTM,
        GRU,
        SIMPLE_RNN,
        BIDIRECTIONAL,
        BACKBONE,
        KERAS,
    ],
)
