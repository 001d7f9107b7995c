"""Training of each task with Keras: one module per task, loaded when a dataset needs it."""

from __future__ import annotations

import importlib

from studio.engine.compute.tasks.learning import Learning
from studio.engine.datasets.store import Store
from studio.engine.tasks.task import Task

__all__ = ["Learning", "learning_class", "learning_of"]


def learning_of(store: Store) -> Learning:
    """Return the `Learning` for the task of a dataset."""
    return learning_class(store.task)(store)


def learning_class(task: Task) -> type[Learning]:
    """Return the `Learning` class of a task."""
    found: type[Learning] = importlib.import_module(task.learning).LEARNING
    return found
