"""Views of the tasks: one folder per task.

Pages ask `view_of(task)` for the parts that differ between tasks and never name a task.
"""

from __future__ import annotations

import importlib

from studio.engine.tasks.task import Task
from studio.ui.tasks.view import TaskView

_PLAIN = TaskView()


def view_of(task: Task) -> TaskView:
    """Return the view of a task; a plain one for tasks that name none."""
    if not task.view:
        return _PLAIN
    module, _, name = task.view.partition(":")
    view: TaskView = getattr(importlib.import_module(module), name)
    return view
