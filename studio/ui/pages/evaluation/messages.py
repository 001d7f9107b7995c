"""Texts of the evaluation page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.datasets.origins.kinds import known_origins, unseen_origins
from studio.engine.evaluation.report import Corruption, Interval, Report
from studio.engine.evaluation.report_table import CORRUPTIONS
from studio.engine.jobs.states import State
from studio.engine.messages import joined
from studio.engine.tasks.metric import MetricSpec
from studio.ui.language import translated
from studio.ui.pages.evaluation.state import EvaluationSummary
from studio.ui.widgets.figures import NO_VALUE, count, counted, date_text, metric_text, significant
from studio.ui.widgets.labels import apart
from studio.ui.widgets.table_model import FigureCell

if TYPE_CHECKING:
    from studio.engine.evaluation.evaluated_outputs import MetricDifference
    from studio.engine.evaluation.gap import EvaluationGap, OriginPartName
    from studio.engine.evaluation.mcnemar import PairedComparison

_tr = partial(QCoreApplication.translate, "evaluation")

_NARROW = 2
"""Percentage points."""


def corruption_label(name: Corruption) -> str:
    """Return the name of an image corruption."""
    return translated(CORRUPTIONS[name])


def metric_value(spec: MetricSpec, value: float | None) -> str:
    """Return a metric as text."""
    return NO_VALUE if value is None else metric_text(spec, value)


def interval_text(spec: MetricSpec, interval: Interval | None) -> str:
    """Return the ends of an interval: 94.1 – 99.4 %, or 0.3301 – 0.4012; empty if not known."""
    if interval is None:
        return ""
    low, high = interval
    first = QLocale().toString(low * 100, "f", 1) if spec.is_fraction else significant(low)
    return f"{first} – {metric_text(spec, high)}"


def metric_cell(spec: MetricSpec, value: float | None, interval: Interval | None) -> FigureCell:
    """Return a metric with its interval for a table: 97.2 % (94–99), or 0.3646 (0.330–0.401)."""
    text = metric_value(spec, value)
    if value is None or interval is None:
        return FigureCell(text, value)
    ends = (significant(end, 3) for end in interval)
    around = _span(interval) if spec.is_fraction else "\N{EN DASH}".join(ends)
    return FigureCell(f"{text} ({around})", value, f"{text} ({interval_text(spec, interval)})")


def difference_cell(spec: MetricSpec, difference: MetricDifference) -> FigureCell:
    """Return a difference; of fractions in percentage points: +1.2 (+0.4 – +2.0)."""
    ends = (_signed(spec, each) for each in (difference.low, difference.high))
    value = difference.value if math.isfinite(difference.value) else None
    if not difference.has_interval:
        return FigureCell(_signed(spec, difference.value), value)
    return FigureCell(f"{_signed(spec, difference.value)} ({' – '.join(ends)})", value)


NamedMetrics = tuple[str, Mapping[str, float | None]]
"""Name of a model, and its metrics by their names."""


def target_verdict(
    spec: MetricSpec,
    shown: NamedMetrics,
    other: NamedMetrics,
    difference: MetricDifference,
) -> str:
    """Return a sentence that names the better of two models.

    Args:
        spec: The compared metric.
        shown: Name and metrics of the shown model.
        other: Name and metrics of the other model.
        difference: Metric of the other model minus that of the shown one.
    """
    is_sure = difference.low > 0 or difference.high < 0
    is_other_better = difference.value * spec.sign > 0
    better, worse = (other, shown) if is_other_better else (shown, other)
    pattern = (
        _tr("{better} is significantly better than {worse}: {metric} {value} against {other}.")
        if is_sure
        else _tr(
            "No significant difference between {better} and {worse}: {metric} {value} against "
            "{other}."
        )
    )
    return pattern.format(
        better=apart(better[0]),
        worse=apart(worse[0]),
        metric=translated(spec.label),
        value=metric_value(spec, better[1].get(spec.name)),
        other=metric_value(spec, worse[1].get(spec.name)),
    )


def _signed(spec: MetricSpec, value: float) -> str:
    sign = "+" if value > 0 else ""
    if not spec.is_fraction or not math.isfinite(value):
        return f"{sign}{significant(value, 3)}"
    return f"{sign}{QLocale().toString(value * 100, 'f', 1)}"


def _span(interval: Interval) -> str:
    """Return an interval in whole percent without the sign."""
    low, high = (each * 100 for each in interval)
    # In whole percent a narrow interval would seem to have no width.
    decimals = 1 if 0 < high - low < _NARROW else 0
    ends = (QLocale().toString(each, "f", decimals) for each in (low, high))
    return "\N{EN DASH}".join(ends)


def resampled_text(report: Report) -> str:
    """Return from how many resamples, and of what, the intervals of a report are."""
    if report.groups:
        return _tr(
            "95 % bootstrap intervals from {count} resamples of {groups} origins with their "
            "images."
        ).format(count=count(report.resamples), groups=count(report.groups))
    return _tr("95 % bootstrap intervals from {count} resamples of the images.").format(
        count=count(report.resamples)
    )


def subtitle(report: Report) -> str:
    """Return the number of images, dataset and date of a report."""
    one, many = {
        "train": (_tr("1 training image of {dataset}"), _tr("{n} training images of {dataset}")),
        "val": (_tr("1 validation image of {dataset}"), _tr("{n} validation images of {dataset}")),
        "test": (_tr("1 test image of {dataset}"), _tr("{n} test images of {dataset}")),
    }[report.subject.split]
    text = counted(report.count, one, many).format(dataset=apart(report.subject.dataset_name))
    text = f"{text} · {date_text(report.created.timestamp())}"
    measured_on = report.subject.measured_on
    return text if measured_on is None else f"{text} · {translated(measured_on.text)}"


def missing_report_text(evaluation: EvaluationSummary) -> str:
    """Return why there is no report."""
    if evaluation.state in (State.FAILED, State.LOST):
        return translated(joined((evaluation.reason, evaluation.hint)))
    if evaluation.state == State.STOPPED:
        return _tr("This evaluation was stopped. Evaluate again to get a report.")
    return _tr(
        "This evaluation was made by an older version of Studio without a report. Evaluate again."
    )


def strength_name(unit: str) -> str:
    """Return the unit of the strength of a corruption."""
    words = {"levels": _tr("levels"), "quality": _tr("quality")}
    return words.get(unit) or translated(unit)


def comparison_text(comparison: PairedComparison) -> str:
    """Return a sentence about the significance of the difference of two models."""
    points = QLocale().toString(abs(comparison.difference) * 100, "f", 1)
    better, worse = comparison.first, comparison.second
    if comparison.difference < 0:
        better, worse = worse, better
    pattern = (
        _tr("{better} is significantly better than {worse}, by {points} points (p = {p}).")
        if comparison.is_significant
        else _tr(
            "{better} and {worse} differ by {points} points, which is not significant (p = {p})."
        )
    )
    p_value = significant(comparison.p_value, 2)
    return pattern.format(better=better, worse=worse, points=points, p=p_value)


def comparison_texts(comparison: PairedComparison, gap: EvaluationGap | None) -> str:
    """Return sentences about the difference of two models, also on known and unseen origins.

    Args:
        comparison: The models compared.
        gap: Metrics of the first by origin; None if only known or unseen ones were measured.
    """
    texts = [comparison_text(comparison)]
    if gap is not None:
        for name, part in comparison.origins.items():
            texts.append(on_origins(gap, name).format(sentence=comparison_text(part)))
    return "\n".join(texts)


def on_origins(gap: EvaluationGap, part: OriginPartName) -> str:
    """Return the beginning of a sentence: "On unseen films: {sentence}".

    Args:
        gap: Names the kind of origins.
        part: Known or unseen ones.
    """
    words = known_origins if part == "known" else unseen_origins
    return _tr("On {origins}: {sentence}").replace("{origins}", translated(words(gap.kind)))


def gap_cells(spec: MetricSpec, gap: EvaluationGap) -> list[FigureCell]:
    """Return a metric on known and on unseen origins and their difference, for a table.

    Args:
        spec: Describes the metric.
        gap: The metrics.
    """
    label, name = translated(spec.label), spec.name
    parts = (
        metric_cell(spec, part.metrics.get(name), part.intervals.get(name))
        for part in (gap.known, gap.unseen)
    )
    value, ends = gap.differences[name], gap.intervals.get(name)
    texts = [_signed(spec, each) for each in (value, *(ends or ()))]
    text = texts[0] if ends is None else f"{texts[0]} ({texts[1]} – {texts[2]})"
    named = FigureCell(label, label.casefold(), translated(spec.summary))
    return [named, *parts, FigureCell(text, value)]


def comparison_note(comparison: PairedComparison) -> str:
    """Return sample size, test and interval of a comparison."""
    test = (
        _tr("McNemar's test, exact")
        if comparison.exact
        else _tr("McNemar's test, chi-squared with continuity correction")
    )
    words = [counted(comparison.count, _tr("1 image"), _tr("{n} images")), test]
    if comparison.interval is not None:
        low, high = (QLocale().toString(each * 100, "f", 1) for each in comparison.interval)
        words.append(_tr("difference between {low} and {high} points").format(low=low, high=high))
    if comparison.left_out:
        one = _tr("1 image that only one model was evaluated on is left out")
        many = _tr("{n} images that only one model was evaluated on are left out")
        words.append(counted(comparison.left_out, one, many))
    return " · ".join(words)
