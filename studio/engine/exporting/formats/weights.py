"""The weights alone, beside the code of the network."""

from studio.engine.exporting.formats.base import ExportFormat

WEIGHTS = ExportFormat(
    name="weights",
    label="Weights",
    summary="A .weights.h5 file and the network as plain Keras code, to read and change.",
    packages=("keras",),
    install="pip install keras",
    file="model.weights.h5",
    runtime="weights",
)
