"""A file against another, in words."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.exporting.certificate import LEAST_SHOWN, Certificate, Comparison, speed_up_of
from studio.engine.tasks.metric import in_sentence
from studio.ui.engine_text import plan_text
from studio.ui.widgets.figures import percent

_tr = partial(QCoreApplication.translate, "export")


def comparison(found: Comparison, base: str) -> str:
    """A file against another: 3.9 times smaller, 2.1 times faster, accuracy 0.40 points worse."""
    figures = [_smaller(found.smaller)]
    if found.faster is not None:
        figures.append(_faster(found.faster))
    if found.metric:
        figures.append(_metric(found))
    return _tr("Against {base}: {figures}.").format(base=base, figures=", ".join(figures))


def against_keras(certificate: Certificate) -> str:
    """Speed against the Keras model, with its interval: 2.1 times faster (1.9 to 2.3)."""
    faster, relative = speed_up_of(certificate), certificate.relative_latency
    if faster is None or relative is None:
        return _tr("not reliable on the busy machine")
    if faster == 1:
        return _faster(faster)
    low, high = sorted((relative.low, relative.high), key=_times_value)
    return _tr("{comparison} ({low} to {high})").format(
        comparison=_faster(faster), low=_times(low), high=_times(high)
    )


def load_warning(certificate: Certificate) -> str:
    """A warning about other programs that ran meanwhile; empty where there is no need."""
    if not certificate.was_busy:
        return ""
    return _tr(
        "Other programs used {share} of the processors during the measurement: latency and "
        "throughput may look worse than they are."
    ).format(share=percent(certificate.others_share or 0, 0))


def _smaller(ratio: float) -> str:
    if abs(ratio - 1) < 0.05:
        return _tr("as large")
    pattern = _tr("{times} times smaller") if ratio > 1 else _tr("{times} times larger")
    return pattern.format(times=_times(ratio))


def _faster(ratio: float) -> str:
    if abs(ratio - 1) < 0.05:
        return _tr("about as fast")
    pattern = _tr("{times} times faster") if ratio > 1 else _tr("{times} times slower")
    return pattern.format(times=_times(ratio))


def _times(ratio: float) -> str:
    return QLocale().toString(_times_value(ratio), "f", 1)


def _times_value(ratio: float) -> float:
    return max(ratio, 1 / ratio)


def _metric(found: Comparison) -> str:
    metric = in_sentence(plan_text(found.metric))
    if abs(found.points) < LEAST_SHOWN:
        return _tr("same {metric}").format(metric=metric)
    if found.unit == "points":
        worse, better = (
            _tr("{metric} {points} points worse"),
            _tr("{metric} {points} points better"),
        )
    else:
        worse, better = _tr("{metric} {points} % worse"), _tr("{metric} {points} % better")
    points = QLocale().toString(abs(found.points), "f", 2)
    return (worse if found.points < 0 else better).format(metric=metric, points=points)
