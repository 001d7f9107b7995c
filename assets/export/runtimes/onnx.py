"""Runs the .onnx file of this folder with onnxruntime, on the CPU."""

import numpy as np
import onnxruntime

NAME = f"onnxruntime {onnxruntime.__version__}"


def load(path):
    """A function from uint8 images, n x height x width x channels, to scores, n x classes."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda images: session.run(None, {name: images.astype(np.float32)})[0]
