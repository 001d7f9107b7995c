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

from studio.engine.compute.forward import Passed, forward
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
    seen: list[Passed] = []

    def keep(passed: Passed) -> Any:  # noqa: ANN401 - a tensor
        if passed.path == path:
            seen.append(passed)
        return passed.output

    forward(model, pixels, keep)
    if not seen or len(getattr(seen[0].output, "shape", ())) != 4:
        raise StudioError(
            f'The layer "{path}" gives no maps that Grad-CAM could look at.',
            "Choose a convolution, or cover the picture part by part.",
            "layer",
        )

    def score(maps: Any) -> Any:  # noqa: ANN401
        def put(passed: Passed) -> Any:  # noqa: ANN401
            return maps if passed.path == path else passed.output

        scores = forward(model, pixels, put, raw=True)
        return keras.ops.cast(scores, "float32")[0, class_index]

    gradient = _GRADIENTS[keras.backend.backend()](score, seen[0].output)
    maps = _as_maps(seen[0].output, seen[0].layer)
    if gradient is None:  # nothing leads from there to the score
        return np.zeros(maps.shape[:2], np.float32)
    weights = _as_maps(gradient, seen[0].layer).mean(axis=(0, 1))
    found: NDArray[np.float32] = np.maximum(maps @ weights, 0)
    return found


def _as_maps(tensor: Any, layer: Any) -> NDArray[np.float32]:  # noqa: ANN401
    """The maps of one picture, shape (rows, columns, channels)."""
    values = np.asarray(keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32")))[0]
    order = getattr(layer, "data_format", None) or keras.config.image_data_format()
    return np.moveaxis(values, 0, -1) if order == "channels_first" else values


def _tensorflow(score: Score, at: Any) -> Any:  # noqa: ANN401
    import tensorflow as tf  # noqa: PLC0415 - only where it is the backend

    with tf.GradientTape() as tape:
        tape.watch(at)
        value = score(at)
    return tape.gradient(value, at)


def _jax(score: Score, at: Any) -> Any:  # noqa: ANN401
    import jax  # noqa: PLC0415 - only where it is the backend

    return jax.grad(score)(at)


def _torch(score: Score, at: Any) -> Any:  # noqa: ANN401
    import torch  # noqa: PLC0415 - only where it is the backend

    with torch.enable_grad():
        leaf = at.detach().requires_grad_()
        return torch.autograd.grad(score(leaf), leaf, allow_unused=True)[0]


_GRADIENTS = {"tensorflow": _tensorflow, "jax": _jax, "torch": _torch}
