"""Runs the model of this folder with Keras 3, on TensorFlow, JAX or PyTorch."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np

NAME = f"keras {keras.__version__} ({keras.backend.backend()})"


def load(path):
    """A function from images, n x height x width x channels, to scores, n x classes."""
    model = keras.saving.load_model(path, compile=False)
    return lambda images: np.asarray(model.predict_on_batch(images), np.float32)
