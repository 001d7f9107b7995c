"""Heads of networks: one module for each kind of output, named by the tasks."""

from __future__ import annotations

import importlib

from studio.engine.networks.heads.head import Head
from studio.engine.tasks.task import Task

__all__ = ["Head", "head_of"]


def head_of(task: Task) -> Head:
    """Return the head of the networks of a task."""
    head: Head = importlib.import_module(task.head).HEAD
    return head
