"""Runs model.xml and model.bin of this folder with OpenVINO, on the CPU."""

import sys

# Without this, OpenVINO reports to its maker that it was imported.
sys.modules["openvino_telemetry"] = None

import numpy as np
import openvino

NAME = "openvino " + openvino.__version__.partition("-")[0]
# Some processors would compute in 16 bits otherwise, and give other scores than the certificate.
CONFIG = {"INFERENCE_PRECISION_HINT": "f32"}


def load(path):
    """A function from images, n x height x width x channels, to scores, n x classes."""
    compiled = openvino.Core().compile_model(str(path / "model.xml"), "CPU", CONFIG)
    request = compiled.create_infer_request()
    return lambda images: request.infer([images.astype(np.float32)])[0].copy()
