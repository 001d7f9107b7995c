"""Networks of the zoo as data, and those that are drawn around a published backbone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from studio.engine.errors import StudioError
from studio.engine.messages import as_message, joined, message
from studio.engine.networks import backbones
from studio.engine.networks.blocks import START
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.fitting import COLOR, gray_as_color, with_channels
from studio.engine.networks.layers.backbone import Architecture
from studio.engine.networks.spec import HEAD, HEAD_BLOCK, INPUT, InputShape, NetworkSpec
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks import first_task
from studio.engine.tasks.outputs import VECTOR, Output

BACKBONE_ID = "backbone_1"
"""Id of the backbone of every network that has one."""
IMAGENET_ENDING = "_imagenet"
DRAWN_BACKBONES = frozenset({"resnet50", "vgg16", "vgg19"})
"""Backbones that the zoo also draws layer by layer."""


def networks_of_backbones(
    drawn: Collection[str], besides: Collection[str] = ()
) -> list[ZooNetwork]:
    """Return the networks of all backbones.

    Args:
        drawn: Names that are taken.
        besides: Backbones for which the zoo already has a network.
    """
    return [
        _network(backbone, backbone.name in drawn)
        for backbone in backbones.BACKBONES
        if backbone.name not in besides
    ]


def zoo_name_of(backbone: str) -> str:
    """Return the zoo's name of the network that fits the published weights of a backbone."""
    return f"{backbone}{IMAGENET_ENDING}" if backbone in DRAWN_BACKBONES else backbone


def _network(backbone: backbones.Backbone, is_drawn: bool) -> ZooNetwork:
    side = backbone.usual
    return ZooNetwork(
        name=f"{backbone.name}{IMAGENET_ENDING}" if is_drawn else backbone.name,
        label=f"{backbone.label} (ImageNet)" if is_drawn else backbone.label,
        year=backbone.year,
        paper=backbone.paper,
        summary=_summary(backbone),
        smallest=(backbone.smallest, backbone.smallest),
        default_input=(side, side, 3),
        draw=partial(_draw_pooled, backbone),
        head=dropout_head(0.2),
        backbone=backbone.name,
    )


def _summary(backbone: backbones.Backbone) -> str:
    figures = [message("{number:.1f} million weights", number=backbone.parameters / 1e6)]
    if backbone.accuracy is not None:
        figures.append(message("{percent:.1f} % on ImageNet", percent=backbone.accuracy * 100))
    if backbone.megabytes is not None:
        figures.append(message("{megabytes:,.0f} MB", megabytes=backbone.megabytes))
    return message("Pretrained weights available: {figures}.", figures=joined(figures, ", "))


def draw_backbone(backbone: backbones.Backbone, net: GraphBuilder) -> None:
    """Add a backbone with the preprocessing that its weights expect.

    Args:
        backbone: The backbone.
        net: Receives the nodes.
    """
    _preprocess(net, backbone)
    net.add("backbone", BACKBONE_ID, architecture=backbone.name)


def add_inside(net: GraphBuilder, backbone: str, stride: int) -> None:
    """Add the finer maps that the backbone of a network computes.

    Args:
        net: The network.
        backbone: Name of its backbone.
        stride: One of `backbones.STAGES`.
    """
    place = backbones.stage_of(backbone, stride)
    net.add("inside_backbone", f"inside{stride}", after=BACKBONE_ID, place=place)
    if backbones.has_one_map(backbone):
        # Patches are no power of two. The grid is needed for its size alone.
        inside = net.last
        net.add("max_pool", f"even{stride}", after=INPUT, size=stride, padding="same")
        net.add(
            "resize_like",
            f"inside{stride}_even",
            after=(inside, net.last),
            interpolation="bilinear",
        )


def backbone_input(net: GraphBuilder) -> str:
    """Return the id of the layer whose output the backbone of a network takes.

    That are pixels as the published weights expect them, whatever the images hold.
    """
    return next(each.inputs[0] for each in net.spec().nodes if each.id == BACKBONE_ID)


def _draw_pooled(backbone: backbones.Backbone, net: GraphBuilder) -> None:
    draw_backbone(backbone, net)
    net.add("global_average_pool", "pooled" if backbone.transformer else "")
    if backbones.has_one_map(backbone.name):
        # What the transformer itself says of the whole image, beside the mean of its patches.
        net.add("inside_backbone", "image_features", after=BACKBONE_ID, place="image_features")
        net.add("concatenate", "features", after=("pooled", "image_features"))


def _preprocess(net: GraphBuilder, backbone: backbones.Backbone) -> None:
    """Add the preprocessing of the published weights for pixels from 0 to 255."""
    if backbone.preprocessing == "tf":
        net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    elif backbone.preprocessing == "tf_128":
        net.add("rescaling", scale=1 / 128, offset=-1.0)
    elif backbone.preprocessing == "caffe":
        net.add("subtract_mean", mean=backbones.CAFFE_MEAN, height=1, width=1)
    else:
        # (x / 255 - mean) / deviation; Keras divides by 255 itself in some backbones.
        factor = 255.0 if backbone.preprocessing == "torch_times_255" else 1.0
        means, deviations = backbones.TORCH_MEAN, backbones.TORCH_DEVIATION
        if backbone.preprocessing == "clip":
            means, deviations = backbones.CLIP_MEAN, backbones.CLIP_DEVIATION
        colors = list(zip(means, deviations, strict=True))
        scale = ", ".join(f"{factor / 255 / deviation:.9g}" for _, deviation in colors)
        offset = ", ".join(f"{-factor * mean / deviation:.9g}" for mean, deviation in colors)
        net.add("channel_scaling", scale=scale, offset=offset)


@dataclass(frozen=True, slots=True)
class Published:
    """The number of weights that a paper, or the first code of its authors, states.

    Attributes:
        parameters: Number of weights, often rounded.
        at: Height, width and channels of the images.
        classes: Number of classes.
    """

    parameters: int
    at: tuple[int, int, int]
    classes: int


def dense_head(net: GraphBuilder) -> None:
    """Add the usual head: one dense layer from the features to the probabilities."""
    net.add("dense", HEAD, units=net.classes, activation="softmax")


def dropout_head(rate: float, node_id: str = "") -> Callable[[GraphBuilder], None]:
    """Return the usual head behind a dropout.

    Args:
        rate: Rate of the dropout.
        node_id: Its id; empty for one that is counted.
    """

    def draw(net: GraphBuilder) -> None:
        net.add("dropout", node_id, rate=rate)
        dense_head(net)

    return draw


def wide_head(net: GraphBuilder) -> None:
    """Add the head of AlexNet and VGG: two dense layers of 4,096 units, dropout, and a third."""
    net.add("flatten", "flatten")
    for name in ("fc6", "fc7"):
        net.add("dense", name, units=4096, activation="relu", kernel_initializer=START)
        net.add("dropout", f"{name}_dropout", rate=0.5)
    net.add("dense", HEAD, units=net.classes, activation="softmax")


def averaged_head(net: GraphBuilder, last: str) -> None:
    """Add a head without dense layers: one map per class, and its mean (Lin et al. 2014).

    It starts with zeros, that is with equal probabilities, however large the features are.

    Args:
        net: The network.
        last: Id of the convolution that gives the maps.
    """
    net.add("conv2d", last, filters=net.classes, kernel=1, kernel_initializer="zeros")
    net.add("global_average_pool", f"{last}_mean")
    net.add("softmax", HEAD)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a network of the zoo.

    Attributes:
        plan: The values.
        vary: The same network with other values.
    """

    plan: Plan
    vary: Callable[[Plan], ZooNetwork]


def named(base: str, plan: Plan) -> str:
    """Return the name of a network with options, without those that have their default.

    Args:
        base: Name of the network.
        plan: Its options.
    """
    chosen = [
        f"{name}={value}"
        for name, value in plan.model_dump().items()
        if value != type(plan).model_fields[name].default
    ]
    return ":".join([base, ",".join(chosen)] if chosen else [base])


@dataclass(frozen=True, slots=True)
class ZooNetwork:
    """A network of the zoo.

    Attributes:
        name: Stable name, as in files and on the command line.
        label: Shown name.
        year: Year of publication.
        paper: Authors and publication.
        summary: One or two lines: what it is good for.
        smallest: Smallest (height, width) that it takes, in pixels.
        default_input: Size (height, width, channels) that it was made for.
        draw: Adds the layers from the pixels to the features.
        head: Adds the layers from the features to the probabilities, the last under the id `HEAD`.
        published: Published size; None if there is none.
        backbone: Name of the backbone whose published weights it can start from; empty for none.
        sees_color: True if published weights of the whole network have three channels.
        options: Its options; None for none.
        output: Kind of its output.
    """

    name: str
    label: str
    year: int
    paper: str
    summary: str
    smallest: tuple[int, int]
    default_input: tuple[int, int, int]
    draw: Callable[[GraphBuilder], object]
    head: Callable[[GraphBuilder], object] = dense_head
    published: Published | None = None
    backbone: str = ""
    sees_color: bool = False
    options: Options | None = None
    output: Output = VECTOR

    def build(self, input_shape: tuple[int, int, int], classes: int) -> NetworkSpec:
        """Write the network down for images of one size.

        Args:
            input_shape: Height, width and channels of the images.
            classes: Number of classes.

        Raises:
            StudioError: The network does not take such images.
        """
        self._refuse_impossible(input_shape)
        height, width, channels = input_shape
        # Published weights have three channels: they see a gray image as three equal ones.
        is_published = bool(self.backbone) or self.sees_color
        seen = COLOR if is_published and channels == 1 else channels
        net = GraphBuilder(
            self.label, InputShape(height=height, width=width, channels=seen), classes
        )
        self.draw(net)
        self.head(net.in_block(HEAD_BLOCK))
        task = first_task(self.output)
        spec = net.spec().model_copy(update={"task": task.name})
        if seen == channels:
            return spec.model_copy(update={"nodes": with_channels(spec.nodes, channels)})
        shape = InputShape(height=height, width=width, channels=channels)
        return spec.model_copy(update={"input": shape, "nodes": gray_as_color(spec.nodes)})

    def _refuse_impossible(self, input_shape: tuple[int, int, int]) -> None:
        height, width, _ = input_shape
        least_height, least_width = self.smallest
        if height < least_height or width < least_width:
            raise StudioError(
                "{network} needs images of at least {least_width}x{least_height} pixels "
                "(width x height); received {width}x{height}.",
                "Import the dataset with larger images, or choose a smaller network.",
                "network",
                network=as_message(self.label),
                least_width=least_width,
                least_height=least_height,
                width=width,
                height=height,
            )


# Networks with a head on any published backbone.


def backbone_field(default: Architecture) -> Architecture:
    """Declare the field for the backbone of a network."""
    chosen: Architecture = plan_field(
        default,
        label="Backbone",
        help="Published network that computes the features.",
        why="MobileNets are fast on a CPU; ResNet and EfficientNet are stronger.",
        labels={backbone.name: backbone.label for backbone in backbones.BACKBONES},
    )
    return chosen


class BackbonePlan(Plan):
    """The backbone of a network."""

    backbone: Architecture = backbone_field("mobilenet_v2")


P = TypeVar("P", bound=BackbonePlan)


@dataclass(frozen=True, slots=True)
class HeadOnBackbone(Generic[P]):
    """A head that makes a network of any published backbone.

    Attributes:
        name: Stable name without options.
        label: Shown name without the backbone.
        year: Year of publication.
        paper: Authors and publication.
        summary: One or two lines: what it is good for.
        default_input: Size (height, width, channels) that it was made for.
        plan: Class of its options.
        head: Adds the layers behind the backbone.
        output: Kind of its output.
        min_side: Smallest side of an image that the head takes, in pixels.
    """

    name: str
    label: str
    year: int
    paper: str
    summary: str
    default_input: tuple[int, int, int]
    plan: type[P]
    head: Callable[[P, GraphBuilder], object]
    output: Output
    min_side: int = 1

    def on(self, options: Plan) -> ZooNetwork:
        """Return the network with some backbone and other options."""
        plan = self.plan.parse(options.model_dump())
        backbone = backbones.BACKBONES[plan.backbone]
        side = max(backbone.smallest, self.min_side)
        return ZooNetwork(
            name=named(self.name, plan),
            label=message(
                "{network} ({backbone})", network=as_message(self.label), backbone=backbone.label
            ),
            year=self.year,
            paper=self.paper,
            summary=self.summary,
            smallest=(side, side),
            default_input=self.default_input,
            draw=partial(draw_backbone, backbone),
            head=partial(self.head, plan),
            backbone=backbone.name,
            output=self.output,
            options=Options(plan, self.on),
        )

    def name_on(self, backbone: Architecture) -> str:
        """Return the name of the network on a backbone, with its usual options otherwise."""
        return self.on(self.plan(backbone=backbone)).name
