"""Opens classifiers of other programs with the preprocessing that they expect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras

from studio.engine.compute.graph import calls_of, functional, image_shape, with_probabilities
from studio.engine.compute.image_shapes import USUAL_SIDE
from studio.engine.compute.model_files import build_model, read_stored
from studio.engine.compute.pixel_range import scales_pixels
from studio.engine.errors import StudioError
from studio.engine.inference.foreign_models import (
    CONVERTED,
    Preprocessing,
    affine_of,
    require_color,
    scale_warnings,
)
from studio.engine.messages import Text, message


def load_classifier(
    path: Path, preprocessing: Preprocessing | None = None
) -> tuple[keras.Model, tuple[Text, ...]]:
    """Open a classifier of images of one size, which gives one probability for each class.

    Args:
        path: A model of a run, or a file from anywhere.
        preprocessing: Preparation of raw pixels that it expects; None if unknown.

    Returns:
        The model, which takes raw pixels, and what a reader of its predictions should know.

    Raises:
        BadDataError: It is gone, damaged, or of no known format.
        StudioError: It cannot be opened, or is no classifier of images.
    """
    stored = read_stored(path)
    fix_size(stored.config)
    model = build_model(stored)
    try:
        image_shape(model)
        found = with_probabilities(model, stored.loss)
        flat = functional(model)
        calls, _ = calls_of(list(flat.inputs), flat.outputs[:1])
        warnings = scale_warnings(preprocessing, scales_itself=scales_pixels(calls))
        prepared = _prepared(found, preprocessing)
    except StudioError as error:
        text = message("{file}: {reason}", file=path.name, reason=error.message)
        raise StudioError(text, error.hint, error.where) from error
    if found is not model:
        warnings.append(CONVERTED)
    return prepared, tuple(warnings)


def _prepared(model: keras.Model, preprocessing: Preprocessing | None) -> keras.Model:
    """Return a model that takes raw pixels; the layers of the original are the same objects.

    Raises:
        StudioError: The preprocessing is for color, and the model takes gray images.
    """
    scaling = None if preprocessing is None else affine_of(preprocessing)
    if scaling is None:
        return model
    shape = model.input_shape[1:]
    require_color(preprocessing, shape[-1])
    pixels = keras.Input(shape, name="pixels")
    ordered = keras.ops.flip(pixels, axis=-1) if scaling.is_bgr else pixels
    many = len(scaling.scale) > 1
    scaled = keras.layers.Rescaling(
        list(scaling.scale) if many else scaling.scale[0],
        list(scaling.offset) if many else scaling.offset[0],
        name="preprocessing",
    )(ordered)
    return keras.Model(pixels, model(scaled), name=model.name)


def fix_size(config: dict[str, Any]) -> None:
    """Give a model of images of any size the usual one; changes its description."""
    inside = config.get("config")
    layers = inside.get("layers", []) if isinstance(inside, dict) else inside
    first = layers[0] if isinstance(layers, list) and layers else None
    settings = first.get("config") if isinstance(first, dict) else None
    if not isinstance(settings, dict):
        return
    for key in ("batch_shape", "batch_input_shape"):
        shape = settings.get(key)
        if isinstance(shape, list | tuple) and len(shape) == 4 and None in shape[1:3]:
            height, width = (side or USUAL_SIDE for side in shape[1:3])
            settings[key] = [shape[0], height, width, shape[3]]
            if isinstance(inside, dict):
                inside.pop("build_input_shape", None)
