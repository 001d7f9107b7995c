"""All figures of an evaluation as one table, and what they are called in reports."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Literal

from studio.engine.csv_cells import table_text
from studio.engine.evaluation.gap import EvaluationGap, OriginPart
from studio.engine.evaluation.report import HEADLINES, ClassFigures, Corruption, Interval, Report
from studio.engine.tasks.metric import MetricSpec

LABELS: dict[str, str] = {
    "accuracy": "Accuracy",
    "top_5": "Top-5 accuracy",
    "loss": "Loss",
    "balanced_accuracy": "Balanced accuracy",
    "macro_precision": "Precision, macro",
    "macro_recall": "Recall, macro",
    "macro_f1": "F1, macro",
    "weighted_precision": "Precision, weighted",
    "weighted_recall": "Recall, weighted",
    "weighted_f1": "F1, weighted",
    "macro_roc_auc": "ROC area, macro",
    "macro_average_precision": "Average precision, macro",
    "calibration_error": "Calibration error",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "support": "Images",
    "roc_auc": "ROC area",
    "average_precision": "Average precision",
}
CORRUPTIONS: dict[Corruption, str] = {
    "blur": "Blur",
    "noise": "Noise",
    "jpeg": "JPEG quality",
    "brightness": "Brightness",
    "rotation": "Rotation",
    "occlusion": "Occlusion",
}
_PLAIN = {"loss"}


@functools.cache
def spec_of(name: str) -> MetricSpec:
    """Describe a figure of a report on classes as a metric."""
    label, is_plain = LABELS[name], name in _PLAIN
    unit: Literal["", "fraction"] = "" if is_plain else "fraction"
    return MetricSpec(name, label, label, higher_is_better=not is_plain, unit=unit)


def value_text(name: str, value: float | None) -> str:
    """Format a metric for display: fractions in percent, a loss with four digits.

    Args:
        name: Name of the metric.
        value: The number; None is shown as a dash.
    """
    if value is None:
        return "–"
    if name == "support":
        return f"{value:,.0f}"
    return f"{value:.4g}" if name in _PLAIN else f"{value * 100:.1f} %"


def interval_text(name: str, interval: Interval | None) -> str:
    """Format a 95 % confidence interval; empty without one.

    Args:
        name: Name of the metric.
        interval: Lower and upper end.
    """
    if interval is None:
        return ""
    low, high = interval
    if name in _PLAIN:
        return f"{low:.4g} – {high:.4g}"
    return f"{low * 100:.1f} – {high * 100:.1f} %"


def split_text(split: str) -> str:
    """Return the images of a split."""
    return {"train": "training", "val": "validation", "test": "test"}[split]


GAP_HEADER = ("metric", "known origins", "unseen origins", "difference")


def gap_rows(gap: EvaluationGap, specs: Sequence[MetricSpec]) -> list[tuple[str, str, str, str]]:
    """Return the metrics on known and unseen origins and their differences, as text.

    Args:
        gap: The metrics.
        specs: Describes the metrics that are shown; those that cannot be measured are left out.
    """
    return [
        (
            spec.label,
            _part_text(spec, gap.known),
            _part_text(spec, gap.unseen),
            _difference_text(spec, gap),
        )
        for spec in specs
        if spec.name in gap.differences
    ]


def _part_text(spec: MetricSpec, part: OriginPart) -> str:
    value, ends = part.metrics[spec.name], part.intervals.get(spec.name)
    texts = [_number_text(spec, each) for each in (value, *(ends or ()))]
    return texts[0] if ends is None else f"{texts[0]} ({texts[1]} – {texts[2]})"


def _number_text(spec: MetricSpec, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value * 100:.1f} %" if spec.is_fraction else f"{value:.4g}"


def _difference_text(spec: MetricSpec, gap: EvaluationGap) -> str:
    """Return a difference with its interval; of fractions in percentage points."""
    ends = gap.intervals.get(spec.name, ())
    texts = [
        f"{value * 100:+.1f}" if spec.is_fraction else f"{value:+.4g}"
        for value in (gap.differences[spec.name], *ends)
    ]
    return texts[0] if len(texts) == 1 else f"{texts[0]} ({texts[1]} – {texts[2]})"


def gap_figures(gap: EvaluationGap | None) -> Iterator[tuple[str, float, Interval | None]]:
    """Yield each metric on known and on unseen origins: its name, value and interval."""
    if gap is None:
        return
    for words, part in (("known", gap.known), ("unseen", gap.unseen)):
        for name, value in part.metrics.items():
            if value is not None:
                yield f"{name} on {words} origins", value, part.intervals.get(name)


# All figures of an evaluation as one table: a figure per line, with its interval.

HEADER = ("figure", "class", "value", "low", "high")
CLASS_FIGURES = ("precision", "recall", "f1", "support", "roc_auc", "average_precision")

Row = tuple[str, str, float | int | None, float | None, float | None]


def csv_text(report: Report) -> str:
    """Return the table as text; a cell without a value is empty."""
    return table_text([HEADER, *_rows(report)])


def _rows(report: Report) -> Iterator[Row]:
    yield "count", "", report.count, None, None
    for name in HEADLINES:
        yield _row(name, "", getattr(report, name), report.intervals.get(name))
    if report.temperature is not None:
        yield "temperature", "", report.temperature.value, None, None
    for label, figures in zip(report.classes, report.per_class, strict=True):
        for name in CLASS_FIGURES:
            yield _class_row(name, label, figures)
    for name, value, interval in gap_figures(report.gap):
        yield _row(name, "", value, interval)
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
