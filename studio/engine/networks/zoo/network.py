"""How a network of the zoo is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import HEAD, InputShape, NetworkSpec

FEWEST_CLASSES = 2


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
        channels: Numbers of channels that it takes.
        draw: Adds the layers from the pixels to the features; `build` adds the head.
    """

    name: str
    label: str
    year: int
    paper: str
    summary: str
    smallest: tuple[int, int]
    default_input: tuple[int, int, int]
    channels: tuple[int, ...]
    draw: Callable[[GraphBuilder], object]

    def build(self, input_shape: tuple[int, int, int], classes: int) -> NetworkSpec:
        """Write the network down for images of one size.

        Args:
            input_shape: Height, width and channels of the images.
            classes: Number of classes.

        Raises:
            StudioError: The network does not take such images, or there are too few classes.
        """
        self._refuse_impossible(input_shape, classes)
        height, width, channels = input_shape
        shape = InputShape(height=height, width=width, channels=channels)
        net = GraphBuilder(self.label, shape, classes)
        self.draw(net)
        net.add("dense", HEAD, units=classes, activation="softmax")
        return net.spec()

    def _refuse_impossible(self, input_shape: tuple[int, int, int], classes: int) -> None:
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
        if classes < FEWEST_CLASSES:
            raise StudioError(
                f"A classifier needs at least {FEWEST_CLASSES} classes; received {classes}.",
                "Add a folder of images for another class.",
                "network",
            )
