"""Interface of a head: how it is built, what it ends in, and what is wrong with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import LayerNode, NetworkSpec

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
