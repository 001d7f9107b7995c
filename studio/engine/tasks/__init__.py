"""Tasks: how training data, outputs, metrics and predictions differ between kinds of questions.

One folder per task. Imports no Qt and no Keras.

To add a task here: 1. its folder; 2. its module in `compute.tasks`; 3. one line in `TASKS`.
To add one in a separate package: an entry point of the group `studio.tasks` that names its
`Task`, for example `angle = "my_package.task:ANGLE"`; its modules are named in the `Task`.
"""

from __future__ import annotations

import functools

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.messages import message
from studio.engine.tasks.classification.task import CLASSIFICATION
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.multi_label.task import MULTI_LABEL
from studio.engine.tasks.regression.task import REGRESSION
from studio.engine.tasks.segmentation.task import SEGMENTATION
from studio.engine.tasks.task import OutputKind, Task

ENTRY_POINTS = "studio.tasks"
DEFAULT_TASK = CLASSIFICATION
"""The task of datasets that do not name one."""


class _Tasks(dict[str, Task]):
    """Tasks by name; packages with further tasks are loaded when an unknown one is requested."""

    def __missing__(self, name: str) -> Task:
        load_plug_ins()
        if name not in self:
            raise KeyError(name)
        return self[name]


TASKS = _Tasks(
    {
        each.name: each
        for each in (CLASSIFICATION, MULTI_LABEL, REGRESSION, SEGMENTATION, DETECTION)
    }
)
MEASURED_METRICS: dict[str, MetricSpec] = {
    spec.name: spec for task in TASKS.values() for spec in task.measured
}
"""Every metric that the run of any task can report, by name."""


@functools.cache
def load_plug_ins() -> None:
    """Add the tasks of other installed packages to `TASKS`.

    Raises:
        StudioError: A package cannot be imported, or what it names is no task.
    """
    # It reads the metadata of every installed package, and every command starts here.
    from importlib.metadata import entry_points  # noqa: PLC0415

    for entry in entry_points(group=ENTRY_POINTS):
        try:
            task = entry.load()
        except (ImportError, AttributeError) as error:
            raise StudioError(
                "The task {task} cannot be loaded from {entry_point}: {reason}.",
                "Install its package again, or remove it.",
                task=entry.name,
                entry_point=entry.value,
                reason=error,
            ) from error
        if not isinstance(task, Task) or task.name != entry.name:
            raise StudioError(
                "{entry_point} is not a task named {task}.",
                "Install its package again, or remove it.",
                entry_point=entry.value,
                task=entry.name,
            )
        if entry.name not in TASKS:
            TASKS[task.name] = task
            MEASURED_METRICS.update({spec.name: spec for spec in task.measured})


def first_task(output: OutputKind) -> Task:
    """Return the first task whose networks have a kind of output."""
    return next(task for task in TASKS.values() if task.output == output)


def find_task(name: str) -> Task | None:
    """Return the task of a name; None if it is not installed."""
    try:
        return TASKS[name]
    except KeyError:
        return None


def installed_task(name: str) -> str:
    """Return the name of a task in a plan.

    Raises:
        ValueError: The task is not installed.
    """
    if find_task(name) is None:
        raise ValueError(
            message(
                "there is no task {name}; available: {names}",
                name=repr(name),
                names=", ".join(TASKS),
            )
        )
    return name


def named_task(name: str) -> Task:
    """Return the task with a name.

    Raises:
        StudioError: It does not exist.
    """
    task = find_task(name)
    if task is None:
        raise StudioError(
            'There is no task "{name}".', did_you_mean(name, TASKS), "task", name=name
        )
    return task
