"""PaDiM: a Gaussian of the features of good images at each position of some maps.

T. Defard, A. Setkov, A. Loesch, R. Audigier, "PaDiM: a patch distribution modeling framework for
anomaly detection and localization", ICPR 2021. The distance of Mahalanobis is a part of the graph,
in layers that every export format knows: whitening by a matrix for each position, and the mean of
the squares. Features are brought to a fixed number by a semi-orthogonal matrix (Kim et al.,
"Semi-orthogonal embedding for efficient unsupervised anomaly segmentation", 2021).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Final

from studio.engine.networks.blocks import filters_field
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import Architecture
from studio.engine.networks.spec import HEAD, INPUT, NetworkSpec
from studio.engine.networks.zoo import network
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks.outputs import ANOMALY_MAP

EMBED, WHITEN, DISTANCE = "embed_", "gaussian_", "distance_"
"""Beginnings of the ids of layers: reduced features, whitened ones, and the mean of squares."""
SUM: Final = "distance"
"""Id of the layer that adds the distances of the maps."""
_STRIDES: Final = (8, 16)
"""Measured with MobileNetV2 on magnetic tiles: stride 8 gives AUROC 0.95, stride 16 0.97."""
SMALL_FEATURES: Final = 32
_MOST_POSITIONS: Final = 32
"""Of a side of a map: each position has a matrix, so 1,024 of 100 features take 41 MB."""

_MOST_FEATURES: Final = 512
"""Matrices of all positions grow with the square: 1,024 of 512 features take 1 GB."""


class PadimPlan(network.BackbonePlan):
    """Backbone and size of PaDiM."""

    features: int = plan_field(
        100,
        label="Features",
        help="Features of each position that are compared with those of good images.",
        why="100 as published; fewer are faster and make smaller files.",
        within=(1, _MOST_FEATURES),
        scale="log",
    )


def add_gaussians(net: GraphBuilder, maps: Mapping[str, tuple[str, int]], features: int) -> None:
    """Add a Gaussian for each position of some maps, and the sum of the distances.

    Args:
        net: The network.
        maps: Id of the layer that gives each map, and the pixels between two of its values, by
            names of the maps here.
        features: Number of features that are compared.
    """
    distances = []
    for name, (source, stride) in maps.items():
        # Positions are pairs of values, so that small shifts of a part matter less.
        sides = net.shape.height, net.shape.width
        grid = [min(max(1, round(side / (2 * stride))), _MOST_POSITIONS) for side in sides]
        size = {"height": grid[0], "width": grid[1], "interpolation": "bilinear"}
        net.add("keras", f"grid_{name}", after=source, **_keras("Resizing", size))
        # The last channel is a constant 1: its row in the matrix subtracts the mean.
        net.add("conv2d", f"{EMBED}{name}", filters=features + 1, kernel=1)
        matrices = {"equation": "nhwc,hwcf->nhwf", "output_shape": [*grid, features]}
        net.add("keras", f"{WHITEN}{name}", **_keras("EinsumDense", matrices))
        net.add("multiply", f"square_{name}", after=(net.last, net.last))
        net.add("conv2d", f"{DISTANCE}{name}", filters=1, kernel=1)
        net.add("resize_like", f"full_{name}", after=(net.last, INPUT), interpolation="bilinear")
        distances.append(net.last)
    if len(distances) > 1:
        net.add("add", SUM, after=tuple(distances))
    net.add("conv2d", HEAD, filters=net.classes, kernel=1, activation="relu")


def _keras(class_name: str, settings: Mapping[str, object]) -> dict[str, str]:
    return {"class_name": class_name, "config": json.dumps(settings)}


def maps_of(spec: NetworkSpec) -> list[str]:
    """Return the names of the maps of a network that have Gaussians; none of other networks."""
    return [node.id.removeprefix(WHITEN) for node in spec.nodes if node.id.startswith(WHITEN)]


def _head(plan: PadimPlan, net: GraphBuilder) -> None:
    maps = {}
    for stride in _STRIDES:
        network.add_inside(net, plan.backbone, stride)
        maps[f"stride{stride}"] = net.last, stride
    add_gaussians(net, maps, plan.features)


_PADIM = network.HeadOnBackbone(
    name="padim",
    label="PaDiM",
    year=2021,
    paper='T. Defard, A. Setkov, A. Loesch, R. Audigier, "PaDiM: a patch distribution modeling '
    'framework for anomaly detection and localization", ICPR 2021, arXiv:2011.08785',
    summary="Compares pretrained features at each position with those of good images. Fitted in "
    "one pass. Can start from ImageNet.",
    default_input=(224, 224, 3),
    plan=PadimPlan,
    head=_head,
    output=ANOMALY_MAP,
    min_side=64,
)
PADIM = _PADIM.on(PadimPlan())


def on_backbone(backbone: Architecture) -> str:
    """Return the name of PaDiM on a backbone."""
    return _PADIM.name_on(backbone)


class SmallPadimPlan(Plan):
    """Size of PaDiM on random filters."""

    filters: int = filters_field(
        24,
        "Filters",
        "Channels of the first layer; the second has twice as many.",
        why="Random filters see edges, dots and colors; more see finer differences.",
    )


def _draw_small(plan: SmallPadimPlan, net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    for level, kernel in ((1, 5), (2, 3)):
        net.add(
            "conv2d",
            f"filters{level}",
            filters=plan.filters * level,
            kernel=kernel,
            stride=2,
            activation="relu",
        )


def _small_head(net: GraphBuilder) -> None:
    add_gaussians(net, {"fine": ("filters1", 2), "coarse": ("filters2", 4)}, SMALL_FEATURES)


def small_padim(plan: Plan) -> network.ZooNetwork:
    """Return PaDiM on two layers of random filters."""
    plan = SmallPadimPlan.parse(plan.model_dump())
    return network.ZooNetwork(
        name=network.named("small_padim", plan),
        label="Small PaDiM",
        year=2021,
        paper="Our own, after T. Defard et al., ICPR 2021",
        summary="Compares the responses of random filters at each position with those of good "
        "images. Needs no pretrained weights; sees coarse defects of aligned parts.",
        smallest=(16, 16),
        default_input=(128, 128, 3),
        draw=partial(_draw_small, plan),
        head=_small_head,
        output=ANOMALY_MAP,
        options=network.Options(plan, small_padim),
    )


SMALL_PADIM = small_padim(SmallPadimPlan())
