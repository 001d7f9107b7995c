"""The charts of the report page."""

from __future__ import annotations

from studio.engine.evaluation.opened import Curve, Evaluated
from studio.engine.evaluation.report import CalibrationBin, Report, RobustnessCurve
from studio.engine.evaluation.reports.svg import Axis, Line, chart
from studio.engine.evaluation.reports.words import CORRUPTIONS, split_text, value_text

SHOWN = 6
"""Classes whose curves are drawn: as many as there are colors."""
_POINTS = 101


def class_curves(evaluated: Evaluated) -> str:
    """ROC and precision-recall curves of the classes with the lowest average precision.

    Raises:
        BadDataError: The probabilities are missing.
    """
    report = evaluated.report
    known = [
        (figures.average_precision, label)
        for label, figures in enumerate(report.per_class)
        if figures.average_precision is not None
    ]
    roc: list[Line] = []
    recall: list[Line] = []
    for _, label in sorted(known)[:SHOWN]:
        found = evaluated.curves(label, _POINTS)
        if found is not None:
            name = report.classes[label]
            roc.append(_line(name, found[0], len(roc)))
            recall.append(_line(name, found[1], len(recall)))
    if not roc:
        return "<p>There are images of one class only.</p>"
    diagonal = Line("", ((0.0, 0.0), (1.0, 1.0)), None, dashed=True)
    share = (0.0, 1.0, True)
    which = (
        f'<p class="quiet">The {len(roc)} classes with the lowest average precision.</p>'
        if len(known) > SHOWN
        else ""
    )
    return which + _grid(
        chart("ROC", Axis("False positives", *share), Axis("", *share), [diagonal, *roc]),
        chart("Precision by recall", Axis("Recall", *share), Axis("", *share), recall),
    )


def calibration(report: Report) -> str:
    """Confidence against accuracy, and coverage against accuracy, with what they mean."""
    share = (0.0, 1.0, True)
    lines = [
        Line("", ((0.0, 0.0), (1.0, 1.0)), None, dashed=True),
        Line("As it is", _bins(report.bins), 0),
    ]
    words = [f"Calibration error {value_text('calibration_error', report.calibration_error)}."]
    temperature = report.temperature
    if temperature is not None:
        lines.append(Line("With temperature", _bins(temperature.bins), 1, dashed=True))
        error = value_text("calibration_error", temperature.calibration_error)
        words.append(
            f"A temperature of {temperature.value:.2f}, fitted on {temperature.images:,} "
            f"{split_text(temperature.fitted_on)} images, makes it {error}, and the loss "
            f"{temperature.loss:.4g} instead of {report.loss:.4g}."
        )
    elif report.temperature_missing:
        words.append(report.temperature_missing)
    points = [(point.coverage, point.accuracy) for point in report.coverage]
    lowest = min((accuracy for _, accuracy in points), default=0.0)
    up = Axis("", max(0.0, min(0.9, lowest - 0.02)), 1.0, percent=True)
    text = "".join(f"<p>{word}</p>" for word in words)
    return text + _grid(
        chart("Accuracy by confidence", Axis("Confidence", *share), Axis("", *share), lines),
        chart(
            "Accuracy of the answered images",
            Axis("Share of images that are answered", *share),
            up,
            [Line("", points, 0)],
        ),
    )


def robustness(report: Report) -> str:
    """Accuracy by strength, for each way of spoiling images."""
    if report.robustness is None:
        return ""
    words = f"<p class='quiet'>On {report.robustness.images:,} of the images.</p>"
    return words + _grid(*map(_robustness, report.robustness.curves))


def _robustness(curve: RobustnessCurve) -> str:
    strengths = [point.strength for point in curve.points]
    intervals = [point.interval for point in curve.points]
    band = [each for each in intervals if each is not None]
    line = Line(
        "",
        [(point.strength, point.accuracy) for point in curve.points],
        0,
        band=band if len(band) == len(intervals) else (),
    )
    across = Axis(curve.unit, strengths[0], strengths[-1])
    return chart(CORRUPTIONS[curve.corruption], across, Axis("", 0.0, 1.0, percent=True), [line])


def _line(name: str, curve: Curve, color: int) -> Line:
    across, up = curve
    return Line(name, list(zip(across.tolist(), up.tolist(), strict=True)), color)


def _bins(bins: tuple[CalibrationBin, ...]) -> list[tuple[float, float]]:
    return [(each.confidence, each.accuracy) for each in bins]


def _grid(*charts: str) -> str:
    return f'<div class="charts">{"".join(charts)}</div>'
