"""Where in a picture a class is seen, by the gradient at a convolution.

After Selvaraju et al., "Grad-CAM: Visual Explanations from Deep Networks via Gradient-based
Localization" (2017): each map of a convolution counts as much as the score of the class, before
the softmax, grows with it on average over all places; what speaks against the class is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.forward import Passed, forward, paths_of
from studio.engine.errors import StudioError

Score = Callable[[Any], Any]


def grad_cam(
    model: keras.Model, pixels: NDArray[np.uint8], class_index: int, path: str
) -> NDArray[np.float32]:
    """How much each place of a layer's maps speaks for a class.

    Args:
        model: A classifier.
        pixels: One picture, shape (1, height, width, channels).
        class_index: The class.
        path: Path of the layer, see `Passed`.

    Returns:
        Not negative, shape (rows, columns) of the maps.

    Raises:
        StudioError: There is no such layer, or it gives no maps.
    """
    passed_by = {passed.path: passed for passed in paths_of(model, pixels)}
    looked = passed_by.get(path)
    if looked is None or len(getattr(looked.output, "shape", ())) != 4:
        raise StudioError(
            f'The layer "{path}" gives no maps that Grad-CAM could look at.',
            "Choose a convolution, or cover the picture part by part.",
            "layer",
        )

    known = {each.path: each.output for each in passed_by.values()}

    def score(maps: Any) -> Any:  # noqa: ANN401
        def put(passed: Passed) -> Any:  # noqa: ANN401
            return maps if passed.path == path else passed.output

        scores = forward(model, pixels, put, raw=True, known=known)
        return keras.ops.cast(scores, "float32")[0, class_index]

    gradient = _GRADIENTS[keras.backend.backend()](score, looked.output)
    maps = _as_maps(looked.output, looked.layer)
    if gradient is None:  # nothing leads from there to the score
        return np.zeros(maps.shape[:2], np.float32)
    weights = _as_maps(gradient, looked.layer).mean(axis=(0, 1))
    found: NDArray[np.float32] = np.maximum(maps @ weights, 0)
    return found


def _as_maps(tensor: Any, layer: Any) -> NDArray[np.float32]:  # noqa: ANN401
    """The maps of one picture, shape (rows, columns, channels)."""
    values = np.asarray(keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32")))[0]
    order = getattr(layer, "data_format", None) or keras.config.image_data_format()
    return np.moveaxis(values, 0, -1) if order == "channels_first" else values


def _tensorflow(score: Score, at: Any) -> Any:  # noqa: ANN401
    import tensorflow as tf  # noqa: PLC0415 - only where it is the backend

    maps = tf.identity(at)  # another tensor, by which `forward` sees what follows from it
    with tf.GradientTape() as tape:
        tape.watch(maps)
        value = score(maps)
    return tape.gradient(value, maps)


def _jax(score: Score, at: Any) -> Any:  # noqa: ANN401
    import jax  # noqa: PLC0415 - only where it is the backend

    return jax.grad(score)(at)


def _torch(score: Score, at: Any) -> Any:  # noqa: ANN401
    import torch  # noqa: PLC0415 - only where it is the backend

    with torch.enable_grad():
        leaf = at.detach().requires_grad_()
        value = score(leaf)
        if not value.requires_grad:  # nothing leads from there to the score
            return None
        return torch.autograd.grad(value, leaf, allow_unused=True)[0]


_GRADIENTS = {"tensorflow": _tensorflow, "jax": _jax, "torch": _torch}
