"""Layers of Keras by the name of their class."""

from __future__ import annotations

from typing import Any

import keras
from keras.src.applications.convnext import LayerScale
from keras.src.applications.inception_resnet_v2 import CustomScaleLayer

_INSIDE_NETWORKS = {"LayerScale": LayerScale, "CustomScaleLayer": CustomScaleLayer}


def layer_class(name: str) -> Any:  # noqa: ANN401 - a class of Keras
    """The layer of Keras of that name; None when there is none.

    Those of ConvNeXt and Inception-ResNet come with Keras, and are in no list of layers.
    """
    found = getattr(keras.layers, name, _INSIDE_NETWORKS.get(name))
    return found if isinstance(found, type) and issubclass(found, keras.Layer) else None
