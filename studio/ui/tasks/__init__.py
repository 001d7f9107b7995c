"""Views of the tasks: one folder per task.

Pages ask `view_of(task)` for the parts that differ between tasks and never name a task.
"""

from __future__ import annotations

import importlib

from studio.engine.tasks.task import Task
from studio.ui.tasks.view import TaskView

_VIEWS = {
    name: f"studio.ui.tasks.{name}.view"
    for name in ("classification", "multi_label", "regression", "segmentation", "detection")
}

_PLAIN = TaskView()


def view_of(task: Task) -> TaskView:
    """Return the view of a task; a plain one for tasks without their own."""
    module = _VIEWS.get(task.name)
    if module is None:
        return _PLAIN
    view: TaskView = importlib.import_module(module).VIEW
    return view
