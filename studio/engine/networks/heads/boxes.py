"""Head with scores and sides of a box for each of many positions, on one or more levels."""

from __future__ import annotations

from typing import Final

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.heads.head import Head, OutputShape, gives, size_text
from studio.engine.networks.layers.shape import (
    BOX_HEAD,
    POSITIVE,
    SIDES,
    class_maps,
    distance_maps,
)
from studio.engine.networks.spec import HEAD_BLOCK, LayerNode, NetworkSpec
from studio.engine.networks.zoo import boxes
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.tasks.outputs import POSITIONS

_FILTERS: Final = 16
_STRIDES: Final = (2, 4, 8)


class BoxHead(Head):
    """A box head: maps of classes and of the distances to four sides, for each level."""

    def add_smallest(self, net: GraphBuilder) -> None:
        """Add one level of positions after three convolutions; see `Head.add_smallest`."""
        net.in_block("")
        for stride in _STRIDES:
            net.add("conv2d", f"conv{stride}", filters=_FILTERS, stride=2, activation="relu")
        boxes.add_box_head(net.in_block(HEAD_BLOCK), {_STRIDES[-1]: net.last})

    def network_on(self, network: ZooNetwork) -> str | None:
        """Return the recommended network on the same backbone; None without a backbone."""
        return boxes.on_backbone(network.backbone) if network.backbone else None

    def requirement(self, spec: NetworkSpec, activation: str) -> str:
        """Return what a network has to end in; see `Head.requirement`."""
        return message(
            "End in a box head that receives, for each level, a convolution of {filters} filters "
            "with the activation {activation} and one of 4 filters with the activation {sides}.",
            filters=spec.classes,
            activation=activation,
            sides=SIDES,
        )

    def may_end(self, spec: NetworkSpec, node: LayerNode, activation: str) -> bool:
        """Return True for a box head on maps of the right activations; see `Head.may_end`."""
        if node.layer != BOX_HEAD.name:
            return False
        nodes = {each.id: each for each in spec.nodes}
        classes = (nodes.get(source) for source in class_maps(node.inputs))
        distances = (nodes.get(source) for source in distance_maps(node.inputs))
        return all(each is None or gives(each, activation) for each in classes) and all(
            each is None or gives(each, *POSITIVE) for each in distances
        )

    def wrong_shape(
        self, spec: NetworkSpec, node_id: str, shape: OutputShape
    ) -> StudioError | None:
        """Return the error in the shape of an output; see `Head.wrong_shape`."""
        from studio.engine.tasks.boxes import strides_of  # noqa: PLC0415 - NumPy

        numbers = POSITIONS.width_of(spec.classes)
        if len(shape) != 2 or shape[1] != numbers:
            return StudioError(
                "The output of the network has the shape {shape}; boxes require {numbers} numbers "
                "for each position: {classes} classes and the distances to 4 sides.",
                "End in a box head.",
                node_id,
                shape=size_text(shape),
                numbers=numbers,
                classes=spec.classes,
            )
        size = spec.input
        try:
            strides_of(shape[0] or 0, size.height, size.width)
        except ValueError:
            return StudioError(
                "The output of the network has {positions} positions, which fit no levels of "
                "images of {size}.",
                "Connect maps whose positions are 4, 8, 16, 32, 64 or more pixels apart to the "
                "box head, the finest first, each twice as coarse as the previous one.",
                node_id,
                positions=shape[0],
                size=str(size),
            )
        return None


HEAD = BoxHead()
