"""Tasks: how training data, outputs, metrics and predictions differ between tasks.

One folder per task. Imports no Qt and no Keras.

To add a task here: 1. its folder; 2. its module in `compute.tasks`; 3. one line in `TASKS`.
To add one in a separate package: an entry point of the group `studio.tasks` (see
`engine.plug_ins`) that names its `Task`, for example `angle = "my_package.task:ANGLE"`; its
modules are named in the `Task`.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator, Mapping

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.messages import message
from studio.engine.plug_ins import Kind, found
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

PLUG_INS = Kind("studio.tasks", "task", ("output", "predictor", "metrics"))
DEFAULT_TASK = CLASSIFICATION
"""The task of datasets that do not name one."""


class _Tasks(UserDict[str, Task]):
    """Tasks by name; those of other packages are loaded at the first iteration or unknown name."""

    _is_loading = False

    def __missing__(self, name: str) -> Task:
        failures = self.failures()
        if name in failures:
            raise failures[name]
        if name not in self.data:
            raise KeyError(name)
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        if name not in self.data:
            self.failures()
        return name in self.data

    def __iter__(self) -> Iterator[str]:
        self.failures()
        return iter(self.data)

    def __len__(self) -> int:
        self.failures()
        return len(self.data)

    def failures(self) -> Mapping[str, StudioError]:
        """Add the tasks of other packages once; return why others are left out, by their names."""
        if self._is_loading:  # packages may ask for the tasks while they are imported
            return {}
        self._is_loading = True
        try:
            loaded = found(PLUG_INS)
        finally:
            self._is_loading = False
        for name, task in loaded.objects.items():
            self.data.setdefault(name, task)
        return loaded.failures


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


def first_task(output: Output) -> Task:
    """Return the first task whose networks have a kind of output."""
    return next(task for task in TASKS.values() if output in task.outputs)


def find_task(name: str) -> Task | None:
    """Return the task of a name; None if it is not installed."""
    try:
        return TASKS[name]
    except KeyError:
        return None


def known_task(name: str) -> Task:
    """Return the task of a name; the default task if it is not installed."""
    return find_task(name) or DEFAULT_TASK


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
