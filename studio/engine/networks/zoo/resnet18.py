"""ResNet-18: blocks that learn what to add to what comes in.

Convolutions have no bias, since batch normalization follows; the stride is in the 3x3 window.
"""

from __future__ import annotations

from studio.engine.networks.families import resnet
from studio.engine.networks.zoo.network import Published, ZooNetwork

RESNET18 = ZooNetwork(
    name="resnet18",
    label="ResNet-18",
    year=2015,
    paper='K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image recognition", '
    "CVPR 2016, arXiv:1512.03385",
    summary="The smallest residual network for photographs.",
    smallest=(32, 32),
    default_input=(224, 224, 3),
    channels=(1, 3),
    draw=resnet((2, 2, 2, 2), bottlenecks=False),
    published=Published(11_700_000, (224, 224, 3), 1000),
)
