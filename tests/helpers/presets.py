"""Small detectors of KerasHub, to be saved as presets, and an archive made of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from studio.engine.networks.zoo import ZOO
from studio.engine.tasks import first_task
from studio.engine.tasks.outputs import POSITIONS

MEAN, DEVIATION = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


def small_retinanet(hub: Any) -> Any:
    """Return a RetinaNet of KerasHub with few weights, which are random."""
    encoder = hub.models.ResNetBackbone(
        stackwise_num_filters=[64, 8, 8, 8],
        stackwise_num_blocks=[1, 1, 1, 1],
        stackwise_num_strides=[1, 2, 2, 2],
        block_type="basic_block",
        input_conv_filters=[64],
        input_conv_kernel_sizes=[7],
        image_shape=(None, None, 3),
    )
    backbone = hub.models.RetinaNetBackbone(encoder, min_level=3, max_level=7, use_p5=False)
    converter = hub.layers.RetinaNetImageConverter(
        image_size=(128, 128),
        scale=(1 / 255 / DEVIATION).tolist(),
        offset=(-MEAN / DEVIATION).tolist(),
    )
    return hub.models.RetinaNetObjectDetector(
        backbone,
        num_classes=3,
        bounding_box_format="xyxy",
        preprocessor=hub.models.RetinaNetObjectDetectorPreprocessor(converter),
    )


def write_detector_network(path: Path, name: str = "D-FINE (dfine_nano_coco)") -> None:
    """Write a small network for boxes, with random weights, as that of a COCO detector."""
    from studio.engine.compute.build import build
    from studio.engine.compute.hub import _write

    spec = ZOO["small_detector"].build((64, 64, 3), 2)
    spec = spec.model_copy(update={"name": name, "task": first_task(POSITIONS).name})
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, spec, build(spec, seed=0))
