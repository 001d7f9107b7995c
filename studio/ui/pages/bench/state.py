"""What the page of benchmarks shows of a study: rows and lines. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from studio.engine.benchmarks.operations import OperationsReport
from studio.engine.benchmarks.prediction import CPU, Pace, PaceFigures
from studio.engine.benchmarks.results import Beside, Cell, speed_ups


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


@dataclass(frozen=True, slots=True)
class Line:
    """A curve of a chart.

    Attributes:
        key: What it is of; the same as long as the study is.
        name: What is said of it: the parts in which lines of the study differ.
        x: Batch sizes or epochs, ascending.
        y: The values; NaN where there is none.
    """

    key: str
    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def pace_lines(cells: Sequence[Cell]) -> list[Line]:
    """Milliseconds per image against the size of the batch, a line per network and mode."""
    measured = [(cell, cell.image_seconds) for cell in cells]
    return _by_batch([(cell, 1000 * seconds) for cell, seconds in measured if seconds], cells)


def gain_lines(cells: Sequence[Cell], devices: Sequence[str]) -> list[Line]:
    """Speed-up against the first device, a line per network and mode of the other devices."""
    gains = speed_ups(cells, devices)
    others = [cell for cell in cells if cell.device != devices[0] and cell.number in gains]
    return _by_batch([(cell, gains[cell.number]) for cell in others], cells)


def beside_lines(cells: Iterable[Beside]) -> list[Line]:
    """Milliseconds per image of other machines, a line per machine, network and mode."""
    found: dict[str, dict[float, float]] = {}
    for cell in cells:
        name = f"{cell.machine}: {cell.spot.network} {cell.spot.mode.strip('/')}"
        found.setdefault(name, {})[float(cell.spot.batch)] = 1000 * cell.image_seconds
    return [
        Line(name, name, tuple(sorted(points)), tuple(points[batch] for batch in sorted(points)))
        for name, points in found.items()
    ]


def loss_lines(cells: Sequence[Cell]) -> list[Line]:
    """Mean loss against epochs, a line per measured cell."""
    vary = _varying(cells)
    lines = []
    for cell in cells:
        losses = cell.outcome.figures.epoch_losses if cell.outcome.figures else ()
        if losses:
            y = tuple(math.nan if loss is None else loss for loss in losses)
            x = tuple(float(epoch + 1) for epoch in range(len(y)))
            lines.append(Line(str(cell.number), _name(cell, vary, batch=True), x, y))
    return lines


def _by_batch(points: Iterable[tuple[Cell, float]], cells: Sequence[Cell]) -> list[Line]:
    vary = _varying(cells)
    found: dict[str, list[tuple[Cell, float]]] = {}
    for cell, value in points:
        found.setdefault(f"{cell.network} {cell.spot.mode}", []).append((cell, value))
    lines = []
    for key, members in found.items():
        ordered = sorted(members, key=lambda each: each[0].batch)
        x = tuple(float(cell.batch) for cell, _ in ordered)
        y = tuple(value for _, value in ordered)
        lines.append(Line(key, _name(ordered[0][0], vary), x, y))
    return lines


def _varying(cells: Sequence[Cell]) -> list[str]:
    names = ("network", "device", "backend", "precision")
    return [name for name in names if len({getattr(cell, name) for cell in cells}) > 1]


def _name(cell: Cell, vary: Sequence[str], *, batch: bool = False) -> str:
    parts = [str(getattr(cell, name)) for name in vary] or [cell.network]
    return ", ".join([*parts, str(cell.batch)] if batch else parts)
