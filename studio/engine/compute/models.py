"""Opens the models that runs made, and runs them over images."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.foreign import refuse_foreign_code
from studio.engine.errors import BadDataError

Scores = NDArray[np.float32]


def load_model(path: Path) -> keras.Model:
    """Open a `.keras` file, never running code that came with it.

    Raises:
        BadDataError: It is gone, damaged, or not a Keras 3 model.
    """
    try:
        _look_through(path)
        return keras.saving.load_model(path, compile=False, safe_mode=True)
    except (OSError, ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
        lines = str(error).strip().splitlines()
        raise BadDataError(
            f"The model {path} cannot be opened: {lines[0] if lines else type(error).__name__}.",
            "Train or export it again.",
            str(path),
        ) from error


def _look_through(path: Path) -> None:
    """Refuse a file that names more than layers: a workspace may come from anywhere."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        config = json.loads(archive.read("config.json"))
    if not isinstance(config, dict):
        raise TypeError("it holds no model")
    refuse_foreign_code(config.get("config"))  # how it was trained is not made again


def score(model: keras.Model, pixels: NDArray[np.uint8]) -> Scores:
    """Class scores of pictures.

    Uses the compiled function of one batch; `model.predict` builds a pipeline around it that
    costs ten times as much for one picture.

    Args:
        model: A classifier that ends in a softmax.
        pixels: uint8, shape (n, height, width, channels).

    Returns:
        float32, shape (n, classes).
    """
    return np.asarray(model.predict_on_batch(pixels), dtype=np.float32)
