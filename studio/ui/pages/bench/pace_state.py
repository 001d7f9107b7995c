"""What the page of benchmarks shows of predictions and operations: lines of charts. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from studio.engine.benchmarks.operations import OperationsReport
from studio.engine.benchmarks.prediction import CPU, Pace, PaceFigures
from studio.ui.pages.bench.state import Line


def name_of(pace: Pace) -> str:
    """Format and precision in one word, and what computes where that is not the CPU."""
    where = "" if pace.provider == CPU else f", {pace.provider}"
    return f"{pace.format} {pace.precision}{where}"


def latency_lines(paces: Iterable[Pace]) -> list[Line]:
    """Median milliseconds of a batch against its size, a line per format."""
    return _lines(paces, lambda figures: 1000 * figures.p50_seconds)


def throughput_lines(paces: Iterable[Pace]) -> list[Line]:
    """Images per second against the size of a batch, a line per format."""
    return _lines(paces, lambda figures: figures.images_per_second)


def _lines(paces: Iterable[Pace], value: Callable[[PaceFigures], float]) -> list[Line]:
    found: dict[str, dict[float, float]] = {}
    for pace in paces:
        figures = pace.outcome.figures
        if figures is not None:
            found.setdefault(name_of(pace), {})[float(pace.batch)] = value(figures)
    return [_line(name, points) for name, points in found.items()]


def operation_lines(report: OperationsReport) -> list[Line]:
    """Milliseconds against sizes, a line per operation and way."""
    found: dict[str, dict[float, float]] = {}
    for each in report.operations:
        for timing in each.timings:
            if timing.seconds is not None:
                name = f"{each.operation.replace('_', ' ')}, {timing.way}"
                found.setdefault(name, {})[float(each.size)] = 1000 * timing.seconds
    return [_line(name, points) for name, points in found.items()]


def _line(name: str, points: dict[float, float]) -> Line:
    x = tuple(sorted(points))
    return Line(name, name, x, tuple(points[at] for at in x))
