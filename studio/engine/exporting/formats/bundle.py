"""Everything in one file: to run it, and to train it further."""

from studio.engine.exporting.formats.base import ExportFormat

BUNDLE = ExportFormat(
    name="bundle",
    label="Bundle",
    summary="One .zip: a LiteRT file with its script, and the Keras model, which Studio opens.",
    packages=("tensorflow",),
    install="pip install tensorflow",
    precisions=("float32", "float16", "dynamic", "int8"),
    file="model.tflite",
    runtime="tflite",
    needs="pip install ai-edge-litert numpy pillow",
    takes=(("int8", "uint8"),),
    is_model=False,
    is_archive=True,
)
