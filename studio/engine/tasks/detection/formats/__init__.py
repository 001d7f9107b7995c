"""Formats of boxes: one file each.

To add a format: 1. write `<name>.py` with an `AnnotationFormat`; 2. list it below, special formats
before general ones, because the first that accepts the files reads them. Those that can be written
are in `WRITABLE` as well. Tools that draw shapes are listed in `annotation_files/tools`.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.tasks.annotation_files.tools import TOOLS
from studio.engine.tasks.annotations import AnnotationFormat, WritableFormat, kind_of_formats
from studio.engine.tasks.detection.drawn_boxes import DrawnBoxes
from studio.engine.tasks.detection.formats.coco import CocoBoxes
from studio.engine.tasks.detection.formats.csv_table import CsvBoxes
from studio.engine.tasks.detection.formats.kitti import KittiBoxes
from studio.engine.tasks.detection.formats.visdrone import VisDroneBoxes
from studio.engine.tasks.detection.formats.voc import VocBoxes
from studio.engine.tasks.detection.formats.yolo import YoloBoxes

WRITABLE: Registry[WritableFormat] = Registry(
    "annotation format",
    [
        VocBoxes(),
        CocoBoxes(),
        KittiBoxes(),
        YoloBoxes(),
        CsvBoxes(),
    ],
)
FORMATS: Registry[AnnotationFormat] = Registry(
    "annotation format",
    [*map(DrawnBoxes, TOOLS), VisDroneBoxes(), *WRITABLE],
    kind_of_formats("studio.box_formats"),
)
