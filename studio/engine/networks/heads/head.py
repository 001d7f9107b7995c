"""Interface of a head: how it is built, what it ends in, and what is wrong with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from studio.engine.errors import StudioError
from studio.engine.messages import joined, message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import LayerNode, NetworkSpec
from studio.engine.tasks.outputs import Output

if TYPE_CHECKING:
    from studio.engine.networks.zoo.network import ZooNetwork

OutputShape = tuple[int | None, ...]
"""Shape of an output without the batch; None for an unknown size."""


class Head(ABC):
    """The last layers of the networks of a task."""

    @abstractmethod
    def add_smallest(self, net: GraphBuilder) -> None:
        """Add the smallest head to a network, with a softmax where it has an activation.

        Args:
            net: The network, in the block of the head.
        """

    @abstractmethod
    def network_on(self, network: ZooNetwork) -> str | None:
        """Return the network that can start from the weights of one with another head.

        Args:
            network: The network that the weights belong to.

        Returns:
            Its name; None if there is none.
        """

    @abstractmethod
    def requirement(self, spec: NetworkSpec, activation: str) -> str:
        """Return what a network has to end in, as an instruction.

        Args:
            spec: The network.
            activation: Activation of the outputs.
        """

    @abstractmethod
    def may_end(self, spec: NetworkSpec, node: LayerNode, activation: str) -> bool:
        """Return True if a layer may be the end of a network, or if only Keras knows.

        Args:
            spec: The network.
            node: The layer.
            activation: Activation of the outputs.
        """

    @abstractmethod
    def wrong_shape(
        self, spec: NetworkSpec, node_id: str, shape: OutputShape
    ) -> StudioError | None:
        """Return the error in the shape of an output; None if it is valid.

        Args:
            spec: The network.
            node_id: Its output, or that of an auxiliary head.
            shape: Shape of the output.
        """


class AnyHead(Head):
    """Any of several heads; new networks get the first.

    Args:
        heads: The outputs and the heads that give them.
    """

    def __init__(self, heads: tuple[tuple[Output, Head], ...]) -> None:
        self._heads = heads

    def add_smallest(self, net: GraphBuilder) -> None:
        """Add the smallest head of the first family; see `Head.add_smallest`."""
        self._heads[0][1].add_smallest(net)

    def network_on(self, network: ZooNetwork) -> str | None:
        """Return the first network that can start from the weights; see `Head.network_on`."""
        found = (head.network_on(network) for _, head in self._heads)
        return next((each for each in found if each is not None), None)

    def requirement(self, spec: NetworkSpec, activation: str) -> str:
        """Return what a network has to end in, one or the other; see `Head.requirement`."""
        return joined([head.requirement(spec, activation) for _, head in self._heads], " / ")

    def may_end(self, spec: NetworkSpec, node: LayerNode, activation: str) -> bool:
        """Return True if a layer may be the end of a network of any family; see `Head.may_end`."""
        return any(head.may_end(spec, node, activation) for _, head in self._heads)

    def wrong_shape(
        self, spec: NetworkSpec, node_id: str, shape: OutputShape
    ) -> StudioError | None:
        """Return the error in the shape by the head for as many axes; see `Head.wrong_shape`."""
        fitting = [head for output, head in self._heads if output.dimensions == len(shape) + 1]
        head = fitting[0] if fitting else self._heads[0][1]
        return head.wrong_shape(spec, node_id, shape)


def size_text(shape: OutputShape) -> str:
    """Return a shape as people write it: 28x28x6."""
    return "x".join("?" if side is None else str(side) for side in shape) or message(
        "single numbers"
    )


def gives(node: LayerNode, *activations: str) -> bool:
    """Return True if a layer ends in one of some activations, or if only Keras knows.

    Args:
        node: The layer.
        *activations: Names of the activations.
    """
    if node.layer not in LAYERS or node.layer == "keras":
        return True
    return node.layer in activations or node.parameters.get("activation") in activations
