"""VGG-19: nothing but 3x3 convolutions and pooling, with two wide dense layers.

Without batch normalization it learns slowly from random weights; it was the network that its
authors trained for weeks. The head holds nine tenths of the weights at 224x224.
"""

from __future__ import annotations

from studio.engine.networks.families import vgg, wide_head
from studio.engine.networks.zoo.network import Published, ZooNetwork

VGG19 = ZooNetwork(
    name="vgg19",
    label="VGG-19",
    year=2014,
    paper='K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image '
    'recognition", ICLR 2015, arXiv:1409.1556',
    summary="The deepest of its family; hardly better than VGG-16.",
    smallest=(32, 32),
    default_input=(224, 224, 3),
    channels=(1, 3),
    draw=vgg((2, 2, 4, 4, 4)),
    head=wide_head,
    published=Published(143_667_240, (224, 224, 3), 1000),
)
