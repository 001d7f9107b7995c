"""The backend of this process, once it was chosen."""

from __future__ import annotations

import importlib

import keras

from studio.engine.compute.backends.interface import KerasBackend


def backend() -> KerasBackend:
    """Return the object of the backend that Keras computes with in this process."""
    module = importlib.import_module(f"{__package__}.{keras.backend.backend()}")
    chosen: KerasBackend = module.BACKEND
    return chosen
