"""Networks that give star-convex outlines: U-Nets from random weights or on a published backbone.

All give, for each position of a grid, a score of each class and the distances to the outline of
its object in 32 directions (U. Schmidt et al. 2018). Distances are in strides of the grid. Scores
start low, so that the many positions without an object do not dominate the first steps.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final, Literal

from studio.engine.messages import message
from studio.engine.networks.blocks import conv, filters_field, rectified
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import Architecture
from studio.engine.networks.spec import HEAD
from studio.engine.networks.zoo import network
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks.outputs import RAYS, STARS

SCORES, DISTANCES = "scores", "distances"
"""Ids of the convolutions that predict them."""
POSITIVE: Final = "softplus"
"""Activation of the distances."""
_PRIOR: Final = 0.1
_SCORE_START: Final = -math.log((1 - _PRIOR) / _PRIOR)
_DISTANCE_START: Final = math.log(math.exp(3) - 1)
"""Softplus of it is 3: outlines start six strides wide."""
_PAPER: Final = (
    'U. Schmidt, M. Weigert, C. Broaddus, G. Myers, "Cell detection with star-convex polygons", '
    "MICCAI 2018, arXiv:1806.03535"
)


def add_star_head(net: GraphBuilder) -> None:
    """Add the scores and distances of the last map, and join them."""
    source = net.last
    for node_id, filters, activation, start in (
        (SCORES, net.classes, "sigmoid", _SCORE_START),
        (DISTANCES, RAYS, POSITIVE, _DISTANCE_START),
    ):
        net.add(
            "conv2d",
            node_id,
            after=source,
            filters=filters,
            kernel=1,
            activation=activation,
            kernel_initializer="random_uniform",  # small, so that all positions start alike
            bias_start=start,
        )
    net.add("concatenate", HEAD, after=(SCORES, DISTANCES))


def _up(net: GraphBuilder, block: str, skip: str) -> None:
    """Enlarge the last map to the size of an earlier one, and join both."""
    net.add("resize_like", f"{block}_resize", after=(net.last, skip), interpolation="nearest")
    net.add("concatenate", f"{block}_skip", after=(net.last, skip))


# A U-Net from scratch, for a CPU. It has no batch normalization: batches are so small that their
# statistics depend on which images they contain. Networks then miss the objects of images that
# differ from most, such as dark ones.


class StarUNetPlan(Plan):
    """Size of the U-Net for outlines."""

    filters: int = filters_field(
        16,
        "Filters",
        "Channels at the full size; each level below doubles them.",
        why="16 is fast on a CPU; 32 learns finer differences at four times the cost.",
    )
    depth: int = plan_field(
        3,
        label="Depth",
        help="How often the grid of the outputs is halved.",
        why="Each level sees twice as far: 2 for objects below 20 pixels, 4 above 100.",
        within=(1, 6),
    )
    stride: Literal["2", "4"] = plan_field(
        "2",
        label="Stride",
        help="Distance between the positions of the grid in pixels.",
        why="2 finds objects from 4 pixels on; 4 is faster, for objects above about 20.",
        labels={"2": "2", "4": "4"},
    )
    features: int = filters_field(
        64,
        "Features",
        "Channels of the map that scores and distances are predicted from.",
        why="More for many classes that look alike; fewer are faster.",
    )

    @property
    def halvings(self) -> int:
        """Number of halvings of the image before the grid."""
        return {"2": 1, "4": 2}[self.stride]


def _conv_pair(net: GraphBuilder, block: str, filters: int) -> None:
    net.in_block(block)
    for part in ("1", "2"):
        conv(net, f"{block}_conv{part}", filters, 3)


def _draw_star_unet(plan: StarUNetPlan, net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    for level in range(plan.halvings):
        block = f"stem{level + 1}"
        conv(net.in_block(block), f"{block}_conv", plan.filters * 2**level, 3)
        net.add("max_pool", f"{block}_pool", padding="same")
    channels = [plan.filters * 2 ** (plan.halvings + level) for level in range(plan.depth + 1)]
    skips = []
    for level in range(plan.depth):
        _conv_pair(net, f"down{level + 1}", channels[level])
        skips.append(net.last)
        net.add("max_pool", f"down{level + 1}_pool", padding="same")
    _conv_pair(net, "bottom", channels[-1])
    for level in reversed(range(plan.depth)):
        block = f"up{level + 1}"
        net.in_block(block).add("conv2d", f"{block}_narrow", filters=channels[level], kernel=1)
        net.add("resize_like", f"{block}_resize", after=(net.last, skips[level]))
        net.add("add", f"{block}_skip", after=(net.last, skips[level]))
        _conv_pair(net, block, channels[level])


def _unet_head(plan: StarUNetPlan, net: GraphBuilder) -> None:
    conv(net, "features_conv", plan.features, 3)
    add_star_head(net)


def star_unet(plan: Plan) -> network.ZooNetwork:
    """Return a U-Net for outlines with some number of channels and levels."""
    plan = StarUNetPlan.parse(plan.model_dump())
    side = 2 ** (plan.depth + plan.halvings)
    return network.ZooNetwork(
        name=network.named("star_unet", plan),
        label="Star U-Net",
        year=2018,
        paper=f"Our own, after {_PAPER}",
        summary="A small U-Net that gives each object an outline of 32 corners: for many roundish "
        "objects that touch, such as cells, without pretrained weights.",
        smallest=(side, side),
        default_input=(256, 256, 1),
        draw=partial(_draw_star_unet, plan),
        head=partial(_unet_head, plan),
        output=STARS,
        options=network.Options(plan, star_unet),
    )


STAR_UNET = star_unet(StarUNetPlan())


# Outlines on any published backbone.

_STAGES = (4, 8, 16)


class StarBackbonePlan(network.BackbonePlan):
    """Backbone and size of the network for outlines."""

    filters: int = filters_field(
        64,
        "Filters",
        "Channels of the layers behind the backbone.",
        why="64 for few classes; 128 for many that look alike.",
    )


def _backbone_head(plan: StarBackbonePlan, net: GraphBuilder) -> None:
    inner = {}
    for stride in _STAGES:
        network.add_inside(net, plan.backbone, stride)
        inner[stride] = net.last
    net.last = network.BACKBONE_ID
    rectified(net, "context", "", 2 * plan.filters)
    for stride in reversed(_STAGES):
        _up(net, f"up{stride}", inner[stride])
        rectified(net, f"up{stride}", "", plan.filters)
    rectified(net, "features", "", plan.filters)
    add_star_head(net)


_STAR_BACKBONE = network.HeadOnBackbone(
    name="star_backbone",
    label=message("Star network"),
    year=2018,
    paper=f"Our own, after {_PAPER}",
    summary="Outlines of 32 corners from pretrained features, with positions 4 pixels apart: for "
    "roundish objects of many looks. Can start from ImageNet.",
    default_input=(256, 256, 3),
    plan=StarBackbonePlan,
    head=_backbone_head,
    output=STARS,
    min_side=64,
)
STAR_BACKBONE = _STAR_BACKBONE.on(StarBackbonePlan())


def on_backbone(backbone: Architecture) -> str:
    """Return the name of the network for outlines on a backbone."""
    return _STAR_BACKBONE.name_on(backbone)
