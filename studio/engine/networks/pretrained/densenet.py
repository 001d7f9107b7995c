"""DenseNets: every layer sees all before it in its block."""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import Backbone

_PAPER = 'G. Huang et al., "Densely connected convolutional networks", CVPR 2017, arXiv:1608.06993'

DENSENET = [
    Backbone(
        "densenet121", "DenseNet-121", "DenseNet121", 2016, _PAPER, 8_062_504, 0.75, 33, "torch"
    ),
    Backbone(
        "densenet169", "DenseNet-169", "DenseNet169", 2016, _PAPER, 14_307_880, 0.762, 57, "torch"
    ),
    Backbone(
        "densenet201", "DenseNet-201", "DenseNet201", 2016, _PAPER, 20_242_984, 0.773, 80, "torch"
    ),
]
