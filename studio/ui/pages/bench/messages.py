"""Texts, chart lines and table rows of benchmarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.engine.benchmarks.operations import OperationsReport, OperationTimes, Timing
from studio.engine.benchmarks.prediction import (
    CPU,
    LatencyFigures,
    LatencyResult,
    Missing,
    as_fast_as,
    fastest,
)
from studio.engine.benchmarks.results import (
    OVER,
    Beside,
    Cell,
    CellState,
    busiest_share,
    speed_ups,
)
from studio.engine.processor_load import BUSY
from studio.ui.widgets.figures import NO_VALUE, count, percent, significant, size

_tr = partial(QCoreApplication.translate, "bench")


def name_of(pace: LatencyResult) -> str:
    """Return format, precision and, unless it is the CPU, the execution provider."""
    where = "" if pace.provider == CPU else f", {pace.provider}"
    return f"{pace.format} {pace.precision}{where}"


def latency_lines(paces: Iterable[LatencyResult]) -> list[Line]:
    """Return median milliseconds per batch by batch size, a line per format."""
    return _lines(paces, lambda figures: 1000 * figures.p50_seconds)


def throughput_lines(paces: Iterable[LatencyResult]) -> list[Line]:
    """Return images per second by batch size, a line per format."""
    return _lines(paces, lambda figures: figures.images_per_second)


def _lines(paces: Iterable[LatencyResult], value: Callable[[LatencyFigures], float]) -> list[Line]:
    found: dict[str, dict[float, float]] = {}
    for pace in paces:
        figures = pace.outcome.figures
        if figures is not None:
            found.setdefault(name_of(pace), {})[float(pace.batch)] = value(figures)
    return [_line(name, points) for name, points in found.items()]


def operation_lines(report: OperationsReport) -> list[Line]:
    """Return milliseconds by size, a line per operation and implementation."""
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
    """Curve of a chart.

    Attributes:
        key: Stable key.
        name: Parts in which the lines of the study differ.
        x: Batch sizes or epochs, ascending.
        y: Values; NaN for none.
    """

    key: str
    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def pace_lines(cells: Sequence[Cell]) -> list[Line]:
    """Return milliseconds per image by batch size, a line per network and mode."""
    measured = [(cell, cell.image_seconds) for cell in cells]
    return _by_batch([(cell, 1000 * seconds) for cell, seconds in measured if seconds], cells)


def gain_lines(cells: Sequence[Cell], devices: Sequence[str]) -> list[Line]:
    """Return speed-up over the first device, a line per network and mode of the others."""
    gains = speed_ups(cells, devices)
    others = [cell for cell in cells if cell.device != devices[0] and cell.number in gains]
    return _by_batch([(cell, gains[cell.number]) for cell in others], cells)


def beside_lines(cells: Iterable[Beside]) -> list[Line]:
    """Return milliseconds per image of other machines, a line per machine, network and mode."""
    found: dict[str, dict[float, float]] = {}
    for cell in cells:
        name = f"{cell.machine}: {cell.spot.network} {cell.spot.mode.strip('/')}"
        found.setdefault(name, {})[float(cell.spot.batch)] = 1000 * cell.image_seconds
    return [_line(name, points) for name, points in found.items()]


def loss_lines(cells: Sequence[Cell]) -> list[Line]:
    """Return mean loss by epoch, a line per measured cell."""
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


def pace_text(pace: LatencyResult) -> str:
    """Return median time and images per second, on two lines."""
    figures = pace.outcome.figures
    if figures is None:
        return state_word(pace.outcome.state)
    return "\n".join(
        (
            _tr("{time} ms").format(time=significant(1000 * figures.p50_seconds, 3)),
            _tr("{pace}/s").format(pace=significant(figures.images_per_second, 3)),
        )
    )


def pace_details(pace: LatencyResult) -> str:
    """Return all results of a measurement, in lines."""
    figures, parts = pace.outcome.figures, [pace.outcome.reason]
    if figures is not None:
        parts += [
            _tr("{calls} batches; 95th percentile: {time} ms").format(
                calls=count(figures.calls), time=significant(1000 * figures.p95_seconds, 3)
            ),
            _tr("Loaded in {time} s by {runtime}").format(
                time=significant(figures.load_seconds, 3), runtime=figures.runtime
            ),
            _tr("File: {size}").format(size=size(figures.size_bytes)),
        ]
        if figures.cpu_seconds is not None:
            time = significant(1000 * figures.cpu_seconds, 3)
            parts.append(_tr("CPU time per batch: {time} ms").format(time=time))
        if figures.peak_bytes:
            parts.append(_tr("Peak memory: {size}").format(size=size(figures.peak_bytes)))
    return "\n".join(filter(None, parts))


def fastest_text(paces: Sequence[LatencyResult]) -> str:
    """Return the fastest format for one image and for many; empty if not known."""
    found = fastest(paces)
    if found is None:
        return ""
    alone, many = found
    first, most = alone.outcome.figures, many.outcome.figures
    if first is None or most is None:
        return ""
    text = _tr("Fastest for single images: {name}, {time} ms.").format(
        name=name_of(alone), time=significant(1000 * first.p50_seconds, 3)
    )
    many_text = _tr(
        "Highest throughput: {pace} images per second with {name}, batch size {batch}."
    ).format(
        pace=significant(most.images_per_second, 3), name=name_of(many), batch=count(many.batch)
    )
    names = ", ".join(map(name_of, as_fast_as(alone, paces)))
    equal = (
        _tr("Equally fast within measurement noise: {names}.").format(names=names) if names else ""
    )
    return " ".join(filter(None, (text, equal, many_text, load_text(busiest_share(paces)))))


def missing_text(missing: Sequence[Missing]) -> str:
    """Return what could not be measured and how to install it, a line each."""
    return "\n".join(
        _tr("Without {what}: {reason}. {install}").format(
            what=each.what, reason=each.reason, install=each.install
        )
        for each in missing
    )


def operation_headings() -> list[str]:
    """Return the headings of the table of operations."""
    return [
        _tr("Operation"),
        _tr("Size"),
        _tr("Implementation"),
        _tr("Time"),
        _tr("Speed-up"),
        _tr("GFLOP/s"),
        _tr("To device"),
        _tr("From device"),
        _tr("Result"),
    ]


def operation_row(each: OperationTimes, timing: Timing) -> list[str]:
    """Return the table row of an implementation of an operation."""
    gain, flops = timing.speed_up, timing.flops
    verdict = {
        None: _tr("Skipped"),
        True: _tr("Matches"),
        False: _tr("Differs"),
    }
    return [
        each.operation.replace("_", " "),
        count(each.size),
        timing.way,
        _milliseconds(timing.seconds),
        _tr("{factor}×").format(factor=significant(gain, 3)) if gain else NO_VALUE,
        significant(flops / 1e9, 3) if flops else NO_VALUE,
        _milliseconds(timing.to_device_seconds),
        _milliseconds(timing.from_device_seconds),
        verdict[timing.agrees],
    ]


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return NO_VALUE
    if seconds < 1e-4:
        return _tr("{time} µs").format(time=significant(1e6 * seconds, 3))
    return _tr("{time} ms").format(time=significant(1000 * seconds, 3))


def table_headings() -> list[str]:
    """Return the headings of the table of cells."""
    return [
        _tr("Network"),
        _tr("Device"),
        _tr("Backend"),
        _tr("Precision"),
        _tr("Batch"),
        _tr("State"),
        _tr("ms per image"),
        _tr("Images/s"),
        _tr("Speed-up"),
        _tr("Memory"),
        _tr("GPU"),
        _tr("Power"),
    ]


def table_row(cell: Cell, gain: float | None) -> list[str]:
    """Return the table row of a cell."""
    seconds, figures = cell.image_seconds, cell.outcome.figures
    load = figures.utilization if figures else None
    power = figures.power if figures else None
    used = (figures.device_bytes or figures.process_bytes) if figures else None
    return [
        cell.network,
        cell.device,
        cell.backend,
        cell.precision,
        count(cell.batch),
        state_word(cell.outcome.state),
        significant(1000 * seconds) if seconds else NO_VALUE,
        significant(1 / seconds) if seconds else NO_VALUE,
        _tr("{factor}×").format(factor=significant(gain, 3)) if gain else NO_VALUE,
        size(used) if used else NO_VALUE,
        NO_VALUE if load is None else percent(load / 100, 0),
        NO_VALUE if power is None else _tr("{watts} W").format(watts=significant(power, 3)),
    ]


def state_word(state: CellState) -> str:
    """Return the name of the state of a cell."""
    return {
        "waiting": _tr("Waiting"),
        "running": _tr("Measuring"),
        "measured": _tr("Measured"),
        "no_memory": _tr("Out of memory"),
        "timed_out": _tr("Timed out"),
        "failed": _tr("Failed"),
    }[state]


def done_text(states: Sequence[CellState]) -> str:
    """Return the number of finished cells."""
    done = sum(state in OVER for state in states)
    return _tr("{done} of {all} cells").format(done=count(done), all=count(len(states)))


def load_text(share: float) -> str:
    """Return a warning about other programs that ran meanwhile, or an empty text.

    Args:
        share: Largest fraction of the CPU that they used during a measurement.
    """
    if share <= BUSY:
        return ""
    return _tr(
        "Other programs used up to {share} of the CPU during the benchmark. Without them, this "
        "machine is faster."
    ).format(share=percent(share, 0))
