"""Inception and its relatives: windows of several sizes side by side."""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import Backbone

_V3 = (
    'C. Szegedy et al., "Rethinking the Inception architecture for computer vision", '
    "CVPR 2016, arXiv:1512.00567"
)
_RESIDUAL = (
    'C. Szegedy et al., "Inception-v4, Inception-ResNet and the impact of residual connections '
    'on learning", AAAI 2017, arXiv:1602.07261'
)
_XCEPTION = (
    'F. Chollet, "Xception: deep learning with depthwise separable convolutions", '
    "CVPR 2017, arXiv:1610.02357"
)

INCEPTION = [
    Backbone(
        "inception_v3",
        "Inception v3",
        "InceptionV3",
        2015,
        _V3,
        23_851_784,
        0.779,
        92,
        "tf",
        usual=299,
        smallest=75,
    ),
    Backbone(
        "xception",
        "Xception",
        "Xception",
        2016,
        _XCEPTION,
        22_910_480,
        0.79,
        88,
        "tf",
        usual=299,
        smallest=71,
    ),
    Backbone(
        "inception_resnet_v2",
        "Inception-ResNet v2",
        "InceptionResNetV2",
        2016,
        _RESIDUAL,
        55_873_736,
        0.803,
        215,
        "tf",
        usual=299,
        smallest=75,
    ),
]
