"""Conversion of any Keras model to the description of a network.

Models inside the model are laid flat. Weights stay where they are; `ReadNetwork.names` says
which layer of the model each node came from.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import keras

from studio.engine.compute import build
from studio.engine.compute.graph import (
    IMAGES,
    Call,
    Ending,
    calls_of,
    ending_of,
    functional,
    image_shape,
)
from studio.engine.compute.image_shapes import USUAL_SIDE, Shape
from studio.engine.compute.inspection import examine
from studio.engine.compute.pixel_range import scales_pixels
from studio.engine.compute.translate import FOREIGN, describe
from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.messages import joined, message
from studio.engine.networks.checks import check
from studio.engine.networks.heads.head import size_text
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import (
    BACKBONE,
    INSIDE_BACKBONE,
    BackboneParameters,
    InsideParameters,
)
from studio.engine.networks.layers.foreign import KerasParameters
from studio.engine.networks.layers.shape import BOX_HEAD
from studio.engine.networks.parts import INNER, block_of, clean, frozen_count
from studio.engine.networks.spec import (
    HEAD_BLOCK,
    INPUT,
    AuxiliaryHead,
    InputShape,
    JsonValue,
    LayerNode,
    NetworkSpec,
    ReadNetwork,
    ancestors,
    topological_order,
)
from studio.engine.tasks import first_task
from studio.engine.tasks.boxes import SIDES
from studio.engine.tasks.outputs import OBJECT_MASKS, PIXELS, POSITIONS, VECTOR

# Ids for layers with foreign names.


class Ids:
    """Gives each layer an id of its own derived from its name.

    Args:
        taken: Ids that others have.
    """

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken | {INPUT}

    def of(self, path: str) -> str:
        """Return the layer's name if it is free, otherwise its path, with a number if needed."""
        own = path.rpartition("/")[2].rpartition(INNER)[2]
        for candidate in (clean(own), clean(path)):
            if candidate not in self._taken:
                return self._take(candidate)
        number = 2
        while f"{candidate}_{number}" in self._taken:
            number += 1
        return self._take(f"{candidate}_{number}")

    def _take(self, text: str) -> str:
        self._taken.add(text)
        return text


# Arithmetic in a Keras model, such as `x / 255`, as layers that do the same.

_JOINS = {
    "Add": "add",
    "Subtract": "subtract",
    "Multiply": "multiply",
    "Maximum": "maximum",
    "Minimum": "minimum",
}
_FUNCTIONS = {
    "Relu": "relu",
    "ReLU": "relu",  # of keras.activations
    "Relu6": "relu6",
    "Elu": "elu",
    "Selu": "selu",
    "Silu": "silu",
    "HardSilu": "hard_silu",
    "Sigmoid": "sigmoid",
    "HardSigmoid": "hard_sigmoid",
    "Softplus": "softplus",
    "Tanh": "tanh",
}


def as_layer(call: Call) -> tuple[str, dict[str, JsonValue]]:
    """Return the name of a layer and its parameters that do what an operation does.

    Raises:
        StudioError: No layer does that.
    """
    kind = type(call.layer).__name__
    scale_and_offset = _scale_and_offset(kind, call)
    if scale_and_offset is not None:
        scale, offset = scale_and_offset
        return "rescaling", {"scale": scale, "offset": offset}
    if kind in _FUNCTIONS and not call.arguments and not _is_bent(call.layer):
        return "activation", {"activation": _FUNCTIONS[kind]}
    if kind in _JOINS and len(call.sources) == 2:
        return _JOINS[kind], LAYERS[_JOINS[kind]].parameters.parse({}).model_dump()
    raise StudioError(
        'The model computes "{operation}" ({kind}) outside of a layer.',
        "Replace it with a Keras layer.",
        call.path,
        operation=call.path,
        kind=kind,
    )


def _is_bent(operation: object) -> bool:
    """Return True for a ReLU with a slope, a maximum or a threshold."""
    settings = ("negative_slope", "max_value", "threshold")
    return any(getattr(operation, name, None) for name in settings)


def _scale_and_offset(kind: str, call: Call) -> tuple[float, float] | None:
    """Factor and addend of an operation on one tensor and one number; None for any other."""
    if kind == "Negative" and not call.arguments:
        return -1.0, 0.0
    if len(call.sources) != 1 or len(call.arguments) != 1:
        return None
    ((position, number),) = call.arguments.items()
    if not isinstance(number, int | float):
        return None
    value = float(number)
    first = position == "argument 0"
    if kind in ("Divide", "TrueDivide"):
        return None if first or not value else (1 / value, 0.0)
    return {
        "Add": (1.0, value),
        "Multiply": (value, 0.0),
        "Subtract": (-1.0, value) if first else (1.0, -value),
    }.get(kind)


# What a model from elsewhere ends in, made into probabilities of classes.

HEAD_CLASSES = 2
"""Classes of a model without a head, until it meets a dataset."""

_OUTPUTS = {Ending.MASKS: PIXELS, Ending.BOXES: POSITIONS, Ending.OBJECT_MASKS: OBJECT_MASKS}
_WITHOUT_WEIGHTS = {"activation", "dropout", "identity"}
_SUMMING_UP = {"flatten", "global_average_pool", "global_max_pool"}
_DENSE = {"dense", "Dense"}
_CONVOLUTIONS = {"conv2d", "separable_conv2d", "Conv2D", "SeparableConv2D"}


def classifier(
    name: str,
    shape: InputShape,
    nodes: list[LayerNode],
    ends: list[tuple[str, Shape, Ending]],
    notes: list[str],
) -> NetworkSpec:
    """Return the network whose nodes these are, with a softmax over classes at its end.

    The notes list what had to be added.

    Args:
        name: Its name.
        shape: Size of its images.
        nodes: Its nodes, in order.
        ends: Ids, shapes (without the batch) and endings of the nodes that give the outputs.
        notes: Receives remarks for the user.

    Raises:
        StudioError: It gives several outputs of different sizes, or the same one twice.
    """
    if len({end for end, _, _ in ends}) != len(ends) or not ends:
        raise StudioError("The model has a duplicate output, or none.")
    output, given, _ = ends[0]
    network = _Ending(nodes, notes)
    if len(ends) > 1 and any(other != given for _, other, _ in ends[1:]):
        sizes = joined([size_text(size) for _, size, _ in ends], ", ")
        raise StudioError(
            "The model has {count} outputs, {sizes}; one score per class is expected.",
            "Build a model with one output.",
            count=len(ends),
            sizes=sizes,
        )
    finished = [
        (end, _OUTPUTS[ending].classes_in(size[-1] or 0))
        if ending in (Ending.BOXES, Ending.OBJECT_MASKS)
        else network.finish(end, size, ending)
        for end, size, ending in ends
    ]
    if len(ends) > 1:
        notes.append("The outputs after the first one are treated as auxiliary heads.")
    output, classes = finished[0]
    kind = _OUTPUTS.get(ends[0][2], VECTOR)
    _mark_head(network.nodes, output)
    return NetworkSpec(
        name=name,
        input=shape,
        classes=classes,
        task=first_task(kind).name,
        nodes=tuple(network.nodes),
        output=output,
        auxiliary=tuple(AuxiliaryHead(node=node) for node, _ in finished[1:]),
    )


class _Ending:
    def __init__(self, nodes: list[LayerNode], notes: list[str]) -> None:
        self.nodes = list(nodes)
        self._notes = notes
        self._ids = Ids({node.id for node in nodes})

    def finish(self, end: str, shape: Shape, ending: Ending) -> tuple[str, int]:
        """Return the id of a node that gives probabilities, and of how many classes."""
        if ending == Ending.MASKS:
            at = next(i for i, node in enumerate(self.nodes) if node.id == end)
            return self._plainly_softmax(at), shape[-1] or HEAD_CLASSES
        if len(shape) == 3:
            end = self._add("global_average_pool", "pooling", end)
            return self._new_head(end, "features of images")
        at = next(i for i, node in enumerate(self.nodes) if node.id == end)
        if ending == Ending.PROBABILITIES:
            return self._plainly_softmax(at), shape[0] or HEAD_CLASSES
        if ending == Ending.LOGITS:
            self._notes.append(
                "The model ends in scores that are not probabilities; a softmax was added."
            )
            return self._softmax(end), shape[0] or HEAD_CLASSES
        if ending == Ending.FEATURES:
            return self._new_head(end, "features")
        self._notes.append(
            "The model ends in one number for two classes; a dense layer of two classes with "
            "softmax takes its place."
        )
        return self._two_classes(at), 2

    def _two_classes(self, at: int) -> str:
        """Put a dense layer of two classes in the place of one that gives one number."""
        node = self.nodes[at]
        while node.layer in _WITHOUT_WEIGHTS and len(node.inputs) == 1:
            before = next(
                (i for i, each in enumerate(self.nodes) if each.id == node.inputs[0]), None
            )
            if before is None:
                break
            del self.nodes[at]
            at, node = before, self.nodes[before]
        if _kind(node) not in _DENSE:
            return self._add("dense", "predictions", node.id, units=2, activation="softmax")
        values = LAYERS["dense"].parameters.parse({"units": 2, "activation": "softmax"})
        update = {"layer": "dense", "parameters": values.model_dump()}
        self.nodes[at] = node.model_copy(update=update)
        return node.id

    def _plainly_softmax(self, at: int) -> str:
        """Return id of a node that says that it gives probabilities: a foreign layer cannot."""
        node = self.nodes[at]
        config = KerasParameters.parse(node.parameters).settings if node.layer == FOREIGN else {}
        if config.get("activation") != "softmax":
            return node.id
        config |= {"activation": "linear"}
        parameters = {**node.parameters, "config": json.dumps(config)}
        self.nodes[at] = node.model_copy(update={"parameters": parameters})
        return self._softmax(node.id)

    def _new_head(self, end: str, what: str) -> tuple[str, int]:
        self._notes.append(
            message(
                "The model ends in {last_layer} and has no head; a dense layer of {classes} "
                "classes was added, which is replaced for each dataset.",
                last_layer=what,
                classes=HEAD_CLASSES,
            )
        )
        head = self._add("dense", "predictions", end, units=HEAD_CLASSES, activation="softmax")
        return head, HEAD_CLASSES

    def _softmax(self, end: str) -> str:
        return self._add("activation", "predictions", end, activation="softmax")

    def _add(self, layer: str, preferred: str, after: str, **values: JsonValue) -> str:
        parameters = LAYERS[layer].parameters.parse(values).model_dump()
        node_id = self._ids.of(preferred)
        self.nodes.append(
            LayerNode(id=node_id, layer=layer, parameters=parameters, inputs=(after,))
        )
        return node_id


def _mark_head(nodes: list[LayerNode], output: str) -> None:
    """Put what comes after the features into the block of the head.

    That is what comes after the last flatten or global pooling, if there is anything to learn in
    it; otherwise the last layer with weights and what comes after it. Of a network for boxes, it
    is the box head and the layers of its maps.
    """
    indices = {node.id: at for at, node in enumerate(nodes)}
    last = nodes[indices[output]]
    if last.layer == BOX_HEAD.name:
        for node_id in (output, *last.inputs):
            at = indices[node_id]
            nodes[at] = nodes[at].model_copy(update={"block": HEAD_BLOCK, "frozen": False})
        return
    head: list[int] = []
    learning = 0
    at = indices[output]
    while True:
        node = nodes[at]
        if node.layer in _SUMMING_UP and learning:
            break
        head.append(at)
        if _kind(node) in _DENSE | _CONVOLUTIONS:
            learning = len(head)
        if _kind(node) in _CONVOLUTIONS:
            break
        if len(node.inputs) != 1 or node.inputs[0] not in indices:
            head = head[: max(learning, 1)]
            break
        at = indices[node.inputs[0]]
    for at in head:
        nodes[at] = nodes[at].model_copy(update={"block": HEAD_BLOCK, "frozen": False})


def _kind(node: LayerNode) -> str:
    return str(node.parameters["class_name"]) if node.layer == FOREIGN else node.layer


UNSCALED = (
    "The model does not scale pixels. It receives raw pixels from 0 to 255; if it was trained on "
    "another range, add a rescaling before its first layer."
)


def read_model(model: keras.Model, name: str = "", *, loss: str = "") -> ReadNetwork:
    """Describe a functional or sequential model.

    Args:
        model: The model; it stays as it is.
        name: Name of the network; empty for that of the model.
        loss: Name of the loss that it was trained with; empty if unknown.

    Raises:
        StudioError: It does not take one image and give one score per class, it is a class of
            its own, or it has a layer that is not one of Keras; says which and why.
    """
    flat = functional(model)
    notes: list[str] = []
    shape = _input_shape(flat, notes)
    calls, ends = calls_of(list(flat.inputs), list(flat.outputs))
    heads = {end: head for end in ends if (head := _box_head(calls, end)) is not None}
    nodes, names = nodes_of(calls, notes)
    for end, head in heads.items():
        path = names.pop(nodes[end].id)
        nodes[end] = _joining(nodes, end, head, path)
        names[nodes[end].id] = path
    endings = [
        (
            nodes[end].id,
            tuple(tensor.shape[1:]),
            _ending_with(heads[end]) if end in heads else ending_of(tensor, loss),
        )
        for end, tensor in zip(ends, flat.outputs, strict=True)
    ]
    inner = {at for head in heads.values() for at in head.inner}
    nodes = [node for at, node in enumerate(nodes) if at not in inner]
    names = {node.id: names[node.id] for node in nodes}
    spec = classifier(name or str(model.name), shape, nodes, endings, notes)
    raise_if_serious(check(spec))
    if not scales_pixels(calls):
        notes.append(UNSCALED)
    return ReadNetwork(spec=spec, notes=tuple(notes), names=names)


@dataclass(frozen=True, slots=True)
class _BoxHead:
    """The calls of a box head.

    Attributes:
        maps: For each level, the call of the classes and that of the distances.
        inner: Its own calls but the last.
        numbers: Numbers of a position beside the scores of the classes.
    """

    maps: tuple[int, ...]
    inner: frozenset[int]
    numbers: int


def _ending_with(head: _BoxHead) -> Ending:
    return Ending.BOXES if head.numbers == SIDES else Ending.OBJECT_MASKS


def _box_head(calls: list[Call], end: int) -> _BoxHead | None:
    """Return the box head that a call ends, see `build.grow_box_head`; None for other calls.

    Args:
        calls: Calls of a model.
        end: Index of the call that gives an output of the model.
    """
    joins = _concatenates(calls[end], axis=1)
    levels = calls[end].sources if joins else (end,)
    maps: list[int] = []
    inner: set[int] = set()
    for level in levels:
        reshaped = calls[level] if level != IMAGES else None
        if reshaped is None or type(reshaped.layer).__name__ != "Reshape":
            return None
        (both,) = reshaped.sources
        if both == IMAGES or not _concatenates(calls[both], axis=3):
            return None
        sources = calls[both].sources
        if len(sources) != 2 or IMAGES in sources:
            return None
        sides = tuple(calls[sources[1]].tensor.shape)
        if len(sides) != 4 or sides[3] < SIDES:
            return None
        maps += sources
        inner |= {level, both}
    shape = tuple(calls[end].tensor.shape)
    if len(shape) != 3:
        return None
    numbers = shape[2] - int(calls[maps[0]].tensor.shape[3])
    return _BoxHead(tuple(maps), frozenset(inner - {end}), numbers)


def _concatenates(call: Call, axis: int) -> bool:
    if type(call.layer).__name__ != "Concatenate":
        return False
    return call.layer.axis in (axis, axis - len(call.tensor.shape))


def _joining(nodes: list[LayerNode], end: int, head: _BoxHead, path: str) -> LayerNode:
    """Return the node of a box head in the place of the last of its layers.

    Args:
        nodes: Nodes of all calls.
        end: Index of that of the last layer.
        head: The box head.
        path: Path of the last layer; in models of Studio, the id of the box head and a name.
    """
    node, taken = nodes[end], {each.id for each in nodes}
    own = clean(path.partition(INNER)[0])
    return node.model_copy(
        update={
            "id": node.id if own in taken else own,
            "layer": BOX_HEAD.name,
            "parameters": BOX_HEAD.parameters().model_dump(),
            "inputs": tuple(nodes[at].id for at in head.maps),
        }
    )


def expand(spec: NetworkSpec) -> NetworkSpec:
    """Return the same network with the layers of its backbones as nodes.

    They are called by their published names where those are free, so that published weights find
    them.

    Raises:
        StudioError: A backbone does not fit what comes in, or has layers that no node can say.
    """
    if all(node.layer != BACKBONE.name for node in spec.nodes):
        return spec
    found = examine(spec)
    ids = Ids({node.id for node in spec.nodes})
    nodes: list[LayerNode] = []
    ends: dict[str, str] = {}
    inside: dict[str, str] = {}
    for node in topological_order(spec):
        if node.layer == INSIDE_BACKBONE.name:
            place = InsideParameters.parse(node.parameters)
            path = f"{node.inputs[0]}{INNER}{place.layer}"
            if path not in inside:
                raise build.not_inside(node, place.layer, inside)
            ends[node.id] = inside[path]
            if place.side == "input":
                (ends[node.id],) = next(each for each in nodes if each.id == inside[path]).inputs
            continue
        if node.layer != BACKBONE.name:
            nodes.append(node)
            continue
        report = found.nodes.get(node.id)
        if report is None:
            problem = next((p for p in found.problems if p.serious), None)
            raise StudioError(
                problem.message
                if problem
                else message('The backbone "{backbone}" has no input.', backbone=node.id),
                problem.hint if problem else "Connect it.",
                node.id,
            )
        size = report.input_shapes[0]
        grown, paths = _expanded(node, tuple(side or USUAL_SIDE for side in size), ids)
        nodes += grown
        ends[node.id] = nodes[-1].id
        inside |= {path: inner for inner, path in paths.items()}
    rewired = (
        node.model_copy(update={"inputs": tuple(ends.get(i, i) for i in node.inputs)})
        for node in nodes
    )
    update = {
        "nodes": tuple(rewired),
        "output": ends.get(spec.output, spec.output),
        "positions": {},
    }
    expanded = spec.model_copy(update=update)
    # Of a backbone that is used from inside alone, the rest is not needed.
    outputs = (expanded.output, *(head.node for head in expanded.auxiliary))
    used = {each for output in outputs for each in ancestors(expanded, output)}
    unused = set(inside.values()) - used
    kept = tuple(node for node in expanded.nodes if node.id not in unused)
    return expanded.model_copy(update={"nodes": kept})


def _expanded(
    node: LayerNode, shape: tuple[int, ...], ids: Ids
) -> tuple[list[LayerNode], dict[str, str]]:
    """Return the layers of a backbone as nodes, the last of which gives its output; their paths.

    Args:
        node: The backbone.
        shape: Shape of the input.
        ids: Existing ids.
    """
    parameters = BackboneParameters.parse(node.parameters)
    with build.without_weights():
        incoming = keras.Input(shape, dtype="float32")
        layers, output = build.grow_backbone(node.id, parameters, incoming)
        for layer in layers:
            if isinstance(layer, keras.layers.BatchNormalization):
                layer.momentum = build.BATCH_NORM_MOMENTUM
        last = build.frozen_up_to(node)
        names = [layer.name.partition(INNER)[2] for layer in layers]
        still = layers if node.frozen else layers[: frozen_count(names, last) if last else 0]
        for layer in still:
            layer.trainable = False
        calls, _ = calls_of([incoming], [output])
        nodes, paths = nodes_of(calls, [], ids)
    first = node.inputs[0]
    grown = [
        inner.model_copy(
            update={
                "inputs": tuple(first if source == INPUT else source for source in inner.inputs),
                "rate": node.rate,
                "block": inner.block or node.block,
            }
        )
        for inner in nodes
    ]
    return grown, paths


def nodes_of(
    calls: list[Call], notes: list[str], ids: Ids | None = None
) -> tuple[list[LayerNode], dict[str, str]]:
    """Return one node for each call, and the path of its layer by its id.

    Args:
        calls: Calls of a model, see `graph.calls_of`.
        notes: Receives remarks for the user.
        ids: Ids that others have; None for none.

    Raises:
        StudioError: No node can be a call; names the layer.
    """
    ids = ids or Ids(set())
    nodes: list[LayerNode] = []
    names: dict[str, str] = {}
    _refuse_shared(calls)
    with build.without_weights():
        for call in calls:
            layer, parameters = _described(call)
            node = LayerNode(
                id=ids.of(call.path),
                layer=layer,
                parameters=parameters,
                inputs=tuple(INPUT if at == IMAGES else nodes[at].id for at in call.sources),
                block=block_of(call.path),
                frozen=_is_still(call),
            )
            nodes.append(node)
            names[node.id] = call.path
    foreign = sorted({str(n.parameters["class_name"]) for n in nodes if n.layer == FOREIGN})
    if foreign:
        notes.append(
            message(
                "Kept as written by Keras, because Studio has no form for their settings: "
                "{layers}.",
                layers=", ".join(foreign),
            )
        )
    if any(call.still for call in calls):
        notes.append(
            "A part of the model is always called with training=False, so its batch normalization "
            "is frozen."
        )
    return nodes, names


def _described(call: Call) -> tuple[str, dict[str, JsonValue]]:
    """Layer and parameters of the node for a call."""
    if not isinstance(call.layer, keras.Layer):
        return as_layer(call)
    if call.arguments:
        raise StudioError(
            'The layer "{layer}" is called with additional arguments: {arguments}.',
            "Each layer must receive one tensor or one list of tensors.",
            call.path,
            layer=call.path,
            arguments=", ".join(call.arguments),
        )
    layer, parameters = describe(call.layer)
    described = LAYERS[layer]
    if len(call.sources) > 1 and not (described.joins or described.any_inputs):
        raise StudioError(
            'The layer "{layer}" takes {count} tensors.',
            where=call.path,
            layer=call.path,
            count=len(call.sources),
        )
    return layer, parameters


def _is_still(call: Call) -> bool:
    norm = isinstance(call.layer, keras.layers.BatchNormalization)
    return isinstance(call.layer, keras.Layer) and (
        not call.layer.trainable or (call.still and norm)
    )


def _refuse_shared(calls: list[Call]) -> None:
    seen: set[int] = set()
    for call in calls:
        if id(call.layer) in seen and getattr(call.layer, "weights", []):
            raise StudioError(
                'The layer "{layer}" is used several times with the same weights.',
                "Use a separate layer for each call; shared weights are not supported.",
                call.path,
                layer=call.path,
            )
        seen.add(id(call.layer))


def _input_shape(model: keras.Model, notes: list[str]) -> InputShape:
    """Return the size of the images that a model takes."""
    height, width, channels = image_shape(model)
    if height is None or width is None:
        notes.append(
            message(
                "The model supports images of any size; {side}x{side} is used, and you can choose "
                "another.",
                side=USUAL_SIDE,
            )
        )
    return InputShape(height=height or USUAL_SIDE, width=width or USUAL_SIDE, channels=channels)
