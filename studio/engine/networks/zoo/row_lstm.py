"""A recurrent network that reads an image row by row, from the top down.

The height is the sequence and a row of pixels is one step of it. What it remembers after the last
row goes to the head.
"""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.zoo.network import ZooNetwork

_UNITS = 128
_DROPOUT = 0.2


def _draw(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 255)
    net.add("reshape", "rows", target_shape=f"{net.shape.height}, -1")
    net.add("lstm", "reader", units=_UNITS)
    net.add("dropout", rate=_DROPOUT)


ROW_LSTM = ZooNetwork(
    name="row_lstm",
    label="LSTM over rows",
    year=1997,
    paper='S. Hochreiter, J. Schmidhuber, "Long short-term memory", Neural Computation 9, 1997',
    summary="Reads the image row by row and remembers; an example of a recurrent network.",
    smallest=(2, 2),
    default_input=(28, 28, 1),
    channels=(1, 3),
    draw=_draw,
)
