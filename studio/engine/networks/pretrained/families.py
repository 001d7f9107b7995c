"""Published networks, family by family; the two largest families have files of their own."""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import Backbone

_MOBILENET_V1 = 'A. Howard et al., "MobileNets", 2017, arXiv:1704.04861'
_MOBILENET_V2 = (
    'M. Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks", '
    "CVPR 2018, arXiv:1801.04381"
)
_MOBILENET_V3 = 'A. Howard et al., "Searching for MobileNetV3", ICCV 2019, arXiv:1905.02244'

MOBILENET = [
    Backbone(
        "mobilenet_v2",
        "MobileNetV2",
        "MobileNetV2",
        2018,
        _MOBILENET_V2,
        3_538_984,
        0.713,
        14,
        "tf",
    ),
    Backbone(
        "mobilenet", "MobileNet", "MobileNet", 2017, _MOBILENET_V1, 4_253_864, 0.704, 16, "tf"
    ),
    Backbone(
        "mobilenet_v3_small",
        "MobileNetV3 small",
        "MobileNetV3Small",
        2019,
        _MOBILENET_V3,
        2_554_968,
        None,
        None,
        "tf",
        switches_preprocessing=True,
    ),
    Backbone(
        "mobilenet_v3_large",
        "MobileNetV3 large",
        "MobileNetV3Large",
        2019,
        _MOBILENET_V3,
        5_507_432,
        None,
        None,
        "tf",
        switches_preprocessing=True,
    ),
]
"""MobileNets: light enough for a phone, and fast on a CPU."""

_RESNET_V1 = (
    'K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image recognition", '
    "CVPR 2016, arXiv:1512.03385"
)
_RESNET_V2 = (
    'K. He, X. Zhang, S. Ren, J. Sun, "Identity mappings in deep residual networks", '
    "ECCV 2016, arXiv:1603.05027"
)

RESNET = [
    Backbone(
        "resnet50", "ResNet-50", "ResNet50", 2015, _RESNET_V1, 25_636_712, 0.749, 98, "caffe"
    ),
    Backbone(
        "resnet101", "ResNet-101", "ResNet101", 2015, _RESNET_V1, 44_707_176, 0.764, 171, "caffe"
    ),
    Backbone(
        "resnet152", "ResNet-152", "ResNet152", 2015, _RESNET_V1, 60_419_944, 0.766, 232, "caffe"
    ),
    Backbone(
        "resnet50_v2", "ResNet-50 V2", "ResNet50V2", 2016, _RESNET_V2, 25_613_800, 0.76, 98, "tf"
    ),
    Backbone(
        "resnet101_v2",
        "ResNet-101 V2",
        "ResNet101V2",
        2016,
        _RESNET_V2,
        44_675_560,
        0.772,
        171,
        "tf",
    ),
    Backbone(
        "resnet152_v2",
        "ResNet-152 V2",
        "ResNet152V2",
        2016,
        _RESNET_V2,
        60_380_648,
        0.78,
        232,
        "tf",
    ),
]
"""ResNets: blocks that learn what to add to what comes in."""

_DENSENET_PAPER = (
    'G. Huang et al., "Densely connected convolutional networks", CVPR 2017, arXiv:1608.06993'
)

DENSENET = [
    Backbone(
        "densenet121",
        "DenseNet-121",
        "DenseNet121",
        2016,
        _DENSENET_PAPER,
        8_062_504,
        0.75,
        33,
        "torch",
    ),
    Backbone(
        "densenet169",
        "DenseNet-169",
        "DenseNet169",
        2016,
        _DENSENET_PAPER,
        14_307_880,
        0.762,
        57,
        "torch",
    ),
    Backbone(
        "densenet201",
        "DenseNet-201",
        "DenseNet201",
        2016,
        _DENSENET_PAPER,
        20_242_984,
        0.773,
        80,
        "torch",
    ),
]
"""DenseNets: every layer sees all before it in its block."""

_INCEPTION_V3 = (
    'C. Szegedy et al., "Rethinking the Inception architecture for computer vision", '
    "CVPR 2016, arXiv:1512.00567"
)
_INCEPTION_RESIDUAL = (
    'C. Szegedy et al., "Inception-v4, Inception-ResNet and the impact of residual connections '
    'on learning", AAAI 2017, arXiv:1602.07261'
)
_INCEPTION_XCEPTION = (
    'F. Chollet, "Xception: deep learning with depthwise separable convolutions", '
    "CVPR 2017, arXiv:1610.02357"
)

INCEPTION = [
    Backbone(
        "inception_v3",
        "Inception v3",
        "InceptionV3",
        2015,
        _INCEPTION_V3,
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
        _INCEPTION_XCEPTION,
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
        _INCEPTION_RESIDUAL,
        55_873_736,
        0.803,
        215,
        "tf",
        usual=299,
        smallest=75,
    ),
]
"""Inception and its relatives: windows of several sizes side by side."""

_NASNET_PAPER = (
    'B. Zoph et al., "Learning transferable architectures for scalable image recognition", '
    "CVPR 2018, arXiv:1707.07012"
)

NASNET = [
    Backbone(
        "nasnet_mobile",
        "NASNet mobile",
        "NASNetMobile",
        2017,
        _NASNET_PAPER,
        5_326_716,
        0.744,
        23,
        "tf",
    ),
    Backbone(
        "nasnet_large",
        "NASNet large",
        "NASNetLarge",
        2017,
        _NASNET_PAPER,
        88_949_818,
        0.825,
        343,
        "tf",
        usual=331,
    ),
]
"""NASNets: cells that a search found."""

_VGG_PAPER = (
    'K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image '
    'recognition", ICLR 2015, arXiv:1409.1556'
)

VGG = [
    Backbone("vgg16", "VGG-16", "VGG16", 2014, _VGG_PAPER, 138_357_544, 0.713, 528, "caffe"),
    Backbone("vgg19", "VGG-19", "VGG19", 2014, _VGG_PAPER, 143_667_240, 0.713, 549, "caffe"),
]
"""VGG nets: nothing but 3x3 windows; large and slow, with features that many still use."""
