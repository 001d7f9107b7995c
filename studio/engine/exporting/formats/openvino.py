"""The format of OpenVINO, the runtime for Intel processors."""

from studio.engine.exporting.formats.base import ExportFormat

OPENVINO = ExportFormat(
    name="openvino",
    label="OpenVINO IR",
    summary="model.xml and model.bin for OpenVINO: fast on Intel processors and their GPUs.",
    packages=("tensorflow", "openvino"),
    install="pip install 'studio-trainer[openvino]'",
    precisions=("float32", "float16"),
    file="model",
    runtime="openvino",
    needs="pip install openvino numpy pillow",
)
