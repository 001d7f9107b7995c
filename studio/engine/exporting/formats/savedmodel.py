"""The format of TensorFlow Serving."""

from studio.engine.exporting.formats.base import ExportFormat

SAVEDMODEL = ExportFormat(
    name="savedmodel",
    label="SavedModel",
    summary="A folder for TensorFlow and TensorFlow Serving.",
    packages=("tensorflow",),
    install="pip install tensorflow",
    file="model",
    runtime="savedmodel",
    needs="pip install tensorflow numpy pillow",
)
