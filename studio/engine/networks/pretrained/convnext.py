"""ConvNeXts: convolutions with what made vision transformers strong."""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import Backbone

_PAPER = 'Z. Liu et al., "A ConvNet for the 2020s", CVPR 2022, arXiv:2201.03545'

CONVNEXT = [
    Backbone(
        "convnext_tiny",
        "ConvNeXt tiny",
        "ConvNeXtTiny",
        2022,
        _PAPER,
        28_589_128,
        0.813,
        109.42,
        "torch",
        switches_preprocessing=True,
    ),
    Backbone(
        "convnext_small",
        "ConvNeXt small",
        "ConvNeXtSmall",
        2022,
        _PAPER,
        50_223_688,
        0.823,
        192.29,
        "torch",
        switches_preprocessing=True,
    ),
    Backbone(
        "convnext_base",
        "ConvNeXt base",
        "ConvNeXtBase",
        2022,
        _PAPER,
        88_591_464,
        0.853,
        338.58,
        "torch",
        switches_preprocessing=True,
    ),
    Backbone(
        "convnext_large",
        "ConvNeXt large",
        "ConvNeXtLarge",
        2022,
        _PAPER,
        197_767_336,
        0.863,
        755.07,
        "torch",
        switches_preprocessing=True,
    ),
    Backbone(
        "convnext_xlarge",
        "ConvNeXt extra large",
        "ConvNeXtXLarge",
        2022,
        _PAPER,
        350_196_968,
        0.867,
        1310,
        "torch",
        switches_preprocessing=True,
    ),
]
