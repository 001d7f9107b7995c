"""Head with Gaussians of good images at each position of some maps, see `zoo.good_images`."""

from __future__ import annotations

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.heads.head import Head, OutputShape, size_text
from studio.engine.networks.spec import LayerNode, NetworkSpec
from studio.engine.networks.zoo import good_images
from studio.engine.networks.zoo.network import ZooNetwork


class AnomalyHead(Head):
    """Distances of features from those of good images."""

    def add_smallest(self, net: GraphBuilder) -> None:
        """Add Gaussians of the last layer; see `Head.add_smallest`."""
        good_images.add_smallest(net)

    def network_on(self, network: ZooNetwork) -> str | None:
        """Return PaDiM on the same backbone; None without a backbone."""
        return good_images.on_backbone(network.backbone) if network.backbone else None

    def requirement(self, spec: NetworkSpec, activation: str) -> str:  # noqa: ARG002
        """Return what a network has to end in; see `Head.requirement`."""
        return message("Choose one of the networks for anomaly detection, such as padim.")

    def may_end(self, spec: NetworkSpec, node: LayerNode, activation: str) -> bool:  # noqa: ARG002
        """Return True for a network with Gaussians; see `Head.may_end`."""
        return bool(good_images.branches_of(spec))

    def wrong_shape(
        self, spec: NetworkSpec, node_id: str, shape: OutputShape
    ) -> StudioError | None:
        """Return the error in the shape of an output; see `Head.wrong_shape`."""
        expected = (spec.input.height, spec.input.width, spec.classes)
        if shape == expected:
            return None
        return StudioError(
            "The output of the network has the shape {shape}; an anomaly score for each pixel "
            "requires {expected}.",
            "Choose one of the networks for anomaly detection, such as padim.",
            node_id,
            shape=size_text(shape),
            expected=size_text(expected),
        )


HEAD = AnomalyHead()
