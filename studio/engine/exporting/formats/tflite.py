"""The format of LiteRT, which was TensorFlow Lite."""

from studio.engine.exporting.formats.base import ExportFormat

TFLITE = ExportFormat(
    name="tflite",
    label="LiteRT (TFLite)",
    summary="One small file for phones, single-board computers and small programs.",
    packages=("tensorflow",),
    install="pip install tensorflow",
    precisions=("float32", "float16", "dynamic", "int8"),
    file="model.tflite",
    runtime="tflite",
    needs="pip install ai-edge-litert numpy pillow",
    takes=(("int8", "uint8"),),
)
