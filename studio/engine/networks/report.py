"""What Keras finds out about a network: shapes, weights, cost and field of view of every layer.

Plain data, also across the pipe of the engine host. Never imports Keras.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from studio.engine.networks.spec import NetworkSpec

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
        input_shapes: Shapes of what comes in, without the batch.
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
            where the output is no grid any more.
        block: Block that it is part of; empty for none.
        frozen: Whether training leaves it alone.
        used: Whether the output of the network depends on it. False for what is not wired in
            and for auxiliary heads, which the finished model does not have.
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
        """Bytes of all outputs of layers for one image in float32."""
        return sum(layer.memory for layer in self.layers if layer.used)

    def to_data(self) -> dict[str, object]:
        """The report as plain data for JSON."""
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
    """What is wrong with a drawn network, and the node that it belongs to.

    Attributes:
        node: Id of the node; empty when it is about the whole network.
        parameter: Name of the parameter; empty when it is about the node.
        message: What is wrong and what was received.
        hint: What to do about it; may be empty.
        serious: True where the network cannot be built, False for advice.
    """

    node: str
    parameter: str = ""
    message: str
    hint: str = ""
    serious: bool = True


class Examination(_Report):
    """What can be said of a drawing, finished or not.

    Attributes:
        network: The layers of all nodes that work; a backbone has many.
        nodes: One report per node that works, by its id; that of a backbone is the sum of
            its layers.
        problems: Everything that is wrong, each with its node.
        waiting: Ids of nodes behind one with a problem: nothing is known of them.
    """

    network: NetworkReport
    nodes: dict[str, LayerReport]
    problems: tuple[NodeProblem, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """Whether the network can be built."""
        return not any(problem.serious for problem in self.problems)


class ReadNetwork(_Report):
    """A Keras model as a description.

    Attributes:
        spec: The description; weights are not part of it.
        notes: What a person should know: what was added, or kept as it is.
        names: Name of the layer of the model by the id of its node; those of models inside
            the model with a slash between.
    """

    spec: NetworkSpec
    notes: tuple[str, ...] = ()
    names: dict[str, str] = Field(default_factory=dict)


class ReadModelRequest(_Report):
    """Question of the operation `read_model`: a `.keras` or `.h5` file."""

    path: str


class WriteModelRequest(_Report):
    """Question of the operation `write_model`: build with new weights and save as `.keras`."""

    spec: NetworkSpec
    path: str
    seed: Annotated[int, Field(ge=0)] = 0


class WrittenModel(_Report):
    """Answer of the operation `write_model`."""

    path: str
    parameters: int
