"""Fits the Gaussians of a network like PaDiM to good images, see `networks.zoo.padim`.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).

1. A few images give the scale of the features, by which the embedding is divided.
2. All good training images give mean and covariance of the features at each position. Only sums
   are kept, so memory does not depend on the number of images.
3. Several candidates, with one Gaussian for each position or one for all, and with one map or
   several, score good validation images and copies with drawn defects. The best one goes into the
   weights of the network, scaled so that its threshold is 1.

Everything drawn depends on the seed of the plan alone: a run that was interrupted is fitted
again, with the same result.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.compute.checkpoint import Checkpoint
from studio.engine.compute.model_checkpointer import ModelCheckpointer
from studio.engine.compute.models import outputs_of
from studio.engine.compute.on_features import training_began
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.jobs.events import Note
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, message
from studio.engine.networks.spec import HEAD, NetworkSpec
from studio.engine.networks.zoo.padim import DISTANCE, EMBED, WHITEN, maps_of
from studio.engine.tasks.anomaly.drawn_defects import with_defects
from studio.engine.tasks.anomaly.prediction import threshold_for
from studio.engine.tasks.anomaly.report import auroc
from studio.engine.tasks.anomaly.targets import is_good
from studio.engine.training.history import EpochDone, RunContext, StepsDone
from studio.engine.training.plan import TrainingPlan

_SCALED_BY: Final = 64
"""Images for the scale of the features."""
_COMPARED: Final = 100
"""Validation images, at most, that candidates are compared on; each is drawn on three times."""
_HELD_OUT: Final = 0.2
"""Fraction of the training images that take their place where there are none."""
_REGULARIZATION: Final = 0.05
"""Added to each variance, in parts of the mean variance: fewer images than features are fitted."""
_ROUNDING: Final = 1e-6
"""Least mean variance, in parts of the mean square: identical images have no other."""
_LEAST: Final = 2
_AUGMENTED: Final = 2
"""Augmented copies of each training image, beside the image as it is."""


def fit_gaussians(
    context: RunContext,
    plan: TrainingPlan,
    store: Store,
    spec: NetworkSpec,
    network: keras.Model,
    checkpoint: Checkpoint | None = None,  # noqa: ARG001 - a fit begins again
) -> State:
    """Fit the network to the good images; journal one epoch. See `fit.Fitting`.

    Raises:
        BadDataError: An image is damaged, or there are too few good ones.
        Cancelled: The job was asked to end.
    """
    context.emit(training_began(plan, store, network), durable=True)
    began = time.perf_counter()
    fitted, held = _divided(store, plan.seed)
    images = _Images(context, plan, store)
    maps = maps_of(spec)
    _scale_embeddings(network, maps, images, fitted, plan.seed)
    embedded = keras.Model(
        network.inputs, [network.get_layer(EMBED + each).output for each in maps]
    )
    sums = [_Sums() for _ in maps]
    for batch in images.batches(fitted, "Fitting good images", augmented=True):
        for total, values in zip(sums, outputs_of(embedded, batch), strict=True):
            total.add(values)
    gaussians = {
        (name, is_local): total.whitening(is_local=is_local)
        for name, total in zip(maps, sums, strict=True)
        for is_local in (True, False)
    }
    compared = _compared(images, embedded, maps, gaussians, held, plan.seed)
    chosen = _best(compared, maps)
    _write_weights(network, maps, chosen, gaussians)
    metrics = _metrics(images, network, fitted, held, plan.seed, chosen)
    seconds = time.perf_counter() - began
    checkpointer = ModelCheckpointer(context, spec, plan.keep)
    checkpointer.consider(network, is_best=True)
    _journal(context, metrics, len(fitted), seconds)
    context.emit(Note(message=_summary(chosen, compared, len(held))))
    checkpointer.save()
    return State.COMPLETED


def _divided(store: Store, seed: int) -> tuple[Rows, Rows]:
    """Return the good images to fit, and those that are held out to compare candidates.

    Raises:
        BadDataError: There are too few.
    """
    good = is_good(store.required_targets)
    train, val = (rows[good[rows]] for rows in (store.rows("train"), store.rows("val")))
    random = np.random.default_rng(seed)
    if not len(val) and store.recipe.tile_size:
        raise BadDataError(
            "The threshold of whole images is measured on those for validation, but there are "
            "none.",
            "Assign some good images to the validation split, or import without tiles.",
            "dataset",
        )
    if not len(val):
        train = random.permutation(train)
        count = max(1, round(_HELD_OUT * len(train)))
        train, val = np.sort(train[count:]), np.sort(train[:count])
    if len(train) < _LEAST:
        raise BadDataError(
            "There are {count} good images to learn from; at least {least} are needed.",
            "Add images without defects to the training split.",
            "dataset",
            count=len(train),
            least=_LEAST,
        )
    if len(val) > _COMPARED:
        val = np.sort(random.permutation(val)[:_COMPARED])
    return train, val


@dataclass(frozen=True, slots=True)
class _Images:
    """Images of a dataset in batches, with progress.

    Attributes:
        context: The running job.
        plan: Plan of the run.
        store: Its dataset.
    """

    context: RunContext
    plan: TrainingPlan
    store: Store

    def batches(self, rows: Rows, what: str, *, augmented: bool = False) -> Iterator[NDArray[Any]]:
        """Yield images as they are, then augmented copies if the plan has some.

        Args:
            rows: Rows of the dataset.
            what: Name of the progress step.
            augmented: Also yield augmented copies.
        """
        augmenter = Augmenter(self.plan.augmentation, self.plan.seed)
        rounds = 1 + (_AUGMENTED if augmented and not augmenter.is_idle else 0)
        size, done = self.plan.batch_size, 0
        for epoch in range(rounds):
            for start in range(0, len(rows), size):
                self.context.check()
                part = rows[start : start + size]
                images = self.store.images[part]
                yield images if not epoch else augmenter.changed(images, part, epoch - 1)
                done += len(part)
                self.context.advance(done, rounds * len(rows), what)

    def with_defects(self, rows: Rows, what: str, seed: int) -> Iterator[NDArray[Any]]:
        """Yield copies of images with drawn defects.

        Args:
            rows: Rows of the dataset.
            what: Name of the progress step.
            seed: Seed of the defects.
        """
        random = np.random.default_rng((seed, 1))
        pixels = self.store.pixel_format
        for batch in self.batches(rows, what):
            limits = (
                (float(batch.min()), float(batch.max()))
                if pixels.per_image
                else (float(min(pixels.low)), float(max(pixels.high)))
            )
            drawn = [each for image in batch for each in with_defects(image, random, limits)]
            for start in range(0, len(drawn), self.plan.batch_size):
                yield np.stack(drawn[start : start + self.plan.batch_size])


def _scale_embeddings(
    network: keras.Model, maps: Sequence[str], images: _Images, rows: Rows, seed: int
) -> None:
    """Set each embedding: features divided by their deviations, in fewer dimensions.

    Args:
        network: The network.
        maps: Names of its maps.
        images: The dataset.
        rows: Good training images.
        seed: Seed of the matrices.

    Raises:
        BadDataError: The network gives no features.
    """
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), _SCALED_BY)).astype(np.int64)]
    layers = [network.get_layer(EMBED + name) for name in maps]
    before = keras.Model(network.inputs, [layer.input for layer in layers])
    parts = [
        [
            each.std(axis=(1, 2)) ** 2 + each.mean(axis=(1, 2)) ** 2
            for each in outputs_of(before, batch)
        ]
        for batch in images.batches(some, "Measuring features")
    ]
    random = np.random.default_rng(seed)
    for index, layer in enumerate(layers):
        scale = np.sqrt(np.concatenate([part[index] for part in parts]).mean(axis=0))
        if not scale.any():
            raise _uniform()
        kernel, bias = (np.zeros(each.shape, np.float32) for each in layer.weights)
        channels, features = kernel.shape[2], kernel.shape[3] - 1
        matrix = np.linalg.qr(random.normal(size=(channels, channels)))[0]
        used = min(channels, features)
        kernel[0, 0, :, :used] = matrix[:, :used] / np.maximum(scale, 1e-6 * scale.max())[:, None]
        bias[-1] = 1.0
        layer.set_weights([kernel, bias])


class _Sums:
    """Sums of the features at each position, and of their products."""

    def __init__(self) -> None:
        self._count = 0
        self._first: NDArray[np.float64] | None = None
        self._products: NDArray[np.float64] | None = None

    def add(self, values: NDArray[np.float32]) -> None:
        """Add features, shape (n, height, width, features + 1); the last one is 1."""
        exact = values[..., :-1].astype(np.float64)
        height, width, features = exact.shape[1:]
        flat = exact.reshape(len(exact), height * width, features).transpose(1, 0, 2)
        first, products = flat.sum(axis=1), flat.transpose(0, 2, 1) @ flat
        if self._first is None or self._products is None:
            self._shape = height, width
            self._first, self._products = first, products
        else:
            self._first += first
            self._products += products
        self._count += len(values)

    def whitening(self, *, is_local: bool) -> NDArray[np.float32]:
        """Return the matrices that whiten features, shape (h, w, features + 1, features).

        Args:
            is_local: True for a Gaussian at each position, False for one of all positions.
        """
        if self._first is None or self._products is None:
            raise TypeError("There are no features.")
        first, products = self._first / self._count, self._products / self._count
        if not is_local:
            first, products = (each.mean(axis=0, keepdims=True) for each in (first, products))
        covariance = products - first[:, :, None] * first[:, None, :]
        features = first.shape[1]
        mean = np.trace(covariance, axis1=1, axis2=2) / features
        power = float(np.trace(products, axis1=1, axis2=2).mean()) / features
        floor = max(float(mean.mean()), _ROUNDING * power, 1e-12)
        added = _REGULARIZATION * np.maximum(mean, 1e-3 * floor)
        covariance += added[:, None, None] * np.eye(features)
        inverse = np.linalg.inv(np.linalg.cholesky(covariance)).transpose(0, 2, 1)
        moved = -(first[:, None, :] @ inverse)
        height, width = self._shape
        matrices = np.concatenate([inverse, moved], axis=1)
        whole = np.broadcast_to(matrices, (height * width, features + 1, features))
        return whole.reshape(height, width, features + 1, features).astype(np.float32)


Gaussians = dict[tuple[str, bool], NDArray[np.float32]]
"""Whitening matrices by the name of the map, and True for one at each position."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A method, and how well it tells drawn defects.

    Attributes:
        is_local: True for a Gaussian at each position.
        scales: Score of good images that counts as 1, by the name of the map; of the maps used.
        auroc: AUROC of good images and drawn defects.
    """

    is_local: bool
    scales: dict[str, float]
    auroc: float


def _compared(
    images: _Images,
    embedded: keras.Model,
    maps: Sequence[str],
    gaussians: Gaussians,
    rows: Rows,
    seed: int,
) -> list[_Candidate]:
    """Return the candidates with their AUROC on held-out images.

    Args:
        images: The dataset.
        embedded: Gives the embedded maps of images.
        maps: Names of the maps.
        gaussians: All fitted Gaussians.
        rows: Good images that nothing was fitted on.
        seed: Seed of the defects.
    """
    distances: dict[tuple[str, bool], list[list[NDArray[np.float64]]]] = {
        key: [[], []] for key in gaussians
    }
    sides = (
        images.batches(rows, "Scoring good images"),
        images.with_defects(rows, "Scoring drawn defects", seed),
    )
    for side, batches in enumerate(sides):
        for batch in batches:
            for name, values in zip(maps, outputs_of(embedded, batch), strict=True):
                for is_local in (True, False):
                    key = name, is_local
                    distances[key][side].append(_distances(values, gaussians[key]))
    return [
        _candidate(is_local, used, distances)
        for is_local in (True, False)
        for count in range(1, len(maps) + 1)
        for used in itertools.combinations(maps, count)
    ]


def _best(compared: Sequence[_Candidate], maps: Sequence[str]) -> _Candidate:
    """Return the best candidate; of equal ones, that with more maps, then with coarser ones.

    On magnetic tiles, both maps and the coarser one measured better, see `networks.zoo.padim`.

    Args:
        compared: The candidates.
        maps: Names of all maps, the finest first.
    """
    return max(
        compared,
        key=lambda each: (each.auroc, len(each.scales), max(map(maps.index, each.scales))),
    )


def _threshold(good: NDArray[np.float64]) -> float:
    """Return the threshold of good images.

    Raises:
        BadDataError: It is 0, so that no score could be measured by it.
    """
    limit = threshold_for(good)
    if not limit > 0:
        raise _uniform()
    return limit


def _uniform() -> BadDataError:
    return BadDataError(
        "The network sees no difference between the good images, so that there is no threshold.",
        "Add images of other good parts, or choose another network.",
        "dataset",
    )


def _distances(values: NDArray[np.float32], matrices: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the mean squared whitened feature of each position, shape (n, h, w)."""
    whitened = np.einsum("nhwc,hwcf->nhwf", values, matrices, optimize=True)
    squared: NDArray[np.float64] = (whitened.astype(np.float64) ** 2).mean(axis=-1)
    return squared


def _candidate(
    is_local: bool,
    used: Sequence[str],
    distances: dict[tuple[str, bool], list[list[NDArray[np.float64]]]],
) -> _Candidate:
    """Return a candidate: each map counts in parts of its own threshold.

    Args:
        is_local: True for a Gaussian at each position.
        used: Names of its maps.
        distances: Distances of good images and of defects, by map and method.
    """
    sides: list[list[NDArray[np.float64]]] = [[], []]
    scales = {}
    for name in used:
        good, drawn = (np.concatenate(each) for each in distances[name, is_local])
        scales[name] = _threshold(_highest(good)) * len(used)
        for side, each in zip(sides, (good, drawn), strict=True):
            side.append(each / scales[name])
    size = sides[0][0].shape[1:]
    good, drawn = (_highest(sum(_resized(each, size) for each in side)) for side in sides)
    return _Candidate(is_local, scales, auroc(good, drawn))


def _highest(maps: Any) -> NDArray[np.float64]:  # noqa: ANN401 - a sum of arrays
    highest: NDArray[np.float64] = maps.reshape(len(maps), -1).max(axis=1)
    return highest


def _resized(maps: NDArray[np.float64], size: tuple[int, ...]) -> NDArray[np.float64]:
    """Return maps at another size, as the network resizes them."""
    if maps.shape[1:] == size:
        return maps
    resized = keras.ops.image.resize(maps[..., None].astype(np.float32), size)
    return np.asarray(keras.ops.convert_to_numpy(resized), np.float64)[..., 0]


def _write_weights(
    network: keras.Model, maps: Sequence[str], chosen: _Candidate, gaussians: Gaussians
) -> None:
    """Put a candidate into the layers; maps that it does not use count 0.

    Args:
        network: The network.
        maps: Names of its maps.
        chosen: The candidate.
        gaussians: All fitted Gaussians.
    """
    for name in maps:
        network.get_layer(WHITEN + name).set_weights([gaussians[name, chosen.is_local]])
        layer = network.get_layer(DISTANCE + name)
        kernel, bias = (np.zeros(each.shape, np.float32) for each in layer.weights)
        if name in chosen.scales:
            kernel[:] = 1 / (kernel.shape[2] * chosen.scales[name])
        layer.set_weights([kernel, bias])
    head = network.get_layer(HEAD)
    kernel, bias = (np.zeros(each.shape, np.float32) for each in head.weights)
    kernel[..., 1:] = 1.0
    head.set_weights([kernel, bias])


def _metrics(
    images: _Images,
    network: keras.Model,
    fitted: Rows,
    held: Rows,
    seed: int,
    chosen: _Candidate,
) -> dict[str, float]:
    """Rescale the network to a threshold of 1, and return its metrics.

    Args:
        images: The dataset.
        network: The network with the weights of the candidate.
        fitted: Good training images.
        held: Good images that nothing was fitted on.
        seed: Seed of the defects.
        chosen: The candidate.
    """
    some = fitted[np.linspace(0, len(fitted) - 1, min(len(fitted), _COMPARED)).astype(np.int64)]

    def scores(batches: Iterator[NDArray[Any]]) -> NDArray[np.float64]:
        found = [outputs_of(network, batch)[0][..., -1] for batch in batches]
        return np.concatenate([_highest(each.astype(np.float64)) for each in found])

    good = scores(images.batches(held, "Measuring the threshold"))
    limit = _threshold(good)
    head = network.get_layer(HEAD)
    kernel, bias = head.get_weights()
    head.set_weights([kernel / limit, bias])
    learned = scores(images.batches(some, "Scoring training images"))
    drawn = scores(images.with_defects(some, "Scoring drawn defects", seed + 1))
    return {
        "loss": float(learned.mean()),
        "auroc": auroc(learned, drawn),
        "val_loss": float(good.mean() / limit),
        "val_auroc": chosen.auroc,
    }


def _journal(context: RunContext, metrics: dict[str, float], images: int, seconds: float) -> None:
    """Journal the fit as the only step of an epoch.

    Args:
        context: The run.
        metrics: On training and validation images.
        images: Good training images.
        seconds: Time it took.
    """
    speed = images / max(seconds, 1e-9)
    rate = float("nan")
    context.emit(
        StepsDone(
            first=1,
            last=1,
            metrics={"loss": [metrics["loss"]]},
            learning_rate=rate,
            images_per_second=speed,
        )
    )
    context.emit(
        EpochDone(
            epoch=1,
            step=1,
            metrics=metrics,
            learning_rate=rate,
            seconds=seconds,
            images_per_second=speed,
            is_best=True,
        )
    )


def _summary(chosen: _Candidate, compared: Sequence[_Candidate], images: int) -> str:
    """Return what was chosen, and how sure that is."""
    way = (
        message("a Gaussian at each position, for aligned parts")
        if chosen.is_local
        else message("one Gaussian for all positions, for parts that may move")
    )
    return message(
        "Of {count} methods, {way} on {maps} tells drawn defects best: AUROC {auroc:.3f} on "
        "{images} good images that were held out, and on copies of them with drawn defects. Real "
        "defects may be easier or harder.",
        count=len(compared),
        way=way,
        maps=as_message(", ".join(chosen.scales)),
        auroc=chosen.auroc,
        images=images,
    )
