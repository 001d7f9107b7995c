"""The format that most runtimes of other makers read."""

from studio.engine.exporting.formats.base import ExportFormat

ONNX = ExportFormat(
    name="onnx",
    label="ONNX",
    summary="One file for onnxruntime, OpenVINO, TensorRT, and other languages.",
    packages=("tensorflow", "onnx", "tf2onnx", "onnxruntime"),
    install="pip install 'studio-trainer[onnx]'",
    precisions=("float32", "float16", "int8"),
    file="model.onnx",
    runtime="onnx",
    needs="pip install onnxruntime numpy pillow",
)
