"""Draws rows of many numbers as points of a plane on which alike ones are close."""

from __future__ import annotations

import contextlib
import io
import re

import numpy as np
from numpy.typing import NDArray

from studio.engine.embeddings.plan import EmbeddingPlan
from studio.engine.progress import Progress

FIRST = 50
"""Axes that t-SNE is given, found by PCA: van der Maaten and Hinton, "Visualizing Data using
t-SNE" (2008), take as many, for speed and against noise."""
STEPS = 1000
_STEP = re.compile(r"Iteration (\d+):")

Values = NDArray[np.float32]


def project(
    features: Values, plan: EmbeddingPlan, progress: Progress
) -> tuple[Values, tuple[float, ...]]:
    """Place rows on a plane.

    Args:
        features: N x D, at least 3 rows.
        plan: How.
        progress: Who listens, and may cancel.

    Returns:
        Points, N x 2, and of PCA the shares of the variance that the two axes show.

    Raises:
        Cancelled: Through `progress`.
    """
    # What is no number can be nowhere; it lies where a feature is silent.
    clean = np.nan_to_num(features, posinf=0.0, neginf=0.0)
    if plan.method == "pca":
        points, shares = _pca(clean, 2, plan.seed)
        return _filled(points), tuple(shares[:2].tolist())
    return _tsne(clean, plan, progress), ()


def _pca(features: Values, axes: int, seed: int) -> tuple[Values, NDArray[np.float64]]:
    from sklearn.decomposition import PCA  # noqa: PLC0415 - takes a second to import

    count = min(axes, *features.shape)
    found = PCA(count, random_state=seed)
    points = found.fit_transform(features).astype(np.float32)
    return points, np.nan_to_num(found.explained_variance_ratio_)


def _filled(points: Values) -> Values:
    """Two columns, also where there is only one number per image."""
    return np.pad(points, [(0, 0), (0, 2 - points.shape[1])])


def _tsne(features: Values, plan: EmbeddingPlan, progress: Progress) -> Values:
    from sklearn.manifold import TSNE  # noqa: PLC0415
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    progress.advance(0, STEPS, "Looking for neighbors")
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
    found: Values = np.asarray(points, np.float32)
    return found


class _Listener(io.TextIOBase):
    """Hears from what t-SNE prints how far it is: it tells in no other way, nor can be stopped."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def write(self, text: str) -> int:
        """Pass the step on; a cancellation goes up through the one who prints."""
        self._progress.check()
        found = _STEP.search(text)
        if found is not None:
            self._progress.advance(int(found[1]), STEPS, "Drawing the map")
        return len(text)
