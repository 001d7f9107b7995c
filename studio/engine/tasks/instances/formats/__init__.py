"""Formats of objects with masks: those that are read, and those that are written, too."""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.tasks.annotations import AnnotationFormat, WritableFormat

FORMATS: Registry[AnnotationFormat] = Registry("annotation format", [])
WRITABLE: Registry[WritableFormat] = Registry("annotation format", [])
