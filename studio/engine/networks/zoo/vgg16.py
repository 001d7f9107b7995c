"""VGG-16: nothing but 3x3 convolutions and pooling, with two wide dense layers.

Without batch normalization it learns slowly from random weights; it was the network that its
authors trained for weeks. The head holds nine tenths of the weights at 224x224.
"""

from __future__ import annotations

from studio.engine.networks.families import vgg, wide_head
from studio.engine.networks.zoo.network import Published, ZooNetwork

VGG16 = ZooNetwork(
    name="vgg16",
    label="VGG-16",
    year=2014,
    paper='K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image '
    'recognition", ICLR 2015, arXiv:1409.1556',
    summary="Plain and wide; the features that style transfer and many detectors use.",
    smallest=(32, 32),
    default_input=(224, 224, 3),
    channels=(1, 3),
    draw=vgg((2, 2, 3, 3, 3)),
    head=wide_head,
    published=Published(138_357_544, (224, 224, 3), 1000),
)
