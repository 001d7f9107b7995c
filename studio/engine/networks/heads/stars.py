"""Head with scores and distances to an outline for each position of a grid."""

from __future__ import annotations

from typing import Final

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.heads.head import Head, OutputShape, gives, size_text
from studio.engine.networks.layers.shape import POSITIVE
from studio.engine.networks.spec import LayerNode, NetworkSpec
from studio.engine.networks.zoo import stars
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.tasks.outputs import RAYS, STARS

_FILTERS: Final = 16
_JOIN: Final = "concatenate"


class StarHead(Head):
    """A convolution for the scores and one for the distances, joined."""

    def add_smallest(self, net: GraphBuilder) -> None:
        """Add a grid of half the size after two convolutions; see `Head.add_smallest`."""
        for part, stride in (("1", 2), ("2", 1)):
            net.add("conv2d", f"conv{part}", filters=_FILTERS, stride=stride, activation="relu")
        stars.add_star_head(net)

    def network_on(self, network: ZooNetwork) -> str | None:
        """Return the network for outlines on the same backbone; None without a backbone."""
        return stars.on_backbone(network.backbone) if network.backbone else None

    def requirement(self, spec: NetworkSpec, activation: str) -> str:
        """Return what a network has to end in; see `Head.requirement`."""
        return message(
            "End in the layer Concatenate with two inputs: a convolution of {filters} filters "
            "with the activation {activation}, and one of {rays} filters with the activation "
            "{distances}.",
            filters=spec.classes,
            activation=activation,
            rays=RAYS,
            distances=stars.POSITIVE,
        )

    def may_end(self, spec: NetworkSpec, node: LayerNode, activation: str) -> bool:
        """Return True for joined maps of the right activations; see `Head.may_end`."""
        if node.layer != _JOIN or len(node.inputs) != 2:
            return False
        nodes = {each.id: each for each in spec.nodes}
        scores, distances = (nodes.get(source) for source in node.inputs)
        return (scores is None or gives(scores, activation)) and (
            distances is None or gives(distances, *POSITIVE)
        )

    def wrong_shape(
        self, spec: NetworkSpec, node_id: str, shape: OutputShape
    ) -> StudioError | None:
        """Return the error in the shape of an output; see `Head.wrong_shape`."""
        from studio.engine.tasks.stars import stride_of  # noqa: PLC0415 - NumPy

        numbers = STARS.width_of(spec.classes)
        if len(shape) != 3 or shape[2] != numbers:
            return StudioError(
                "The output of the network has the shape {shape}; outlines require {numbers} "
                "numbers for each position: {classes} classes and {rays} distances.",
                self.requirement(spec, "sigmoid"),
                node_id,
                shape=size_text(shape),
                numbers=numbers,
                classes=spec.classes,
                rays=RAYS,
            )
        size = spec.input
        try:
            fits = stride_of(shape[0] or 0, size.height) == stride_of(shape[1] or 0, size.width)
        except ValueError:
            fits = False
        if fits:
            return None
        return StudioError(
            "The output of the network has {rows} rows and {columns} columns, which are no grid "
            "over images of {size}.",
            "Give the output of the network a half, a quarter or an eighth of the size of the "
            "images, rounded up.",
            node_id,
            rows=shape[0],
            columns=shape[1],
            size=str(size),
        )


HEAD = StarHead()
