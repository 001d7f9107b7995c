"""Networks that give boxes: detectors without default boxes, of one stage.

All give, for each position of several maps of different strides, a score of each class and the
distances to the four sides of a box, as FCOS does (Z. Tian et al. 2019). Coarse maps see large
objects, fine ones small objects. Scores start at 1 %, so that the many positions without an object
do not dominate the first steps (T.-Y. Lin et al., RetinaNet, ICCV 2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

from studio.engine.messages import message
from studio.engine.networks.blocks import START, filters_field, normalized, rectified
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import Architecture
from studio.engine.networks.layers.shape import SIDES
from studio.engine.networks.spec import HEAD, INPUT
from studio.engine.networks.zoo import network
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks.outputs import BOX_SIDES, POSITIONS

_PRIOR = 0.01
_CLASS_START = -math.log((1 - _PRIOR) / _PRIOR)
_SIDE_START = math.log(math.exp(2) - 1)
"""Softplus of it is 2: boxes start four strides wide, as large as the usual object of a level."""

_FPN_PAPER = (
    'T.-Y. Lin, P. Dollár, R. Girshick, K. He, B. Hariharan, S. Belongie, "Feature pyramid '
    'networks for object detection", CVPR 2017, arXiv:1612.03144'
)
_FCOS_PAPER = (
    'Z. Tian, C. Shen, H. Chen, T. He, "FCOS: fully convolutional one-stage object detection", '
    "ICCV 2019, arXiv:1904.01355"
)

Convolution = Callable[[GraphBuilder, str, int], None]
"""Adds a 3x3 convolution with normalization and activation: the network, a name, the channels."""


def plain(net: GraphBuilder, name: str, filters: int, stride: int = 1) -> None:
    """Add a convolution with normalization and activation.

    Args:
        net: The network.
        name: What the ids of its layers begin with.
        filters: Channels.
        stride: In positions.
    """
    rectified(net, name, "", filters, stride=stride)


def separable(net: GraphBuilder, name: str, filters: int, stride: int = 1) -> None:
    """Add a separable convolution with normalization and activation; see `plain`.

    Args:
        net: The network.
        name: What the ids of its layers begin with.
        filters: Channels.
        stride: In positions.
    """
    net.add(
        "separable_conv2d",
        f"{name}_conv",
        filters=filters,
        kernel=3,
        stride=stride,
        use_bias=False,
        kernel_initializer=START,
    )
    net.add("batch_normalization", f"{name}_norm")
    net.add("activation", f"{name}_relu", activation="relu")


def pyramid(
    net: GraphBuilder, maps: dict[int, str], filters: int, convolution: Convolution
) -> dict[int, str]:
    """Add coarse maps to finer ones, from the coarsest on; returns the maps by their strides.

    Args:
        net: The network.
        maps: Id of the map of each stride in pixels.
        filters: Channels of every map.
        convolution: Smooths each sum.
    """
    above, found = "", {}
    for stride in sorted(maps, reverse=True):
        net.last = maps[stride]
        normalized(net, f"lateral{stride}", "", filters, 1)
        if above:
            own = net.last
            net.add(
                "resize_like", f"enlarged{stride}", after=(above, own), interpolation="nearest"
            )
            net.add("add", f"sum{stride}", after=(net.last, own))
        above = net.last
        convolution(net, f"merged{stride}", filters)
        found[stride] = net.last
    return found


def add_box_head(
    net: GraphBuilder,
    maps: Mapping[int, str],
    tower_of: Callable[[GraphBuilder, str], object] | None = None,
) -> None:
    """Add the answers of each map, and join them.

    Args:
        net: The network.
        maps: Id of the map of each stride in pixels.
        tower_of: Adds the layers before an answer, whose names begin with its second argument;
            None for no such layers.
    """
    answers: list[str] = []
    for stride, source in sorted(maps.items()):
        for kind in ("classes", "sides"):
            net.last = source
            if tower_of is not None:
                tower_of(net, f"{kind}{stride}")
            answers.append(answer(net, kind, stride))
    net.add("box_head", HEAD, after=tuple(answers))


def tower(
    filters: int, depth: int, convolution: Convolution, net: GraphBuilder, name: str
) -> None:
    """Add the convolutions before an answer.

    Args:
        filters: Channels of each.
        depth: Their number.
        convolution: Adds one.
        net: The network.
        name: What the ids of their layers begin with.
    """
    for at in range(depth):
        convolution(net, f"{name}_{at + 1}", filters)


def answer(net: GraphBuilder, kind: str, stride: int) -> str:
    """Add the convolution that predicts the classes or the sides of a level, and return its id.

    Args:
        net: The network.
        kind: `classes` or `sides`.
        stride: Of the level in pixels.
    """
    is_class = kind == "classes"
    net.add(
        "conv2d",
        f"{kind}{stride}",
        filters=net.classes if is_class else BOX_SIDES,
        kernel=1,
        activation="sigmoid" if is_class else SIDES,
        kernel_initializer="random_uniform",  # small, so that all answers start alike
        bias_start=_CLASS_START if is_class else _SIDE_START,
    )
    return net.last


# A small detector from scratch, for a CPU.


class SmallDetectorPlan(Plan):
    """Size of the small detector."""

    filters: int = filters_field(
        16,
        "Filters",
        "Channels at half the size; each of the next levels doubles them.",
        why="16 is fast on a CPU; 32 learns finer differences at four times the cost.",
    )
    finest: Literal["4", "8"] = plan_field(
        "8",
        label="Finest stride",
        help="Distance between the finest positions in pixels; two coarser levels follow.",
        why="8 is faster and learns to distinguish classes sooner, because more layers precede "
        "its outputs; 4 for objects below about 12 pixels.",
        labels={"4": "4", "8": "8"},
    )

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides of the levels in pixels, the finest first."""
        return tuple(int(self.finest) * 2**level for level in range(_LEVELS))


_LEVELS = 3
_WIDEST = 8
"""Maximum channels of the small detector, as a multiple of those of its first layer."""


def draw_small_detector(plan: SmallDetectorPlan, net: GraphBuilder) -> None:
    """Draw the small detector without its head: residual blocks and a pyramid of three levels.

    Args:
        plan: Its size.
        net: The network.
    """
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    net.in_block("stem")
    plain(net, "stem", plan.filters, 2)
    stride, maps = 2, {}
    while stride < plan.strides[-1]:
        stride *= 2
        _stage(net, f"stage{stride}", min(stride // 2, _WIDEST) * plan.filters)
        maps[stride] = net.last
    net.in_block("pyramid")
    pyramid(net, {stride: maps[stride] for stride in plan.strides}, neck(plan), plain)


def _stage(net: GraphBuilder, block: str, filters: int) -> None:
    """Halve the maps, and add two convolutions with a shortcut around them."""
    net.in_block(block)
    plain(net, f"{block}_half", filters, 2)
    shortcut = net.last
    plain(net, f"{block}_1", filters)
    normalized(net, f"{block}_2", "", filters, 3)
    net.add("add", f"{block}_sum", after=(net.last, shortcut))
    net.add("activation", f"{block}_relu", activation="relu")


def neck(plan: SmallDetectorPlan) -> int:
    """Return the channels of the pyramid of the small detector."""
    return 3 * plan.filters


def _small_head(plan: SmallDetectorPlan, net: GraphBuilder) -> None:
    maps = {stride: f"merged{stride}_relu" for stride in plan.strides}
    add_box_head(net, maps, partial(tower, neck(plan), 1, plain))


def small_detector(plan: Plan) -> network.ZooNetwork:
    """Return the small detector of some size."""
    plan = SmallDetectorPlan.parse(plan.model_dump())
    side = 2 * plan.strides[-1]
    return network.ZooNetwork(
        name=network.named("small_detector", plan),
        label="Small detector",
        year=2019,
        paper=f"Our own, after {_FPN_PAPER}, and {_FCOS_PAPER}",
        summary="Three levels on a few residual blocks, without pretrained weights: fast on a "
        "CPU, for small images with simple objects.",
        smallest=(side, side),
        default_input=(128, 128, 3),
        draw=partial(draw_small_detector, plan),
        head=partial(_small_head, plan),
        output=POSITIONS,
        options=network.Options(plan, small_detector),
    )


SMALL_DETECTOR = small_detector(SmallDetectorPlan())


# Heads on any published backbone.

STAGES = (8, 16, 32)
"""Strides of the maps of a backbone that are taken, in pixels."""
ROUNDED_UP = ("mobilenet_v", "resnet", "efficientnet")
"""Backbones whose maps have ceil(side / stride) rows and columns, as the levels of boxes."""


def _depth_field(default: int) -> int:
    chosen: int = plan_field(
        default,
        label="Depth",
        help="Convolutions between each map and its outputs.",
        why="More for many classes that look alike; fewer are faster.",
        within=(1, 6),
    )
    return chosen


def maps_of(net: GraphBuilder, backbone: str, strides: Sequence[int]) -> dict[int, str]:
    """Return the ids of the maps of a backbone by their strides in pixels.

    Args:
        net: The network, with the backbone.
        backbone: Its name.
        strides: Strides of the maps in pixels.
    """
    found = {}
    for stride in strides:
        net.last = network.BACKBONE_ID
        if stride < STAGES[-1]:
            network.add_inside(net, backbone, stride)
        if not backbone.startswith(ROUNDED_UP):
            taken = net.last
            # It is needed for its size alone, so the model will not compute it.
            net.add("max_pool", f"grid{stride}", after=INPUT, size=stride, padding="same")
            net.add(
                "resize_like",
                f"fitted{stride}",
                after=(taken, net.last),
                interpolation="bilinear",
            )
        found[stride] = net.last
    return found


_LEAST_SIDE = 2 * STAGES[-1]


class LightDetectorPlan(network.BackbonePlan):
    """Backbone and size of the light detector."""

    filters: int = filters_field(
        96,
        "Filters",
        "Channels of the layers behind the backbone.",
        why="64 is faster; 128 for many classes.",
    )
    depth: int = _depth_field(2)


def _light_head(plan: LightDetectorPlan, net: GraphBuilder) -> None:
    maps = pyramid(net, maps_of(net, plan.backbone, STAGES), plan.filters, separable)
    add_box_head(net, maps, partial(tower, plan.filters, plan.depth, separable))


_LIGHT_DETECTOR = network.HeadOnBackbone(
    name="detector_light",
    label=message("Light detector"),
    year=2019,
    paper=f"Our own, after {_FPN_PAPER}, and {_FCOS_PAPER}",
    summary="Three levels of separable convolutions on pretrained features: the usual choice "
    "on a CPU. Can start from ImageNet.",
    default_input=(320, 320, 3),
    plan=LightDetectorPlan,
    head=_light_head,
    output=POSITIONS,
    min_side=_LEAST_SIDE,
)
DETECTOR_LIGHT = _LIGHT_DETECTOR.on(LightDetectorPlan())


# The detector with a feature pyramid.
#
# What differs from FCOS: the convolutions before the answers are not shared by the levels, and
# half as many; batch normalization instead of group normalization; no output for the centrality
# of a position, since the scores learn how well the boxes fit.


class DetectorPlan(network.BackbonePlan):
    """Backbone and size of the detector."""

    backbone: Architecture = network.backbone_field("resnet50")
    filters: int = filters_field(
        128,
        "Filters",
        "Channels of the layers behind the backbone.",
        why="256 as published, at four times the cost; 64 for few classes.",
    )
    depth: int = _depth_field(2)


def _detector_head(plan: DetectorPlan, net: GraphBuilder) -> None:
    add_detector_head(net, maps_of(net, plan.backbone, STAGES), plan.filters, plan.depth)


def add_detector_head(net: GraphBuilder, maps: dict[int, str], filters: int, depth: int) -> None:
    """Add a feature pyramid with one more level, and the answers of its levels.

    Args:
        net: The network.
        maps: Id of the map of each stride in pixels.
        filters: Channels of the new layers.
        depth: Convolutions between each map and its answers.
    """
    levels = pyramid(net, maps, filters, plain)
    coarsest = 2 * max(levels)
    net.last = levels[max(levels)]
    plain(net, f"extra{coarsest}", filters, 2)
    levels[coarsest] = net.last
    add_level_heads(net, levels, filters, depth)


def add_level_heads(net: GraphBuilder, levels: dict[int, str], filters: int, depth: int) -> None:
    """Add the answers of the levels of a feature pyramid.

    Args:
        net: The network.
        levels: Id of the map of each stride in pixels.
        filters: Channels of the new layers.
        depth: Convolutions between each map and its answers.
    """
    add_box_head(net, levels, partial(tower, filters, depth, plain))


_DETECTOR = network.HeadOnBackbone(
    name="detector",
    label=message("Detector"),
    year=2019,
    paper=f"{_FPN_PAPER}, and {_FCOS_PAPER}",
    summary="A feature pyramid of four levels on pretrained features: accurate, for a GPU. "
    "Can start from ImageNet.",
    default_input=(512, 512, 3),
    plan=DetectorPlan,
    head=_detector_head,
    output=POSITIONS,
    min_side=_LEAST_SIDE,
)
DETECTOR = _DETECTOR.on(DetectorPlan())


def on_backbone(backbone: Architecture) -> str:
    """Return the name of the network for boxes that is recommended on a backbone."""
    if backbone.startswith("mobilenet"):
        return _LIGHT_DETECTOR.name_on(backbone)
    return _DETECTOR.name_on(backbone)


# SSDLite: no pyramid, each map predicts independently.
#
# What differs: one box for each position instead of six default boxes, so that the answers are a
# sixth; the map of stride 16 is the end of its stage, not the wider layer inside the next block.


_EXTRA = {64: 512, 128: 256, 256: 256, 512: 128}
"""Channels of the maps behind the backbone by their strides in pixels."""


def _ssdlite_head(plan: network.BackbonePlan, net: GraphBuilder) -> None:
    maps = maps_of(net, plan.backbone, STAGES[1:])
    for stride, filters in _EXTRA.items():
        normalized(net, f"extra{stride}_narrow", "", filters // 2, 1)
        net.add("activation", f"extra{stride}_narrow_relu", activation="relu6")
        _depthwise(net, f"extra{stride}_depthwise", 2)
        normalized(net, f"extra{stride}", "", filters, 1)
        net.add("activation", f"extra{stride}_relu", activation="relu6")
        maps[stride] = net.last
    add_box_head(net, maps, _depthwise)


def _depthwise(net: GraphBuilder, name: str, stride: int = 1) -> None:
    net.add(
        "depthwise_conv2d", f"{name}_conv", stride=stride, use_bias=False, kernel_initializer=START
    )
    net.add("batch_normalization", f"{name}_norm")
    net.add("activation", f"{name}_relu", activation="relu6")


SSDLITE = network.HeadOnBackbone(
    name="ssdlite",
    label="SSDLite",
    year=2018,
    paper='M. Sandler, A. Howard, M. Zhu, A. Zhmoginov, L.-C. Chen, "MobileNetV2: inverted '
    'residuals and linear bottlenecks", CVPR 2018, arXiv:1801.04381',
    summary="Six independent maps with strides of 16 pixels and more: the fastest on "
    "pretrained features, but weak on small objects. Can start from ImageNet.",
    default_input=(320, 320, 3),
    plan=network.BackbonePlan,
    head=_ssdlite_head,
    output=POSITIONS,
    min_side=_LEAST_SIDE,
).on(network.BackbonePlan())
