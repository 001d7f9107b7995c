"""What a model from elsewhere ends in, made into probabilities of classes."""

from __future__ import annotations

import json

from studio.engine.compute.endings import Ending, Shape, size_text
from studio.engine.compute.names import Ids
from studio.engine.compute.translate import FOREIGN
from studio.engine.errors import StudioError
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.foreign import KerasParameters
from studio.engine.networks.spec import (
    HEAD_BLOCK,
    AuxiliaryHead,
    InputShape,
    JsonValue,
    LayerNode,
    NetworkSpec,
)

UNTOLD_CLASSES = 2
"""Classes of a model without a head, until it meets a dataset."""

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
    """The network whose nodes these are, with a softmax over classes at its end.

    What had to be added is said in the notes.

    Args:
        name: What it is called.
        shape: Size of its images.
        nodes: Its nodes, in order.
        ends: Ids, shapes (without the batch) and endings of the nodes that give the outputs.
        notes: What a person should know is added here.

    Raises:
        StudioError: It gives several outputs of different sizes, or the same one twice.
    """
    if len({end for end, _, _ in ends}) != len(ends) or not ends:
        raise StudioError("The model gives the same output twice, or none.")
    output, given, _ = ends[0]
    network = _Ending(nodes, notes)
    if len(ends) > 1 and any(other != given for _, other, _ in ends[1:]):
        sizes = " and ".join(size_text(size) for _, size, _ in ends)
        raise StudioError(
            f"The model gives {len(ends)} outputs, {sizes}; one score per class is understood.",
            "Make a model of one output.",
        )
    finished = [network.finish(*end) for end in ends]
    if len(ends) > 1:
        notes.append("The outputs after the first are taken for auxiliary heads.")
    output, classes = finished[0]
    _mark_head(network.nodes, output)
    return NetworkSpec(
        name=name,
        input=shape,
        classes=classes,
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
        """The id of a node that gives probabilities, and of how many classes."""
        if len(shape) == 3:
            end = self._add("global_average_pool", "pooling", end)
            return self._new_head(end, "features of images")
        at = next(i for i, node in enumerate(self.nodes) if node.id == end)
        if ending == Ending.PROBABILITIES:
            return self._plainly_softmax(at), shape[0] or UNTOLD_CLASSES
        if ending == Ending.LOGITS:
            self._notes.append(
                "The model ends in scores that are no probabilities; a softmax was added."
            )
            return self._softmax(end), shape[0] or UNTOLD_CLASSES
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
        """Id of a node that says that it gives probabilities: a foreign layer cannot."""
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
            f"The model ends in {what} and has no head; a dense layer of {UNTOLD_CLASSES} classes "
            "was added, which a dataset replaces by one of its own."
        )
        head = self._add("dense", "predictions", end, units=UNTOLD_CLASSES, activation="softmax")
        return head, UNTOLD_CLASSES

    def _softmax(self, end: str) -> str:
        return self._add("activation", "predictions", end, activation="softmax")

    def _add(self, layer: str, wish: str, after: str, **values: JsonValue) -> str:
        parameters = LAYERS[layer].parameters.parse(values).model_dump()
        node_id = self._ids.of(wish)
        self.nodes.append(
            LayerNode(id=node_id, layer=layer, parameters=parameters, inputs=(after,))
        )
        return node_id


def _mark_head(nodes: list[LayerNode], output: str) -> None:
    """Put what comes after the features into the block of the head.

    That is what comes after the last flatten or global pooling, if there is anything to learn in
    it; otherwise the last layer with weights and what comes after it.
    """
    places = {node.id: at for at, node in enumerate(nodes)}
    head: list[int] = []
    learning = 0
    at = places[output]
    while True:
        node = nodes[at]
        if node.layer in _SUMMING_UP and learning:
            break
        head.append(at)
        if _kind(node) in _DENSE | _CONVOLUTIONS:
            learning = len(head)
        if _kind(node) in _CONVOLUTIONS:
            break
        if len(node.inputs) != 1 or node.inputs[0] not in places:
            head = head[: max(learning, 1)]
            break
        at = places[node.inputs[0]]
    for at in head:
        nodes[at] = nodes[at].model_copy(update={"block": HEAD_BLOCK, "frozen": False})


def _kind(node: LayerNode) -> str:
    return str(node.parameters["class_name"]) if node.layer == FOREIGN else node.layer
