"""`--task`, of the verbs that need to be told what networks learn."""

from __future__ import annotations

import argparse

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.tasks import DEFAULT_TASK, TASKS, find_task
from studio.engine.tasks.task import Task


def add_task_option(parser: argparse.ArgumentParser) -> None:
    """Add `--task`; without it the option is None."""
    meanings = "; ".join(f"{task.name}: {task.summary}" for task in TASKS.values())
    parser.add_argument(
        "--task", metavar="TASK", help=f"what networks learn: {meanings} [{DEFAULT_TASK.name}]"
    )


def named_task(name: str) -> Task:
    """Return the task of a name.

    Raises:
        StudioError: There is none.
    """
    task = find_task(name)
    if task is None:
        raise StudioError(f'There is no task "{name}".', did_you_mean(name, TASKS), "task")
    return task
