"""Converts descriptions of models that Keras 2 wrote, and names what Keras 3 cannot rebuild."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from studio.engine.compute.build import layer_class
from studio.engine.messages import message
from studio.engine.networks.layers.foreign import MODEL_CLASSES, ForeignCodeError

_RENAMED = {
    "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization",
    "SyncBatchNormalization": "BatchNormalization",
}
_GROUPED = ("Conv1D", "Conv2D", "Conv3D")
_OF_SEPARABLE = ("kernel_initializer", "kernel_regularizer", "kernel_constraint")
_DEEPEST = 16


def converted(config: dict[str, Any], version: str) -> dict[str, Any]:
    """Convert a configuration of Keras 2 to that of Keras 3, without running anything.

    Args:
        config: Description of a model, which is changed.
        version: Version of the Keras that wrote it; empty if unknown.

    Raises:
        ForeignCodeError: A layer is computed by code that is not in the file, or by Keras 2 alone.
    """
    _convert_model(config, is_old=version.startswith(("1.", "2.")), depth=0)
    return config


def _convert_model(model: dict[str, Any], *, is_old: bool, depth: int) -> None:
    inside = model.get("config")
    if isinstance(inside, list):  # a sequential model before Keras 2.2.3
        inside = model["config"] = {"name": "sequential", "layers": inside}
    layers = inside.get("layers") if isinstance(inside, dict) else None
    if not isinstance(layers, list) or depth > _DEEPEST:
        return
    for layer in layers:
        if not isinstance(layer, dict) or not isinstance(layer.get("config"), dict | list):
            continue
        if layer.get("class_name") in MODEL_CLASSES:
            _convert_model(layer, is_old=is_old, depth=depth + 1)
        elif isinstance(layer["config"], dict):
            _convert_layer(layer, is_old=is_old)


def _convert_layer(layer: dict[str, Any], *, is_old: bool) -> None:
    kind, settings = str(layer.get("class_name")), layer["config"]
    kind = layer["class_name"] = _RENAMED.get(kind, kind)
    name = str(settings.get("name", layer.get("name", "")))
    if kind == "TFOpLambda":
        _convert_operation(layer, name)
        return
    if kind in ("TensorFlowOpLayer", "SlicingOpLambda", "ClassMethod", "InstanceMethod"):
        raise ForeignCodeError(
            message('the layer "{layer}" is a raw TensorFlow operation', layer=name),
            "Replace it with a Keras layer in Python, and save the model again.",
        )
    inner = settings.get("layer")
    if isinstance(inner, dict) and isinstance(inner.get("config"), dict):
        _convert_layer(inner, is_old=is_old)
    if isinstance(settings.get("dtype"), dict):
        policy = settings["dtype"]
        if policy.get("class_name") in ("Policy", "PolicyV1"):
            settings["dtype"] = policy["config"]["name"]
    _refuse_lost(kind, name, settings, is_old=is_old)
    if kind == "BatchNormalization":
        axis = settings.get("axis")
        if isinstance(axis, list) and len(axis) == 1:
            settings["axis"] = axis[0]
        settings.pop("synchronized", None)
    found = layer_class(kind)
    if found is not None:
        _drop_unknown(found, kind, settings)


def _refuse_lost(kind: str, name: str, settings: dict[str, Any], *, is_old: bool) -> None:
    """Refuse settings of Keras 2 that Keras 3 does not have."""
    groups = settings.get("groups", 1)
    if kind not in _GROUPED and "Conv" in kind and groups != 1:
        raise ForeignCodeError(
            message(
                'the layer "{layer}" is a {kind} with groups={groups}, which Keras 3 '
                "does not have",
                layer=name,
                kind=kind,
                groups=groups,
            ),
            "Replace it with a Conv2D that has groups, and save the model again.",
        )
    if settings.get("renorm"):
        raise ForeignCodeError(
            message(
                'the layer "{layer}" normalizes with renorm, which Keras 3 does not have',
                layer=name,
            ),
            "Train the model without it, and save it again.",
        )
    functions = (settings.get("activation"), settings.get("recurrent_activation"))
    if is_old and "hard_sigmoid" in functions:
        raise ForeignCodeError(
            message(
                'the layer "{layer}" computes hard_sigmoid, which is different in Keras 3',
                layer=name,
            ),
            "Train the model with another activation, and save it again.",
        )


def _drop_unknown(found: type, kind: str, settings: dict[str, Any]) -> None:
    """Drop settings without effect that the layer no longer accepts."""
    known = inspect.signature(found.__init__).parameters  # type: ignore[misc]  # of a class, not an object
    if kind not in _GROUPED and settings.get("groups") == 1 and "groups" not in known:
        del settings["groups"]
    if kind.startswith(("Separable", "Depthwise")):
        for key in _OF_SEPARABLE:
            if key not in known:
                settings.pop(key, None)
        settings.pop("filters", None) if "filters" not in known else None
    for key in [key for key, value in settings.items() if value is None or value is False]:
        if key not in known and key not in ("name", "trainable", "dtype"):
            del settings[key]


def _convert_operation(layer: dict[str, Any], name: str) -> None:
    """Make a rescaling of an operation of TensorFlow with one number, such as `x / 127.5`."""
    function = str(layer["config"].get("function", ""))
    nodes = layer.get("inbound_nodes")
    node = nodes[0] if isinstance(nodes, list) and len(nodes) == 1 else None
    scaling = _scaling(function, node)
    if scaling is None or not isinstance(node, list):
        raise ForeignCodeError(
            message(
                'the layer "{layer}" is the TensorFlow operation {function}',
                layer=name,
                function=function,
            ),
            "Replace it with a Keras layer in Python, and save the model again.",
        )
    source = node[0] if isinstance(node[0], list) else node
    layer["class_name"] = "Rescaling"
    layer["config"] = {"name": name, "scale": scaling[0], "offset": scaling[1]}
    layer["inbound_nodes"] = [[[*source[:3], {}]]]


def _scaling(function: str, node: object) -> tuple[float, float] | None:
    """Factor and addend of an operation on one tensor and one number; None for any other."""
    source = node[0] if isinstance(node, list) and node and isinstance(node[0], list) else node
    if not isinstance(source, list) or len(source) != 4 or not isinstance(source[3], Mapping):
        return None
    number = source[3].get("y")
    others = [key for key, value in source[3].items() if key != "y" and value is not None]
    if isinstance(number, bool) or not isinstance(number, int | float) or set(others) - {"name"}:
        return None
    kind = function.rpartition(".")[2].strip("_")
    if kind in ("truediv", "divide", "div"):
        return (1 / number, 0.0) if number else None
    return {
        "multiply": (float(number), 0.0),
        "mul": (float(number), 0.0),
        "subtract": (1.0, -float(number)),
        "sub": (1.0, -float(number)),
        "add": (1.0, float(number)),
    }.get(kind)


def layers_in(model: Mapping[str, Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the descriptions of a model's layers and of nested models' layers.

    Args:
        model: Serialized model.
        depth: Nesting depth, for recursion.
    """
    inside = model.get("config")
    layers = inside.get("layers") if isinstance(inside, Mapping) else None
    for layer in layers if isinstance(layers, list) and depth < _DEEPEST else ():
        if not isinstance(layer, Mapping):
            continue
        if layer.get("class_name") in MODEL_CLASSES:
            yield from layers_in(layer, depth + 1)
        else:
            yield layer
