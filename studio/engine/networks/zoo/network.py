"""How a network of the zoo is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from studio.engine.errors import StudioError
from studio.engine.networks.blocks import START
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.fitting import COLOR, gray_as_color
from studio.engine.networks.spec import HEAD, HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.plans import Plan


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
    """The usual head: one dense layer from the features to the probabilities."""
    net.add("dense", HEAD, units=net.classes, activation="softmax")


def dropout_head(rate: float, node_id: str = "") -> Callable[[GraphBuilder], None]:
    """The usual head behind a dropout.

    Args:
        rate: Of the dropout.
        node_id: Its id; empty for one that is counted.
    """

    def draw(net: GraphBuilder) -> None:
        net.add("dropout", node_id, rate=rate)
        dense_head(net)

    return draw


def wide_head(net: GraphBuilder) -> None:
    """The head of AlexNet and VGG: two dense layers of 4,096 units, with dropout, and a third."""
    net.add("flatten", "flatten")
    for name in ("fc6", "fc7"):
        net.add("dense", name, units=4096, activation="relu", kernel_initializer=START)
        net.add("dropout", f"{name}_dropout", rate=0.5)
    net.add("dense", HEAD, units=net.classes, activation="softmax")


def averaged_head(net: GraphBuilder, last: str) -> None:
    """A head without dense layers: one map per class, and its mean (Lin et al. 2014).

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
    """What can be set in a network of the zoo.

    Attributes:
        plan: The values.
        vary: The same network with other values.
    """

    plan: Plan
    vary: Callable[[Plan], ZooNetwork]


@dataclass(frozen=True, slots=True)
class ZooNetwork:
    """A network of the zoo.

    Attributes:
        name: Stable name, as in files and on the command line.
        label: Shown name.
        year: Year of publication.
        paper: Who described it, and where.
        summary: One or two lines: what it is good for.
        smallest: Smallest (height, width) that it takes, in pixels.
        default_input: Size (height, width, channels) that it was made for.
        draw: Adds the layers from the pixels to the features.
        channels: Numbers of channels that it takes.
        head: Adds the layers from the features to the probabilities, the last under the id `HEAD`.
        published: What was published of its size; None where nothing was.
        sees_color: True where its first layer is made for three channels, because published
            weights are: it sees a gray image as three equal channels.
        options: What can be set in it; None for nothing.
    """

    name: str
    label: str
    year: int
    paper: str
    summary: str
    smallest: tuple[int, int]
    default_input: tuple[int, int, int]
    draw: Callable[[GraphBuilder], object]
    channels: tuple[int, ...] = (1, 3)
    head: Callable[[GraphBuilder], object] = dense_head
    published: Published | None = None
    sees_color: bool = False
    options: Options | None = None

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
        seen = COLOR if self.sees_color else channels
        net = GraphBuilder(
            self.label, InputShape(height=height, width=width, channels=seen), classes
        )
        self.draw(net)
        self.head(net.in_block(HEAD_BLOCK))
        spec = net.spec()
        if seen == channels:
            return spec
        shape = InputShape(height=height, width=width, channels=channels)
        return spec.model_copy(update={"input": shape, "nodes": gray_as_color(spec.nodes)})

    def _refuse_impossible(self, input_shape: tuple[int, int, int]) -> None:
        height, width, channels = input_shape
        least_height, least_width = self.smallest
        if height < least_height or width < least_width:
            raise StudioError(
                f"{self.label} takes images of at least {least_width}x{least_height} pixels "
                f"(width x height); received {width}x{height}.",
                "Import the dataset with larger images, or choose a smaller network.",
                "network",
            )
        if channels not in self.channels:
            known = " or ".join(str(count) for count in self.channels)
            raise StudioError(
                f"{self.label} takes images of {known} channels; received {channels}.",
                "Import the dataset in gray or in color.",
                "network",
            )
