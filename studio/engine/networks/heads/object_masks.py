"""Head with maps that masks are made of, and scores, coefficients and sides for positions."""

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
from studio.engine.networks.spec import LayerNode, NetworkSpec
from studio.engine.networks.zoo import object_masks
from studio.engine.networks.zoo.boxes import plain
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.tasks.outputs import BOX_SIDES, COEFFICIENTS, OBJECT_MASKS

_FILTERS: Final = 16
_STRIDES: Final = (2, 4, 8)


class ObjectMaskHead(Head):
    """A box head with one more level for the maps, whose positions give coefficients, too."""

    def add_smallest(self, net: GraphBuilder) -> None:
        """Add maps and one level of positions after three convolutions; see `Head`."""
        for stride in _STRIDES:
            net.add("conv2d", f"conv{stride}", filters=_FILTERS, stride=2, activation="relu")
        coarse, fine = f"conv{_STRIDES[-1]}", f"conv{_STRIDES[-2]}"
        object_masks.add_mask_head(net, {_STRIDES[-1]: coarse}, fine, _FILTERS, plain)

    def network_on(self, network: ZooNetwork) -> str | None:
        """Return the network for masks on the same backbone; None without a backbone."""
        return object_masks.on_backbone(network.backbone) if network.backbone else None

    def requirement(self, spec: NetworkSpec, activation: str) -> str:
        """Return what a network has to end in; see `Head.requirement`."""
        return message(
            "End in a box head that receives a convolution of {filters} filters with the "
            "activation {activation} and one of {numbers} filters for the maps, and, for each "
            "level, again one of {filters} filters and a Concatenate of a convolution of "
            "{coefficients} filters and one of 4 filters with the activation {sides}.",
            filters=spec.classes,
            activation=activation,
            numbers=COEFFICIENTS + BOX_SIDES,
            coefficients=COEFFICIENTS,
            sides=SIDES,
        )

    def may_end(self, spec: NetworkSpec, node: LayerNode, activation: str) -> bool:
        """Return True for a box head on maps of the right activations; see `Head.may_end`."""
        if node.layer != BOX_HEAD.name:
            return False
        nodes = {each.id: each for each in spec.nodes}
        classes = (nodes.get(source) for source in class_maps(node.inputs))
        levels = [nodes.get(source) for source in distance_maps(node.inputs)[1:]]
        joined = [None if each is None else nodes.get(each.inputs[-1]) for each in levels]
        return all(each is None or gives(each, activation) for each in classes) and all(
            each is None or gives(each, *POSITIVE) for each in joined
        )

    def wrong_shape(
        self, spec: NetworkSpec, node_id: str, shape: OutputShape
    ) -> StudioError | None:
        """Return the error in the shape of an output; see `Head.wrong_shape`."""
        from studio.engine.tasks.masks import MaskLevels  # noqa: PLC0415 - NumPy

        numbers = OBJECT_MASKS.width_of(spec.classes)
        if len(shape) != 2 or shape[1] != numbers:
            return StudioError(
                "The output of the network has the shape {shape}; masks of objects require "
                "{numbers} numbers for each position: {classes} classes, {coefficients} "
                "coefficients and the distances to 4 sides.",
                self.requirement(spec, "sigmoid"),
                node_id,
                shape=size_text(shape),
                numbers=numbers,
                classes=spec.classes,
                coefficients=COEFFICIENTS,
            )
        size = spec.input
        try:
            MaskLevels.of(shape[0] or 0, (size.height, size.width))
        except ValueError:
            return StudioError(
                "The output of the network has {positions} positions, which fit no maps and "
                "levels of images of {size}.",
                "Connect the maps first, then the levels, each twice as coarse as the previous "
                "one; the finest level is twice as coarse as the maps.",
                node_id,
                positions=shape[0],
                size=str(size),
            )
        return None


HEAD = ObjectMaskHead()
