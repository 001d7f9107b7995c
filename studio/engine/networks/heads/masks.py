"""Head with a number for each class of each pixel: a convolution as large as the images."""

from __future__ import annotations

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.heads.head import Head, OutputShape, gives, size_text
from studio.engine.networks.spec import HEAD as HEAD_ID
from studio.engine.networks.spec import LayerNode, NetworkSpec
from studio.engine.networks.zoo import masks
from studio.engine.networks.zoo.network import ZooNetwork


class MaskHead(Head):
    """A convolution with a filter for each class."""

    def add_smallest(self, net: GraphBuilder) -> None:
        """Add a convolution of single pixels; see `Head.add_smallest`."""
        net.add("conv2d", HEAD_ID, filters=net.classes, kernel=1, activation="softmax")

    def network_on(self, network: ZooNetwork) -> str | None:
        """Return the recommended network on the same backbone; None without a backbone."""
        return masks.on_backbone(network.backbone) if network.backbone else None

    def requirement(self, spec: NetworkSpec, activation: str) -> str:
        """Return what a network has to end in; see `Head.requirement`."""
        return message(
            "End in a convolution of {filters} filters with the activation {activation}, at the "
            "size of the images.",
            filters=spec.classes,
            activation=activation,
        )

    def may_end(self, spec: NetworkSpec, node: LayerNode, activation: str) -> bool:  # noqa: ARG002
        """Return True for a layer with the activation; see `Head.may_end`."""
        return gives(node, activation)

    def wrong_shape(
        self, spec: NetworkSpec, node_id: str, shape: OutputShape
    ) -> StudioError | None:
        """Return the error in the shape of an output; see `Head.wrong_shape`."""
        expected = (spec.input.height, spec.input.width, spec.classes)
        if shape == expected:
            return None
        return StudioError(
            "The output of the network has the shape {shape}; a class for each pixel "
            "requires {expected}.",
            'End in a softmax over one map per class, as large as the images. The layer "Resize '
            'like" scales maps to the size of the input.',
            node_id,
            shape=size_text(shape),
            expected=size_text(expected),
        )


HEAD = MaskHead()
