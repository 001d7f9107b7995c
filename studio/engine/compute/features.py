"""Features from the frozen part of a network, computed once and cached on disk.

A frozen layer gives the same for an image in every epoch. So the network is cut behind everything
that stays as it is, the images go through the first part once, and only the rest is trained.
Imported only after the backend of Keras is chosen (`backend.prepare_backend`).

`ModelFeatures` are the outputs of a layer of a trained model for images of a dataset, with what
the model predicts for them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Features, Rows
from studio.engine.baselines.cache import (
    FeatureCache,
    FeatureKey,
    FeatureTable,
    digest_of,
    identity_of,
)
from studio.engine.compute.forward import pooled, with_layer
from studio.engine.compute.models import score
from studio.engine.compute.warm_models import WarmModel
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.inference.foreign_models import Preprocessing
from studio.engine.networks.parts import INNER
from studio.engine.networks.spec import NetworkSpec, ancestors
from studio.engine.progress import Progress
from studio.engine.tasks.outputs import BOX_SIDES

BATCH = 32
PART_BYTES = 64 * 2**20
PART_IMAGES = 2048
"""A part is written after this many images at most: what an interruption can lose."""

_TRAINING_ONLY = ("frozen_up_to",)


@dataclass(frozen=True, slots=True)
class Cut:
    """A network in two parts that share the layers, and so the weights, of the whole.

    Attributes:
        features: From the pixels to what never changes.
        head: From there to the probabilities.
        node: Id of the node that `features` ends in; inside a backbone, with the layer there.
    """

    features: keras.Model
    head: keras.Model
    node: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the features of one image."""
        return tuple(self.features.output_shape[1:])


def cut_behind_frozen(model: keras.Model) -> Cut | None:
    """Split a network after the layers whose output for an image is the same in every epoch.

    Args:
        model: Flat, functional, its layers frozen by `trainable`.

    Returns:
        None if no layer with weights is frozen, if several tensors connect the frozen part with
        the rest, or if the network has several outputs.
    """
    if len(model.outputs) != 1:
        return None
    still = {id(tensor): None for tensor in model.inputs}
    made_by: dict[int, keras.Layer] = {}
    crossing: dict[int, Any] = {}
    for layer in model.layers:
        if isinstance(layer, keras.layers.InputLayer):
            continue
        incoming = keras.tree.flatten(layer.input)
        if _is_still(layer) and all(id(tensor) in still for tensor in incoming):
            still[id(layer.output)] = None
            made_by[id(layer.output)] = layer
            continue
        crossing.update({id(tensor): tensor for tensor in incoming if id(tensor) in still})
    if len(crossing) != 1:
        return None
    ((path, tensor),) = crossing.items()
    if path not in made_by:
        return None
    features = keras.Model(model.inputs, tensor)
    if not features.weights:
        return None
    return Cut(features, keras.Model(tensor, model.outputs[0]), made_by[path].name)


def cut_before(model: keras.Model, name: str) -> Cut:
    """Cut a network before one of its layers; dropout before it does nothing.

    Args:
        model: Flat, functional.
        name: Name of a layer of one input.
    """
    tensor = model.get_layer(name).input
    (layer,) = (
        each
        for each in model.layers
        if any(made is tensor for made in keras.tree.flatten(each.output))
    )
    return Cut(
        keras.Model(model.inputs, tensor), keras.Model(tensor, model.outputs[0]), layer.name
    )


def enlarging(cut: Cut, shape: tuple[int, int, int]) -> keras.Model:
    """Return the features of images of any size, which are resized for the network first.

    Args:
        cut: Its `features` take images of one size.
        shape: Height, width and channels of the images that there are.
    """
    requested = cut.features.input_shape[1:3]
    if requested == shape[:2]:
        return cut.features
    images = keras.Input(shape, dtype="float32")
    resized = keras.layers.Resizing(*requested, interpolation="bilinear")(images)
    return keras.Model(images, cut.features(resized))


def _is_still(layer: keras.Layer) -> bool:
    """Return True if a layer is deterministic and stays unchanged during training."""
    # Layers with something random, such as dropout, keep its seed in a separate variable.
    is_random = len(layer.variables) > len(layer.weights)
    return not is_random and not (layer.weights and layer.trainable)


def key_of(dataset: str, store: Store, spec: NetworkSpec, cut: Cut, *more: str) -> FeatureKey:
    """Return the cache key of a network's features on a dataset.

    Args:
        dataset: Id of the dataset.
        store: The dataset.
        spec: The network that was cut.
        cut: Its parts, with their weights.
        *more: Everything else that the result depends on.
    """
    used = ancestors(spec, cut.node.partition(INNER)[0])
    nodes = [
        (
            each.id,
            each.layer,
            {name: v for name, v in each.parameters.items() if name not in _TRAINING_ONLY},
            each.inputs,
        )
        for each in sorted(spec.nodes, key=lambda each: each.id)
        if each.id in used
    ]
    described = json.dumps([str(spec.input), cut.node, nodes, more], sort_keys=True)
    return FeatureKey(
        dataset=dataset,
        images=identity_of(store),
        network=digest_of(described),
        weights=digest_of(*_weights_of(cut.features)),
        shape=cut.shape,
        label=spec.name,
    )


def _weights_of(model: keras.Model) -> Iterable[bytes]:
    for value in model.get_weights():
        yield f"{value.dtype} {value.shape}".encode() + value.tobytes()


def features_of(
    cache: FeatureCache,
    key: FeatureKey,
    network: keras.Model,
    store: Store,
    rows: Rows,
    progress: Progress,
) -> FeatureTable:
    """Return the features of some images, those computed that are not kept yet.

    Args:
        cache: Cache of the features.
        key: Under what.
        network: Gives them from pixels; `Cut.features`, perhaps with something before it.
        store: The dataset.
        rows: Rows of the dataset.
        progress: Receives the progress and may cancel; what was computed until then is kept.

    Raises:
        StudioError: They are more than is ever kept.
        DiskFullError: There is no space left for them.
        BadDataError: An image is damaged.
        Cancelled: Through `progress`.
    """
    table = cache.open(key)
    missing = table.missing(rows)
    if not len(missing):
        return table
    cache.make_room(key, len(missing))
    wide = 4 * int(np.prod(key.shape))
    size = max(BATCH, min(PART_IMAGES, PART_BYTES // wide) // BATCH * BATCH)
    for start in range(0, len(missing), size):
        part = missing[start : start + size]
        cache.add(key, part, _computed(network, store, part, progress, start, len(missing)))
    return cache.open(key)


def _computed(
    network: keras.Model,
    store: Store,
    rows: Rows,
    progress: Progress,
    before: int,
    total: int,
) -> Features:
    values: list[NDArray[np.float32]] = []
    for start in range(0, len(rows), BATCH):
        progress.check()
        values.append(score(network, store.images[rows[start : start + BATCH]]))
        progress.advance(min(before + start + BATCH, total), total, "Computing features")
    return np.concatenate(values)


EXTRA = 2
"""Numbers after the features of an image: the predicted class and its score. Whole numbers up to
2**24 are exact in 32 bits."""


class ModelFeatures:
    """A model that returns the features of a layer, and its prediction.

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

    def key(
        self,
        dataset: str,
        store: Store,
        file: Path,
        label: str,
        preprocessing: Preprocessing | None = None,
    ) -> FeatureKey:
        """Return the cache key of the features.

        Args:
            dataset: Id of the dataset.
            store: The dataset.
            file: The file of the model.
            label: The model as displayed.
            preprocessing: Preparation of the pixels before the layers of the file.
        """
        before = () if preprocessing is None else (preprocessing,)
        return FeatureKey(
            dataset=dataset,
            images=identity_of(store),
            network=digest_of("layer of a file, averaged, with the answer", self.path, *before),
            weights=file_digest(file),
            shape=(self.width + EXTRA,),
            label=label,
        )


def require_fit(loaded: WarmModel, store: Store) -> None:
    """Raise if the images do not have the size that the model needs.

    Args:
        loaded: The model.
        store: The dataset.

    Raises:
        StudioError: The sizes differ.
    """
    requested = (loaded.recipe.height, loaded.recipe.width, loaded.recipe.channels)
    if store.shape != requested:
        there, needed = ("x".join(map(str, shape)) for shape in (store.shape, requested))
        raise StudioError(
            "The images of the dataset have the shape {shape}; the model expects {expected}.",
            "Choose the dataset that it was trained on, or import this one in that size.",
            "dataset",
            shape=there,
            expected=needed,
        )


def file_digest(path: Path) -> str:
    """Return a short name of what is in a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def _cut(model: keras.Model, path: str) -> keras.Model:
    images, values, scores = with_layer(model, path)
    return keras.Model(images, _WithAnswer()([values, scores]))


class _WithAnswer(keras.layers.Layer):  # type: ignore[misc]  # Keras ships no types
    """Features averaged over positions, the predicted class, and its score, as float32."""

    def __init__(self) -> None:
        super().__init__(dtype="float32", name="features_and_answer")

    def call(self, tensors: list[Any]) -> Any:  # noqa: ANN401
        """Return one row of numbers per image."""
        ops = keras.ops
        values, scores = tensors
        if len(scores.shape) == 3:  # of boxes: positions with the scores of classes, and sides
            scores = ops.max(scores[..., :-BOX_SIDES], axis=1)
        elif len(scores.shape) > 3:  # of masks
            scores = ops.mean(scores, axis=(1, 2))
        values = pooled(values)
        best = ops.cast(ops.argmax(scores, axis=-1), "float32")[:, None]
        return ops.concatenate([values, best, ops.max(scores, axis=-1, keepdims=True)], axis=-1)

    def compute_output_shape(self, shapes: list[tuple[int | None, ...]]) -> tuple[int | None, ...]:
        """Return the number of channels plus two."""
        channels = shapes[0][-1]
        return shapes[0][0], None if channels is None else channels + EXTRA


def answers_in(values: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Likeliest classes and their scores, of rows with both behind their features."""
    return values[:, -2].astype(np.int32), values[:, -1]
