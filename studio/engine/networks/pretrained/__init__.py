"""Published networks whose ImageNet weights can be had, and the cache that keeps these.

Never imports Keras: `studio.engine.compute.imagenet` asks it where the weights are.

To add a backbone: 1. declare it with its family; 2. list a new family below; 3. name it in
`layers/backbone.py`. The layer, a network of the zoo, `networks weights` and tests follow.
"""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import CAFFE_MEAN, IMAGENET, Backbone
from studio.engine.networks.pretrained.convnext import CONVNEXT
from studio.engine.networks.pretrained.efficientnet import EFFICIENTNET
from studio.engine.networks.pretrained.families import (
    DENSENET,
    INCEPTION,
    MOBILENET,
    NASNET,
    RESNET,
    VGG,
)
from studio.engine.registry import Registry

__all__ = ["BACKBONES", "CAFFE_MEAN", "IMAGENET", "Backbone"]

BACKBONES: Registry[Backbone] = Registry(
    "backbone",
    [*MOBILENET, *EFFICIENTNET, *RESNET, *DENSENET, *INCEPTION, *CONVNEXT, *NASNET, *VGG],
)
