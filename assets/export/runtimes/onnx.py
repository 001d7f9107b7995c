"""Runs the .onnx file of this folder with onnxruntime, on the CPU unless told otherwise."""

import numpy as np
import onnxruntime

NAME = f"onnxruntime {onnxruntime.__version__}"
PROVIDERS = {
    "cpu": ["CPUExecutionProvider"],
    "cuda": ["CUDAExecutionProvider"],
    "tensorrt": ["TensorrtExecutionProvider", "CUDAExecutionProvider"],
}


def load(path, provider="cpu"):
    """A function from images, n x height x width x channels, to scores, n x classes."""
    wanted = PROVIDERS[provider]
    if provider != "cpu" and hasattr(onnxruntime, "preload_dlls"):
        onnxruntime.preload_dlls()  # CUDA's libraries, where they came with pip
    session = onnxruntime.InferenceSession(str(path), providers=wanted)
    if session.get_providers()[0] != wanted[0]:
        # It takes the CPU without a word where the libraries of another do not load.
        raise RuntimeError(f"onnxruntime cannot start its {wanted[0]}")
    name = session.get_inputs()[0].name
    return lambda images: session.run(None, {name: images.astype(np.float32)})[0]
