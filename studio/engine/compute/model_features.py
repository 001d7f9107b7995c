"""What a layer of a model gives for images of a dataset, with what the model takes them for."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.baselines.cache import FeatureKey, digest_of, identity_of
from studio.engine.compute.forward import Passed, forward
from studio.engine.compute.warm_models import WarmModel
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError

EXTRA = 2
"""Numbers behind the features of an image: the likeliest class, and its score. Whole numbers up to
2**24 are exact in 32 bits."""


class ModelFeatures:
    """A model that gives the features of a layer, and its answer beside them.

    Maps are averaged over their places, so that an image has one number per channel.

    Args:
        loaded: The model.
        path: Path of the layer, see `Passed`.

    Raises:
        StudioError: There is no such layer.
    """

    def __init__(self, loaded: WarmModel, path: str) -> None:
        self.path = path
        self.network = _cut(loaded.model, path)

    @property
    def width(self) -> int:
        """Numbers of one image, without those behind them."""
        return int(self.network.output_shape[-1]) - EXTRA

    def key(self, dataset: str, store: Store, file: Path, label: str) -> FeatureKey:
        """What they are kept under.

        Args:
            dataset: Id of the dataset.
            store: The dataset.
            file: The file of the model.
            label: The model as people read it.
        """
        return FeatureKey(
            dataset=dataset,
            images=identity_of(store),
            network=digest_of("layer of a file, averaged, with the answer", self.path),
            weights=file_digest(file),
            shape=(self.width + EXTRA,),
            label=label,
        )


def require_fit(loaded: WarmModel, store: Store) -> None:
    """Refuse images of another size than those that the model takes.

    Raises:
        StudioError: They are.
    """
    wanted = (loaded.recipe.height, loaded.recipe.width, loaded.recipe.channels)
    if store.shape != wanted:
        there, needed = ("x".join(map(str, shape)) for shape in (store.shape, wanted))
        raise StudioError(
            f"The images of the dataset are of {there}, and the model takes {needed}.",
            "Choose the dataset that it was trained on, or import this one in that size.",
            "dataset",
        )


def file_digest(path: Path) -> str:
    """A short name of what is in a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def _cut(model: keras.Model, path: str) -> keras.Model:
    images = keras.Input(model.input_shape[1:], dtype=model.inputs[0].dtype)
    found: list[Any] = []

    def keep(passed: Passed) -> Any:  # noqa: ANN401 - a tensor
        if passed.path == path:
            found.append(keras.tree.flatten(passed.output)[0])
        return passed.output

    scores = forward(model, images, keep)
    if not found:
        raise StudioError(
            f'The model has no layer "{path}".', "Choose one of its outline.", "layer"
        )
    return keras.Model(images, _WithAnswer()([found[0], scores]))


class _WithAnswer(keras.layers.Layer):  # type: ignore[misc]  # Keras ships no types
    """Features averaged over their places, the likeliest class, and its score, in 32 bits."""

    def __init__(self) -> None:
        super().__init__(dtype="float32", name="features_and_answer")

    def call(self, tensors: list[Any]) -> Any:  # noqa: ANN401
        """One row of numbers per image."""
        ops = keras.ops
        values, scores = tensors
        if len(values.shape) > 2:
            values = ops.mean(values, axis=tuple(range(1, len(values.shape) - 1)))
        best = ops.cast(ops.argmax(scores, axis=-1), "float32")[:, None]
        return ops.concatenate([values, best, ops.max(scores, axis=-1, keepdims=True)], axis=-1)

    def compute_output_shape(self, shapes: list[tuple[int | None, ...]]) -> tuple[int | None, ...]:
        """Channels and two more."""
        channels = shapes[0][-1]
        return shapes[0][0], None if channels is None else channels + EXTRA


def answers_in(values: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Likeliest classes and their scores, of rows with both behind their features."""
    return values[:, -2].astype(np.int32), values[:, -1]
