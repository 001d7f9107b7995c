"""Evaluations of models."""

from __future__ import annotations

from studio.api.records import RecordView
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import HEADLINES, Report, TargetReport


class Evaluation(RecordView):
    """An evaluation of a model."""

    @property
    def report(self) -> Report | TargetReport:
        """All figures.

        Raises:
            StudioError: It is not completed.
        """
        folder = self.record.folder
        report = TargetReport.read(folder) or Report.read(folder)
        if report is None:
            raise StudioError(f"The evaluation {self.name} is {self.state} and has no report.")
        return report

    @property
    def metrics(self) -> dict[str, float | None]:
        """Values by their names; None where one cannot be measured."""
        report = self.report
        if isinstance(report, TargetReport):
            return dict(report.metrics)
        return {name: getattr(report, name) for name in HEADLINES}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Intervals of the metrics that hold the true value in 95 of 100 cases."""
        return dict(self.report.intervals)
