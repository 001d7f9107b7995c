"""Formats of masks: one file each.

To add a format: 1. write `<name>.py` with an `AnnotationFormat`; 2. list it below, special formats
before general ones, because the first that accepts the files reads them.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.tasks.annotations import AnnotationFormat
from studio.engine.tasks.segmentation.formats.coco import CocoMasks
from studio.engine.tasks.segmentation.formats.labelme import LabelMe
from studio.engine.tasks.segmentation.formats.mask_folders import MaskFolders
from studio.engine.tasks.segmentation.formats.voc import VocMasks

FORMATS: Registry[AnnotationFormat] = Registry(
    "annotation format", [VocMasks(), MaskFolders(), CocoMasks(), LabelMe()]
)
