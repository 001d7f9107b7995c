"""Formats of objects with masks: one file each.

To add a format: 1. write `<name>.py` with an `AnnotationFormat`; 2. list it below, special formats
before general ones, because the first that accepts the files reads them. Those that can be written
are in `WRITABLE` as well. Tools that draw shapes are listed in `annotation_files/tools`.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.tasks.annotation_files.tools import LABELME, TOOLS
from studio.engine.tasks.annotations import AnnotationFormat, WritableFormat, kind_of_formats
from studio.engine.tasks.instances.drawn_objects import DrawnObjects
from studio.engine.tasks.instances.formats.boxes_alone import BoxesAlone
from studio.engine.tasks.instances.formats.coco import CocoInstances
from studio.engine.tasks.instances.formats.label_images import LabelImages
from studio.engine.tasks.instances.formats.labelme import LabelMeObjects
from studio.engine.tasks.instances.formats.object_masks import ObjectMasks
from studio.engine.tasks.instances.formats.outline_tables import OutlineTables
from studio.engine.tasks.instances.formats.voc import VocInstances
from studio.engine.tasks.instances.formats.yolo import YoloInstances

_LABEL_IMAGES = LabelImages()
_BESIDE_PICTURES: list[WritableFormat] = [
    VocInstances(),
    CocoInstances(),
    LabelMeObjects(),
    YoloInstances(),
    OutlineTables(),
]
WRITABLE: Registry[WritableFormat] = Registry(
    "annotation format", [*_BESIDE_PICTURES, _LABEL_IMAGES]
)
FORMATS: Registry[AnnotationFormat] = Registry(
    "annotation format",
    [
        *(DrawnObjects(tool) for tool in TOOLS if tool.outlines and tool is not LABELME),
        *_BESIDE_PICTURES,
        ObjectMasks(),
        BoxesAlone(),
        _LABEL_IMAGES,
    ],
    kind_of_formats("studio.outline_formats"),
)
