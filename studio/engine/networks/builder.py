"""A short way to write a network down, for the zoo and for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Self

from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import (
    INPUT,
    AuxiliaryHead,
    InputShape,
    JsonValue,
    LayerNode,
    NetworkSpec,
)


class GraphBuilder:
    """Adds layers one after another, each to the last one by default.

    Examples:
        >>> net = GraphBuilder("Softmax regression", InputShape(height=8, width=8, channels=1), 10)
        >>> net = net.add("flatten").add("dense", units=10, activation="softmax")
        >>> net.spec().output
        'dense_1'

    Attributes:
        shape: Size of the images.
        classes: Number of classes.
        last: Id of the layer added last, to branch off from; `INPUT` at first.
    """

    def __init__(self, name: str, shape: InputShape, classes: int) -> None:
        self.shape = shape
        self.classes = classes
        self.last = INPUT
        self._name = name
        self._nodes: list[LayerNode] = []
        self._made: Counter[str] = Counter()
        self._block = ""
        self._auxiliary: list[AuxiliaryHead] = []

    def in_block(self, block: str) -> Self:
        """Let the layers that follow be part of a block; of none when empty."""
        self._block = block
        return self

    def auxiliary(self, node_id: str, weight: float) -> Self:
        """Let a layer that gives probabilities be a further output that helps training.

        Args:
            node_id: Id of the layer.
            weight: Factor of its loss.
        """
        self._auxiliary.append(AuxiliaryHead(node=node_id, weight=weight))
        return self

    def add(
        self,
        layer: str,
        node_id: str = "",
        *,
        after: str | tuple[str, ...] = "",
        block: str = "",
        **parameters: JsonValue,
    ) -> Self:
        """Add a layer.

        All parameters are written down, defaults too: a network that was saved means the same
        when a default changes.

        Args:
            layer: Name of a registered layer.
            node_id: Its id; the layer's name and a number when empty.
            after: Id or ids of what comes in; the layer added last when empty.
            block: Block that it is part of; that of `in_block` when empty.
            **parameters: Values of the layer's parameters.

        Raises:
            StudioError: There is no such layer, or a parameter does not fit.
        """
        complete = LAYERS[layer].parameters.parse(parameters).model_dump()
        self._made[layer] += 1
        node_id = node_id or f"{layer}_{self._made[layer]}"
        inputs = (after,) if isinstance(after, str) else after
        if inputs == ("",):
            inputs = (self.last,)
        self._nodes.append(
            LayerNode(
                id=node_id,
                layer=layer,
                parameters=complete,
                inputs=inputs,
                block=block or self._block,
            )
        )
        self.last = node_id
        return self

    def extend(self, nodes: Iterable[LayerNode], *, after: str) -> Self:
        """Add the nodes of another network, as they are.

        Args:
            nodes: The nodes.
            after: Id of what they get in place of the images.
        """
        for node in nodes:
            inputs = tuple(after if source == INPUT else source for source in node.inputs)
            self._nodes.append(node.model_copy(update={"inputs": inputs}))
            self.last = node.id
        return self

    def spec(self) -> NetworkSpec:
        """Return the network so far; the layer added last is its output."""
        return NetworkSpec(
            name=self._name,
            input=self.shape,
            classes=self.classes,
            nodes=tuple(self._nodes),
            output=self.last,
            auxiliary=tuple(self._auxiliary),
        )
