"""Feature extractors of a baseline: the best one that is available without a download."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Features, Pixels, Rows
from studio.engine.baselines.cache import FeatureCache, FeatureKey
from studio.engine.baselines.report import BaselinePlan, FeatureSource, SourceKind
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.messages import as_message, message
from studio.engine.networks.backbones import IMAGENET, WeightCache
from studio.engine.networks.enlarging import size_seen
from studio.engine.networks.fitting import COLOR, ending_for
from studio.engine.networks.library import resolve
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import zoo_name_of
from studio.engine.pretrained.store import backbones_here
from studio.engine.progress import Progress
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.preprocessing import network_for, network_label
from studio.engine.training.recommendation import light_networks_in_cache
from studio.engine.training.starting_weights import network_of_run
from studio.engine.training.trained_models import dataset_of, run_with_model, training_data
from studio.engine.training.weight_matching import require_network_of
from studio.engine.workspace import RecordKind, Workspace

TINY = 8
EDGES_AT = 32
CELLS = 4
DIRECTIONS = 8
LABEL = "colors and edges, without pretrained weights"


def tiny_pictures(images: Pixels, side: int = TINY) -> Features:
    """Each image as a picture of few pixels, one after the other.

    Args:
        images: n x height x width x channels.
        side: Side of the tiny picture; smaller images keep their own size.

    Returns:
        Mean levels from 0 to 1, n x (side * side * channels) at most.
    """
    return _shrunk(images, side).reshape(len(images), -1)


def colors_and_edges(images: Pixels) -> Features:
    """Return a tiny color picture, and histograms of the directions of edges.

    The histograms follow N. Dalal and B. Triggs, "Histograms of oriented gradients for human
    detection", CVPR 2005: directions of the gradient from 0 to 180 degrees in a grid of cells,
    weighted by its strength, and each cell divided by the strength in the image.

    Args:
        images: n x height x width x channels.

    Returns:
        n x D.
    """
    gray = _shrunk(images, EDGES_AT).mean(axis=3)
    down, right = np.gradient(gray, axis=1), np.gradient(gray, axis=2)
    strength = np.hypot(down, right)
    direction = np.mod(np.arctan2(down, right), np.pi) / np.pi * DIRECTIONS
    histograms = []
    for number in range(DIRECTIONS):
        # Each gradient counts for the two nearest directions, by how near they are.
        away = np.abs(np.mod(direction - number + DIRECTIONS / 2, DIRECTIONS) - DIRECTIONS / 2)
        share = strength * np.clip(1 - away, 0, 1)
        histograms.append(_shrunk(share[..., np.newaxis], CELLS, 1.0).reshape(len(images), -1))
    edges = np.hstack(histograms)
    edges /= np.linalg.norm(edges, axis=1, keepdims=True) + 1e-3
    return np.hstack([tiny_pictures(images), edges]).astype(np.float32)


def _shrunk(images: NDArray[np.generic], side: int, scale: float = 1 / 255) -> Features:
    """Means over the cells of a grid of at most side x side, n x rows x columns x channels."""
    height, width = images.shape[1:3]
    rows = _edges(height, side)
    columns = _edges(width, side)
    total = np.add.reduceat(images.astype(np.float32), rows, axis=1)
    total = np.add.reduceat(total, columns, axis=2)
    heights = np.diff([*rows, height])[:, np.newaxis]
    widths = np.diff([*columns, width])[np.newaxis, :]
    means = total * (scale / (heights * widths))[np.newaxis, :, :, np.newaxis]
    return np.asarray(means, np.float32)


def _edges(length: int, cells: int) -> NDArray[np.int64]:
    count = min(length, cells)
    edges: NDArray[np.int64] = np.arange(count) * length // count
    return edges


RUN_IMAGES = 1000
"""Minimum number of training images of an earlier run that is chosen automatically."""

_CHUNK = 512


class Extractor(Protocol):
    """Gives features of images."""

    def source(self) -> FeatureSource:
        """Origin of the features, and the seconds spent so far."""

    def missing(self, rows: Rows) -> Rows:
        """Return those of some rows that would have to be computed."""

    def features(self, rows: Rows, progress: Progress) -> Features:
        """Return the features of some rows, float32, shape (N, D).

        Args:
            rows: Rows of the dataset, shape (N,).
            progress: Receives the progress and may cancel.

        Raises:
            Cancelled: The job was asked to end.
        """


class HasShape(Protocol):
    """Images of one size, such as those of a dataset."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and channels of every image."""


class HandMade:
    """Colors and edges, where no network has learned anything."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seconds = 0.0
        self._dimension = 0

    def source(self) -> FeatureSource:
        """Made by hand, and called so."""
        height, width, _ = self._store.shape
        return FeatureSource(
            kind="made_by_hand",
            label=LABEL,
            dimension=self._dimension,
            height=height,
            width=width,
            seconds=self._seconds,
        )

    def missing(self, rows: Rows) -> Rows:
        """Return all: they are quicker to make than to keep."""
        return rows

    def features(self, rows: Rows, progress: Progress) -> Features:
        """Compute color and edge histograms, float32, shape (N, D).

        Args:
            rows: Rows of the dataset, shape (N,).
            progress: Receives the progress and may cancel.
        """
        began = time.perf_counter()
        found = []
        for start in range(0, len(rows), _CHUNK):
            progress.check()
            part = rows[start : start + _CHUNK]
            images = self._store.pixel_format.to_bytes(self._store.images[part])
            found.append(colors_and_edges(images))
            progress.advance(start + len(part), len(rows), "Computing features")
        result = np.concatenate(found)
        self._dimension = result.shape[1]
        self._seconds += time.perf_counter() - began
        return result


@dataclass(frozen=True, slots=True)
class ChosenNetwork:
    """A network with weights.

    Attributes:
        kind: Source of the weights.
        training: A plan that names network and weights, and learns a linear head.
        label: Network and weights as displayed.
        height: Height of the images that the network gets.
        width: Width of the images that it gets.
    """

    kind: SourceKind
    training: TrainingPlan
    label: str
    height: int
    width: int


class NetworkFeatures:
    """Features of images from a network with weights, cached on disk."""

    def __init__(
        self,
        chosen: ChosenNetwork,
        dataset: str,
        store: Store,
        workspace: Workspace,
        progress: Progress,
    ) -> None:
        # Keras may be imported only now that its backend is chosen.
        from studio.engine.compute.build import build  # noqa: PLC0415
        from studio.engine.compute.features import cut_before, enlarging, key_of  # noqa: PLC0415
        from studio.engine.compute.weights import load_weights  # noqa: PLC0415

        self._chosen = chosen
        self._store = store
        self._cache = FeatureCache.of(workspace.root)
        self._seconds = 0.0
        shape = (chosen.height, chosen.width, store.shape[2])
        classes, pixels = len(store.classes), store.pixel_format
        spec = network_for(chosen.training, shape, classes, task=store.task, pixels=pixels)
        model = build(spec, seed=0)
        load_weights(model, spec, chosen.training.weights, workspace, progress)
        # Behind the last layer with weights, outputs may be brought into units.
        cut = cut_before(model, ending_for(spec, store.task).output)
        self._network = enlarging(cut, store.shape)
        self._key: FeatureKey = key_of(dataset, store, spec, cut)

    def source(self) -> FeatureSource:
        """Return the network and its weights."""
        return FeatureSource(
            kind=self._chosen.kind,
            network=self._chosen.training.network,
            weights=self._chosen.training.weights,
            label=self._chosen.label,
            dimension=self._key.shape[0],
            height=self._chosen.height,
            width=self._chosen.width,
            seconds=self._seconds,
        )

    def missing(self, rows: Rows) -> Rows:
        """Return those that are not kept yet."""
        return self._cache.open(self._key).missing(rows)

    def features(self, rows: Rows, progress: Progress) -> Features:
        """Return features, float32, shape (N, D); missing ones are computed and cached.

        Args:
            rows: Rows of the dataset, shape (N,).
            progress: Receives the progress and may cancel.
        """
        from studio.engine.compute.features import features_of  # noqa: PLC0415

        began = time.perf_counter()
        computes = len(self.missing(rows)) > 0
        table = features_of(self._cache, self._key, self._network, self._store, rows, progress)
        if computes:
            self._seconds += time.perf_counter() - began
        return table[rows]


def candidates(plan: BaselinePlan, store: HasShape, workspace: Workspace) -> list[ChosenNetwork]:
    """Return the networks and weights that a baseline compares, the most accurate ones first.

    Args:
        plan: The baseline.
        store: The images.
        workspace: Holds runs and weights.

    Returns:
        One if the plan names it; none if no weights are available, so that handcrafted features
        are used.

    Raises:
        StudioError: The requested network or weights do not exist.
    """
    if plan.weights.startswith(RUN_PREFIX):
        return [_of_run(plan.weights, store, workspace)]
    if plan.weights or plan.network:
        return [_asked_for(plan, store, workspace)]
    found = [_of_zoo(name, IMAGENET, store) for name in light_networks_in_cache()]
    for file in WeightCache().own_files():
        with contextlib.suppress(StudioError):  # of an unknown network, or damaged
            found.append(_of_zoo(require_network_of(file), str(file), store))
    newest = None if found else _of_newest_run(plan.dataset, store, workspace)
    return found if newest is None else [newest]


def choose(plan: BaselinePlan, store: HasShape, workspace: Workspace) -> ChosenNetwork | None:
    """Return the first of the networks that a baseline would compare; see `candidates`."""
    return next(iter(candidates(plan, store, workspace)), None)


def _asked_for(plan: BaselinePlan, store: HasShape, workspace: Workspace) -> ChosenNetwork:
    network = plan.network
    if not network:
        is_published = plan.weights == IMAGENET
        network = "mobilenet_v2" if is_published else require_network_of(Path(plan.weights))
    weights = plan.weights
    if not weights:
        cached = {zoo_name_of(name) for name in backbones_here()}
        if network not in cached:
            raise StudioError(
                "There are no weights of {network} on this machine.",
                "Name a file, or download the ImageNet weights.",
                "weights",
                network=network,
            )
        weights = IMAGENET
    if network in ZOO:
        return _of_zoo(network, weights, store)
    choice = resolve(workspace, network)
    training = _training(choice.network, weights, choice.design)
    size = choice.design.input if choice.design is not None else None
    height, width = (size.height, size.width) if size is not None else store.shape[:2]
    kind: SourceKind = "imagenet" if weights == IMAGENET else "file"
    return ChosenNetwork(kind, training, _label(training, weights), height, width)


def _of_zoo(name: str, weights: str, store: HasShape) -> ChosenNetwork:
    training = _training(name, weights)
    height, width = size_seen(name, store.shape[:2])
    kind: SourceKind = "imagenet" if weights == IMAGENET else "file"
    return ChosenNetwork(kind, training, _label(training, weights), height, width)


def _of_run(weights: str, store: HasShape, workspace: Workspace) -> ChosenNetwork:
    run = run_with_model(workspace, weights.removeprefix(RUN_PREFIX).partition("@")[0])
    network = network_of_run(workspace, run)
    data = training_data(workspace, run)
    seen = dataset_summary(data.folder, data.version)
    if seen.channels not in (COLOR, store.shape[2]):
        raise StudioError(
            'The run "{run}" was trained on images with {expected} channels, but these have '
            "{channels}.",
            "Choose another run or network.",
            "weights",
            run=run.name,
            expected=seen.channels,
            channels=store.shape[2],
        )
    training = _training(network.network, weights, network.design)
    label = message(
        'the features of {network} of the run "{run}"',
        network=as_message(network_label(training)),
        run=run.name,
    )
    return ChosenNetwork("run", training, label, seen.height, seen.width)


def _of_newest_run(dataset: str, store: HasShape, workspace: Workspace) -> ChosenNetwork | None:
    """Return the last run on another dataset that saw enough images."""
    for record, _ in reversed(workspace.infos(RecordKind.RUN)):
        try:
            plan = Job(record).plan(TrainingPlan)
            if plan.dataset == dataset:
                continue  # it has seen these very images
            source = dataset_of(workspace, record)
            seen = dataset_summary(source.folder, plan.dataset_version)
            if seen.count["train"] >= RUN_IMAGES:
                return _of_run(f"{RUN_PREFIX}{record.id}", store, workspace)
        except StudioError:
            continue  # without a model, without its dataset, or of other colors
    return None


def _training(network: str, weights: str, design: object = None) -> TrainingPlan:
    return TrainingPlan.parse(
        {
            "dataset": "",
            "network": network,
            "design": design,
            "weights": weights,
            "freeze": "all",
            "head_solver": "logistic_regression",
        }
    )


def _label(training: TrainingPlan, weights: str) -> str:
    network = as_message(network_label(training))
    if weights == IMAGENET:
        return message("the features of {network} with ImageNet weights", network=network)
    return message(
        "the features of {network} with weights of {file}",
        network=network,
        file=Path(weights).name,
    )
