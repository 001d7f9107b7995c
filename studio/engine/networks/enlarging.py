"""Pretrained networks for small images, which are enlarged by the first layer of the network."""

from __future__ import annotations

import json

from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import INPUT, InputShape, LayerNode, NetworkSpec
from studio.engine.networks.zoo import ZOO

MIN_SIDE = 128
"""Pretrained networks recognize things at about the size that these had in the images of their
weights, so smaller images are enlarged to this side, in pixels."""

RESIZING_NODE = "input_resizing"


def size_seen(name: str, size: tuple[int, int]) -> tuple[int, int]:
    """Return the height and width at which a network with pretrained weights gets images.

    Proportions stay. Networks for masks and those that are made for small images get images as
    they are.

    Args:
        name: Name of a network of the zoo.
        size: Height and width of the images, in pixels.
    """
    network = ZOO[name]
    is_for_small = not network.backbone and min(network.default_input[:2]) < MIN_SIDE
    # Masks are as large as the images are without that.
    if is_for_small or not network.output.may_enlarge:
        return size
    factor = max(1.0, MIN_SIDE / min(size))
    return round(size[0] * factor), round(size[1] * factor)


def pretrained_network(name: str, shape: tuple[int, int, int], classes: int) -> NetworkSpec:
    """Return a network of the zoo for pretrained weights; its first layer enlarges small images.

    Args:
        name: Name of the network.
        shape: Height, width and channels of the images, in pixels.
        classes: Number of classes.

    Raises:
        StudioError: The network does not take such images.
    """
    height, width = size_seen(name, shape[:2])
    spec = ZOO[name].build((height, width, shape[2]), classes)
    if (height, width) == shape[:2]:
        return spec
    config = json.dumps({"height": height, "width": width, "interpolation": "bilinear"})
    parameters = {"class_name": "Resizing", "config": config}
    node = LayerNode(
        id=RESIZING_NODE,
        layer="keras",
        parameters=LAYERS["keras"].parameters.parse(parameters).model_dump(),
        inputs=(INPUT,),
    )
    moved = [
        each.model_copy(
            update={"inputs": tuple(RESIZING_NODE if i == INPUT else i for i in each.inputs)}
        )
        for each in spec.nodes
    ]
    size = InputShape(height=shape[0], width=shape[1], channels=shape[2])
    return spec.model_copy(update={"input": size, "nodes": (node, *moved)})
