"""Head with a number for each class, label or quantity: a dense layer."""

from __future__ import annotations

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.checks import LINEAR, SCALING
from studio.engine.networks.heads.head import Head, OutputShape, gives, size_text
from studio.engine.networks.spec import HEAD as HEAD_ID
from studio.engine.networks.spec import LayerNode, NetworkSpec
from studio.engine.networks.zoo.network import ZooNetwork


class VectorHead(Head):
    """A dense layer with a unit for each class, label or quantity."""

    def add_smallest(self, net: GraphBuilder) -> None:
        """Add a dense layer; see `Head.add_smallest`."""
        net.add("flatten").add("dense", HEAD_ID, units=net.classes, activation="softmax")

    def network_on(self, network: ZooNetwork) -> str | None:
        """Return the network itself: its head is replaced, whatever it is."""
        return network.name

    def requirement(self, spec: NetworkSpec, activation: str) -> str:
        """Return what a network has to end in; see `Head.requirement`."""
        return message(
            "End in a dense layer of {units} units with the activation {activation}.",
            units=spec.classes,
            activation=activation,
        )

    def may_end(self, spec: NetworkSpec, node: LayerNode, activation: str) -> bool:  # noqa: ARG002
        """Return True for a layer with the activation; see `Head.may_end`."""
        return gives(node, activation) or (activation == LINEAR and node.layer == SCALING)

    def wrong_shape(
        self, spec: NetworkSpec, node_id: str, shape: OutputShape
    ) -> StudioError | None:
        """Return the error in the shape of an output; see `Head.wrong_shape`."""
        if shape == (spec.classes,):
            return None
        return StudioError(
            "The network ends in {shape}, but there are {classes} classes.",
            message(
                "End in a dense layer of {classes} units, after flatten or global pooling.",
                classes=spec.classes,
            ),
            node_id,
            shape=size_text(shape),
            classes=spec.classes,
        )


HEAD = VectorHead()
