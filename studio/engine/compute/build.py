"""From the description of a network to a Keras model.

The model is functional and flat: the layers of a backbone are layers of the model itself, since a
nested model changes the names of its weights when it is loaded again. Everything random in
it, start values and dropout, has a seed of its own that depends only on the seed and on
the place in the network, so that the same description and seed give the same weights whatever
was built before, and an interrupted run can go on exactly.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections import Counter
from typing import Any

import keras

from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.networks.checks import check
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BACKBONES, BackboneParameters
from studio.engine.networks.report import LayerReport, NetworkReport
from studio.engine.networks.spec import (
    INPUT,
    LayerNode,
    NetworkSpec,
    ancestors,
    topological_order,
)

BATCH_NORM_MOMENTUM = 0.9
"""Momentum inside backbones that start from random weights. Keras' 0.99 and 0.999 leave the
running statistics near their start for thousands of steps: accuracy in training is high and in
validation that of chance."""

INNER = "-"
"""Between the id of a backbone's node and the name of a layer in it; no id holds it."""


def build(spec: NetworkSpec, *, seed: int | None) -> keras.Model:
    """Turn a network into a Keras model with new random weights.

    Layers are called by the ids of their nodes; those of a backbone by id, `INNER`, and their
    own name. The input is float32 of raw pixels 0 to 255, shape (batch, height, width, channels);
    the output is always float32, whatever the precision of the layers between, so that small
    probabilities do not vanish.

    Args:
        spec: The network.
        seed: The same seed gives the same weights and dropout; None draws one.

    Raises:
        StudioError: The network does not check, or a layer does not fit what comes in; `where`
            is the id of its node.
    """
    raise_if_serious(check(spec))
    root = secrets.randbits(31) if seed is None else seed
    shape = (spec.input.height, spec.input.width, spec.input.channels)
    tensors = {INPUT: keras.Input(shape, dtype="float32", name=INPUT)}
    used = ancestors(spec, spec.output)
    for node in topological_order(spec):
        if node.id in used:
            incoming = [tensors[source] for source in node.inputs]
            tensors[node.id] = _apply(node, incoming, spec, root)
    output = tensors[spec.output]
    _refuse_wrong_output(spec, tuple(output.shape))
    model = keras.Model(tensors[INPUT], output, name="network")
    has_backbone = any(INNER in layer.name for layer in model.layers)
    return _with_settled_backbones(model, root) if has_backbone else model


def inspect(spec: NetworkSpec) -> NetworkReport:
    """Shapes and parameters of every layer, as Keras finds them.

    Raises:
        StudioError: As for `build`.
    """
    model = build(spec, seed=0)
    layers = [layer for layer in model.layers if not isinstance(layer, keras.layers.InputLayer)]
    return NetworkReport(
        name=spec.name,
        input_shape=tuple(model.input_shape[1:]),
        classes=spec.classes,
        layers=tuple(_report(layer) for layer in layers),
    )


def derived_seed(root: int, *place: str) -> int:
    """A seed from 0 to 2**31 - 1 that depends only on the root seed and a place.

    Args:
        root: Seed of the whole.
        *place: Names that lead to the place, for example a node and a parameter.
    """
    text = "/".join((str(root), *place))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % 2**31


def _apply(
    node: LayerNode,
    incoming: list[keras.KerasTensor],
    spec: NetworkSpec,
    root: int,
) -> keras.KerasTensor:
    layer = LAYERS[node.layer]
    parameters = layer.parameters.parse(node.parameters)
    try:
        if isinstance(parameters, BackboneParameters):
            return _apply_backbone(node.id, parameters, incoming[0])
        arguments = layer.keras_arguments(parameters) | {"name": node.id}
        if node.id == spec.output:
            arguments["dtype"] = "float32"
        kind = getattr(keras.layers, layer.keras_class)
        config = kind(**arguments).get_config()
        built = kind.from_config(_seeded(config, root, (node.id,)))
        return built(incoming if layer.joins else incoming[0])
    except (ValueError, TypeError) as error:
        received = " and ".join(_size(tuple(tensor.shape)) for tensor in incoming)
        raise StudioError(
            f'The layer "{node.id}" ({layer.label}) does not fit what comes in, {received}: '
            f"{_first_sentence(error)}",
            "Change its settings, the layers before it, or the size of the images.",
            node.id,
        ) from error


def _apply_backbone(
    node_id: str, parameters: BackboneParameters, incoming: keras.KerasTensor
) -> keras.KerasTensor:
    """Grow a backbone on a tensor; its layers are marked as inner ones by their names."""
    backbone = BACKBONES[parameters.architecture]
    if len(incoming.shape) != 4 or min(incoming.shape[1:3]) < backbone.smallest:
        raise ValueError(
            f"{backbone.label} takes images of at least {backbone.smallest}x{backbone.smallest}"
        )
    options = {"include_preprocessing": False} if backbone.switches_preprocessing else {}
    grow = getattr(keras.applications, backbone.keras_function)
    before = {id(layer) for layer in _layers_up_to(incoming)}
    grown = grow(include_top=False, weights=None, input_tensor=incoming, **options)
    unnamed: Counter[str] = Counter()
    for layer in grown.layers:
        if id(layer) not in before:
            layer.name = f"{node_id}{INNER}{_stable_name(layer, unnamed)}"
    return grown.output


def _stable_name(layer: keras.Layer, unnamed: Counter[str]) -> str:
    """The published name of a layer, or a number of its own kind when it has none.

    Keras numbers unnamed layers by all that the process has built before.
    """
    kind = type(layer).__name__.lower()
    if layer.name.rstrip("0123456789").replace("_", "") != kind:
        return str(layer.name)
    unnamed[kind] += 1
    return f"{kind}_{unnamed[kind]}"


def _layers_up_to(tensor: keras.KerasTensor) -> list[keras.Layer]:
    return list(keras.Model(keras.utils.get_source_inputs(tensor), tensor).layers)


def _with_settled_backbones(model: keras.Model, root: int) -> keras.Model:
    """The same model with the layers of its backbones seeded and with fast batch norm.

    Keras builds its backbones in one go and asks for neither, so the layers are made a second
    time from their changed configuration.
    """

    def again(layer: keras.Layer) -> keras.Layer:
        config = layer.get_config()
        if INNER in layer.name:
            config = _seeded(config, root, (layer.name,))
            if isinstance(layer, keras.layers.BatchNormalization):
                config["momentum"] = BATCH_NORM_MOMENTUM
        return layer.__class__.from_config(config)

    return keras.models.clone_model(model, clone_function=again)


def _seeded(value: Any, root: int, place: tuple[str, ...]) -> Any:  # noqa: ANN401 - plain JSON
    """A Keras configuration in which every open seed, at any depth, is a number."""
    if isinstance(value, dict):
        return {
            key: derived_seed(root, *place, key)
            if key == "seed" and inside is None
            else _seeded(inside, root, (*place, str(key)))
            for key, inside in value.items()
        }
    if isinstance(value, list):
        return [_seeded(inside, root, (*place, str(at))) for at, inside in enumerate(value)]
    return value


def _refuse_wrong_output(spec: NetworkSpec, shape: tuple[int | None, ...]) -> None:
    if shape != (None, spec.classes):
        raise StudioError(
            f"The network ends in {_size(shape)}, and there are {spec.classes} classes.",
            f"End in a dense layer of {spec.classes} units, after flatten or global pooling.",
            spec.output,
        )


def _size(shape: tuple[int | None, ...]) -> str:
    return "x".join("?" if side is None else str(side) for side in shape[1:])


def _first_sentence(error: Exception) -> str:
    """The first line of a message of Keras, which go on with pages of reference."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") + "." if lines else type(error).__name__


def _report(layer: keras.Layer) -> LayerReport:
    return LayerReport(
        name=layer.name,
        node=layer.name.split(INNER)[0],
        type=type(layer).__name__,
        output_shape=tuple(layer.output.shape[1:]),
        parameters=layer.count_params(),
        trainable=sum(math.prod(weight.shape) for weight in layer.trainable_weights),
    )
