"""Networks that give boxes: detectors without default boxes, of one stage.

All give, for each position of several maps of different strides, a score of each class and the
distances to the four sides of a box, as FCOS does (Z. Tian et al. 2019). Coarse maps see large
objects, fine ones small objects. Scores start at 1 %, so that the many positions without an object
do not dominate the first steps (T.-Y. Lin et al., RetinaNet, ICCV 2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from studio.engine.messages import message
from studio.engine.networks.backbones import BACKBONES, Backbone, stage_of
from studio.engine.networks.blocks import START, filters_field, normalized
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import Architecture
from studio.engine.networks.layers.boxes import SIDES
from studio.engine.networks.spec import HEAD, INPUT
from studio.engine.networks.zoo import network
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks import boxes
from studio.engine.tasks.task import OutputKind

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


def _plain(net: GraphBuilder, name: str, filters: int, stride: int = 1) -> None:
    normalized(net, name, "", filters, 3, stride)
    net.add("activation", f"{name}_relu", activation="relu")


def _separable(net: GraphBuilder, name: str, filters: int, stride: int = 1) -> None:
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


def _pyramid(
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


def _box_head(
    net: GraphBuilder,
    maps: dict[int, str],
    filters: int,
    depth: int,
    convolution: Convolution,
) -> None:
    """Add two towers of convolutions to each map, and join their answers.

    Args:
        net: The network.
        maps: Id of the map of each stride in pixels.
        filters: Channels of the convolutions.
        depth: Convolutions before each answer.
        convolution: Adds one.
    """
    answers: list[str] = []
    for stride, source in sorted(maps.items()):
        for kind in ("classes", "sides"):
            net.last = source
            for at in range(depth):
                convolution(net, f"{kind}{stride}_{at + 1}", filters)
            answers.append(_answer(net, kind, stride))
    net.add("box_head", HEAD, after=tuple(answers))


def _answer(net: GraphBuilder, kind: str, stride: int) -> str:
    """Add the convolution that gives the classes or the sides of a level, and return its id."""
    is_class = kind == "classes"
    net.add(
        "conv2d",
        f"{kind}{stride}",
        filters=net.classes if is_class else boxes.SIDES,
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
        "4",
        label="Finest stride",
        help="Distance between the finest positions in pixels; two coarser levels follow.",
        why="4 finds objects from about 8 pixels; 8 is faster and finds objects from about 16.",
        labels={"4": "4", "8": "8"},
    )

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides of the levels in pixels, the finest first."""
        return tuple(int(self.finest) * 2**level for level in range(_LEVELS))


_LEVELS = 3
_WIDEST = 8
"""Most channels of the small detector, as a multiple of those of its first layer."""


def _draw_small_detector(plan: SmallDetectorPlan, net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    net.in_block("stem")
    _plain(net, "stem", plan.filters, 2)
    stride, maps = 2, {}
    while stride < plan.strides[-1]:
        stride *= 2
        _stage(net, f"stage{stride}", min(stride // 2, _WIDEST) * plan.filters)
        maps[stride] = net.last
    net.in_block("pyramid")
    _pyramid(net, {stride: maps[stride] for stride in plan.strides}, _neck(plan), _plain)


def _stage(net: GraphBuilder, block: str, filters: int) -> None:
    """Halve the maps, and add two convolutions with a shortcut around them."""
    net.in_block(block)
    _plain(net, f"{block}_half", filters, 2)
    shortcut = net.last
    _plain(net, f"{block}_1", filters)
    normalized(net, f"{block}_2", "", filters, 3)
    net.add("add", f"{block}_sum", after=(net.last, shortcut))
    net.add("activation", f"{block}_relu", activation="relu")


def _neck(plan: SmallDetectorPlan) -> int:
    return 3 * plan.filters


def _small_head(plan: SmallDetectorPlan, net: GraphBuilder) -> None:
    maps = {stride: f"merged{stride}_relu" for stride in plan.strides}
    _box_head(net, maps, _neck(plan), 1, _plain)


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
        draw=partial(_draw_small_detector, plan),
        head=partial(_small_head, plan),
        output=OutputKind.BOXES,
        options=network.Options(plan, small_detector),
    )


SMALL_DETECTOR = small_detector(SmallDetectorPlan())


# Heads on any published backbone.

_STAGES = (8, 16, 32)
_ROUNDED_UP = ("mobilenet", "resnet", "efficientnet")
"""Backbones whose maps have ceil(side / stride) rows and columns, as the levels of boxes."""


def _backbone_field(default: Architecture) -> Architecture:
    chosen: Architecture = plan_field(
        default,
        label="Backbone",
        help="Published network that computes the features.",
        why="MobileNets are fast on a CPU; ResNet and EfficientNet are stronger.",
        labels={backbone.name: backbone.label for backbone in BACKBONES},
    )
    return chosen


def _depth_field(default: int) -> int:
    chosen: int = plan_field(
        default,
        label="Depth",
        help="Convolutions between each map and its answers.",
        why="More for many classes that look alike; fewer are faster.",
        within=(1, 6),
    )
    return chosen


def _maps_of(net: GraphBuilder, backbone: str, strides: Sequence[int]) -> dict[int, str]:
    """Return the ids of the maps of a backbone by their strides in pixels."""
    found = {}
    for stride in strides:
        net.last = network.BACKBONE_ID
        if stride < _STAGES[-1]:
            place = stage_of(backbone, stride)
            net.add("inside_backbone", f"inside{stride}", after=net.last, place=place)
        if not backbone.startswith(_ROUNDED_UP):
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


def _side_of(backbone: Backbone) -> int:
    return max(backbone.smallest, 2 * _STAGES[-1])


class LightDetectorPlan(Plan):
    """Backbone and size of the light detector."""

    backbone: Architecture = _backbone_field("mobilenet_v2")
    filters: int = filters_field(
        96,
        "Filters",
        "Channels of the layers behind the backbone.",
        why="64 is faster; 128 for many classes.",
    )
    depth: int = _depth_field(2)


def _light_head(plan: LightDetectorPlan, net: GraphBuilder) -> None:
    maps = _pyramid(net, _maps_of(net, plan.backbone, _STAGES), plan.filters, _separable)
    _box_head(net, maps, plan.filters, plan.depth, _separable)


def detector_light(plan: Plan) -> network.ZooNetwork:
    """Return the light detector on a backbone."""
    plan = LightDetectorPlan.parse(plan.model_dump())
    backbone = BACKBONES[plan.backbone]
    side = _side_of(backbone)
    return network.ZooNetwork(
        name=network.named("detector_light", plan),
        label=message("Light detector ({backbone})", backbone=backbone.label),
        year=2021,
        paper=f"Our own, after {_FPN_PAPER}, and C. Feng, Y. Zhong, Y. Gao, M. R. Scott, W. "
        'Huang, "TOOD: task-aligned one-stage object detection", ICCV 2021, arXiv:2108.07755',
        summary="Three levels of separable convolutions on pretrained features: the usual choice "
        "on a CPU. Can start from ImageNet.",
        smallest=(side, side),
        default_input=(320, 320, 3),
        draw=partial(network.draw_backbone, backbone),
        head=partial(_light_head, plan),
        backbone=backbone.name,
        output=OutputKind.BOXES,
        options=network.Options(plan, detector_light),
    )


DETECTOR_LIGHT = detector_light(LightDetectorPlan())
