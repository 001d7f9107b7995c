"""MobileNets: light enough for a phone, and fast on a CPU."""

from __future__ import annotations

from studio.engine.networks.pretrained.backbone import Backbone

_V1 = 'A. Howard et al., "MobileNets", 2017, arXiv:1704.04861'
_V2 = (
    'M. Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks", '
    "CVPR 2018, arXiv:1801.04381"
)
_V3 = 'A. Howard et al., "Searching for MobileNetV3", ICCV 2019, arXiv:1905.02244'

MOBILENET = [
    Backbone("mobilenet_v2", "MobileNetV2", "MobileNetV2", 2018, _V2, 3_538_984, 0.713, 14, "tf"),
    Backbone("mobilenet", "MobileNet", "MobileNet", 2017, _V1, 4_253_864, 0.704, 16, "tf"),
    Backbone(
        "mobilenet_v3_small",
        "MobileNetV3 small",
        "MobileNetV3Small",
        2019,
        _V3,
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
        _V3,
        5_507_432,
        None,
        None,
        "tf",
        switches_preprocessing=True,
    ),
]
