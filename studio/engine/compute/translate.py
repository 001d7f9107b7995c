"""From a layer of Keras back to the layer and parameters of a description.

A candidate is built from the configuration of the layer, built again, and taken only when Keras
then writes down the same: nothing that a configuration says is lost. What our parameters cannot
say is kept as Keras wrote it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import keras
import numpy as np

from studio.engine.compute.build import REFUSALS, layer_class, make_layer
from studio.engine.errors import StudioError
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.foreign import KerasParameters, refuse_foreign_code
from studio.engine.networks.layers.layer import Layer
from studio.engine.networks.spec import JsonValue
from studio.engine.plans import Plan

FOREIGN = "keras"

_POSITIONAL = {
    "name",
    "trainable",
    "dtype",
    "seed",
    "batch_shape",
    "batch_input_shape",
    "build_config",
}
"""Keys of a configuration about names and seeds; the others define the layer's computation."""

_NAMED = {"keras.initializers", "keras.activations"}

Described = tuple[str, dict[str, JsonValue]]


def describe(layer: keras.Layer) -> Described:
    """Return the name of a layer of `LAYERS` and the parameters with which it is the given one.

    Raises:
        StudioError: It is no layer of Keras, or one that holds code.
    """
    kind = type(layer).__name__
    if layer_class(kind) is not type(layer):
        raise StudioError(
            '"{layer}" is a {kind}, which is not a Keras layer.',
            "Only built-in Keras layers can be read. Replace it, or export the model without it.",
            str(layer.name),
            layer=layer.name,
            kind=kind,
        )
    config = _with_last_axis(plain(layer.get_config()), len(layer.output.shape))
    for candidate in LAYERS:
        if candidate.keras_class == kind:
            parameters = _fitting(candidate, config)
            if parameters is not None:
                return candidate.name, parameters
    return FOREIGN, _as_written(layer, kind, config)


def plain(value: Any) -> Any:  # noqa: ANN401 - a configuration of Keras
    """Return a configuration as JSON knows it: arrays and tuples become lists."""
    if isinstance(value, Mapping):
        if value.get("class_name") == "__numpy__":
            return value["config"]["value"]
        return {str(key): plain(inside) for key, inside in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(inside) for inside in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def _fitting(candidate: Layer, config: dict[str, Any]) -> dict[str, JsonValue] | None:
    """Return the parameters that configure one of our layers like that; None if there are none."""
    simple = {key: _simple(value) for key, value in config.items()}
    try:
        values = _mean(config) if candidate.name == "subtract_mean" else None
        parameters, _ = candidate.parameters.check(
            candidate.values_from(simple) if values is None else values
        )
        if parameters is None:
            return None
        made = make_layer(candidate.name, parameters, "layer")
    except REFUSALS:
        return None
    if _doing(plain(made.get_config())) != _doing(config):
        return None
    return _shortest(candidate, parameters)


def _shortest(candidate: Layer, parameters: Plan) -> dict[str, JsonValue]:
    """Return the same parameters, empty where that means the same, as a person leaves them."""
    values: dict[str, JsonValue] = parameters.model_dump()
    arguments = candidate.keras_arguments(parameters)
    for name, field in candidate.parameters.model_fields.items():
        if field.default is None and values[name] is not None and "stride" in name:
            window = arguments.get("pool_size")
            values[name] = None if window == values[name] else values[name]
    return values


def _with_last_axis(config: dict[str, Any], rank: int) -> dict[str, Any]:
    """Return the last axis as -1, even if it was given as a positive number."""
    counted_out = config.get("axis") in (rank - 1, [rank - 1], [-1])
    return config | {"axis": -1} if counted_out else config


def _simple(value: object) -> object:
    """Return the name of a start value or function that is described by a dictionary.

    Its settings are compared afterwards.
    """
    if not isinstance(value, Mapping) or str(value.get("module")) not in _NAMED:
        return value
    if value["class_name"] != "Constant":  # which says nothing without its value
        words = re.findall(r"[A-Z]+[a-z0-9]*", str(value["class_name"]))
        return "_".join(word.lower() for word in words)
    return value


def _mean(config: Mapping[str, Any]) -> dict[str, object] | None:
    """Return the parameters of `subtract_mean` for the offset of a rescaling, or None."""
    offset = np.asarray(config.get("offset"), np.float32)
    if offset.ndim != 3:
        return None
    # The shortest decimals that give the same number again, which are those that were given.
    mean = tuple(float(str(-value)) for value in offset.ravel())
    return {"mean": mean, "height": offset.shape[0], "width": offset.shape[1]}


def _doing(value: Any) -> Any:  # noqa: ANN401 - a configuration of Keras
    if isinstance(value, dict):
        return {key: _doing(inside) for key, inside in value.items() if key not in _POSITIONAL}
    if isinstance(value, list):
        return [_doing(inside) for inside in value]
    return value


def _unseeded(value: Any) -> Any:  # noqa: ANN401 - a configuration of Keras
    """Remove the seeds: building the network draws its own."""
    if isinstance(value, dict):
        return {
            key: None if key == "seed" else _unseeded(inside)
            for key, inside in value.items()
            if key != "build_config"
        }
    if isinstance(value, list):
        return [_unseeded(inside) for inside in value]
    return value


def _as_written(layer: keras.Layer, kind: str, config: dict[str, Any]) -> dict[str, JsonValue]:
    cleaned = _unseeded(
        {key: value for key, value in config.items() if key not in _POSITIONAL - {"seed"}}
    )
    if layer.compute_dtype != "float32":
        cleaned["dtype"] = config.get("dtype")
    try:
        refuse_foreign_code(cleaned)
        written = json.dumps(cleaned)
        parameters = KerasParameters.parse({"class_name": kind, "config": written})
        make_layer(FOREIGN, parameters, "layer")
    except (*REFUSALS, StudioError) as error:
        raise StudioError(
            'The layer "{layer}" ({kind}) cannot be read: {reason}.',
            "Replace it, or export the model without it.",
            str(layer.name),
            layer=layer.name,
            kind=kind,
            reason=error,
        ) from error
    return parameters.model_dump()
