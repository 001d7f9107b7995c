"""Checkpoints of a run's model: the best weights in memory, regularly written to disk."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
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


@contextlib.contextmanager
def _on_one_device() -> Iterator[None]:
    """Create variables in the block on one device of this process."""
    before = keras.distribution.distribution()
    keras.distribution.set_distribution(None)
    try:
        yield
    finally:
        keras.distribution.set_distribution(before)


def forget_checkpoints(folder: Path) -> None:
    """Remove the checkpoints of an attempt that is not resumed."""
    remove_folder(folder / CHECKPOINTS, ignore_errors=True)


Weights = dict[str, list[NDArray[np.float32]]]


class ModelCheckpointer:
    """Stores the best or last weights and writes them as `model.keras`, atomically.

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
        self._clone: keras.Model | None = None
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
        """Best or last weights so far, by layer; None before the first."""
        return self._weights

    @property
    def clone(self) -> keras.Model | None:
        """Copy of the network for writing; None before the first write."""
        return self._clone

    def reuse(self, clone: keras.Model | None) -> None:
        """Write with an existing copy of an equal network."""
        self._clone = clone

    def restore(self, weights: Weights | None) -> None:
        """Restore stored weights; the file on disk may be newer."""
        self._weights = weights
        self._unsaved = weights is not None

    def consider(self, model: keras.Model, *, is_best: bool) -> None:
        """Capture the weights if they are the best or the last, and write them regularly.

        Args:
            model: The model in training.
            is_best: True if these weights are the best so far.
        """
        if is_best or self._keep == "last":
            self.take(model)
        if time.monotonic() - self._saved_at >= SAVE_SECONDS:
            self.save()

    def checkpoint(self, model: keras.Model, epoch: float) -> None:
        """Write the weights to a separate file; the stored weights stay unchanged.

        Args:
            model: The model in training.
            epoch: Completed epochs, with fraction.

        Raises:
            DiskFullError: No space was left.
        """
        snapshot, unsaved = self._weights, self._unsaved
        self.take(model)
        if self._weights is not None:
            path = self._context.folder / CHECKPOINTS / f"epoch-{epoch:07.2f}.keras"
            path.parent.mkdir(exist_ok=True)
            self._write(self._weights, path)
            self._context.artifact(checkpoint_artifact(epoch), path)
        self._weights, self._unsaved = snapshot, unsaved

    def keep_last_checkpoints(self, count: int) -> None:
        """Delete all checkpoints of the run except the `count` newest."""
        paths = sorted((self._context.folder / CHECKPOINTS).glob("epoch-*.keras"))
        for path in paths[:-count]:
            epoch = float(path.stem.removeprefix("epoch-"))
            self._context.emit(ArtifactRemoved(name=checkpoint_artifact(epoch)))
            remove(path)

    def take(self, model: keras.Model) -> None:
        """Capture the current weights, validated or not."""
        if hasattr(model, "jax_state_sync"):
            model.jax_state_sync()  # in the middle of an epoch JAX keeps them elsewhere
        # By layer: a model in training may have auxiliary heads, the kept one has none.
        self._weights = {
            layer.name: [np.array(value) for value in layer.get_weights()]
            for layer in network_in(model).layers
        }
        self._unsaved = True

    def save(self) -> None:
        """Write the stored weights if they have not been written yet.

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
        if self._clone is None:
            # On one device, so that no other process has to make it at the same moment.
            with _on_one_device():
                self._clone = build(self._spec, seed=0)
        for layer in self._clone.layers:
            layer.set_weights(weights.get(layer.name, []))
        with self._context.doing("writing"), replacing(path) as partial:
            self._clone.save(partial)
