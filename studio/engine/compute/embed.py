"""Does an embedding: features of images at a layer, and a map of them."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.baselines.cache import FeatureCache
from studio.engine.baselines.sampling import mixed
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.embeddings.embedding import EMBEDDING_FILE, Embedding, write_embedding
from studio.engine.embeddings.requests import EmbeddingPlan
from studio.engine.errors import BadDataError
from studio.engine.inference.models import named_model
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.progress import Progress
from studio.engine.training.backends import installed_backend
from studio.engine.workspace import RecordKind

FEWEST = 3
"""Images of a map."""


def embed(context: JobContext) -> State:
    """Run an embedding job; points and features are written beside the plan.

    Raises:
        BadDataError: The model or the dataset cannot be read, or there are too few images.
        StudioError: They do not fit together, or there is no such layer.
        Cancelled: The job was asked to end; features computed so far are cached.
    """
    plan = context.job.plan(EmbeddingPlan)
    record = context.workspace.require(RecordKind.DATASET, plan.dataset)
    source = named_model(context.workspace, plan.model, options=plan.model_options)
    store = Store.open(record.folder, plan.dataset_version)
    rows = rows_of(store, plan)
    prepare_backend(installed_backend(), deterministic=False, seed=plan.seed, threads=None)

    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.features import (  # noqa: PLC0415
        EXTRA,
        ModelFeatures,
        answers_in,
        features_of,
        require_fit,
    )
    from studio.engine.compute.forward import outline  # noqa: PLC0415
    from studio.engine.compute.warm_models import load_warm  # noqa: PLC0415

    loaded = load_warm(source)
    for warning in loaded.warnings:
        context.warn(warning)
    require_fit(loaded, store)
    features = ModelFeatures(loaded, plan.layer or outline(loaded.model).features)
    key = features.key(plan.dataset, store, Path(source.file), source.name, source.preprocessing)
    cache = FeatureCache.of(context.workspace.root)
    table = features_of(cache, key, features.network, store, rows, context)
    values = table[rows]
    points, explained = project(values[:, :-EXTRA], plan, context)
    predictions, scores = answers_in(values)
    embedding = Embedding(
        rows=rows,
        points=points,
        features=values[:, :-EXTRA],
        labels=store.labels[rows],
        splits=store.split[rows],
        predictions=predictions,
        scores=scores,
        classes=tuple(store.classes),
        outputs=tuple(loaded.classes),
        paths=tuple(store.paths[row] for row in rows.tolist()),
        layer=features.path,
        method=plan.method,
        explained=explained,
        has_predictions=all(store.task.targets.class_names(store.classes, store.targets[rows])),
    )
    path = context.folder / EMBEDDING_FILE
    write_embedding(path, embedding)
    context.artifact("embedding", path)
    context.result(_result(embedding, there=_there(store, plan)))
    return State.COMPLETED


def rows_of(store: Store, plan: EmbeddingPlan) -> Rows:
    """Return the rows of a map, ascending: all images, or a stratified sample.

    Args:
        store: The dataset.
        plan: Split and greatest number of images.

    Raises:
        BadDataError: There are too few images.
    """
    every = _every(store, plan)
    if len(every) < FEWEST:
        raise BadDataError(
            "A map needs at least {fewest} images, but there are only {count}.",
            "Choose another split.",
            "split",
            fewest=FEWEST,
            count=len(every),
        )
    if len(every) <= plan.images:
        return every
    found: Rows = np.sort(mixed(every, store.labels, plan.seed)[: plan.images])
    return found


def _every(store: Store, plan: EmbeddingPlan) -> Rows:
    names = SPLIT_NAMES if plan.split == "all" else (plan.split,)
    found: Rows = np.sort(np.concatenate([store.rows(name) for name in names]))
    return found


def _there(store: Store, plan: EmbeddingPlan) -> int:
    return len(_every(store, plan))


def _result(embedding: Embedding, there: int) -> dict[str, object]:
    """Return the figures for the journal and the command line."""
    right = embedding.right()
    return {
        "layer": embedding.layer,
        "method": embedding.method,
        "images": len(embedding.rows),
        "images_there": there,
        "features": embedding.features.shape[1],
        "explained": list(embedding.explained),
        "accuracy": None if right is None else float(right.mean()),
    }


FIRST = 50
"""Axes that t-SNE is given, found by PCA: van der Maaten and Hinton, "Visualizing Data using
t-SNE" (2008), take as many, for speed and against noise."""
STEPS = 1000
_STEP = re.compile(r"Iteration (\d+):")

Coordinates = NDArray[np.float32]


def project(
    features: Coordinates, plan: EmbeddingPlan, progress: Progress
) -> tuple[Coordinates, tuple[float, ...]]:
    """Place rows on a plane.

    Args:
        features: N x D, at least 3 rows.
        plan: How.
        progress: Receives the progress and may cancel.

    Returns:
        Points, N x 2, and of PCA the shares of the variance that the two axes show.

    Raises:
        Cancelled: Through `progress`.
    """
    # What is no number can be nowhere; it lies where a feature is silent.
    clean = np.nan_to_num(features, posinf=0.0, neginf=0.0)
    if plan.method == "pca":
        points, ratios = _pca(clean, 2, plan.seed)
        return _filled(points), tuple(ratios[:2].tolist())
    return _tsne(clean, plan, progress), ()


def _pca(features: Coordinates, axes: int, seed: int) -> tuple[Coordinates, NDArray[np.float64]]:
    from sklearn.decomposition import PCA  # noqa: PLC0415 - takes a second to import

    count = min(axes, *features.shape)
    found = PCA(count, random_state=seed)
    points = found.fit_transform(features).astype(np.float32)
    return points, np.nan_to_num(found.explained_variance_ratio_)


def _filled(points: Coordinates) -> Coordinates:
    """Pad features to at least two columns."""
    return np.pad(points, [(0, 0), (0, 2 - points.shape[1])])


def _tsne(features: Coordinates, plan: EmbeddingPlan, progress: Progress) -> Coordinates:
    from sklearn.manifold import TSNE  # noqa: PLC0415
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    progress.advance(0, STEPS, "Searching for neighbors")
    first, _ = _pca(features, FIRST, plan.seed)
    first = _filled(first) if first.shape[1] < 2 else first
    # Fewer images than neighbors wanted: a third of them, as its authors advise at most.
    perplexity = min(plan.perplexity, max(1.0, (len(first) - 1) / 3))
    start = first[:, :2] / max(float(first[:, 0].std()), 1e-12) * 1e-4
    drawing = TSNE(
        perplexity=perplexity,
        init=start.astype(np.float32),
        learning_rate="auto",
        max_iter=STEPS,
        random_state=plan.seed,
        verbose=2,
    )
    # Its threads wait for each other at every step: beside a training that keeps the processor
    # busy, 200 images took minutes with all of them, and seven seconds with one.
    limit = threadpool_limits(1, user_api="openmp")
    with limit, contextlib.redirect_stdout(_Listener(progress)):
        points = drawing.fit_transform(first)
    progress.advance(STEPS, STEPS, "Drawing the map")
    found: Coordinates = np.asarray(points, np.float32)
    return found


class _Listener(io.TextIOBase):
    """Reads the progress of t-SNE from its output; it has no callback and cannot be stopped."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def write(self, text: str) -> int:
        """Pass the step on; a cancellation goes up through the one who prints."""
        self._progress.check()
        found = _STEP.search(text)
        if found is not None:
            self._progress.advance(int(found[1]), STEPS, "Drawing the map")
        return len(text)
