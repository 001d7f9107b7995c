"""Networks that compare features of an image with those of good images.

A network has branches: each compares one map of features in one way, in layers that every export
format knows. A fit measures all branches and keeps the best ones, see `with_branches`.

- Gaussians at each position of a map: T. Defard et al., "PaDiM: a patch
  distribution modeling framework for anomaly detection and localization", ICPR 2021. The distance
  of Mahalanobis is whitening by a matrix, and the mean of the squares.
- Patches in a memory: K. Roth et al., "Towards total recall in industrial anomaly detection", CVPR
  2022 (PatchCore). The squared distance to the nearest of M vectors m is |x|² - max(2 x·m - |m|²),
  a convolution with M filters and a maximum.
- The mean of a map, with a Gaussian: O. Rippel et al., "Modeling the distribution
  of normal data in pre-trained deep features for anomaly detection", ICPR 2021; or with the
  nearest good image: L. Bergman et al., "Deep nearest neighbor anomaly detection", 2020. They
  see whole images: their map is the same everywhere.

Features are brought to a fixed number by a semi-orthogonal matrix (Kim et al., "Semi-orthogonal
embedding for efficient unsupervised anomaly segmentation", 2021).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from studio.engine.networks.blocks import filters_field
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import Architecture
from studio.engine.networks.spec import HEAD, HEAD_BLOCK, INPUT, LayerNode, NetworkSpec
from studio.engine.networks.zoo import network
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks.outputs import ANOMALY_MAP

GAUSSIAN, PATCHES, MEAN, NEAREST = "gaussian", "patches", "mean", "nearest"
"""Ways of comparing: a Gaussian at each position, a memory of patches, a Gaussian of the mean of a
map, and the nearest mean of a map."""
KINDS: Final = (GAUSSIAN, PATCHES, MEAN, NEAREST)
WITH_MEMORY: Final = frozenset({PATCHES, NEAREST})
OF_WHOLE: Final = frozenset({MEAN, NEAREST})
"""Ways that see whole images."""

EMBED, COMPARE, DISTANCE = "embed_", "compare_", "distance_"
"""Beginnings of the ids of layers: reduced features, their comparison, and the distance."""
NORM, NEAR = "norm_", "near_"
"""Beginnings of the ids of the two parts of the distance from a memory."""
SUM: Final = "distance"
"""Id of the layer that adds the distances of the branches."""
_STRIDES: Final = (8, 16)
"""Measured with MobileNetV2 on magnetic tiles: stride 8 gives AUROC 0.95, stride 16 0.97."""
SMALL_FEATURES: Final = 32
_MOST_POSITIONS: Final = 32
"""Of a side of a map: each position has a matrix, so 1,024 of 100 features take 41 MB."""
_MOST_FEATURES: Final = 512
"""Matrices of all positions grow with the square: 1,024 of 512 features take 1 GB."""
_MOST_MEMORY: Final = 20_000


@dataclass(frozen=True, slots=True)
class Branch:
    """A comparison of one map of features.

    Attributes:
        kind: One of `KINDS`.
        map: Name of the map.
        source: Id of the layer that gives it.
        grid: Rows and columns of the compared map.
        features: Number of features that are compared.
        memory: Vectors in the memory; 0 without one.
    """

    kind: str
    map: str
    source: str
    grid: tuple[int, int]
    features: int
    memory: int = 0

    @property
    def name(self) -> str:
        """End of the ids of its layers."""
        return f"{self.kind}_{self.map}"


@dataclass(frozen=True, slots=True)
class _Map:
    """A map of features.

    Attributes:
        name: Its name here.
        source: Id of the layer that gives it.
        stride: Pixels between two of its values.
    """

    name: str
    source: str
    stride: int


class FeaturesPlan(network.BackbonePlan):
    """Backbone and number of features."""

    features: int = plan_field(
        100,
        label="Features",
        help="Features of each position that are compared with those of good images.",
        why="100 as published; fewer are faster and make smaller files.",
        within=(1, _MOST_FEATURES),
        scale="log",
    )


class MemoryPlan(FeaturesPlan):
    """Backbone, number of features, and size of the memory."""

    memory: int = plan_field(
        1000,
        label="Memory",
        help="Vectors of good images that are kept, spread as widely as possible.",
        why="More see finer differences; the file and the time per image grow with them.",
        within=(1, _MOST_MEMORY),
        scale="log",
    )


def add_branches(net: GraphBuilder, branches: Sequence[Branch]) -> None:
    """Add branches, and the sum of their distances.

    Args:
        net: The network with the layers that give the maps.
        branches: The branches, at least one.
    """
    distances = []
    for branch in branches:
        _add_branch(net, branch)
        distances.append(net.last)
    if len(distances) > 1:
        net.add("add", SUM, after=tuple(distances))
    net.add("conv2d", HEAD, filters=net.classes, kernel=1, activation="relu")


def _add_branch(net: GraphBuilder, branch: Branch) -> None:
    name, source = branch.name, branch.source
    size: dict[str, object] = {"height": branch.grid[0], "width": branch.grid[1]}
    if branch.kind in OF_WHOLE:
        net.add("global_average_pool", f"grid_{name}", after=source, keepdims=True)
    else:
        if branch.kind == PATCHES:
            net.add(
                "average_pool", f"around_{name}", after=source, size=3, stride=1, padding="same"
            )
            source = net.last
        size["interpolation"] = "bilinear"
        net.add("keras", f"grid_{name}", after=source, **_keras("Resizing", size))
    # The last channel is a constant 1: its row in a matrix adds a number to each result.
    net.add("conv2d", f"{EMBED}{name}", filters=branch.features + 1, kernel=1)
    if branch.kind in WITH_MEMORY:
        _add_memory(net, branch)
    else:
        shape = [*branch.grid, branch.features]
        matrices = {"equation": "nhwc,hwcf->nhwf", "output_shape": shape}
        net.add("keras", f"{COMPARE}{name}", **_keras("EinsumDense", matrices))
        net.add("multiply", f"square_{name}", after=(net.last, net.last))
    net.add("conv2d", f"{DISTANCE}{name}", filters=1, kernel=1)
    net.add("resize_like", f"full_{name}", after=(net.last, INPUT), interpolation="bilinear")


def _add_memory(net: GraphBuilder, branch: Branch) -> None:
    """Add the squared distance to the nearest vector of a memory; see the module."""
    name, (height, width) = branch.name, branch.grid
    embedded = net.last
    net.add("conv2d", f"{COMPARE}{name}", filters=branch.memory, kernel=1)
    # The vectors become an image of one column with a channel for each position.
    net.add("reshape", f"cells_{name}", target_shape=f"{height * width}, {branch.memory}")
    net.add("permute", f"vectors_{name}", dims="2, 1")
    column = f"{branch.memory}, 1, {height * width}"
    net.add("reshape", f"column_{name}", target_shape=column)
    net.add("global_max_pool", f"highest_{name}")
    net.add("reshape", f"map_{name}", target_shape=f"{height}, {width}, 1")
    net.add("conv2d", f"{NEAR}{name}", filters=1, kernel=1)
    near = net.last
    net.add("multiply", f"square_{name}", after=(embedded, embedded))
    net.add("conv2d", f"{NORM}{name}", filters=1, kernel=1)
    net.add("add", f"between_{name}", after=(net.last, near))


def _keras(class_name: str, settings: Mapping[str, object]) -> dict[str, str]:
    return {"class_name": class_name, "config": json.dumps(settings)}


def branches_of(spec: NetworkSpec) -> list[Branch]:
    """Return the branches of a network; none of other networks."""
    nodes = {node.id: node for node in spec.nodes}
    names = [each.removeprefix(DISTANCE) for each in nodes if each.startswith(DISTANCE)]
    return [_read_branch(nodes, name) for name in names]


def _read_branch(nodes: Mapping[str, LayerNode], name: str) -> Branch:
    kind, _, of_map = name.partition("_")
    first = nodes.get(f"around_{name}", nodes[f"grid_{name}"])
    grid = (1, 1)
    if kind not in OF_WHOLE:
        config = json.loads(str(nodes[f"grid_{name}"].parameters["config"]))
        grid = config["height"], config["width"]
    features = int(str(nodes[f"{EMBED}{name}"].parameters["filters"])) - 1
    compare = nodes[f"{COMPARE}{name}"].parameters
    memory = int(str(compare["filters"])) if kind in WITH_MEMORY else 0
    return Branch(kind, of_map, first.inputs[0], grid, features, memory)


def with_branches(spec: NetworkSpec, branches: Sequence[Branch]) -> NetworkSpec:
    """Return a network with these branches alone, and what gives their maps.

    Args:
        spec: A network with branches.
        branches: Some of them, perhaps with fewer features or vectors.
    """
    needed = _before({each.source for each in branches}, spec.nodes)
    net = GraphBuilder(spec.name, spec.input, spec.classes)
    net.extend([node for node in spec.nodes if node.id in needed], after=INPUT)
    add_branches(net.in_block(HEAD_BLOCK), branches)
    return net.spec().model_copy(update={"task": spec.task})


def _before(ids: Collection[str], nodes: Sequence[LayerNode]) -> set[str]:
    """Return the ids of layers, and of all layers before them."""
    found = set(ids)
    for node in reversed(nodes):  # nodes come after their inputs
        if node.id in found:
            found |= {*node.inputs}
    return found


def _branches(
    net: GraphBuilder, kinds: Sequence[str], maps: Sequence[_Map], features: int, memory: int = 0
) -> list[Branch]:
    return [
        Branch(
            kind,
            each.name,
            each.source,
            (1, 1) if kind in OF_WHOLE else _grid(net, each.stride),
            features,
            memory if kind in WITH_MEMORY else 0,
        )
        for kind in kinds
        for each in maps
    ]


def _grid(net: GraphBuilder, stride: int) -> tuple[int, int]:
    # Positions are pairs of values, so that small shifts of a part matter less.
    rows, columns = (
        min(max(1, round(side / (2 * stride))), _MOST_POSITIONS)
        for side in (net.shape.height, net.shape.width)
    )
    return rows, columns


def _head(kinds: Sequence[str], plan: FeaturesPlan, net: GraphBuilder) -> None:
    maps = []
    for stride in _STRIDES:
        network.add_inside(net, plan.backbone, stride)
        maps.append(_Map(f"stride{stride}", net.last, stride))
    memory = plan.memory if isinstance(plan, MemoryPlan) else 0
    add_branches(net, _branches(net, kinds, maps, plan.features, memory))


def _compares(
    kinds: tuple[str, ...], *, name: str, label: str, year: int, paper: str, summary: str
) -> network.HeadOnBackbone[FeaturesPlan]:
    """Return networks on backbones that compare features in these ways."""
    return network.HeadOnBackbone(
        name=name,
        label=label,
        year=year,
        paper=paper,
        summary=summary,
        default_input=(224, 224, 3),
        plan=MemoryPlan if WITH_MEMORY.intersection(kinds) else FeaturesPlan,
        head=partial(_head, kinds),
        output=ANOMALY_MAP,
        min_side=64,
    )


_PADIM = _compares(
    (GAUSSIAN,),
    name="padim",
    label="PaDiM",
    year=2021,
    paper='T. Defard, A. Setkov, A. Loesch, R. Audigier, "PaDiM: a patch distribution modeling '
    'framework for anomaly detection and localization", ICPR 2021, arXiv:2011.08785',
    summary="Compares pretrained features at each position with those of good images. Fitted in "
    "one pass. Can start from ImageNet.",
)
_PATCHCORE = _compares(
    (PATCHES,),
    name="patchcore",
    label="PatchCore",
    year=2022,
    paper='K. Roth, L. Pemula, J. Zepeda, B. Schölkopf, T. Brox, P. Gehler, "Towards total recall '
    'in industrial anomaly detection", CVPR 2022, arXiv:2106.08265',
    summary="Compares pretrained features with the nearest ones in a memory of good images, "
    "wherever they are. For parts that may move. Can start from ImageNet.",
)
_MEAN_GAUSSIAN = _compares(
    (MEAN,),
    name="mean_gaussian",
    label="Gaussian of mean features",
    year=2021,
    paper='O. Rippel, P. Mertens, D. Merhof, "Modeling the distribution of normal data in '
    'pre-trained deep features for anomaly detection", ICPR 2021, arXiv:2005.14140',
    summary="Compares the mean features of whole images with a Gaussian of good images. Gives one "
    "score, without a place. Can start from ImageNet.",
)
_NEAREST_IMAGE = _compares(
    (NEAREST,),
    name="nearest_image",
    label="Nearest good image",
    year=2020,
    paper='L. Bergman, N. Cohen, Y. Hoshen, "Deep nearest neighbor anomaly detection", 2020, '
    "arXiv:2002.10445",
    summary="Compares the mean features of whole images with those of the nearest good image. "
    "Gives one score, without a place. Can start from ImageNet.",
)
_ANOMALY_MAPS = _compares(
    (GAUSSIAN, PATCHES),
    name="padim_or_patchcore",
    label="PaDiM or PatchCore",
    year=2022,
    paper="Both methods; T. Defard et al., ICPR 2021, and K. Roth et al., CVPR 2022",
    summary="Fits PaDiM and PatchCore, and keeps the one that tells drawn defects best. Can start "
    "from ImageNet.",
)
PADIM = _PADIM.on(FeaturesPlan())
NETWORKS = (
    PADIM,
    _PATCHCORE.on(MemoryPlan()),
    _ANOMALY_MAPS.on(MemoryPlan()),
    _MEAN_GAUSSIAN.on(FeaturesPlan()),
    _NEAREST_IMAGE.on(MemoryPlan()),
)


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
    maps = (_Map("fine", "filters1", 2), _Map("coarse", "filters2", 4))
    add_branches(net, _branches(net, (GAUSSIAN,), maps, SMALL_FEATURES))


def add_smallest(net: GraphBuilder) -> None:
    """Add Gaussians of the last layer of a network."""
    maps = (_Map("features", net.last, 1),)
    add_branches(net, _branches(net, (GAUSSIAN,), maps, SMALL_FEATURES))


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
