"""A network for every published backbone: what its weights expect of pixels, and a new head.

Where the zoo draws a network of the same name layer by layer, that of Keras is called
`<name>_imagenet`; it differs in details, and the published weights fit only it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.pretrained import BACKBONES, CAFFE_MEAN, Backbone
from studio.engine.networks.pretrained.backbone import TORCH_DEVIATION, TORCH_MEAN
from studio.engine.networks.zoo.network import ZooNetwork, dropout_head

IMAGENET_ENDING = "_imagenet"
DRAWN_TWINS = frozenset({"resnet50", "vgg16", "vgg19"})
"""Backbones that the zoo also draws layer by layer."""


def networks_of_backbones(
    drawn: Collection[str], besides: Collection[str] = ()
) -> list[ZooNetwork]:
    """The networks of all backbones.

    Args:
        drawn: Names that are taken.
        besides: Backbones that the zoo has a network of already.
    """
    return [
        _network(backbone, backbone.name in drawn)
        for backbone in BACKBONES
        if backbone.name not in besides
    ]


def zoo_name_of(backbone: str) -> str:
    """Name in the zoo of the network that the published weights of a backbone fit."""
    return f"{backbone}{IMAGENET_ENDING}" if backbone in DRAWN_TWINS else backbone


def _network(backbone: Backbone, is_drawn: bool) -> ZooNetwork:
    side = backbone.usual
    return ZooNetwork(
        name=f"{backbone.name}{IMAGENET_ENDING}" if is_drawn else backbone.name,
        label=f"{backbone.label} (ImageNet)" if is_drawn else backbone.label,
        year=backbone.year,
        paper=backbone.paper,
        summary=_summary(backbone),
        smallest=(backbone.smallest, backbone.smallest),
        default_input=(side, side, 3),
        draw=_drawing(backbone),
        head=dropout_head(0.2),
        sees_color=True,
    )


def _summary(backbone: Backbone) -> str:
    figures = [f"{backbone.parameters / 1e6:.1f} million weights"]
    if backbone.accuracy is not None:
        figures.append(f"{backbone.accuracy * 100:.1f} % on ImageNet")
    if backbone.megabytes is not None:
        figures.append(f"{backbone.megabytes:,.0f} MB")
    return f"Can start from ImageNet: {', '.join(figures)}."


def _drawing(backbone: Backbone) -> Callable[[GraphBuilder], object]:
    def draw(net: GraphBuilder) -> None:
        _preprocess(net, backbone)
        net.add("backbone", architecture=backbone.name)
        net.add("global_average_pool")

    return draw


def _preprocess(net: GraphBuilder, backbone: Backbone) -> None:
    """Take pixels from 0 to 255 to what the published weights saw."""
    if backbone.preprocessing == "tf":
        net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    elif backbone.preprocessing == "tf_128":
        net.add("rescaling", scale=1 / 128, offset=-1.0)
    elif backbone.preprocessing == "caffe":
        net.add("subtract_mean", mean=CAFFE_MEAN, height=1, width=1)
    else:
        # (x / 255 - mean) / deviation; Keras divides by 255 itself in some backbones.
        factor = 255.0 if backbone.preprocessing == "torch_times_255" else 1.0
        colors = list(zip(TORCH_MEAN, TORCH_DEVIATION, strict=True))
        scale = ", ".join(f"{factor / 255 / deviation:.9g}" for _, deviation in colors)
        offset = ", ".join(f"{-factor * mean / deviation:.9g}" for mean, deviation in colors)
        net.add("channel_scaling", scale=scale, offset=offset)
