"""The one description of a network: a graph of layers as plain data.

The zoo, the designer, files and the command line all speak `NetworkSpec`. What is wrong with one
is said by `studio.engine.networks.checks`.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.engine.errors import Problem, StudioError
from studio.engine.messages import Text, message
from studio.engine.plans import Plan
from studio.engine.tasks import DEFAULT_TASK

Scalar = bool | int | float | str | None
JsonValue = Scalar | tuple[Scalar, ...]

INPUT = "input"
"""Name by which nodes refer to the input images; no node may have this id."""

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

INPUT_RANGE = "input_range"
"""Id of the node that brings the values of pixels to 0 to 255, where they are others."""
NEGATIVE, LOWEST, SHIFTED = "input_negative", "input_lowest", "input_shifted"
RANGE_NODES = (NEGATIVE, LOWEST, SHIFTED, INPUT_RANGE)
"""Ids of all nodes for that: the last one, and those before it if each image has its own range."""

HEAD = "predictions"
"""Id of the last layer of every network of the zoo: the probabilities of the classes."""

HEAD_BLOCK = "head"
"""Block of the layers after the features. They are new for every dataset: pretrained weights are
never loaded into them, and freezing leaves them alone."""


def is_id(text: str) -> bool:
    """Return True if a layer may have this id: a letter, then letters, digits and underscores."""
    return text != INPUT and _ID.fullmatch(text) is not None


class InputShape(Plan):
    """Size of the input images of a network, in pixels and channels."""

    height: int = Field(ge=1)
    width: int = Field(ge=1)
    channels: int = Field(ge=1)

    def __str__(self) -> str:
        """Height x width x channels, as on the command line."""
        return f"{self.height}x{self.width}x{self.channels}"


class LayerNode(Plan):
    """One layer of a network.

    Attributes:
        id: Unique name in the network: a letter, then letters, digits and underscores.
        layer: Name of a layer of `studio.engine.networks.layers.LAYERS`.
        parameters: Values of the layer's own parameters; what is left out takes its default.
        inputs: Ids of the nodes whose output comes in, in order, or `INPUT` for the images.
        block: Name of the block that it is part of, such as `fire2`; empty for none.
        frozen: True if training leaves its weights alone; batch normalization then also keeps its
            running statistics.
        rate: Factor of the learning rate for its weights.
    """

    id: str
    layer: str
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    inputs: tuple[str, ...]
    block: str = ""
    frozen: bool = False
    rate: float = Field(default=1.0, ge=0, le=1000)


class AuxiliaryHead(Plan):
    """An output on the way, used in training only, that brings the gradient to early layers.

    Attributes:
        node: Id of a node that gives probabilities, of shape (batch, classes).
        weight: Factor of its loss; the loss of the network's own output counts 1.
    """

    node: str
    weight: float = Field(default=0.3, gt=0, le=10)


class Comment(Plan):
    """A note beside a drawn network, at a place of the drawing in its own units."""

    text: str
    x: float
    y: float


class NetworkSpec(Plan):
    """A network: its inputs are the pixels of a dataset, its output is that of its task.

    Preprocessing is part of the network, so that users of the model can feed it pixels.

    Attributes:
        version: Version of this format.
        name: Name of the network, as shown.
        input: Size of the images.
        classes: Number of outputs: classes, labels or quantities.
        task: Task, which determines the last layer.
        nodes: The layers, in any order.
        output: Id of the output node: of shape (batch, classes), or, for a class of each pixel,
            (batch, height, width, classes) at the size of the images.
        auxiliary: Further outputs that help training and are removed from the finished model.
        positions: Position of each node in the designer (x, y); nodes without one are laid out.
        comments: Notes in the drawing.
    """

    version: Literal[1] = 1
    name: str
    input: InputShape
    classes: int = Field(ge=1)
    task: str = DEFAULT_TASK.name
    nodes: tuple[LayerNode, ...]
    output: str
    auxiliary: tuple[AuxiliaryHead, ...] = ()
    positions: dict[str, tuple[float, float]] = Field(default_factory=dict)
    comments: tuple[Comment, ...] = ()

    def node(self, node_id: str) -> LayerNode:
        """Return the node of that id.

        Raises:
            KeyError: It does not exist.
        """
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise KeyError(node_id)


def id_problems(spec: NetworkSpec) -> Iterator[Problem]:
    """List ids of layers that cannot be used as names in code and files."""
    for node_id, count in Counter(node.id for node in spec.nodes).items():
        if count > 1:
            yield Problem(
                node_id,
                message('{count} layers have the id "{layer}".', count=count, layer=node_id),
                "Use a different id for each.",
            )
        if not is_id(node_id):
            yield Problem(
                node_id,
                message('a layer cannot have the id "{layer}".', layer=node_id),
                message(
                    'An id is a letter, then letters, digits and underscores; "{input}" '
                    "stands for the images.",
                    input=INPUT,
                ),
            )


def topological_order(spec: NetworkSpec) -> tuple[LayerNode, ...]:
    """Return the nodes in an order in which every node comes after its inputs.

    Nodes that are free to come next keep the order in which they are written, so the same spec
    always gives the same order (Kahn, "Topological sorting of large networks", 1962).

    Raises:
        StudioError: The wires run in a circle, or lead to a node that does not exist.
    """
    placed = _placeable(spec)
    if len(placed) < len(spec.nodes):
        stuck = unplaceable(spec)
        raise StudioError(
            'The layers of "{network}" cannot be put in order: {layers}.',
            "Remove the wire that closes a cycle or leads nowhere.",
            stuck[0],
            network=spec.name,
            layers=", ".join(stuck),
        )
    return tuple(spec.nodes[index] for index in placed)


def unplaceable(spec: NetworkSpec) -> list[str]:
    """Return the ids of nodes that are in a cycle, or depend on one or on a missing node."""
    placed = set(_placeable(spec))
    return [node.id for index, node in enumerate(spec.nodes) if index not in placed]


def ancestors(spec: NetworkSpec, node_id: str) -> set[str]:
    """Return the ids of a node and of all nodes it depends on; unknown ids are ignored.

    Args:
        spec: The network.
        node_id: Id of the node.
    """
    inputs = {node.id: node.inputs for node in spec.nodes}
    found: set[str] = set()
    waiting = [node_id]
    while waiting:
        current = waiting.pop()
        if current in inputs and current not in found:
            found.add(current)
            waiting.extend(inputs[current])
    return found


def _placeable(spec: NetworkSpec) -> list[int]:
    """Return the positions of the nodes that can be put in order, in that order."""
    readers: dict[str, list[int]] = {}
    missing = []
    for index, node in enumerate(spec.nodes):
        sources = set(node.inputs) - {INPUT}
        missing.append(len(sources))
        for source in sources:
            readers.setdefault(source, []).append(index)
    ready = [index for index, count in enumerate(missing) if count == 0]
    order = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for reader in readers.pop(spec.nodes[index].id, []):
            missing[reader] -= 1
            if missing[reader] == 0:
                heapq.heappush(ready, reader)
    return order


# What Keras finds out about a network: shapes, weights, cost and field of view of every layer.
#
# Plain data, also across the pipe of the engine host. Never imports Keras.

Shape = tuple[int | None, ...]

FLOAT_BYTES = 4


class _Report(BaseModel):
    model_config = ConfigDict(frozen=True)


class LayerReport(_Report):
    """One layer of a network, or a whole backbone summed up.

    Attributes:
        name: Name of the layer in the built network.
        node: Id of the node of the description that it belongs to.
        type: Kind of layer, as Keras calls it.
        input_shapes: Shapes of the inputs without the batch.
        output_shape: Shape of its output without the batch; None where a size is open.
        parameters: Number of weights.
        trainable: Number of weights that training changes.
        multiply_adds: Multiply-adds of its kernels for one image.
        memory: Bytes of its output for one image in float32; training keeps that for every image
            of a batch.
        receptive_field: Height and width in pixels of the part of the image that one value of
            the output depends on. It may be larger than the image; behind layers that see
            all at once it is the size of the image.
        jump: Pixels of the image from one value of the output to the next, down and across; None
            if the output is no longer a grid.
        block: Block that it is part of; empty for none.
        frozen: True if training leaves it alone.
        used: True if the output of the network depends on it. False for what is not wired in and
            for auxiliary heads, which the finished model does not have.
    """

    name: str
    node: str
    type: str
    input_shapes: tuple[Shape, ...]
    output_shape: Shape
    parameters: int
    trainable: int
    multiply_adds: int
    memory: int
    receptive_field: tuple[int, int]
    jump: tuple[float, float] | None
    block: str = ""
    frozen: bool = False
    used: bool = True


class NetworkReport(_Report):
    """Layers in the order of computation; totals count those that the output depends on."""

    name: str
    input_shape: Shape
    classes: int
    layers: tuple[LayerReport, ...]

    @property
    def parameters(self) -> int:
        """Number of all weights."""
        return sum(layer.parameters for layer in self.layers if layer.used)

    @property
    def trainable(self) -> int:
        """Number of weights that training changes."""
        return sum(layer.trainable for layer in self.layers if layer.used)

    @property
    def trainable_share(self) -> float:
        """Share of the weights that training changes, 0 to 1; 1 when there are none."""
        return self.trainable / self.parameters if self.parameters else 1.0

    @property
    def multiply_adds(self) -> int:
        """Multiply-adds of one image."""
        return sum(layer.multiply_adds for layer in self.layers if layer.used)

    @property
    def memory(self) -> int:
        """Size of all layer outputs for one image in float32, in bytes."""
        return sum(layer.memory for layer in self.layers if layer.used)

    def to_data(self) -> dict[str, object]:
        """Return the report as plain data for JSON."""
        return {
            "name": self.name,
            "input_shape": list(self.input_shape),
            "classes": self.classes,
            "parameters": {"total": self.parameters, "trainable": self.trainable},
            "multiply_adds": self.multiply_adds,
            "memory": self.memory,
            "layers": [
                layer.model_dump(mode="json", exclude={"used"})
                | {"shape": list(layer.output_shape)}
                for layer in self.layers
                if layer.used
            ],
        }


class NodeProblem(_Report):
    """Problem of a drawn network, and the node that it belongs to.

    Attributes:
        node: Id of the node; empty when it is about the whole network.
        parameter: Name of the parameter; empty when it is about the node.
        message: What is wrong and what was received.
        hint: What to do about it; may be empty.
        serious: True where the network cannot be built, False for advice.
    """

    node: str
    parameter: str = ""
    message: Text
    hint: Text = ""
    serious: bool = True


class Examination(_Report):
    """Result of examining a drawing, finished or not.

    Attributes:
        network: The layers of all valid nodes; a backbone has many.
        nodes: One report per valid node, by its id; that of a backbone is the sum of its
            layers.
        problems: All errors, each with its node.
        waiting: Ids of nodes after an invalid one, which cannot be examined yet.
    """

    network: NetworkReport
    nodes: dict[str, LayerReport]
    problems: tuple[NodeProblem, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """True if the network can be built."""
        return not any(problem.serious for problem in self.problems)


class ReadNetwork(_Report):
    """A Keras model as a description.

    Attributes:
        spec: The description; weights are not part of it.
        notes: Remarks for the user: what was added, or left as it is.
        names: Name of the layer of the model by the id of its node; those of models inside
            the model with a slash between.
    """

    spec: NetworkSpec
    notes: tuple[Text, ...] = ()
    names: dict[str, str] = Field(default_factory=dict)


class ReadModelRequest(_Report):
    """Question of the operation `read_model`: a `.keras` or `.h5` file."""

    path: str


class WriteModelRequest(_Report):
    """Request of the operation `write_model`: build with new weights and save as `.keras`."""

    spec: NetworkSpec
    path: str
    seed: Annotated[int, Field(ge=0)] = 0


class PresetRequest(_Report):
    """Question of the operation `import_preset`: write a preset of KerasHub as an archive.

    Attributes:
        preset: Its folder, or its name at KerasHub.
        path: The file.
        name: Shown in the name of the network; empty for the name of the folder or preset.
    """

    preset: str
    path: str
    name: str = ""


class WrittenModel(_Report):
    """Answer of the operations `write_model` and `import_preset`."""

    path: str
    parameters: int
