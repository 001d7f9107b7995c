"""Writes a `.keras` file."""

from __future__ import annotations

from pathlib import Path

import keras


def write(model: keras.Model, folder: Path) -> Path:
    """Write the model into a folder; the result is the model file."""
    path = folder / "model.keras"
    model.save(path)
    return path
