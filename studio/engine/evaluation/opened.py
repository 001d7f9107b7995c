"""Evaluations that are opened: a report with the predictions that it was measured from."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError, StudioError
from studio.engine.evaluation.report import Report
from studio.engine.evaluation.reports import ReportKind
from studio.engine.messages import as_message
from studio.engine.tasks import TASKS, named_task
from studio.engine.tasks.prediction import Reporter
from studio.engine.tasks.task import Task
from studio.engine.workspace import Workspace


class EvaluationComparison(Protocol):
    """Difference of two models on the same images."""

    def rows(self) -> list[list[str]]:
        """Return a table of texts, its heading first; empty if sentences are enough."""

    def sentences(self) -> list[str]:
        """Return the result in sentences."""

    def document(self) -> dict[str, object]:
        """Return the fields that a JSON document gets."""


@dataclass(frozen=True)
class OpenedEvaluation(ABC):
    """A report with the predictions that it was measured from.

    A task names the class of its evaluations, see `Reporter.evaluation`.

    Attributes:
        measuring: Module and function of the worker that measures a model.
        report: The metrics.
    """

    measuring: ClassVar[str]

    report: Report

    @property
    def task(self) -> Task:
        """Task of the model."""
        return TASKS[self.report.task]

    @property
    def reporter(self) -> Reporter:
        """Reporter that defines the metrics."""
        return self.task.reporter

    @classmethod
    def open(cls, workspace: Workspace, folder: Path) -> Self:
        """Open the evaluation in the folder of a record.

        Args:
            workspace: Holds the dataset.
            folder: Folder of the record.

        Raises:
            BadDataError: It is not complete, damaged, of an older Studio, or of another class.
        """
        report = Report.read(folder)
        if report is None:
            raise BadDataError(
                "This evaluation has no report: it is not complete, or was made by an older "
                "Studio.",
                "Evaluate again.",
                str(folder),
            )
        found = evaluation_class(named_task(report.task)).of(report, workspace, folder)
        if not isinstance(found, cls):
            raise BadDataError(
                "Evaluations of the task “{task}” have no such predictions.",
                "Choose an evaluation of another task.",
                str(folder),
                task=as_message(found.task.label),
            )
        return found

    @classmethod
    @abstractmethod
    def of(cls, report: Report, workspace: Workspace, folder: Path) -> Self:
        """Read the predictions of an evaluation.

        Args:
            report: Its report.
            workspace: Holds the dataset, which may have been deleted.
            folder: Folder of its record.

        Raises:
            BadDataError: They are missing or damaged.
        """

    @property
    @abstractmethod
    def confusion(self) -> NDArray[np.integer[Any]] | None:
        """Images, pixels or objects by true (row) and predicted class (column); None without."""

    @abstractmethod
    def compare(self, other: OpenedEvaluation) -> EvaluationComparison:
        """Compare with another evaluation of the same images.

        Raises:
            StudioError: The images differ, or no longer exist.
        """

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return all figures as data.

        Raises:
            BadDataError: The predictions are missing.
        """

    @abstractmethod
    def text(self, kind: ReportKind, comparison: EvaluationComparison | None = None) -> str:
        """Return the text of a file: a page with pictures, a table, or data.

        Args:
            kind: Kind of the file.
            comparison: Comparison with another model, for the page.

        Raises:
            BadDataError: The predictions are missing.
        """


def evaluation_class(task: Task) -> type[OpenedEvaluation]:
    """Return the class of the evaluations of a task."""
    module, _, name = task.reporter.evaluation.partition(":")
    found: type[OpenedEvaluation] = getattr(importlib.import_module(module), name)
    return found


def different_images() -> StudioError:
    """Return the error for two evaluations that cannot be compared."""
    return StudioError(
        "The two evaluations use different images, or their dataset was deleted.",
        "Evaluate both models on the same split of the same dataset.",
        "against",
    )
