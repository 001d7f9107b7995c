"""A run as plain Keras code with its images."""

from studio.engine.exporting.formats.base import ExportFormat

SCRIPT = ExportFormat(
    name="script",
    label="Training script",
    summary="train.py, which trains the network anew without Studio, with images and weights.",
    packages=("keras",),
    install="pip install keras",
    file="model.weights.h5",
    runtime="weights",
    is_model=False,
    needs_dataset=True,
)
