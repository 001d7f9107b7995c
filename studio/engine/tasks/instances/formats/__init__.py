"""Formats of objects with masks: one file each.

To add a format: 1. write `<name>.py` with an `AnnotationFormat`; 2. list it below, special formats
before general ones, because the first that accepts the files reads them. Those that can be written
are in `WRITABLE` as well. Tools that draw shapes are listed in `annotation_files/tools`.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.tasks.annotations import AnnotationFormat, WritableFormat
from studio.engine.tasks.instances.formats.coco import CocoInstances
from studio.engine.tasks.instances.formats.label_images import LabelImages

WRITABLE: Registry[WritableFormat] = Registry(
    "annotation format", [CocoInstances(), LabelImages()]
)
FORMATS: Registry[AnnotationFormat] = Registry("annotation format", [*WRITABLE])
