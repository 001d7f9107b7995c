"""Runs the SavedModel of this folder with TensorFlow."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

NAME = f"tensorflow {tf.__version__}"


def load(path):
    """A function from images, n x height x width x channels, to scores, n x classes."""
    loaded = tf.saved_model.load(str(path))

    def run(images):
        return loaded.serve(tf.constant(images, tf.float32)).numpy()

    return run
