"""Networks that give masks of detected objects: detectors with maps that masks are made of.

The detectors are those of `boxes`, whose positions also give the coefficients of a mask. A branch
of twice the resolution of their finest level gives the maps that the coefficients weigh (D. Bolya
et al., YOLACT, 2019); `tasks.masks` says how. What differs: four of the maps multiply the place in
the box, so that equal objects side by side can be told apart; the maps have no activation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from studio.engine.messages import message
from studio.engine.networks.blocks import filters_field, normalized
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import Architecture
from studio.engine.networks.spec import HEAD
from studio.engine.networks.zoo import network
from studio.engine.networks.zoo.boxes import (
    STAGES,
    Convolution,
    SmallDetectorPlan,
    answer,
    draw_small_detector,
    maps_of,
    neck,
    plain,
    pyramid,
    separable,
)
from studio.engine.plans import Plan
from studio.engine.tasks.outputs import BOX_SIDES, COEFFICIENTS, OBJECT_MASKS

_PAPER: Final = (
    'D. Bolya, C. Zhou, F. Xiao, Y. J. Lee, "YOLACT: real-time instance segmentation", ICCV 2019, '
    "arXiv:1904.02689"
)


def add_mask_head(
    net: GraphBuilder,
    levels: Mapping[int, str],
    fine: str,
    filters: int,
    convolution: Convolution,
) -> None:
    """Add the maps, the answers of the levels of a pyramid, and join them.

    Args:
        net: The network.
        levels: Id of the map of each stride in pixels.
        fine: Id of the map that is twice as fine as the finest level.
        filters: Channels of the layers before an answer.
        convolution: Adds one of them.
    """
    finest = min(levels)
    joined = _fine_maps(net, levels[finest], fine, finest // 2, filters, convolution)
    for stride, source in sorted(levels.items()):
        net.last = source
        convolution(net, f"classes{stride}_1", filters)
        joined.append(answer(net, "classes", stride))
        net.last = source
        convolution(net, f"objects{stride}_1", filters)
        shared = net.last
        net.add(
            "conv2d",
            f"coefficients{stride}",
            filters=COEFFICIENTS,
            kernel=1,
            activation="tanh",
        )
        coefficients = net.last
        net.last = shared
        sides = answer(net, "sides", stride)
        net.add("concatenate", f"numbers{stride}", after=(coefficients, sides))
        joined.append(net.last)
    net.add("box_head", HEAD, after=tuple(joined))


def _fine_maps(
    net: GraphBuilder,
    source: str,
    fine: str,
    stride: int,
    filters: int,
    convolution: Convolution,
) -> list[str]:
    """Add the branch of the maps; returns the ids of the classes and of the maps."""
    net.last = source
    convolution(net, f"fine{stride}_before", filters)
    net.add("resize_like", f"fine{stride}_resize", after=(net.last, fine))
    enlarged = net.last
    net.last = fine
    normalized(net, f"fine{stride}_skip", "", filters, 1)
    net.add("add", f"fine{stride}_sum", after=(net.last, enlarged))
    convolution(net, f"fine{stride}", filters)
    convolution(net, f"fine{stride}_2", filters)
    last = net.last
    classes = answer(net, "classes", stride)
    net.add(
        "conv2d",
        f"maps{stride}",
        after=last,
        filters=COEFFICIENTS + BOX_SIDES,
        kernel=1,
        kernel_initializer="random_uniform",  # small, so that masks start undecided
    )
    return [classes, net.last]


# From random weights, for a CPU.


def _small_head(plan: SmallDetectorPlan, net: GraphBuilder) -> None:
    finest = plan.strides[0]
    levels = {stride: f"merged{stride}_relu" for stride in plan.strides}
    fine = "stem_relu" if finest == 4 else f"stage{finest // 2}_relu"
    add_mask_head(net, levels, fine, neck(plan), plain)


def small_masks(plan: Plan) -> network.ZooNetwork:
    """Return the small network for masks of some size."""
    plan = SmallDetectorPlan.parse(plan.model_dump())
    side = 2 * plan.strides[-1]
    return network.ZooNetwork(
        name=network.named("small_masks", plan),
        label="Small mask network",
        year=2019,
        paper=f"Our own, after {_PAPER}",
        summary="Finds objects and gives each a mask of any shape: for bent, branched and hollow "
        "objects, up to 100 in an image, without pretrained weights.",
        smallest=(side, side),
        default_input=(128, 128, 3),
        draw=partial(draw_small_detector, plan),
        head=partial(_small_head, plan),
        output=OBJECT_MASKS,
        options=network.Options(plan, small_masks),
    )


SMALL_MASKS = small_masks(SmallDetectorPlan())


# On any published backbone.

_FINE: Final = STAGES[0] // 2


class MaskBackbonePlan(network.BackbonePlan):
    """Backbone and size of the network for masks."""

    filters: int = filters_field(
        96,
        "Filters",
        "Channels of the layers behind the backbone.",
        why="64 is faster; 128 for many classes.",
    )


def _backbone_head(plan: MaskBackbonePlan, net: GraphBuilder) -> None:
    maps = maps_of(net, plan.backbone, (_FINE, *STAGES))
    fine = maps.pop(_FINE)
    levels = pyramid(net, maps, plan.filters, separable)
    add_mask_head(net, levels, fine, plan.filters, separable)


_MASK_BACKBONE = network.HeadOnBackbone(
    name="mask_backbone",
    label=message("Mask network"),
    year=2019,
    paper=f"Our own, after {_PAPER}",
    summary="Finds objects on pretrained features and gives each a mask of any shape: for large, "
    "bent or hollow objects of many looks. Can start from ImageNet.",
    default_input=(320, 320, 3),
    plan=MaskBackbonePlan,
    head=_backbone_head,
    output=OBJECT_MASKS,
    min_side=2 * STAGES[-1],
)
MASK_BACKBONE = _MASK_BACKBONE.on(MaskBackbonePlan())


def on_backbone(backbone: Architecture) -> str:
    """Return the name of the network for masks on a backbone."""
    return _MASK_BACKBONE.name_on(backbone)
