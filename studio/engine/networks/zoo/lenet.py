"""LeNet-5, close to the paper.

As published: two convolutions of 6 and 16 filters of 5x5, each halved by pooling, then dense
layers of 120 and 84 units, with tanh between; images smaller than 32x32 get the border of two
pixels that the authors put around the 28x28 digits. 61,706 weights at 28x28x1 and at 32x32x1.

What differs: max pooling without weights instead of a trained mean; the second convolution sees
all six maps instead of the paper's hand-picked table; softmax instead of radial basis units;
He's start values, with which it learns in fewer epochs.
"""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.zoo.network import Published, ZooNetwork

_PUBLISHED_SIDE = 32
_START = "he_normal"


def _draw(net: GraphBuilder) -> GraphBuilder:
    small = min(net.shape.height, net.shape.width) < _PUBLISHED_SIDE
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    _convolution(net, "c1", 6, "same" if small else "valid")
    net.add("max_pool", "s2")
    _convolution(net, "c3", 16, "valid")
    net.add("max_pool", "s4").add("flatten")
    net.add("dense", "c5", units=120, activation="tanh", kernel_initializer=_START)
    return net.add("dense", "f6", units=84, activation="tanh", kernel_initializer=_START)


def _convolution(net: GraphBuilder, node_id: str, filters: int, padding: str) -> None:
    net.add(
        "conv2d",
        node_id,
        filters=filters,
        kernel=5,
        padding=padding,
        activation="tanh",
        kernel_initializer=_START,
    )


LENET = ZooNetwork(
    name="lenet",
    label="LeNet-5",
    year=1998,
    paper='Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, "Gradient-based learning applied to '
    'document recognition", Proceedings of the IEEE 86, 1998',
    summary="The classic for handwritten digits: small, fast, and enough for simple images.",
    smallest=(12, 12),
    default_input=(28, 28, 1),
    channels=(1, 3),
    draw=_draw,
    published=Published(60_000, (32, 32, 1), 10),
)
