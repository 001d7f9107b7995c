"""What of Keras may be made from a configuration that a stranger wrote.

Keras makes whatever a configuration names, and some of its layers run code, or read a file or an
address, as soon as they are made. So a configuration is looked through, at every depth, before
Keras sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras
from keras.src.applications.convnext import LayerScale
from keras.src.applications.inception_resnet_v2 import CustomScaleLayer

from studio.engine.networks.layers.foreign import TAKEN_LAYERS, not_taken

_INSIDE_NETWORKS = {"LayerScale": LayerScale, "CustomScaleLayer": CustomScaleLayer}
_LAYER_MODULES = ("keras.layers", "keras.src.layers", "keras.src.applications")
_MODEL_MODULES = ("keras.models", "keras.src.models", "keras.src.engine")
_MODELS = ("Functional", "Model", "Sequential")
_HARMLESS_MODULES = (
    "keras.activations",
    "keras.constraints",
    "keras.dtype_policies",
    "keras.initializers",
    "keras.ops",
    "keras.regularizers",
    *(
        f"keras.src.{part}"
        for part in (
            "activations",
            "constraints",
            "dtype_policies",
            "initializers",
            "ops",
            "regularizers",
        )
    ),
)
_AT_THE_TOP = (*_MODELS, "DTypePolicy", "DTypePolicyMap", "FloatDTypePolicy", "Variable")


def layer_class(name: str) -> Any:  # noqa: ANN401 - a class of Keras
    """The layer of Keras of that name; None when there is none.

    Those of ConvNeXt and Inception-ResNet come with Keras, and are in no list of layers.
    """
    found = getattr(keras.layers, name, _INSIDE_NETWORKS.get(name))
    return found if isinstance(found, type) and issubclass(found, keras.Layer) else None


def refuse_foreign_code(config: object) -> None:
    """Refuse a configuration that would bring in more than data for layers of `TAKEN_LAYERS`.

    Raises:
        ValueError: At some depth it names a class of its own, or one that holds code or files.
    """
    if isinstance(config, Mapping):
        if "class_name" in config:
            _refuse_class(config["class_name"], config.get("module"))
        registered = config.get("registered_name")
        if isinstance(registered, str) and ">" in registered:
            raise ValueError(f"{registered} is not a part of Keras")
        for inside in config.values():
            refuse_foreign_code(inside)
    elif isinstance(config, list | tuple):
        for inside in config:
            refuse_foreign_code(inside)


def _refuse_class(name: object, module: object) -> None:
    if name in ("Lambda", "__lambda__"):
        raise ValueError(f"{name} holds code, which is not run")
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"{name} is not a part of Keras")
    is_layer = layer_class(name) is not None and name not in _MODELS
    if (is_layer or _is_in(module, _LAYER_MODULES)) and name not in (*TAKEN_LAYERS, *_MODELS):
        raise ValueError(not_taken(name))
    if module is None or module == "builtins" or _is_in(module, _LAYER_MODULES):
        return
    known = _AT_THE_TOP if module == "keras" else _MODELS
    is_model = module == "keras" or _is_in(module, _MODEL_MODULES)
    if not (_is_in(module, _HARMLESS_MODULES) or (is_model and name in known)):
        raise ValueError(f"{module}.{name} is not a part of Keras that a network is made of")


def _is_in(module: object, packages: tuple[str, ...]) -> bool:
    return isinstance(module, str) and f"{module}.".startswith(tuple(f"{p}." for p in packages))
