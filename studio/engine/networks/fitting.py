"""The same network for other images and other classes: no layer is renamed or rebuilt.

Pure functions on the description; shapes are Keras' matter, see `studio.engine.compute.build`.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.messages import message
from studio.engine.networks.checks import SCALING, check
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.layer import numbers_in
from studio.engine.networks.layers.shape import HEAD_JOINS, RESIZE_LIKE, class_maps
from studio.engine.networks.spec import (
    HEAD,
    HEAD_BLOCK,
    INPUT,
    INPUT_RANGE,
    RANGE_NODES,
    InputShape,
    JsonValue,
    LayerNode,
    NetworkSpec,
    ancestors,
)
from studio.engine.tasks.task import Task

_UNITS = "_in_units"


@dataclass(frozen=True, slots=True)
class TargetScale:
    """Mean and standard deviation of each target over the training images, K numbers each."""

    mean: tuple[float, ...]
    deviation: tuple[float, ...]


def ending_for(spec: NetworkSpec, task: Task) -> NetworkSpec:
    """Return the network with the last activation of a task, before any scale of targets.

    Args:
        spec: The network.
        task: The task.
    """
    for node in spec.nodes:
        if node.id.endswith(_UNITS) and node.layer == SCALING:
            (source,) = node.inputs
            spec = _ending_in(without(spec, node.id), {node.id: source})
    ends = {
        activated
        for output in (spec.output, *(head.node for head in spec.auxiliary))
        for activated in _activated_in(spec, output)
    }
    nodes = tuple(
        _activated(node, task.activation) if node.id in ends else node for node in spec.nodes
    )
    return spec.model_copy(update={"nodes": nodes, "task": task.name})


def _activated_in(spec: NetworkSpec, output: str) -> tuple[str, ...]:
    """Return the ids of the layers that have the activation of the task."""
    node = next((each for each in spec.nodes if each.id == output), None)
    if node is None or node.layer not in HEAD_JOINS:
        return (output,)
    return class_maps(node.inputs)


def answering(spec: NetworkSpec, task: Task, scale: TargetScale | None = None) -> NetworkSpec:
    """Return the network with the outputs of a task.

    A network for numbers ends in a layer that turns standardized outputs into real units, so that
    its exported files answer in them.

    Args:
        spec: A network for this task or another one.
        task: Names the activation of the last layer.
        scale: Scale of the targets, for tasks with numbers; None where only shapes matter.
    """
    spec = ending_for(spec, task)
    if not task.gives_numbers:
        return spec
    ends = [spec.output, *(head.node for head in spec.auxiliary)]
    known = scale or TargetScale((0.0,) * spec.classes, (1.0,) * spec.classes)
    values: dict[str, JsonValue] = {
        "scale": ", ".join(map(repr, known.deviation)),
        "offset": ", ".join(map(repr, known.mean)),
    }
    added = tuple(
        LayerNode(
            id=f"{end}{_UNITS}",
            layer=SCALING,
            parameters=values,
            inputs=(end,),
            block=HEAD_BLOCK if spec.node(end).block == HEAD_BLOCK else "",
        )
        for end in ends
    )
    spec = spec.model_copy(update={"nodes": (*spec.nodes, *added)})
    return _ending_in(spec, {end: f"{end}{_UNITS}" for end in ends})


def _ending_in(spec: NetworkSpec, renamed: dict[str, str]) -> NetworkSpec:
    heads = tuple(
        head.model_copy(update={"node": renamed.get(head.node, head.node)})
        for head in spec.auxiliary
    )
    output = renamed.get(spec.output, spec.output)
    return spec.model_copy(update={"output": output, "auxiliary": heads})


def _activated(node: LayerNode, activation: str) -> LayerNode:
    """Return the last layer with another activation; one that has it already stays."""
    if node.layer == activation or node.parameters.get("activation") == activation:
        return node
    if node.layer in ("softmax", "activation"):
        values = LAYERS["activation"].parameters.parse({"activation": activation}).model_dump()
        return node.model_copy(update={"layer": "activation", "parameters": values})
    if node.layer == "keras":
        config = json.loads(str(node.parameters.get("config") or "{}"))
        if "activation" not in config:
            return node
        parameters = {**node.parameters, "config": json.dumps(config | {"activation": activation})}
        return node.model_copy(update={"parameters": parameters})
    return node.model_copy(update={"parameters": {**node.parameters, "activation": activation}})


COLOR_NODE = "input_color"
"""Id of the node that makes three channels of a gray image: the image, three times."""

COLOR = 3
_COUNTS = ("units", "filters")
_OPAQUE = "keras"


def fitted(spec: NetworkSpec, shape: tuple[int, int, int], classes: int) -> NetworkSpec:
    """Return the network for images of another size or color, and another number of classes.

    The last layer with weights gets as many outputs as there are classes, so does that of every
    auxiliary head. A network of color images that gets gray ones sees them as three equal
    channels, so that weights of color images still fit. For images of any other number of
    channels, see `with_channels`.

    Args:
        spec: The network.
        shape: Height, width and channels of the images.
        classes: Number of classes.

    Raises:
        StudioError: The network does not check, or no layer of it counts the classes.
    """
    raise_if_serious(check(spec))
    if classes != spec.classes:
        counting = {
            node.id
            for output in (spec.output, *(head.node for head in spec.auxiliary))
            for node in class_layers(spec, output)
        }
        spec = _changed(spec, counting, lambda node: _counting(node, classes))
    height, width, channels = shape
    spec = _colored(spec, channels)
    size = InputShape(height=height, width=width, channels=channels)
    return spec.model_copy(update={"input": size, "classes": classes})


def class_layers(spec: NetworkSpec, output: str) -> list[LayerNode]:
    """Return the layers whose number of outputs is the number of classes.

    These are the last layers with weights. Only layers that preserve the number of features, such
    as pooling, softmax or dropout, come after them.

    Args:
        spec: The network.
        output: Id of the output node.

    Raises:
        StudioError: It does not exist, or its number of outputs is not the number of classes.
    """
    nodes = {node.id: node for node in spec.nodes}
    found: dict[str, LayerNode] = {}
    waiting = [output]
    while waiting:
        node = nodes.get(waiting.pop())
        count = None if node is None else _count(node)
        if node is None or node.layer == "backbone" or count not in (None, spec.classes):
            raise StudioError(
                'No layer before "{layer}" of the network "{network}" has one output '
                "for each of its {classes} classes, so their number cannot be changed.",
                message("End it in a layer of {classes} units or filters.", classes=spec.classes),
                output,
                layer=output,
                network=spec.name,
                classes=spec.classes,
            )
        if count is None:
            is_join = node.id == output and node.layer in HEAD_JOINS
            waiting.extend(class_maps(node.inputs) if is_join else read_inputs(node))
        else:
            found[node.id] = node
    return list(found.values())


def read_inputs(node: LayerNode) -> tuple[str, ...]:
    """Return the inputs of a node whose values matter: of some layers only the size of one."""
    return node.inputs[:1] if node.layer == RESIZE_LIKE else node.inputs


def head_of(spec: NetworkSpec) -> set[str]:
    """Return ids of the nodes that are new for every dataset.

    That is the block `HEAD_BLOCK`; in a network without one, the layer that counts the classes and
    what comes after it. Auxiliary heads belong to it, too.
    """
    used = ancestors(spec, spec.output)
    head = {node.id for node in spec.nodes if node.block == HEAD_BLOCK}
    if not head:
        counting = {node.id for node in class_layers(spec, spec.output)}
        head = used - {above for each in counting for above in ancestors(spec, each)} | counting
    beside = {each for side in spec.auxiliary for each in ancestors(spec, side.node)} - used
    return head | beside


def gray_as_color(nodes: Iterable[LayerNode]) -> tuple[LayerNode, ...]:
    """Return the nodes of a network for color images behind one that takes a gray image."""
    repeated = LayerNode(
        id=COLOR_NODE,
        layer="concatenate",
        parameters=LAYERS["concatenate"].parameters.parse({}).model_dump(),
        inputs=(INPUT,) * COLOR,
    )
    return repeated, *rewired(nodes, INPUT, COLOR_NODE)


def without(spec: NetworkSpec, node_id: str) -> NetworkSpec:
    """Return the network without a node of one input; its readers are connected to that input.

    Args:
        spec: The network.
        node_id: Id of the node.
    """
    (source,) = set(spec.node(node_id).inputs)
    nodes = rewired((node for node in spec.nodes if node.id != node_id), node_id, source)
    positions = {key: at for key, at in spec.positions.items() if key != node_id}
    return spec.model_copy(update={"nodes": nodes, "positions": positions})


def with_channels(nodes: Iterable[LayerNode], channels: int) -> tuple[LayerNode, ...]:
    """Return the nodes of a network for images of another number of channels.

    Layers that scale the colors of the image scale every channel by the mean of these colors: by
    the mean of their means and of their standard deviations.

    Args:
        nodes: The nodes.
        channels: Number of channels of the images.
    """
    changed, pixels = [], {INPUT}
    for node in nodes:
        if pixels.issuperset(node.inputs) and node.layer in _OF_PIXELS:
            pixels.add(node.id)
            changed.append(_of_channels(node, channels))
        else:
            changed.append(node)
    return tuple(changed)


_OF_PIXELS = ("rescaling", SCALING, "subtract_mean", "center_crop")
"""Layers whose outputs are still the channels of the image."""
_DIGITS = 9


def nodes_in_full(nodes: Sequence[LayerNode], ends: Iterable[str]) -> set[str]:
    """Return the ids of the nodes that compute in float32 in every precision.

    Small probabilities and long distances vanish in 16 bits, and so do the levels of pixels that
    have more than 256.

    Args:
        nodes: The nodes, each after its inputs.
        ends: Ids of the outputs.
    """
    full = set(ends)
    for node in reversed(nodes):
        if node.id in full:
            full.update(_joined_in(node))
    if any(node.id == INPUT_RANGE for node in nodes):
        pixels = {INPUT}
        for node in nodes:
            is_of_pixels = node.id in RANGE_NODES or LAYERS[node.layer].family == "preprocessing"
            if is_of_pixels and pixels.issuperset(node.inputs):
                pixels.add(node.id)
        full |= pixels
    return full


def _joined_in(node: LayerNode) -> tuple[str, ...]:
    """Return the inputs of an output, or of a part of it, that joins maps; none of any other."""
    return node.inputs if node.layer in HEAD_JOINS else ()


def _of_channels(node: LayerNode, channels: int) -> LayerNode:
    parameters = node.parameters
    if node.layer == SCALING:
        scale, offset = (numbers_in(str(parameters[name]), float) for name in ("scale", "offset"))
        if max(len(scale), len(offset)) in (1, channels):
            return node
        colors = max(len(scale), len(offset))
        scale, offset = (each * colors if len(each) == 1 else each for each in (scale, offset))
        deviation = _mean([1 / each for each in scale])
        mean = _mean([-added / each for each, added in zip(scale, offset, strict=True)])
        values: dict[str, JsonValue] = {
            "scale": f"{1 / deviation:.{_DIGITS}g}",
            "offset": f"{-mean / deviation:.{_DIGITS}g}",
        }
    elif node.layer == "subtract_mean" and isinstance(parameters["mean"], tuple | list):
        colors = len(parameters["mean"])
        if (parameters["height"], parameters["width"]) != (1, 1) or colors == channels:
            return node
        values = {"mean": (_mean(parameters["mean"]),) * channels}
    else:
        return node
    return node.model_copy(update={"parameters": {**parameters, **values}})


def _mean(values: Sequence[object]) -> float:
    return statistics.fmean(float(str(value)) for value in values)


def _colored(spec: NetworkSpec, channels: int) -> NetworkSpec:
    repeats = any(node.id == COLOR_NODE for node in spec.nodes)
    seen = COLOR if repeats else spec.input.channels
    if channels == 1 and seen == COLOR:
        nodes = spec.nodes if repeats else gray_as_color(spec.nodes)
        return spec.model_copy(update={"nodes": nodes})
    if repeats:
        spec = without(spec, COLOR_NODE)
    if channels == seen:
        return spec
    return spec.model_copy(update={"nodes": with_channels(spec.nodes, channels)})


def rewired(nodes: Iterable[LayerNode], old: str, new: str) -> tuple[LayerNode, ...]:
    """Return the nodes with another input wherever they read that of an id.

    Args:
        nodes: The nodes.
        old: The id.
        new: Id of the other input.
    """
    return tuple(_rewired(node, old, new) for node in nodes)


def _rewired(node: LayerNode, old: str, new: str) -> LayerNode:
    if old not in node.inputs:
        return node
    inputs = tuple(new if source == old else source for source in node.inputs)
    return node.model_copy(update={"inputs": inputs})


def _changed(
    spec: NetworkSpec, ids: set[str], change: Callable[[LayerNode], LayerNode]
) -> NetworkSpec:
    nodes = tuple(change(node) if node.id in ids else node for node in spec.nodes)
    return spec.model_copy(update={"nodes": nodes})


def _count(node: LayerNode) -> JsonValue:
    """Return the number of outputs in a layer's own settings; None where it has none."""
    values = _config(node) if node.layer == _OPAQUE else node.parameters
    return next((values[name] for name in _COUNTS if name in values), None)


def _counting(node: LayerNode, classes: int) -> LayerNode:
    values = _config(node) if node.layer == _OPAQUE else dict(node.parameters)
    name = next(name for name in _COUNTS if name in values)
    values[name] = classes
    if node.layer == _OPAQUE:
        values = {**node.parameters, "config": json.dumps(values)}
    return node.model_copy(update={"parameters": values})


def _config(node: LayerNode) -> dict[str, JsonValue]:
    """Return the configuration of a layer that only Keras knows."""
    config: dict[str, JsonValue] = json.loads(str(node.parameters.get("config") or "{}"))
    return config


# The same features with the simplest head: one dense layer, as linear classifiers have it.

POOL = "head_pool"
"""Id of the layer that takes the mean over a grid of features."""

# A head that begins with features of this kind gets a grid of them.
_TAKE_GRIDS = {
    "conv2d",
    "depthwise_conv2d",
    "separable_conv2d",
    "max_pool",
    "average_pool",
    "global_average_pool",
    "global_max_pool",
    "flatten",
    "Conv2D",
    "MaxPooling2D",
    "AveragePooling2D",
    "GlobalAveragePooling2D",
    "GlobalMaxPooling2D",
    "Flatten",
}


def with_linear_head(spec: NetworkSpec) -> NetworkSpec:
    """Return the network with a dense layer and a softmax in the place of its head.

    A grid of features is averaged first. Auxiliary heads go, too: nothing is trained behind them.

    Raises:
        StudioError: Features from several layers go into the head.
    """
    head = head_of(spec)
    body = [node for node in spec.nodes if node.id not in head]
    main = ancestors(spec, spec.output) & head
    members = [node for node in spec.nodes if node.id in main]
    sources = {source for node in members for source in node.inputs if source not in head}
    if len(sources) != 1 or sources == {INPUT}:
        raise StudioError(
            "The head of {network} uses features of {count} layers, so a linear classifier "
            "cannot replace it.",
            'Let "gradient" train the head, or choose another network.',
            "head_solver",
            network=spec.name,
            count=len(sources - {INPUT}),
        )
    (source,) = sources
    added = []
    if _takes_grid(members):
        added.append(_node(POOL, "global_average_pool", source, {}))
        source = POOL
    dense: dict[str, JsonValue] = {"units": spec.classes, "activation": "softmax"}
    added.append(_node(HEAD, "dense", source, dense))
    body_ids = {node.id for node in body}
    return spec.model_copy(
        update={
            "nodes": (*body, *added),
            "output": HEAD,
            "auxiliary": (),
            "positions": {id_: at for id_, at in spec.positions.items() if id_ in body_ids},
        }
    )


def _takes_grid(head: list[LayerNode]) -> bool:
    kinds = {
        str(node.parameters.get("class_name")) if node.layer == "keras" else node.layer
        for node in head
    }
    return bool(kinds & _TAKE_GRIDS)


def _node(node_id: str, layer: str, source: str, parameters: dict[str, JsonValue]) -> LayerNode:
    complete = LAYERS[layer].parameters.parse(parameters).model_dump()
    return LayerNode(
        id=node_id, layer=layer, parameters=complete, inputs=(source,), block=HEAD_BLOCK
    )
