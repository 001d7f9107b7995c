"""Tasks: how training data, outputs, metrics and predictions differ between kinds of questions.

One folder per task. Imports no Qt and no Keras.

To add a task: 1. its folder; 2. its module in `compute.tasks`; 3. one line in `TASKS`.
"""

from __future__ import annotations

from studio.engine.tasks.classification.task import CLASSIFICATION
from studio.engine.tasks.multi_label.task import MULTI_LABEL
from studio.engine.tasks.regression.task import REGRESSION
from studio.engine.tasks.task import Task

TASKS: dict[str, Task] = {each.name: each for each in (CLASSIFICATION, MULTI_LABEL, REGRESSION)}
DEFAULT_TASK = CLASSIFICATION
"""The task of datasets that do not name one."""

MEASURED_METRICS = {spec.name: spec for task in TASKS.values() for spec in task.measured}
"""Every metric that the run of any task can report, by name."""
