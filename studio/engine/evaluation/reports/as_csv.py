"""All figures of an evaluation as one table: a figure per line, with its interval."""

from __future__ import annotations

import io
from collections.abc import Iterator

from studio.engine.csv_cells import CsvWriter
from studio.engine.evaluation.report import HEADLINES, ClassFigures, Interval, Report

HEADER = ("figure", "class", "value", "low", "high")
CLASS_FIGURES = ("precision", "recall", "f1", "support", "roc_auc", "average_precision")

Row = tuple[str, str, float | int | None, float | None, float | None]


def csv_text(report: Report) -> str:
    """The table as text; a cell without a value is empty."""
    text = io.StringIO()
    writer = CsvWriter(text)
    writer.writerow(HEADER)
    writer.writerows(_rows(report))
    return text.getvalue()


def _rows(report: Report) -> Iterator[Row]:
    yield "count", "", report.count, None, None
    for name in HEADLINES:
        yield _row(name, "", getattr(report, name), report.intervals.get(name))
    if report.temperature is not None:
        yield "temperature", "", report.temperature.value, None, None
    for label, figures in zip(report.classes, report.per_class, strict=True):
        for name in CLASS_FIGURES:
            yield _class_row(name, label, figures)
    if report.robustness is not None:
        for curve in report.robustness.curves:
            for point in curve.points:
                name = f"accuracy at {curve.corruption} {point.strength:g} {curve.unit}"
                yield _row(name, "", point.accuracy, point.interval)


def _class_row(name: str, label: str, figures: ClassFigures) -> Row:
    return _row(name, label, getattr(figures, name), figures.intervals.get(name))


def _row(name: str, label: str, value: float | None, interval: Interval | None) -> Row:
    low, high = interval or (None, None)
    return name, label, value, low, high
