"""Catalog of all networks: those of the zoo and those of the workspace.

The gallery, the form of a new run and the command line show these.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, TypeAdapter

from studio.engine.assets import asset
from studio.engine.errors import StudioError
from studio.engine.messages import Message, as_message, message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.fitting import ending_for, fitted
from studio.engine.networks.heads import head_of, output_of
from studio.engine.networks.layers.backbone import BACKBONE
from studio.engine.networks.library import SavedNetwork
from studio.engine.networks.spec import HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.tasks import find_task
from studio.engine.tasks.outputs import VECTOR, Output
from studio.engine.tasks.task import Task

TABLE_ASSET = "networks/layers.json"
_BYTES = 4


class LayerTable(BaseModel, frozen=True):
    """Layers of a network below its head.

    Attributes:
        height: Height of the images at which the cost was counted, in pixels.
        width: Width of these images.
        multiply_adds: Number of multiply-adds for one such image, including the head.
        layers: Number of layers by the shapes of their weights, see `shapes_key`; without layers
            whose shapes depend on the size of the images.
    """

    height: int
    width: int
    multiply_adds: int
    layers: dict[str, int]

    @property
    def parameters(self) -> int:
        """Number of weights below the head."""
        return sum(size_of(key) * count for key, count in self.layers.items())

    @property
    def download_bytes(self) -> int:
        """Size of a file with these weights, without the head."""
        return _BYTES * self.parameters

    def cost_at(self, height: int, width: int) -> float:
        """Return the multiply-adds for one image of another size, proportional to its pixels.

        Args:
            height: In pixels.
            width: In pixels.
        """
        return self.multiply_adds * (height * width) / (self.height * self.width)

    def fraction_in(self, stored: Counter[str]) -> float:
        """Fraction of the weights below the head that layers of a file could fill, 0 to 1."""
        found = sum(size_of(key) * min(count, stored[key]) for key, count in self.layers.items())
        return found / self.parameters if self.parameters else 0.0


_TABLES = TypeAdapter(dict[str, LayerTable])


@functools.cache
def layer_tables() -> dict[str, LayerTable]:
    """Return all networks of the zoo by name, those without options as they are by default."""
    return _TABLES.validate_json(asset(TABLE_ASSET).read_bytes())


def shapes_key(shapes: tuple[tuple[int, ...], ...]) -> str:
    """Return the shapes of the weights of a layer as a text: `3x3x3x32 32`."""
    return " ".join("x".join(map(str, shape)) or "1" for shape in shapes)


@functools.cache
def size_of(key: str) -> int:
    """Return the number of weights of a layer with such shapes."""
    total = 0
    for shape in key.split():
        count = 1
        for side in shape.split("x"):
            count *= int(side)
        total += count
    return total


Group = Literal["own", "zoo", "pretrained", "masks", "boxes"]
GROUPS: Final[Mapping[Group, Message]] = {
    "own": message("Your own"),
    "zoo": message("From papers"),
    "pretrained": message("Pretrained"),
    "masks": message("Segmentation"),
    "boxes": message("Detection"),
}
"""Groups of networks with their headings."""
Shape = tuple[int, int, int]

DEFAULT_CLASSES = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """One network that can be chosen.

    Attributes:
        name: Name in the zoo, or the id of a saved network; unique among all.
        group: Its group.
        label: Shown name.
        year: Year of publication; None for a drawing.
        summary: Typical use.
        paper: Authors.
        smallest: Smallest height and width that it takes; None if unknown.
        usual: Height, width and channels that it was made for.
        parameters: Number of weights as published; None for unpublished ones.
        backbone: Name of the backbone whose ImageNet weights it can start from; empty for none.
        output: Kind of its output.
        drawing: The saved network itself; None for the zoo.
    """

    name: str
    group: Group
    label: str
    year: int | None
    summary: str
    paper: str
    smallest: tuple[int, int] | None
    usual: Shape
    parameters: int | None = None
    backbone: str = ""
    output: Output = VECTOR
    drawing: NetworkSpec | None = None

    def spec(self, shape: Shape, classes: int) -> NetworkSpec:
        """Return the network for images of a shape.

        Args:
            shape: Height, width and channels.
            classes: Number of classes.

        Raises:
            StudioError: The network does not support the shape.
        """
        if self.drawing is not None:
            return fitted(self.drawing, shape, classes)
        return ZOO[self.name].build(shape, classes)

    def fitting(self, shape: Shape, classes: int) -> tuple[NetworkSpec | None, str]:
        """Return the network for images of a shape, or None and the reason why not.

        Args:
            shape: Height, width and channels.
            classes: Number of classes.
        """
        try:
            return self.spec(shape, classes), ""
        except StudioError as error:
            return None, error.text


@functools.cache
def zoo_entries() -> tuple[Entry, ...]:
    """Return the networks that come with Studio, in the order of the zoo."""
    return tuple(_of_zoo(network) for network in ZOO)


def zoo_entry(name: str) -> Entry | None:
    """Return a network that comes with Studio; None if there is none of that name.

    Args:
        name: Its name, with options where it has some: `star_unet:stride=4`.
    """
    return _of_zoo(ZOO[name]) if name in ZOO else None


def own_entries(networks: Iterable[SavedNetwork]) -> list[Entry]:
    """Return the networks that were drawn or brought along, newest first."""
    return [
        own_entry(network.id, network.name, network.spec) for network in reversed(list(networks))
    ]


def own_entry(name: str, label: str, drawing: NetworkSpec) -> Entry:
    """Return the catalog entry of a saved or imported network.

    Args:
        name: Identifier.
        label: Display name.
        drawing: The network.
    """
    size, task = drawing.input, find_task(drawing.task)
    return Entry(
        name=name,
        group="own",
        label=label,
        year=None,
        summary="",
        paper="",
        smallest=None,
        usual=(size.height, size.width, size.channels),
        drawing=drawing,
        output=VECTOR if task is None else output_of(drawing),
    )


def matching(
    entries: Sequence[Entry],
    text: str,
    group: Group | None,
    translated: Mapping[str, str] | None = None,
) -> list[Entry]:
    """Return the entries that contain every word in their name, summary or paper.

    Args:
        entries: All entries.
        text: Words, in any order.
        group: Only entries of this group; None for all.
        translated: Texts in the user's language that are searched too, by the names of entries.
    """
    words = text.casefold().split()
    translated = translated or {}
    found = []
    for entry in entries:
        texts = (entry.label, entry.name, entry.summary, entry.paper)
        searched = " ".join((*texts, translated.get(entry.name, ""))).casefold()
        if group in (None, entry.group) and all(word in searched for word in words):
            found.append(entry)
    return found


def backbone_of(spec: NetworkSpec) -> str:
    """Return the name of the backbone with published weights that a network can start from."""
    names = [node.parameters["architecture"] for node in spec.nodes if node.layer == BACKBONE.name]
    return str(names[0]) if names else ""


def network_with_output(name: str, task: Task, output: Output | None = None) -> str:
    """Return the network for a task that can start from the weights of a network of the zoo.

    Args:
        name: Name of the network that the weights belong to.
        task: The task.
        output: Output that the network should have; None for that of any family of the task.

    Raises:
        StudioError: The network has no published backbone.
    """
    network = ZOO[name]
    if network.output == output or (output is None and network.output in task.outputs):
        return name
    found = head_of(task, output).network_on(network)
    if found is None:
        raise StudioError(
            "No {task:lower} network can start from the weights of {network}.",
            "Choose weights of a published backbone, such as mobilenet_v2.",
            "weights",
            task=as_message(task.label),
            network=as_message(network.label),
        )
    return found


def _of_zoo(network: ZooNetwork) -> Entry:
    group: Group = "pretrained" if network.backbone else "zoo"
    return Entry(
        name=network.name,
        group=network.output.group or group,
        label=network.label,
        year=network.year,
        summary=network.summary,
        paper=network.paper,
        smallest=network.smallest,
        usual=network.default_input,
        parameters=network.published.parameters if network.published else None,
        backbone=network.backbone,
        output=network.output,
    )


# The smallest network for a task, which a new drawing begins with.


def new_network(name: str, shape: InputShape, classes: int, task: Task) -> NetworkSpec:
    """Return a minimal network: rescaling to 0 to 1 and the head of a task.

    The head is a dense layer; for masks a 1x1 convolution with an output for each pixel; for boxes
    one level of positions after three convolutions.

    Args:
        name: Name of the network.
        shape: Shape of the images.
        classes: Number of classes, labels or quantities.
        task: Task of the network.
    """
    net = GraphBuilder(name, shape, classes).add("rescaling")
    head_of(task).add_smallest(net.in_block(HEAD_BLOCK))
    return ending_for(net.spec(), task)
