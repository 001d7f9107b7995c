"""A file against another, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.exporting.results import Comparison


def comparison(found: Comparison, base: str) -> str:
    """A file against another: 3.9 times smaller, 2.1 times faster, costs 0.4 points."""
    return _tr("Against {base}: {figures}, {points}.").format(
        base=base,
        figures=f"{_smaller(found.smaller)}, {_faster(found.faster)}",
        points=_points(found.points),
    )


def _smaller(ratio: float) -> str:
    if abs(ratio - 1) < 0.05:
        return _tr("as large")
    pattern = _tr("{times} times smaller") if ratio > 1 else _tr("{times} times larger")
    return pattern.format(times=_times(ratio))


def _faster(ratio: float) -> str:
    if abs(ratio - 1) < 0.05:
        return _tr("as fast")
    pattern = _tr("{times} times faster") if ratio > 1 else _tr("{times} times slower")
    return pattern.format(times=_times(ratio))


def _times(ratio: float) -> str:
    return QLocale().toString(max(ratio, 1 / ratio), "f", 1)


def _points(points: float) -> str:
    if abs(points) < 0.005:
        return _tr("costs no accuracy")
    pattern = _tr("costs {points} points") if points < 0 else _tr("gains {points} points")
    return pattern.format(points=QLocale().toString(abs(points), "f", 2))


def _tr(text: str) -> str:
    return QCoreApplication.translate("export", text)
