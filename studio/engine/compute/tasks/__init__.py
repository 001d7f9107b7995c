"""Training of each task with Keras: one module per task, loaded when a dataset needs it."""

from __future__ import annotations

import importlib

from studio.engine.compute.tasks.learning import Learning
from studio.engine.datasets.store import Store
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.task import Task

__all__ = ["Learning", "learning_class", "learning_of"]


def learning_of(store: Store, output: Output | None = None) -> Learning:
    """Return the `Learning` for the task of a dataset.

    Args:
        store: The dataset.
        output: Output of the network; None for that of the first family of networks.
    """
    return learning_class(store.task, output)(store)


def learning_class(task: Task, output: Output | None = None) -> type[Learning]:
    """Return the `Learning` class of a task.

    Args:
        task: The task.
        output: Output of the network; None for that of the first family of networks.
    """
    module = task.family(output or task.output).learning
    found: type[Learning] = importlib.import_module(module).LEARNING
    return found
