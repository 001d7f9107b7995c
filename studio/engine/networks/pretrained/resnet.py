"""ResNets: blocks that learn what to add to what comes in."""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import Backbone

_V1 = (
    'K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image recognition", '
    "CVPR 2016, arXiv:1512.03385"
)
_V2 = (
    'K. He, X. Zhang, S. Ren, J. Sun, "Identity mappings in deep residual networks", '
    "ECCV 2016, arXiv:1603.05027"
)

RESNET = [
    Backbone("resnet50", "ResNet-50", "ResNet50", 2015, _V1, 25_636_712, 0.749, 98, "caffe"),
    Backbone("resnet101", "ResNet-101", "ResNet101", 2015, _V1, 44_707_176, 0.764, 171, "caffe"),
    Backbone("resnet152", "ResNet-152", "ResNet152", 2015, _V1, 60_419_944, 0.766, 232, "caffe"),
    Backbone("resnet50_v2", "ResNet-50 V2", "ResNet50V2", 2016, _V2, 25_613_800, 0.76, 98, "tf"),
    Backbone(
        "resnet101_v2", "ResNet-101 V2", "ResNet101V2", 2016, _V2, 44_675_560, 0.772, 171, "tf"
    ),
    Backbone(
        "resnet152_v2", "ResNet-152 V2", "ResNet152V2", 2016, _V2, 60_380_648, 0.78, 232, "tf"
    ),
]
