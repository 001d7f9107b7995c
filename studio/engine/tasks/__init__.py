"""Tasks: how training data, outputs, metrics and predictions differ between tasks.

One folder per task. Imports no Qt and no Keras.

To add a task here: 1. its folder; 2. its module in `compute.tasks`; 3. one line in `TASKS`.
To add one in a separate package: an entry point of the group `studio.tasks` that names its
`Task`, for example `angle = "my_package.task:ANGLE"`; its modules are named in the `Task`.
"""

from __future__ import annotations

import functools
from collections import UserDict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.messages import message
from studio.engine.registry import ComputedMapping
from studio.engine.tasks.anomaly.task import ANOMALY
from studio.engine.tasks.classification.task import CLASSIFICATION
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.tasks.instances.task import INSTANCES
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.multi_label.task import MULTI_LABEL
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.regression.task import REGRESSION
from studio.engine.tasks.segmentation.task import SEGMENTATION
from studio.engine.tasks.task import Task

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "studio.tasks"
DEFAULT_TASK = CLASSIFICATION
"""The task of datasets that do not name one."""


class _Tasks(UserDict[str, Task]):
    """Tasks by name; those of other packages are loaded at the first iteration or unknown name."""

    def __missing__(self, name: str) -> Task:
        failures = load_plug_ins()
        if name in failures:
            raise failures[name]
        if name not in self.data:
            raise KeyError(name)
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        if name not in self.data:
            load_plug_ins()
        return name in self.data

    def __iter__(self) -> Iterator[str]:
        load_plug_ins()
        return iter(self.data)

    def __len__(self) -> int:
        load_plug_ins()
        return len(self.data)


TASKS = _Tasks(
    {
        each.name: each
        for each in (
            CLASSIFICATION,
            MULTI_LABEL,
            REGRESSION,
            SEGMENTATION,
            DETECTION,
            ANOMALY,
            INSTANCES,
        )
    }
)


def _measured_metrics() -> dict[str, MetricSpec]:
    return {spec.name: spec for task in TASKS.values() for spec in task.measured}


MEASURED_METRICS: Mapping[str, MetricSpec] = ComputedMapping(_measured_metrics)
"""Every metric that the run of any task can report, by name."""


_is_loading = False


def load_plug_ins() -> Mapping[str, StudioError]:
    """Add the tasks of other installed packages to `TASKS`, once.

    Returns:
        Errors of packages that cannot be loaded, by the names of their tasks.
    """
    global _is_loading  # noqa: PLW0603 - packages may ask for the tasks while they are imported
    if _is_loading:
        return {}
    _is_loading = True
    try:
        return _load_all()
    finally:
        _is_loading = False


@functools.cache
def _load_all() -> Mapping[str, StudioError]:
    # It reads the metadata of every installed package, and every command starts here.
    from importlib.metadata import entry_points  # noqa: PLC0415

    failures: dict[str, StudioError] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            task = _loaded(entry)
        except StudioError as error:
            failures[entry.name] = error
        else:
            TASKS.data.setdefault(task.name, task)
    return failures


def _loaded(entry: EntryPoint) -> Task:
    """Return the task of an entry point.

    Raises:
        StudioError: Its package cannot be imported, or what it names is no task.
    """
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
            task=entry.name,
            entry_point=entry.value,
        )
    return task


def first_task(output: Output) -> Task:
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
