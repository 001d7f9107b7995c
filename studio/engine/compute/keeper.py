"""Keeps the model of a run: the best weights in memory, and on disk before too long."""

from __future__ import annotations

import time
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.auxiliary import network_in
from studio.engine.compute.build import build
from studio.engine.files import remove, remove_folder, remove_partials, replacing
from studio.engine.jobs.events import ArtifactRemoved
from studio.engine.jobs.job import JobContext
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.artifacts import checkpoint_artifact

MODEL_FILE = "model.keras"
# A crash costs at most this much; writing a large model takes about 0.4 s.
SAVE_SECONDS = 30.0
CHECKPOINTS = "checkpoints"


def forget_checkpoints(folder: Path) -> None:
    """Remove the checkpoints of an attempt from which nothing goes on."""
    remove_folder(folder / CHECKPOINTS, ignore_errors=True)


Weights = dict[str, list[NDArray[np.float32]]]


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
        self._weights: Weights | None = None
        self._unsaved = False
        self._saved_at = -np.inf
        self._twin: keras.Model | None = None
        remove_partials(self.path)

    @property
    def path(self) -> Path:
        """File of the model."""
        return self._context.folder / MODEL_FILE

    @property
    def has_weights(self) -> bool:
        """True if any weights were captured."""
        return self._weights is not None

    @property
    def weights(self) -> Weights | None:
        """The weights worth keeping so far, by layer; None before the first."""
        return self._weights

    @property
    def twin(self) -> keras.Model | None:
        """The copy for writing; None before the first."""
        return self._twin

    def reuse(self, twin: keras.Model | None) -> None:
        """Write with the copy of an equal network."""
        self._twin = twin

    def restore(self, weights: Weights | None) -> None:
        """Go on with the weights that were worth keeping; what is on the disk may be newer."""
        self._weights = weights
        self._unsaved = weights is not None

    def consider(self, model: keras.Model, *, is_best: bool) -> None:
        """Take the weights if they are to be kept, and write them before too long.

        Args:
            model: The model in training.
            is_best: Whether these weights are the best so far.
        """
        if is_best or self._keep == "last":
            self.take(model)
        if time.monotonic() - self._saved_at >= SAVE_SECONDS:
            self.save()

    def checkpoint(self, model: keras.Model, epoch: float) -> None:
        """Write the weights to a file of their own; what is kept stays as it is.

        Args:
            model: The model in training.
            epoch: Epochs that are done, with their fraction.

        Raises:
            DiskFullError: No space was left.
        """
        kept, unsaved = self._weights, self._unsaved
        self.take(model)
        if self._weights is not None:
            path = self._context.folder / CHECKPOINTS / f"epoch-{epoch:07.2f}.keras"
            path.parent.mkdir(exist_ok=True)
            self._write(self._weights, path)
            self._context.artifact(checkpoint_artifact(epoch), path)
        self._weights, self._unsaved = kept, unsaved

    def keep_last_checkpoints(self, count: int) -> None:
        """Delete all checkpoints of the run but the `count` newest."""
        paths = sorted((self._context.folder / CHECKPOINTS).glob("epoch-*.keras"))
        for path in paths[:-count]:
            epoch = float(path.stem.removeprefix("epoch-"))
            self._context.emit(ArtifactRemoved(name=checkpoint_artifact(epoch)))
            remove(path)

    def take(self, model: keras.Model) -> None:
        """Take the weights as they are, measured or not."""
        if hasattr(model, "jax_state_sync"):
            model.jax_state_sync()  # in the middle of an epoch JAX keeps them elsewhere
        # By layer: a model in training may have auxiliary heads, the kept one has none.
        self._weights = {
            layer.name: [np.array(value) for value in layer.get_weights()]
            for layer in network_in(model).layers
        }
        self._unsaved = True

    def save(self) -> None:
        """Write the kept weights, if they were not written yet.

        Raises:
            DiskFullError: No space was left; the model written before is untouched.
        """
        if not self._unsaved or self._weights is None:
            return
        self._write(self._weights, self.path)
        self._unsaved = False
        self._saved_at = time.monotonic()
        self._context.artifact("model", self.path)

    def _write(self, weights: Weights, path: Path) -> None:
        if self._twin is None:
            self._twin = build(self._spec, seed=0)
        for layer in self._twin.layers:
            layer.set_weights(weights.get(layer.name, []))
        with self._context.doing("writing"), replacing(path) as partial:
            self._twin.save(partial)
