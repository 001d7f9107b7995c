"""Opens the models that runs made, and runs them over images."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.shortage import is_out_of_memory
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError
from studio.engine.networks.layers.foreign import refuse_foreign_code
from studio.engine.training.weight_files import LARGEST_CONFIG

_LARGEST_GROWTH = 4
"""Keras does not compress; whoever packs weights again gains little."""
Scores = NDArray[np.float32]


def load_model(path: Path) -> keras.Model:
    """Open a `.keras` file, never running code that came with it.

    Raises:
        BadDataError: It is gone, damaged, or not a Keras 3 model.
    """
    try:
        _look_through(path)
        return keras.saving.load_model(path, compile=False, safe_mode=True)
    except DAMAGED as error:
        lines = str(error).strip().splitlines()
        raise _unopened(path, lines[0] if lines else type(error).__name__) from error
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise _unopened(path, "it is larger than the memory") from error


def _unopened(path: Path, reason: str) -> BadDataError:
    return BadDataError(
        f"The model {path} cannot be opened: {reason.rstrip('.:')}.",
        "Train or export it again.",
        str(path),
    )


def _look_through(path: Path) -> None:
    """Refuse a file that names more than layers, or grows: a workspace may come from anywhere."""
    if not zipfile.is_zipfile(path):
        # Of other files, Keras would run code that lies in them.
        raise ValueError("it is missing, damaged or no .keras file")
    with zipfile.ZipFile(path) as archive:
        sizes = [entry.file_size for entry in archive.infolist()]
        if sum(sizes) > _LARGEST_GROWTH * path.stat().st_size + LARGEST_CONFIG:
            raise ValueError("it is compressed beyond reason")
        if archive.getinfo("config.json").file_size > LARGEST_CONFIG:
            raise ValueError("its description is larger than any model's")
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
