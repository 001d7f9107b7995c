"""The native format of Keras 3."""

from studio.engine.exporting.formats.base import ExportFormat

KERAS = ExportFormat(
    name="keras",
    label="Keras",
    summary="A .keras file; opens in any Keras 3, can be trained further, and Studio reads it.",
    packages=("keras",),
    install="pip install keras",
    file="model.keras",
    needs="pip install keras tensorflow numpy pillow",
)
