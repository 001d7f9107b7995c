"""Training of each task with Keras: one module per task, loaded when a dataset needs it."""

from __future__ import annotations

import importlib

from studio.engine.compute.tasks.learning import Learning
from studio.engine.datasets.store import Store

__all__ = ["Learning", "learning_of"]


def learning_of(store: Store) -> Learning:
    """Return how the task of a dataset is learned."""
    module = importlib.import_module(store.task.learning)
    learning: Learning = module.LEARNING(store)
    return learning
