"""Does an embedding: features of images at a layer, and a map of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studio.engine.baselines.cache import FeatureCache, Rows
from studio.engine.baselines.sampling import mixed
from studio.engine.compute.backend import prepare_backend
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.embeddings.embedding import EMBEDDING_FILE, Embedding, write_embedding
from studio.engine.embeddings.plan import EmbeddingPlan
from studio.engine.embeddings.projection import project
from studio.engine.errors import BadDataError
from studio.engine.inference.models import named_model
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.states import State
from studio.engine.training.backends import installed_backend
from studio.engine.workspace import RecordKind

FEWEST = 3
"""Images of a map."""


def embed(context: JobContext) -> State:
    """Do an embedding job; the points and features go beside the plan.

    Raises:
        BadDataError: The model or the dataset cannot be read, or there are too few images.
        StudioError: They do not fit together, or there is no such layer.
        Cancelled: Somebody asked for the work to end; features computed until then are kept.
    """
    plan = context.job.plan(EmbeddingPlan)
    record = context.workspace.require(RecordKind.DATASET, plan.dataset)
    source = named_model(context.workspace, plan.model)
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
    from studio.engine.compute.outline import outline  # noqa: PLC0415
    from studio.engine.compute.warm_models import load_warm  # noqa: PLC0415

    loaded = load_warm(source)
    require_fit(loaded, store)
    features = ModelFeatures(loaded, plan.layer or outline(loaded.model).features)
    key = features.key(plan.dataset, store, Path(source.file), source.name)
    cache = FeatureCache.of(context.workspace.root)
    table = features_of(cache, key, features.network, store, rows, context)
    values = table[rows]
    points, explained = project(values[:, :-EXTRA], plan, context)
    guesses, scores = answers_in(values)
    embedding = Embedding(
        rows=rows,
        points=points,
        features=values[:, :-EXTRA],
        labels=store.labels[rows],
        splits=store.split[rows],
        guesses=guesses,
        scores=scores,
        classes=tuple(store.classes),
        outputs=tuple(loaded.classes),
        paths=tuple(store.paths[row] for row in rows.tolist()),
        layer=features.path,
        method=plan.method,
        explained=explained,
        has_classes=store.targets is None,
    )
    path = context.folder / EMBEDDING_FILE
    write_embedding(path, embedding)
    context.artifact("embedding", path)
    context.result(_result(embedding, there=_there(store, plan)))
    return State.COMPLETED


def rows_of(store: Store, plan: EmbeddingPlan) -> Rows:
    """The images of a map, ascending; every class in its share where they are not all.

    Raises:
        BadDataError: There are too few.
    """
    every = _every(store, plan)
    if len(every) < FEWEST:
        raise BadDataError(
            f"A map needs at least {FEWEST} images, and there are {len(every)}.",
            "Choose another split.",
            "split",
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
    """The figures that stand in the journal and on the command line."""
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
