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


def enlarged(size: tuple[int, int]) -> tuple[int, int]:
    """Height and width at which a pretrained network gets images; keeps their proportions."""
    factor = max(1.0, MIN_SIDE / min(size))
    return round(size[0] * factor), round(size[1] * factor)


def enlarging_network(name: str, shape: tuple[int, int, int], classes: int) -> NetworkSpec | None:
    """Return a network of the zoo behind a layer that enlarges the images.

    Args:
        name: Name of the network.
        shape: Height, width and channels of the images, in pixels.
        classes: Number of classes.

    Returns:
        None if the images are large enough as they are, or the network gives masks or is made for
        small images.

    Raises:
        StudioError: The network does not take such images.
    """
    network = ZOO[name]
    height, width = enlarged(shape[:2])
    is_for_small = not network.backbone and min(network.default_input[:2]) < MIN_SIDE
    # Masks are as large as the images are without that.
    if is_for_small or (height, width) == shape[:2] or not network.output.may_enlarge:
        return None
    spec = network.build((height, width, shape[2]), classes)
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
