"""NASNets: cells that a search found."""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import Backbone

_PAPER = (
    'B. Zoph et al., "Learning transferable architectures for scalable image recognition", '
    "CVPR 2018, arXiv:1707.07012"
)

NASNET = [
    Backbone(
        "nasnet_mobile", "NASNet mobile", "NASNetMobile", 2017, _PAPER, 5_326_716, 0.744, 23, "tf"
    ),
    Backbone(
        "nasnet_large",
        "NASNet large",
        "NASNetLarge",
        2017,
        _PAPER,
        88_949_818,
        0.825,
        343,
        "tf",
        usual=331,
    ),
]
