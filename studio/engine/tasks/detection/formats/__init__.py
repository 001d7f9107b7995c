"""Formats of boxes: one file each.

To add a format: 1. write `<name>.py` with an `AnnotationFormat`; 2. list it below, special formats
before general ones, because the first that accepts the files reads them.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.tasks.annotations import AnnotationFormat
from studio.engine.tasks.detection.formats.coco import CocoBoxes
from studio.engine.tasks.detection.formats.csv_table import CsvBoxes
from studio.engine.tasks.detection.formats.kitti import KittiBoxes
from studio.engine.tasks.detection.formats.voc import VocBoxes
from studio.engine.tasks.detection.formats.yolo import YoloBoxes

FORMATS: Registry[AnnotationFormat] = Registry(
    "annotation format", [VocBoxes(), CocoBoxes(), KittiBoxes(), YoloBoxes(), CsvBoxes()]
)
