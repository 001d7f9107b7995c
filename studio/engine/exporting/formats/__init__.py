"""The export formats, listed explicitly; one file each."""

from studio.engine.exporting.formats.base import ExportFormat
from studio.engine.exporting.formats.keras import KERAS
from studio.engine.registry import Registry

FORMATS: Registry[ExportFormat] = Registry("export format", [KERAS])

__all__ = ["FORMATS", "ExportFormat"]
