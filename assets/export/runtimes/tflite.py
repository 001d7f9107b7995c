"""Runs the .tflite file of this folder with LiteRT, or with TensorFlow where that is missing."""

import importlib.metadata

import numpy as np

try:
    from ai_edge_litert.interpreter import Interpreter

    NAME = f"ai-edge-litert {importlib.metadata.version('ai-edge-litert')}"
except ImportError:
    import tensorflow

    Interpreter = tensorflow.lite.Interpreter
    NAME = f"tensorflow {tensorflow.__version__} (tf.lite)"


def load(path):
    """A function from images, n x height x width x channels, to scores, n x classes."""
    interpreters = {}
    with open(path, "rb") as file:
        content = file.read()

    def ready(count):
        """An interpreter for batches of that size: to change it takes longer than to run it."""
        if count not in interpreters:
            made = Interpreter(model_content=content)
            place = made.get_input_details()[0]
            made.resize_tensor_input(place["index"], [count, *place["shape"][1:]])
            made.allocate_tensors()
            interpreters[count] = made
        return interpreters[count]

    def run(images):
        interpreter = ready(len(images))
        given, wanted = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
        interpreter.set_tensor(given["index"], quantized(images, given))
        interpreter.invoke()
        return plain(interpreter.get_tensor(wanted["index"]), wanted)

    return run


def quantized(images, place):
    """The numbers as the input takes them: uint8 as they are, where a step of it is one level."""
    scale, zero = place["quantization"]
    if not scale:
        return images.astype(place["dtype"])
    if place["dtype"] == np.uint8 and zero == 0 and abs(scale - 1) < 1e-6:
        return images
    limits = np.iinfo(place["dtype"])
    steps = np.rint(images / np.float32(scale)) + zero
    return np.clip(steps, limits.min, limits.max).astype(place["dtype"])


def plain(values, place):
    """Scores as float32, whatever the output is."""
    scale, zero = place["quantization"]
    return (values.astype(np.float32) - zero) * np.float32(scale) if scale else values.copy()
