"""From a Keras model, whoever made it, to the description of a network.

Models inside the model are laid flat. Weights stay where they are; `ReadNetwork.names` says
which layer of the model each node came from.
"""

from __future__ import annotations

import keras

from studio.engine.compute.build import BATCH_NORM_MOMENTUM, frozen_up_to
from studio.engine.compute.endings import ending_of, image_shape
from studio.engine.compute.graph import IMAGES, Call, calls_of, functional
from studio.engine.compute.inspection import examine
from studio.engine.compute.layers import grow_backbone, without_weights
from studio.engine.compute.names import Ids
from studio.engine.compute.operations import as_layer
from studio.engine.compute.outputs import classifier
from studio.engine.compute.translate import FOREIGN, describe
from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.networks.checks import check
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BackboneParameters
from studio.engine.networks.parts import INNER, block_of, frozen_count
from studio.engine.networks.report import ReadNetwork
from studio.engine.networks.spec import (
    INPUT,
    InputShape,
    JsonValue,
    LayerNode,
    NetworkSpec,
)

UNSCALED = (
    "The model does not scale pixels itself. It is given raw pixels, 0 to 255: if it was "
    "trained on others, put a rescaling before its first layer."
)
_SCALING = ("Rescaling", "Normalization", "BatchNormalization", "LayerNormalization")

USUAL_SIDE = 224
"""Size of the images where a model leaves it open."""


def read_model(model: keras.Model, name: str = "", *, loss: str = "") -> ReadNetwork:
    """Describe a functional or sequential model.

    Args:
        model: The model; it stays as it is.
        name: What the network is called; the model's own name when empty.
        loss: Name of the loss that it was trained with; empty if unknown.

    Raises:
        StudioError: It does not take one image and give one score per class, it is a class of
            its own, or it has a layer that is not one of Keras; says which and why.
    """
    flat = functional(model)
    notes: list[str] = []
    shape = _input_shape(flat, notes)
    calls, ends = calls_of(list(flat.inputs), list(flat.outputs))
    nodes, names = _nodes(calls, notes)
    spec = classifier(
        name or str(model.name),
        shape,
        nodes,
        [
            (nodes[end].id, tuple(tensor.shape[1:]), ending_of(tensor, loss))
            for end, tensor in zip(ends, flat.outputs, strict=True)
        ],
        notes,
    )
    raise_if_serious(check(spec))
    if not scales_pixels(calls):
        notes.append(UNSCALED)
    return ReadNetwork(spec=spec, notes=tuple(notes), names=names)


def expand(spec: NetworkSpec) -> NetworkSpec:
    """The same network with the layers of its backbones as nodes.

    They are called by their published names where those are free, so that published weights find
    them.

    Raises:
        StudioError: A backbone does not fit what comes in, or has layers that no node can say.
    """
    if all(node.layer != "backbone" for node in spec.nodes):
        return spec
    found = examine(spec)
    ids = Ids({node.id for node in spec.nodes})
    nodes: list[LayerNode] = []
    ends: dict[str, str] = {}
    for node in spec.nodes:
        if node.layer != "backbone":
            nodes.append(node)
            continue
        report = found.nodes.get(node.id)
        if report is None:
            problem = next((p for p in found.problems if p.serious), None)
            raise StudioError(
                problem.message if problem else f'Nothing leads to the backbone "{node.id}".',
                problem.hint if problem else "Wire it in.",
                node.id,
            )
        size = report.input_shapes[0]
        nodes += _expanded(node, tuple(side or USUAL_SIDE for side in size), ids)
        ends[node.id] = nodes[-1].id
    rewired = (
        node.model_copy(update={"inputs": tuple(ends.get(i, i) for i in node.inputs)})
        for node in nodes
    )
    update = {
        "nodes": tuple(rewired),
        "output": ends.get(spec.output, spec.output),
        "positions": {},
    }
    return spec.model_copy(update=update)


def _expanded(node: LayerNode, shape: tuple[int, ...], ids: Ids) -> list[LayerNode]:
    """The layers of a backbone as nodes, the last of which gives its output."""
    parameters = BackboneParameters.parse(node.parameters)
    with without_weights():
        incoming = keras.Input(shape, dtype="float32")
        layers, output = grow_backbone(node.id, parameters, incoming)
        for layer in layers:
            if isinstance(layer, keras.layers.BatchNormalization):
                layer.momentum = BATCH_NORM_MOMENTUM
        last = frozen_up_to(node)
        names = [layer.name.partition(INNER)[2] for layer in layers]
        still = layers if node.frozen else layers[: frozen_count(names, last) if last else 0]
        for layer in still:
            layer.trainable = False
        calls, _ = calls_of([incoming], [output])
        nodes, _ = _nodes(calls, [], ids)
    first = node.inputs[0]
    return [
        inner.model_copy(
            update={
                "inputs": tuple(first if source == INPUT else source for source in inner.inputs),
                "rate": node.rate,
                "block": inner.block or node.block,
            }
        )
        for inner in nodes
    ]


def _nodes(
    calls: list[Call], notes: list[str], ids: Ids | None = None
) -> tuple[list[LayerNode], dict[str, str]]:
    """One node for each call, and the path of its layer by its id."""
    ids = ids or Ids(set())
    nodes: list[LayerNode] = []
    names: dict[str, str] = {}
    _refuse_shared(calls)
    with without_weights():
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
    kept = sorted({str(n.parameters["class_name"]) for n in nodes if n.layer == FOREIGN})
    if kept:
        notes.append(
            f"Kept as Keras wrote them, with settings that have no form here: {', '.join(kept)}."
        )
    if any(call.still for call in calls):
        notes.append(
            "A part of the model is always called as in use (training=False): its batch "
            "normalization is frozen here, which is the same."
        )
    return nodes, names


def _described(call: Call) -> tuple[str, dict[str, JsonValue]]:
    """Layer and parameters of the node for a call."""
    if not isinstance(call.layer, keras.Layer):
        return as_layer(call)
    if call.arguments:
        raise StudioError(
            f'The layer "{call.path}" is called with more than what comes in: '
            f"{', '.join(call.arguments)}.",
            "A network here passes each layer one tensor, or one list of tensors.",
            call.path,
        )
    layer, parameters = describe(call.layer)
    described = LAYERS[layer]
    if len(call.sources) > 1 and not (described.joins or described.any_inputs):
        raise StudioError(
            f'The layer "{call.path}" takes {len(call.sources)} tensors.', where=call.path
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
                f'The layer "{call.path}" is used at several places with the same weights.',
                "Give each place a layer of its own; shared weights cannot be described.",
                call.path,
            )
        seen.add(id(call.layer))


def _input_shape(model: keras.Model, notes: list[str]) -> InputShape:
    """The size of the images that a model takes."""
    height, width, channels = image_shape(model)
    if height is None or width is None:
        notes.append(
            f"The model takes images of any size; {USUAL_SIDE}x{USUAL_SIDE} is written down, "
            "and any other can be chosen."
        )
    return InputShape(height=height or USUAL_SIDE, width=width or USUAL_SIDE, channels=channels)


def scales_pixels(calls: list[Call]) -> bool:
    """True if pixels are scaled on their way to the first weights, on any branch.

    Args:
        calls: All calls of a model, of models inside as well, each after those it depends on.
    """
    raw = {IMAGES}
    for at, call in enumerate(calls):
        if not raw.intersection(call.sources):
            continue
        if _is_scaling(call):
            return True
        if not getattr(call.layer, "weights", None):
            raw.add(at)
    return False


def _is_scaling(call: Call) -> bool:
    if isinstance(call.layer, keras.Layer):
        return type(call.layer).__name__ in _SCALING
    try:
        return as_layer(call)[0] == "rescaling"
    except StudioError:
        return False
