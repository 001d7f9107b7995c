"""Formats of masks: one file each.

To add a format: 1. write `<name>.py` with an `AnnotationFormat`; 2. list it below, special formats
before general ones, because the first that accepts the files reads them. Those that can be written
are in `WRITABLE` as well. Tools that draw shapes are listed in `annotation_files/tools`.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.tasks.annotation_files.tools import LABELME, TOOLS
from studio.engine.tasks.annotations import AnnotationFormat, WritableFormat, kind_of_formats
from studio.engine.tasks.segmentation.drawn_masks import DrawnMasks
from studio.engine.tasks.segmentation.formats.ade20k import Ade20kMasks
from studio.engine.tasks.segmentation.formats.cityscapes import CityscapesMasks
from studio.engine.tasks.segmentation.formats.coco import CocoMasks
from studio.engine.tasks.segmentation.formats.labelme import LabelMe
from studio.engine.tasks.segmentation.formats.mask_folders import MaskFolders
from studio.engine.tasks.segmentation.formats.voc import VocMasks
from studio.engine.tasks.segmentation.formats.yolo import YoloMasks

WRITABLE: Registry[WritableFormat] = Registry(
    "annotation format", [VocMasks(), MaskFolders(), CocoMasks(), LabelMe()]
)
FORMATS: Registry[AnnotationFormat] = Registry(
    "annotation format",
    [
        *(DrawnMasks(tool) for tool in TOOLS if tool.outlines and tool is not LABELME),
        CityscapesMasks(),
        Ade20kMasks(),
        *WRITABLE,
        YoloMasks(),
    ],
    kind_of_formats("studio.mask_formats"),
)
