"""What comes out of the frozen part of a network, computed once and kept on disk.

A frozen layer gives the same for an image in every epoch. So the network is cut behind everything
that stays as it is, the images go through the first part once, and only the rest is trained.
Imported only after the backend of Keras is chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.baselines.cache import (
    FeatureCache,
    FeatureKey,
    Features,
    FeatureTable,
    Rows,
    digest_of,
    identity_of,
)
from studio.engine.compute.models import score
from studio.engine.datasets.store import Store
from studio.engine.networks.parts import INNER
from studio.engine.networks.spec import NetworkSpec, ancestors
from studio.engine.progress import Progress

BATCH = 32
PART_BYTES = 64 * 2**20
PART_IMAGES = 2048
"""A part is written after so many images at most: what an interruption can lose."""

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
    """Cut a network behind all that gives the same for an image in every epoch.

    Args:
        model: Flat, functional, its layers frozen by `trainable`.

    Returns:
        None where nothing with weights is frozen, or where several tensors of the frozen part go
        into the rest, or where the network has several outputs.
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
    ((place, tensor),) = crossing.items()
    if place not in made_by:
        return None
    features = keras.Model(model.inputs, tensor)
    if not features.weights:
        return None
    return Cut(features, keras.Model(tensor, model.outputs[0]), made_by[place].name)


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
    """The features of images of another size, which are brought to that of the network first.

    Args:
        cut: Its `features` take images of one size.
        shape: Height, width and channels of the images that there are.
    """
    wanted = cut.features.input_shape[1:3]
    if wanted == shape[:2]:
        return cut.features
    images = keras.Input(shape, dtype="float32")
    resized = keras.layers.Resizing(*wanted, interpolation="bilinear")(images)
    return keras.Model(images, cut.features(resized))


def _is_still(layer: keras.Layer) -> bool:
    """Whether a layer gives the same for the same in every step of a training."""
    # Layers with something random, such as dropout, keep its seed in a variable of their own.
    is_random = len(layer.variables) > len(layer.weights)
    return not is_random and not (layer.weights and layer.trainable)


def key_of(dataset: str, store: Store, spec: NetworkSpec, cut: Cut, *more: str) -> FeatureKey:
    """What the features of a network on a dataset are kept under.

    Args:
        dataset: Id of the dataset.
        store: The dataset.
        spec: The network that was cut.
        cut: Its parts, with their weights.
        *more: What else decides what comes out.
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
    """Features of some images, those computed that are not kept yet.

    Args:
        cache: Where they are kept.
        key: Under what.
        network: Gives them from pixels; `Cut.features`, perhaps with something before it.
        store: The dataset.
        rows: Rows of the dataset.
        progress: Who listens, and may cancel; what was computed until then is kept.

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
