"""The native format of Keras 3."""

from studio.engine.exporting.formats.base import ExportFormat

KERAS = ExportFormat(
    name="keras",
    label="Keras",
    summary="A .keras file with its labels and a script that runs it; opens in any Keras 3.",
    packages=("keras",),
    install="pip install keras",
)
