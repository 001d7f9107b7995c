"""ResNet-50: blocks that learn what to add to what comes in.

Convolutions have no bias, since batch normalization follows; the stride is in the 3x3 window.
"""

from __future__ import annotations

from studio.engine.networks.families import resnet
from studio.engine.networks.zoo.network import Published, ZooNetwork

RESNET50 = ZooNetwork(
    name="resnet50",
    label="ResNet-50",
    year=2015,
    paper='K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image recognition", '
    "CVPR 2016, arXiv:1512.03385",
    summary="The usual measure of all things for photographs.",
    smallest=(32, 32),
    default_input=(224, 224, 3),
    channels=(1, 3),
    draw=resnet((3, 4, 6, 3), bottlenecks=True),
    published=Published(25_600_000, (224, 224, 3), 1000),
)
