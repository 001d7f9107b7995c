"""The export formats, listed explicitly; one file each."""

from studio.engine.exporting.formats.base import PRECISIONS, ExportFormat, Precision
from studio.engine.exporting.formats.bundle import BUNDLE
from studio.engine.exporting.formats.keras import KERAS
from studio.engine.exporting.formats.onnx import ONNX
from studio.engine.exporting.formats.openvino import OPENVINO
from studio.engine.exporting.formats.savedmodel import SAVEDMODEL
from studio.engine.exporting.formats.script import SCRIPT
from studio.engine.exporting.formats.tflite import TFLITE
from studio.engine.exporting.formats.torch import TORCH
from studio.engine.exporting.formats.weights import WEIGHTS
from studio.engine.registry import Registry

FORMATS: Registry[ExportFormat] = Registry(
    "export format", [KERAS, SAVEDMODEL, TFLITE, ONNX, OPENVINO, TORCH, WEIGHTS, BUNDLE, SCRIPT]
)

__all__ = ["FORMATS", "PRECISIONS", "ExportFormat", "Precision"]
