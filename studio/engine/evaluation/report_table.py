"""All figures of an evaluation as one table, and what they are called in reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studio.engine.csv_cells import table_text
from studio.engine.evaluation.gap import EvaluationGap, OriginPart
from studio.engine.evaluation.report import Corruption, Interval, Report
from studio.engine.tasks.metric import MetricSpec

CORRUPTIONS: dict[Corruption, str] = {
    "blur": "Blur",
    "noise": "Noise",
    "jpeg": "JPEG quality",
    "brightness": "Brightness",
    "rotation": "Rotation",
    "occlusion": "Occlusion",
}


def interval_text(spec: MetricSpec, interval: Interval | None) -> str:
    """Format a 95 % confidence interval; empty without one.

    Args:
        spec: Describes the metric.
        interval: Lower and upper end.
    """
    if interval is None:
        return ""
    low, high = interval
    if spec.is_fraction:
        return f"{low * 100:.1f} – {high * 100:.1f} %"
    return f"{low:.4g} – {high:.4g}"


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
    texts = [spec.text(each) for each in (value, *(ends or ()))]
    return texts[0] if ends is None else f"{texts[0]} ({texts[1]} – {texts[2]})"


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


# All figures of an evaluation on classes as one table: a figure per line, with its interval.

HEADER = ("figure", "class", "value", "low", "high")

Row = tuple[str, str, float | int | None, float | None, float | None]


def csv_text(report: Report) -> str:
    """Return the table of a report on classes as text; a cell without a value is empty."""
    return table_text([HEADER, *_rows(report)])


def _rows(report: Report) -> Iterator[Row]:
    yield "count", "", report.count, None, None
    for name, value in report.metrics.items():
        yield _row(name, "", value, report.intervals.get(name))
    if report.certainty is not None and report.certainty.temperature is not None:
        yield "temperature", "", report.certainty.temperature.value, None, None
    for each in report.outputs:
        for name, value in each.metrics.items():
            yield _row(name, each.name, value, each.intervals.get(name))
            if name == "f1":
                yield "support", each.name, each.images, None, None
    for name, value, interval in gap_figures(report.gap):
        yield _row(name, "", value, interval)
    if report.robustness is not None:
        for curve in report.robustness.curves:
            for point in curve.points:
                name = f"accuracy at {curve.corruption} {point.strength:g} {curve.unit}"
                yield _row(name, "", point.accuracy, point.interval)


def _row(name: str, label: str, value: float | None, interval: Interval | None) -> Row:
    low, high = interval or (None, None)
    return name, label, value, low, high
