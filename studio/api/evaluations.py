"""Evaluations of models."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from studio.api.notebook import figure_of_confusion, figure_of_intervals, table
from studio.api.records import RecordView
from studio.engine.errors import StudioError
from studio.engine.evaluation.gap import EvaluationGap
from studio.engine.evaluation.report import Report
from studio.engine.tasks.threshold import ErrorCosts, ThresholdChoice, ThresholdRule

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


class Evaluation(RecordView):
    """An evaluation of a model.

    Examples:
        >>> evaluation = run.evaluate(split="val")
        >>> low, high = evaluation.intervals["accuracy"]
        >>> low <= evaluation.metrics["accuracy"] <= high
        True
        >>> evaluation.confusion.shape
        (2, 2)
    """

    @property
    def report(self) -> Report:
        """All figures.

        Raises:
            StudioError: It is not completed.
        """
        report = Report.read(self.record.folder)
        if report is None:
            raise StudioError(f"The evaluation {self.name} is {self.state} and has no report.")
        return report

    @property
    def metrics(self) -> dict[str, float | None]:
        """Values by their names; None where one cannot be measured."""
        return dict(self.report.metrics)

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Intervals of the metrics that hold the true value in 95 of 100 cases."""
        return dict(self.report.intervals)

    @property
    def origin_gap(self) -> EvaluationGap | None:
        """Metrics on known and on unseen origins; None if only one of them was measured."""
        return self.report.gap

    def thresholds(
        self,
        *,
        false_alarms: float | None = None,
        costs: tuple[float, float] | tuple[float, float, float] | None = None,
        use: bool = False,
    ) -> list[ThresholdChoice]:
        """Choose thresholds of a score by allowed false alarms or by costs, that of images first.

        Args:
            false_alarms: Fraction of good images, or pixels, that may reach it.
            costs: Cost of a miss and of a false alarm, perhaps the fraction of defective parts.
            use: True to use them for predictions and exports of the run from now on.

        Raises:
            StudioError: The task has no such threshold, or images are missing.
        """
        # Loads NumPy, which `import studio` must not.
        from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs  # noqa: PLC0415
        from studio.engine.evaluation.threshold_use import (  # noqa: PLC0415
            chosen_thresholds,
            use_thresholds,
        )

        records = self.workspace.records
        evaluation = EvaluatedOutputs.open(records, self.record.folder)
        rule = ThresholdRule(false_alarms, None if costs is None else ErrorCosts(*costs))
        found = chosen_thresholds(evaluation, rule)
        if use:
            use_thresholds(records, evaluation.report, found)
        return found

    @property
    def confusion(self) -> NDArray[np.integer[Any]]:
        """Images, pixels or objects by true (row) and predicted class (column).

        The last row and column of objects are the background.

        Raises:
            StudioError: The task has no classes to confuse.
        """
        # Loads NumPy, which `import studio` must not.
        from studio.engine.evaluation.opened import OpenedEvaluation  # noqa: PLC0415

        opened = OpenedEvaluation.open(self.workspace.records, self.record.folder)
        if opened.confusion is None:
            raise StudioError(f"The evaluation {self.name} has no confusion matrix.")
        return opened.confusion

    def plot(self) -> Figure:
        """Return the metrics with their intervals as a figure of matplotlib.

        Raises:
            StudioError: matplotlib is not installed.
        """
        return figure_of_intervals(self.metrics, self.intervals)

    def plot_confusion_matrix(self) -> Figure:
        """Return the confusion matrix as a figure of matplotlib.

        Raises:
            StudioError: matplotlib is not installed, or there is none.
        """
        confusion, names = self.confusion, list(self.report.classes)
        names += ["background"] * (len(confusion) - len(names))
        return figure_of_confusion(confusion, names)

    def _repr_html_(self) -> str:
        """Return the metrics and their intervals for a notebook."""
        if self.state != "completed":
            return f"<p>{escape(repr(self))}</p>"
        intervals = self.intervals
        rows = [
            (name, "-" if value is None else f"{value:.4g}", _interval(intervals.get(name)))
            for name, value in self.metrics.items()
        ]
        return table(["metric", "value", "95 % interval"], rows)


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0]:.4g} to {ends[1]:.4g}"
