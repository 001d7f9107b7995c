"""A small convolutional network that trains well on a CPU at 32 to 96 pixels.

Three stages of two convolutions with batch normalization, in the manner of VGG (Simonyan and
Zisserman 2015) and of Ioffe and Szegedy (2015); global average pooling (Lin et al. 2014)
keeps the head small at any image size. About 290,000 weights.
"""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.zoo.network import ZooNetwork

_FILTERS = (32, 64, 128)
_DROPOUT = 0.2


def _draw(net: GraphBuilder) -> GraphBuilder:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    for stage, filters in enumerate(_FILTERS, start=1):
        for step in (1, 2):
            _convolution(net, f"{stage}_{step}", filters)
        if stage < len(_FILTERS):
            net.add("max_pool")
    return net.add("global_average_pool").add("dropout", rate=_DROPOUT)


def _convolution(net: GraphBuilder, number: str, filters: int) -> None:
    net.add(
        "conv2d",
        f"conv_{number}",
        filters=filters,
        use_bias=False,
        kernel_initializer="he_normal",
    )
    net.add("batch_normalization", f"norm_{number}")
    net.add("activation", f"relu_{number}", activation="relu")


SMALL_CNN = ZooNetwork(
    name="small_cnn",
    label="Small CNN",
    year=2015,
    paper="Our own, after K. Simonyan and A. Zisserman, ICLR 2015, arXiv:1409.1556, and "
    "S. Ioffe and C. Szegedy, ICML 2015, arXiv:1502.03167",
    summary="Six convolutions with batch normalization: strong on small images, fine on a CPU.",
    smallest=(8, 8),
    default_input=(32, 32, 3),
    channels=(1, 3),
    draw=_draw,
)
