"""From the description of a network to a Keras model.

The model is functional and flat: the layers of a backbone are layers of the model itself, since a
nested model changes the names of its weights when it is loaded again. Everything random in
it, start values and dropout, has a separate seed that depends only on the seed and on
the place in the network, so that the same description and seed give the same weights whatever
was built before, and an interrupted run can continue exactly.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import keras

from studio.engine.compute.backends import keras_internals
from studio.engine.compute.transformers import transformer
from studio.engine.errors import StudioError, did_you_mean, raise_if_serious
from studio.engine.messages import as_message, joined
from studio.engine.networks.backbones import Backbone
from studio.engine.networks.checks import check
from studio.engine.networks.fitting import nodes_in_full
from studio.engine.networks.heads import head_of
from studio.engine.networks.heads.head import size_text
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import (
    BACKBONES,
    BackboneParameters,
    InsideParameters,
)
from studio.engine.networks.layers.foreign import KerasParameters
from studio.engine.networks.layers.layer import Layer
from studio.engine.networks.layers.shape import BOX_HEAD, RESIZE_LIKE, ResizeLikeParameters
from studio.engine.networks.parts import INNER, frozen_count
from studio.engine.networks.spec import INPUT, LayerNode, NetworkSpec, ancestors, topological_order
from studio.engine.plans import Plan
from studio.engine.tasks import named_task
from studio.engine.tasks.outputs import BOX_SIDES
from studio.engine.training.precision import FULL, Precision

# Conversion of a node of a description to layers of Keras.
#
# A backbone is grown in one go and has many, a box head has some; each other node has one.

REFUSALS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)
"""Errors that Keras raises for settings and shapes that do not fit, depending on the layer."""


@contextmanager
def without_weights() -> Iterator[None]:
    """Create the weights of layers in the block with shapes but without values.

    So VGG-16 is described without its 550 MB. The layers are for inspection only.
    """
    with keras_internals.without_values():
        yield


def node_of(layer: keras.Layer) -> str:
    """Return the id of the node that a layer of a built network belongs to."""
    return str(layer.name).partition(INNER)[0]


def make_layer(
    node_layer: str, parameters: Plan, name: str, incoming: Sequence[keras.KerasTensor] = ()
) -> keras.Layer:
    """Return the Keras layer of a node.

    Args:
        node_layer: Name of a layer of `LAYERS`; no backbone, and no box head.
        parameters: Its parameters.
        name: Name of the layer.
        incoming: The inputs; their size matters only for `resize_like`.

    Raises:
        ValueError: Keras refuses the parameters, or has no such layer.
        TypeError: As before.
    """
    if isinstance(parameters, KerasParameters):
        return _as_written(parameters, name)
    if isinstance(parameters, ResizeLikeParameters):
        return _resizing(parameters, name, *incoming)
    layer: Layer = LAYERS[node_layer]
    arguments = {
        key: keras.saving.deserialize_keras_object(value) if isinstance(value, dict) else value
        for key, value in layer.keras_arguments(parameters).items()
    }
    return getattr(keras.layers, layer.keras_class)(**arguments, name=name)


def incoming_of(layer: keras.Layer) -> list[keras.KerasTensor]:
    """Return the tensors that come into a layer, which may be a model in a model.

    `layer.input` of a model is its own.
    """
    tensors: list[keras.KerasTensor] = keras_internals.nodes_of(layer)[0].input_tensors
    return tensors


def call_layer(
    node_layer: str, layer: keras.Layer, incoming: list[keras.KerasTensor]
) -> keras.KerasTensor:
    """Call a layer on one tensor, or on several as a list.

    Args:
        node_layer: Name of the layer in `LAYERS`.
        layer: The layer.
        incoming: Its input tensors.
    """
    is_one = len(incoming) == 1 or node_layer == RESIZE_LIKE
    arguments = LAYERS[node_layer].call_arguments if node_layer in LAYERS else {}
    return layer(incoming[0] if is_one else incoming, **arguments)


def _resizing(
    parameters: ResizeLikeParameters,
    name: str,
    tensor: keras.KerasTensor,
    like: keras.KerasTensor,
) -> keras.Layer:
    """Make a layer that brings a tensor to the height and width of another one."""
    if len(tensor.shape) != 4 or len(like.shape) != 4:
        raise ValueError("maps of height x width x channels are required")
    wanted, given = like.shape[1:3], tensor.shape[1:3]
    if all(large % small == 0 for large, small in zip(wanted, given, strict=True)):
        factors = tuple(large // small for large, small in zip(wanted, given, strict=True))
        return keras.layers.UpSampling2D(
            factors, interpolation=parameters.interpolation, name=name
        )
    return keras.layers.Resizing(*wanted, interpolation=parameters.interpolation, name=name)


def grow_backbone(
    node_id: str, parameters: BackboneParameters, incoming: keras.KerasTensor
) -> tuple[list[keras.Layer], keras.KerasTensor]:
    """Build a backbone on a tensor.

    Args:
        node_id: Id of its node in the network.
        parameters: Architecture and options.
        incoming: Input tensor, shape (None, height, width, channels).

    Returns:
        Its layers in the order of Keras, named by the id of the node, `INNER` and their published
        name; and the output tensor.

    Raises:
        ValueError: The images are too small.
    """
    backbone = BACKBONES[parameters.architecture]
    if len(incoming.shape) != 4 or min(incoming.shape[1:3]) < backbone.smallest:
        raise ValueError(
            f"{backbone.label} takes images of at least {backbone.smallest}x{backbone.smallest}"
        )
    sources = keras.utils.get_source_inputs(incoming)
    before = keras.Model(sources, incoming).layers
    with _out_of_the_way(before):
        grown = _grown(backbone, incoming)
    old = {id(layer) for layer in before}
    layers = [layer for layer in grown.layers if id(layer) not in old]
    unnamed: Counter[str] = Counter()
    for layer in layers:
        layer.name = f"{node_id}{INNER}{_stable_name(layer, unnamed)}"
    return layers, grown.outputs[0]


def _grown(backbone: Backbone, incoming: keras.KerasTensor) -> keras.Model:
    """Return a backbone on a tensor, whose first output is its map."""
    if backbone.transformer is not None:
        return transformer(backbone.transformer, incoming)
    options = {"include_preprocessing": False} if backbone.switches_preprocessing else {}
    grow = getattr(keras.applications, backbone.keras_function)
    return grow(include_top=False, weights=None, input_tensor=incoming, **options)


def grow_box_head(
    node_id: str, incoming: Sequence[keras.KerasTensor]
) -> tuple[list[keras.Layer], keras.KerasTensor]:
    """Join the maps of a detector to one list of positions, with plain layers of Keras.

    Args:
        node_id: Id of its node in the network.
        incoming: For each level a map of the classes, shape (None, rows, columns, K), and one of
            the distances, shape (None, rows, columns, 4), perhaps with further numbers before.

    Returns:
        Its layers, named by the id of the node, `INNER` and what they do, each in float32; and
        the output, shape (None, positions, K + 4 or more).

    Raises:
        ValueError: The maps of a level have different sizes, or less than four distances.
    """
    layers: list[keras.Layer] = []

    def put(
        kind: Any,  # noqa: ANN401 - a class of Keras
        name: str,
        tensors: keras.KerasTensor | list[keras.KerasTensor],
        **options: object,
    ) -> keras.KerasTensor:
        layers.append(kind(**options, name=f"{node_id}{INNER}{name}", dtype=FULL))
        return layers[-1](tensors)

    levels = []
    for level, (classes, sides) in enumerate(zip(incoming[::2], incoming[1::2], strict=True), 1):
        maps = [tuple(each.shape[1:]) for each in (classes, sides)]
        if any(len(shape) != 3 for shape in maps) or maps[0][:2] != maps[1][:2]:
            raise ValueError(f"the two maps of level {level} have different sizes")
        if maps[1][2] < BOX_SIDES:
            raise ValueError(
                f"the second map of level {level} must have at least {BOX_SIDES} channels"
            )
        both = put(keras.layers.Concatenate, f"level{level}", [classes, sides], axis=-1)
        rows = (-1, maps[0][2] + maps[1][2])
        levels.append(
            put(keras.layers.Reshape, f"level{level}_positions", both, target_shape=rows)
        )
    if len({tensor.shape[-1] for tensor in levels}) > 1:
        raise ValueError("the levels have different numbers of channels")
    if len(levels) == 1:
        return layers, levels[0]
    return layers, put(keras.layers.Concatenate, "positions", levels, axis=1)


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
    """Return the first line of a message of Keras, whose further lines are reference."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") + "." if lines else type(error).__name__


def _as_written(parameters: KerasParameters, name: str) -> keras.Layer:
    kind = layer_class(parameters.class_name)
    if kind is None:
        raise ValueError(f"Keras has no layer {parameters.class_name}")
    return kind.from_config(parameters.settings | {"name": name})


def _stable_name(layer: keras.Layer, unnamed: Counter[str]) -> str:
    """Return the published name of a layer, or a number of its own kind when it has none.

    Keras numbers unnamed layers by all that the process has built before.
    """
    kind = type(layer).__name__.lower()
    if layer.name.rstrip("0123456789").replace("_", "") != kind:
        return str(layer.name)
    unnamed[kind] += 1
    return f"{kind}_{unnamed[kind]}"


BATCH_NORM_MOMENTUM = 0.9
"""Momentum inside backbones that start from random weights. Keras' 0.99 and 0.999 leave the
running statistics near their start for thousands of steps: accuracy in training is high and in
validation that of chance."""


def build(spec: NetworkSpec, *, seed: int | None, auxiliary: bool = False) -> keras.Model:
    """Turn a network into a Keras model with new random weights.

    Layers are called by the ids of their nodes; those of a backbone by id, `INNER`, and their
    own name; `layers.node_of` returns the node of a layer. The input is float32 of raw pixels,
    shape (batch, height, width, channels); the output is always float32, whatever the
    precision of the layers between, so that small probabilities do not vanish. Frozen nodes are
    not trainable, so that Keras also runs their batch normalization as in use.

    Args:
        spec: The network.
        seed: The same seed gives the same weights and dropout; None draws one.
        auxiliary: True if the model also gives the outputs of the auxiliary heads, in their order
            after its own: a list of outputs, for training.

    Raises:
        StudioError: The network does not check, or a layer does not fit what comes in; `where`
            is the id of its node.
    """
    raise_if_serious(check(spec))
    root = secrets.randbits(31) if seed is None else seed
    ends = [spec.output, *(head.node for head in spec.auxiliary if auxiliary)]
    used = {node_id for end in ends for node_id in ancestors(spec, end)}
    nodes = [node for node in topological_order(spec) if node.id in used]
    grows = any(node.layer == "backbone" for node in nodes)
    # Backbones are made a second time, so the first needs no numbers.
    with without_weights() if grows else nullcontext():
        model = _wired(spec, nodes, ends, root)
    if grows:
        model = _with_settled_backbones(model, root)
    for node in nodes:
        _freeze(node, [layer for layer in model.layers if node_of(layer) == node.id])
    return model


def derived_seed(root: int, *path: str) -> int:
    """Return a seed from 0 to 2**31 - 1 that depends only on the root seed and a place.

    Args:
        root: Seed of the whole.
        *path: Names that lead to the value, for example a node and a parameter.
    """
    text = "/".join((str(root), *path))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % 2**31


def misfit(node: LayerNode, shapes: list[tuple[int | None, ...]], error: Exception) -> StudioError:
    """Convert the error of Keras about a layer to a readable one.

    Args:
        node: The node of the layer.
        shapes: Shapes of the inputs without the batch.
        error: Raised by Keras.
    """
    received = joined([size_text(shape) for shape in shapes], ", ")
    return StudioError(
        'The layer "{layer}" ({kind}) does not support its input, {received}: {reason}',
        "Change its settings, the layers before it, or the size of the images.",
        node.id,
        layer=node.id,
        kind=as_message(LAYERS[node.layer].label),
        received=received,
        reason=first_sentence(error),
    )


def wrong_output(
    spec: NetworkSpec, node_id: str, shape: tuple[int | None, ...]
) -> StudioError | None:
    """Return the error in a network's output; None if the output is valid.

    Args:
        spec: The network.
        node_id: Its output, or that of an auxiliary head.
        shape: Shape of the output without the batch.
    """
    return head_of(named_task(spec.task)).wrong_shape(spec, node_id, shape)


def frozen_up_to(node: LayerNode) -> str:
    """Return the layer or block up to which a backbone is frozen in part; empty for none."""
    return "" if node.frozen else str(node.parameters.get("frozen_up_to") or "")


def no_such_layer(node: LayerNode, last: str, names: list[str]) -> StudioError:
    """Build the error for freezing a backbone up to a layer that it does not have.

    Args:
        node: The node of the backbone.
        last: The layer that was requested.
        names: Its existing layers and blocks.
    """
    return StudioError(
        'The backbone "{backbone}" has no layer or block "{layer}" to freeze.',
        did_you_mean(last, names),
        node.id,
        backbone=node.id,
        layer=last,
    )


def not_inside(node: LayerNode, layer: str, paths: Iterable[str]) -> StudioError:
    """Build the error for taking the output of a layer that a backbone does not have.

    Args:
        node: Takes the output.
        layer: Name of the layer.
        paths: Paths of the layers of all backbones.
    """
    source = f"{node.inputs[0]}{INNER}"
    names = [path.removeprefix(source) for path in paths if path.startswith(source)]
    if not names:
        return StudioError(
            '"{layer}" is not a backbone, so it has no inner layers to use.',
            "Connect it to a backbone.",
            node.id,
            layer=node.inputs[0],
        )
    return StudioError(
        'The backbone "{backbone}" has no layer "{layer}".',
        did_you_mean(layer, names),
        node.id,
        backbone=node.inputs[0],
        layer=layer,
    )


def _wired(spec: NetworkSpec, nodes: list[LayerNode], ends: list[str], root: int) -> keras.Model:
    exact = nodes_in_full(nodes, ends)
    shape = (spec.input.height, spec.input.width, spec.input.channels)
    tensors = {INPUT: keras.Input(shape, dtype="float32", name=INPUT)}
    inside: dict[str, keras.Layer] = {}
    for node in nodes:
        incoming = [tensors[source] for source in node.inputs]
        parameters = LAYERS[node.layer].parameters.parse(node.parameters)
        try:
            if isinstance(parameters, BackboneParameters):
                layers, tensors[node.id] = grow_backbone(node.id, parameters, incoming[0])
                inside |= {layer.name: layer for layer in layers}
            elif node.layer == BOX_HEAD.name:
                _, tensors[node.id] = grow_box_head(node.id, incoming)
            elif isinstance(parameters, InsideParameters):
                path = f"{node.inputs[0]}{INNER}{parameters.layer}"
                if path not in inside:
                    raise not_inside(node, parameters.layer, inside)
                layer = inside[path]
                is_input = parameters.side == "input"
                tensors[node.id] = incoming_of(layer)[0] if is_input else layer.output
            else:
                full = node.id in exact
                tensors[node.id] = _apply(node, parameters, incoming, root, full=full)
        except REFUSALS as error:
            raise misfit(node, [tuple(each.shape[1:]) for each in incoming], error) from error
    for end in ends:
        problem = wrong_output(spec, end, tuple(tensors[end].shape[1:]))
        if problem is not None:
            raise problem
    outputs = [tensors[end] for end in ends]
    return keras.Model(tensors[INPUT], outputs if len(ends) > 1 else outputs[0], name="network")


def _apply(
    node: LayerNode,
    parameters: Plan,
    incoming: list[keras.KerasTensor],
    root: int,
    *,
    full: bool,
) -> keras.KerasTensor:
    """Put the layer of a node on what comes in; `full` keeps the output in float32."""
    layer = make_layer(node.layer, parameters, node.id, incoming)
    config = layer.get_config()
    if full:
        config["dtype"] = "float32"
    seeded = type(layer).from_config(_seeded(config, root, (node.id,)))
    return call_layer(node.layer, seeded, incoming)


def _freeze(node: LayerNode, layers: list[keras.Layer]) -> None:
    """Freeze the layers of a node, or those of a backbone up to one of them.

    Raises:
        StudioError: The backbone has no such layer or block.
    """
    last = frozen_up_to(node)
    if last:
        names = [layer.name.partition(INNER)[2] for layer in layers]
        count = frozen_count(names, last)
        if count == 0:
            raise no_such_layer(node, last, names)
        layers = layers[:count]
    if last or node.frozen:
        for layer in layers:
            layer.trainable = False


def _with_settled_backbones(model: keras.Model, root: int) -> keras.Model:
    """Return the same model with the layers of its backbones seeded and with fast batch norm.

    Keras builds its backbones in one go and asks for neither, so the layers are made a second
    time from their changed configuration.
    """

    def rebuilt(layer: keras.Layer) -> keras.Layer:
        config = layer.get_config()
        if INNER in layer.name:
            config = _seeded(config, root, (layer.name,))
            if isinstance(layer, keras.layers.BatchNormalization):
                config["momentum"] = BATCH_NORM_MOMENTUM
        return layer.__class__.from_config(config)

    return keras.models.clone_model(model, clone_function=rebuilt)


def _seeded(value: Any, root: int, path: tuple[str, ...]) -> Any:  # noqa: ANN401 - plain JSON
    """Return a Keras configuration with a number for every unset seed, at any depth."""
    if isinstance(value, dict):
        return {
            key: derived_seed(root, *path, key)
            if key == "seed" and inside is None
            else _seeded(inside, root, (*path, str(key)))
            for key, inside in value.items()
        }
    if isinstance(value, list):
        return [_seeded(inside, root, (*path, str(at))) for at, inside in enumerate(value)]
    return value


def layer_class(name: str) -> Any:  # noqa: ANN401 - a class of Keras
    """Return the layer of Keras of that name; None if there is none."""
    found = getattr(keras.layers, name, keras_internals.UNLISTED_LAYERS.get(name))
    return found if isinstance(found, type) and issubclass(found, keras.Layer) else None


@contextmanager
def computing_in(precision: Precision) -> Iterator[None]:
    """Create the layers in the block with this precision."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(precision)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def scaled_for(precision: Precision, optimizer: keras.Optimizer) -> keras.Optimizer:
    """Wrap an optimizer in loss scaling if the precision needs it.

    bfloat16 has the exponent range of float32 and needs no scaling.

    Args:
        precision: Precision of the training.
        optimizer: The optimizer.
    """
    if precision != "mixed_float16":
        return optimizer
    return keras.optimizers.LossScaleOptimizer(optimizer)


def in_full_precision(model: keras.Model) -> keras.Model:
    """Return the same model with every layer in float32; the model itself where it is so already.

    Of layers that compute in 16 bits, several formats cannot be written, or not be run.
    """
    if all(layer.compute_dtype == FULL for layer in model.layers):
        return model
    copy = model.__class__.from_config(_in_full(model.get_config()))
    copy.set_weights(model.get_weights())
    return copy


def _in_full(config: Any) -> Any:  # noqa: ANN401 - plain JSON
    """Return a configuration with the policy float32 for all layers, at any depth."""
    if isinstance(config, dict):
        policy = isinstance(config.get("dtype"), dict)
        changed = {key: _in_full(value) for key, value in config.items()}
        if policy or config.get("dtype") in ("mixed_float16", "mixed_bfloat16"):
            changed["dtype"] = FULL
        return changed
    return [_in_full(each) for each in config] if isinstance(config, list) else config
