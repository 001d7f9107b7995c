"""Published networks whose ImageNet weights can be had, and the cache that keeps these.

Never imports Keras: `studio.engine.compute.weights` asks it where the weights are.

To add a backbone: a line in `assets/networks/backbones.toml`. The layer, a network of the zoo,
`networks weights` and tests follow.
"""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import BACKBONES, CAFFE_MEAN, IMAGENET, Backbone

__all__ = ["BACKBONES", "CAFFE_MEAN", "IMAGENET", "Backbone"]
