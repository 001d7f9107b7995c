"""Checks of the annotations of a task, and predictions that annotations are compared with."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from studio.engine.datasets.audit.box_errors import BoxErrors, PredictedBoxes
from studio.engine.datasets.audit.checks import CHECKS, Check
from studio.engine.datasets.audit.label_noise import LabelSuspects
from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.audit.name_checks import NAME_CHECKS
from studio.engine.datasets.audit.predictions import (
    FeatureSource,
    OutOfFoldPredictions,
    predicted_targets,
)
from studio.engine.datasets.store import Store
from studio.engine.progress import Progress
from studio.engine.tasks.task import Task

BoxSource = Callable[[Store], Sequence[PredictedBoxes] | str]
"""Returns the predicted boxes for the images of a dataset, or the reason why there are none."""
Predictions = OutOfFoldPredictions | LabelSuspects | BoxErrors | str | None
"""Predictions that annotations are compared with, or the reason why they are not; of classes the
suspect labels, None if no label is suspicious."""


class TaskAudit:
    """Audit of the annotations of a task; by default of some numbers per image."""

    def predictions(
        self,
        store: Store,
        measures: Measures,
        predicted_boxes: BoxSource,  # noqa: ARG002 - of boxes
        network: FeatureSource,  # noqa: ARG002 - of classes
        progress: Progress,
    ) -> Predictions:
        """Predict the annotations of images.

        Args:
            store: The dataset.
            measures: Measurements of its images.
            predicted_boxes: Returns the boxes that a model predicted.
            network: Returns features of a pretrained network.
            progress: Receives the progress and may cancel.

        Raises:
            Cancelled: The job was asked to end.
        """
        return predicted_targets(store, measures, progress)

    def checks(self, predictions: Predictions) -> list[Check]:  # noqa: ARG002 - of boxes
        """Return the checks of a dataset.

        Args:
            predictions: See `predictions`.
        """
        return [*CHECKS, *NAME_CHECKS]

    def duplicates(self, row: NDArray[Any]) -> list[int]:  # noqa: ARG002 - of boxes
        """Return the indices of the objects of an image that another one of it repeats.

        Args:
            row: Its regions, as the dataset stores them.
        """
        return []


AUDIT = TaskAudit()


def audit_of(task: Task) -> TaskAudit:
    """Return the audit of the datasets of a task."""
    audit: TaskAudit = importlib.import_module(task.audit).AUDIT
    return audit
