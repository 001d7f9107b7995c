"""Editors: what a person decides about the images of a task, one module per kind of value.

A task names its editor in `Task.labeling`, as `package.module`; the module has it in `EDITOR`.
Tasks of other packages name one of these modules, or one of their own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from studio.engine.errors import StudioError
from studio.engine.messages import as_message
from studio.engine.tasks.task import Task

if TYPE_CHECKING:
    from studio.engine.labeling.editors.editor import Editor


def editor_of(task: Task) -> Editor:
    """Return the editor of a task.

    Raises:
        StudioError: Its images cannot be labeled in Studio.
    """
    reason = no_labeling(task)
    if reason:
        raise StudioError(
            "Images cannot be labeled for {task:lower}: {reason}.",
            "Import annotated images instead.",
            "task",
            task=as_message(task.label),
            reason=as_message(reason),
        )
    editor: Editor = importlib.import_module(task.labeling).EDITOR
    return editor


def no_labeling(task: Task) -> str:
    """Return why images cannot be labeled for a task; empty if they can."""
    return "" if task.labeling else task.capabilities.reason("labeling")
