"""What an inspection of a network finds: shapes and parameters, layer by layer."""

from __future__ import annotations

from dataclasses import asdict, dataclass

Shape = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class LayerReport:
    """One layer of a built network.

    Attributes:
        name: Name of the layer in the built network.
        node: Id of the node of the description that it belongs to.
        type: Kind of layer, as Keras calls it.
        output_shape: Shape of its output without the batch; None where a size is open.
        parameters: Number of weights.
        trainable: Number of weights that training changes.
    """

    name: str
    node: str
    type: str
    output_shape: Shape
    parameters: int
    trainable: int


@dataclass(frozen=True, slots=True)
class NetworkReport:
    """A built network, layer by layer, in the order of computation."""

    name: str
    input_shape: Shape
    classes: int
    layers: tuple[LayerReport, ...]

    @property
    def parameters(self) -> int:
        """Number of all weights."""
        return sum(layer.parameters for layer in self.layers)

    @property
    def trainable(self) -> int:
        """Number of weights that training changes."""
        return sum(layer.trainable for layer in self.layers)

    def to_data(self) -> dict[str, object]:
        """The report as plain data for JSON."""
        return {
            "name": self.name,
            "input_shape": list(self.input_shape),
            "classes": self.classes,
            "parameters": {"total": self.parameters, "trainable": self.trainable},
            "layers": [asdict(layer) for layer in self.layers],
        }
