"""From one node of a description to the layers of Keras that it stands for.

A backbone is grown in one go and has many; each other node has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import keras
from keras.src.backend.common import global_state

from studio.engine.compute.foreign import layer_class
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BACKBONES, BackboneParameters
from studio.engine.networks.layers.foreign import KerasParameters
from studio.engine.networks.layers.layer import Layer
from studio.engine.networks.parts import INNER
from studio.engine.plans import Plan

REFUSALS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)
"""What Keras raises for settings and shapes that do not fit, depending on the layer."""

_WAITING = "uninitialized_variables"


@contextmanager
def without_weights() -> Iterator[None]:
    """Layers made and called inside have weights with shapes and no numbers in them.

    So VGG-16 is looked at without its 550 MB. The layers are of no use but to be looked at:
    Keras keeps a list of the weights that it would fill later, and here it forgets them.
    """
    before = list(global_state.get_global_attribute(_WAITING) or [])
    try:
        with keras.StatelessScope(initialize_variables=False):
            yield
    finally:
        global_state.set_global_attribute(_WAITING, before)


def node_of(layer: keras.Layer) -> str:
    """Id of the node that a layer of a built network belongs to."""
    return str(layer.name).partition(INNER)[0]


def make_layer(node_layer: str, parameters: Plan, name: str) -> keras.Layer:
    """The layer of Keras that a node stands for.

    Args:
        node_layer: Name of a layer of `LAYERS`; no backbone.
        parameters: Its parameters.
        name: What the layer is called.

    Raises:
        ValueError: Keras refuses the parameters, or has no such layer.
        TypeError: As before.
    """
    if isinstance(parameters, KerasParameters):
        return _as_written(parameters, name)
    layer: Layer = LAYERS[node_layer]
    arguments = {
        key: keras.layers.deserialize(value) if isinstance(value, dict) else value
        for key, value in layer.keras_arguments(parameters).items()
    }
    return getattr(keras.layers, layer.keras_class)(**arguments, name=name)


def call_layer(layer: keras.Layer, incoming: list[keras.KerasTensor]) -> keras.KerasTensor:
    """Put a layer on one tensor, or on several as a list."""
    return layer(incoming if len(incoming) > 1 else incoming[0])


def grow_backbone(
    node_id: str, parameters: BackboneParameters, incoming: keras.KerasTensor
) -> tuple[list[keras.Layer], keras.KerasTensor]:
    """Grow a backbone on a tensor.

    Returns:
        Its layers in the order of Keras, called by the id of the node, `INNER` and their
        published name; and the tensor that comes out.

    Raises:
        ValueError: The images are too small.
    """
    backbone = BACKBONES[parameters.architecture]
    if len(incoming.shape) != 4 or min(incoming.shape[1:3]) < backbone.smallest:
        raise ValueError(
            f"{backbone.label} takes images of at least {backbone.smallest}x{backbone.smallest}"
        )
    options = {"include_preprocessing": False} if backbone.switches_preprocessing else {}
    grow = getattr(keras.applications, backbone.keras_function)
    sources = keras.utils.get_source_inputs(incoming)
    before = keras.Model(sources, incoming).layers
    with _out_of_the_way(before):
        grown = grow(include_top=False, weights=None, input_tensor=incoming, **options)
    old = {id(layer) for layer in before}
    layers = [layer for layer in grown.layers if id(layer) not in old]
    unnamed: Counter[str] = Counter()
    for layer in layers:
        layer.name = f"{node_id}{INNER}{_stable_name(layer, unnamed)}"
    return layers, grown.output


@contextmanager
def _out_of_the_way(layers: list[keras.Layer]) -> Iterator[None]:
    """Other names for some layers, while Keras makes up names that may be the same."""
    names = [layer.name for layer in layers]
    for layer in layers:
        layer.name = f"{INNER}{layer.name}"
    try:
        yield
    finally:
        for layer, name in zip(layers, names, strict=True):
            layer.name = name


def first_sentence(error: Exception) -> str:
    """The first line of a message of Keras, which go on with pages of reference."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") + "." if lines else type(error).__name__


def _as_written(parameters: KerasParameters, name: str) -> keras.Layer:
    kind = layer_class(parameters.class_name)
    if kind is None:
        raise ValueError(f"Keras has no layer {parameters.class_name}")
    return kind.from_config(parameters.settings | {"name": name})


def _stable_name(layer: keras.Layer, unnamed: Counter[str]) -> str:
    """The published name of a layer, or a number of its own kind when it has none.

    Keras numbers unnamed layers by all that the process has built before.
    """
    kind = type(layer).__name__.lower()
    if layer.name.rstrip("0123456789").replace("_", "") != kind:
        return str(layer.name)
    unnamed[kind] += 1
    return f"{kind}_{unnamed[kind]}"
