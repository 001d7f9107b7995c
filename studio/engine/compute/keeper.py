"""Keeps the model of a run: the best weights in memory, and on disk before too long."""

from __future__ import annotations

import time
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.build import build
from studio.engine.files import remove_partials, replacing
from studio.engine.jobs.context import JobContext
from studio.engine.networks.spec import NetworkSpec

MODEL_FILE = "model.keras"
# A crash costs at most this much; writing a large model takes about 0.4 s.
SAVE_SECONDS = 30.0


class ModelKeeper:
    """Remembers the weights worth keeping and writes them as `model.keras`, atomically.

    Args:
        context: The running job.
        spec: The network, of which a second copy is built for writing: the one in training is
            not disturbed, on any backend.
        keep: `"best"` or `"last"`.
    """

    def __init__(self, context: JobContext, spec: NetworkSpec, keep: str) -> None:
        self._context = context
        self._spec = spec
        self._keep = keep
        self._weights: list[NDArray[np.float32]] | None = None
        self._best = -np.inf
        self._unsaved = False
        self._saved_at = -np.inf
        self._twin: keras.Model | None = None
        remove_partials(self.path)

    @property
    def path(self) -> Path:
        """Where the model is written."""
        return self._context.folder / MODEL_FILE

    @property
    def has_weights(self) -> bool:
        """Whether any weights were taken so far."""
        return self._weights is not None

    def consider(self, model: keras.Model, score: float) -> bool:
        """Take the weights if they are to be kept.

        Args:
            model: The model in training.
            score: Higher is better; NaN when nothing was measured, then the last ones are kept.

        Returns:
            Whether this is the best score so far.
        """
        is_best = bool(score > self._best or np.isnan(score))
        if is_best and not np.isnan(score):
            self._best = score
        if is_best or self._keep == "last":
            self.take(model)
        if time.monotonic() - self._saved_at >= SAVE_SECONDS:
            self.save()
        return is_best

    def take(self, model: keras.Model) -> None:
        """Take the weights as they are, measured or not."""
        if hasattr(model, "jax_state_sync"):
            model.jax_state_sync()  # in the middle of an epoch JAX keeps them elsewhere
        self._weights = [np.array(value) for value in model.get_weights()]
        self._unsaved = True

    def save(self) -> None:
        """Write the kept weights, if they were not written yet.

        Raises:
            DiskFullError: No space was left; the model written before is untouched.
        """
        if not self._unsaved or self._weights is None:
            return
        if self._twin is None:
            self._twin = build(self._spec, seed=0)
        self._twin.set_weights(self._weights)
        with replacing(self.path) as partial:
            self._twin.save(partial)
        self._unsaved = False
        self._saved_at = time.monotonic()
        self._context.artifact("model", self.path)
