"""The smallest network for a task, which a new drawing begins with. Never imports Keras."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.fitting import ending_for
from studio.engine.networks.spec import HEAD, HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.networks.zoo.boxes import add_box_head
from studio.engine.tasks.task import OutputKind, Task


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
    _HEADS[task.output](net.in_block(HEAD_BLOCK))
    return ending_for(net.spec(), task)


def _vector_head(net: GraphBuilder) -> None:
    net.add("flatten").add("dense", HEAD, units=net.classes, activation="softmax")


def _mask_head(net: GraphBuilder) -> None:
    net.add("conv2d", HEAD, filters=net.classes, kernel=1, activation="softmax")


_FILTERS = 16
_STRIDES = (2, 4, 8)


def _box_head(net: GraphBuilder) -> None:
    net.in_block("")
    for stride in _STRIDES:
        net.add("conv2d", f"conv{stride}", filters=_FILTERS, stride=2, activation="relu")
    add_box_head(net.in_block(HEAD_BLOCK), {_STRIDES[-1]: net.last})


_HEADS: Mapping[OutputKind, Callable[[GraphBuilder], None]] = {
    OutputKind.VECTOR: _vector_head,
    OutputKind.MASK: _mask_head,
    OutputKind.BOXES: _box_head,
}
