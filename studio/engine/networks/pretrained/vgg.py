"""VGG nets: nothing but 3x3 windows; large and slow, with features that many still use."""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import Backbone

_PAPER = (
    'K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image '
    'recognition", ICLR 2015, arXiv:1409.1556'
)

VGG = [
    Backbone("vgg16", "VGG-16", "VGG16", 2014, _PAPER, 138_357_544, 0.713, 528, "caffe"),
    Backbone("vgg19", "VGG-19", "VGG19", 2014, _PAPER, 143_667_240, 0.713, 549, "caffe"),
]
