"""Recommended networks and settings: a module for each kind of annotations, named by the tasks."""

from __future__ import annotations

import importlib

from studio.engine.tasks.task import Task
from studio.engine.training.advice.task_advice import TaskAdvice

__all__ = ["TaskAdvice", "advice_of"]


def advice_of(task: Task) -> TaskAdvice:
    """Return the recommendations for a task."""
    advice: TaskAdvice = importlib.import_module(task.advice).ADVICE
    return advice
