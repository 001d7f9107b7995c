"""Texts, lines and table rows of the page of benchmarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.engine.benchmarks.operations import OperationsReport, OperationTimes, Timing
from studio.engine.benchmarks.prediction import (
    CPU,
    Missing,
    Pace,
    PaceFigures,
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
    return [_line(name, points) for name, points in found.items()]


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


def pace_text(pace: Pace) -> str:
    """What a cell of the table says: median time, and images a second below."""
    figures = pace.outcome.figures
    if figures is None:
        return state_word(pace.outcome.state)
    return "\n".join(
        (
            _tr("{time} ms").format(time=significant(1000 * figures.p50_seconds, 3)),
            _tr("{pace}/s").format(pace=significant(figures.images_per_second, 3)),
        )
    )


def pace_details(pace: Pace) -> str:
    """All that is known of a cell, in lines."""
    figures, parts = pace.outcome.figures, [pace.outcome.reason]
    if figures is not None:
        parts += [
            _tr("{calls} batches; 95 of 100 took at most {time} ms").format(
                calls=count(figures.calls), time=significant(1000 * figures.p95_seconds, 3)
            ),
            _tr("Loaded in {time} s by {runtime}").format(
                time=significant(figures.load_seconds, 3), runtime=figures.runtime
            ),
            _tr("File: {size}").format(size=size(figures.size_bytes)),
        ]
        if figures.cpu_seconds is not None:
            time = significant(1000 * figures.cpu_seconds, 3)
            parts.append(_tr("Processor time of a batch: {time} ms").format(time=time))
        if figures.peak_bytes:
            parts.append(_tr("Memory at most: {size}").format(size=size(figures.peak_bytes)))
    return "\n".join(filter(None, parts))


def fastest_text(paces: Sequence[Pace]) -> str:
    """What is best for one image, and for many; empty while nobody knows."""
    found = fastest(paces)
    if found is None:
        return ""
    alone, many = found
    first, most = alone.outcome.figures, many.outcome.figures
    if first is None or most is None:
        return ""
    words = _tr("A single image is fastest with {name}: {time} ms.").format(
        name=name_of(alone), time=significant(1000 * first.p50_seconds, 3)
    )
    many_words = _tr("Most images: {pace} a second with {name} in batches of {batch}.").format(
        pace=significant(most.images_per_second, 3), name=name_of(many), batch=count(many.batch)
    )
    names = ", ".join(map(name_of, as_fast_as(alone, paces)))
    equal = _tr("Within the noise, as fast: {names}.").format(names=names) if names else ""
    return " ".join(filter(None, (words, equal, many_words, load_text(busiest_share(paces)))))


def missing_text(missing: Sequence[Missing]) -> str:
    """What could not be measured here, and what to type, a line each."""
    return "\n".join(
        _tr("Without {what}: {reason}. {install}").format(
            what=each.what, reason=each.reason, install=each.install
        )
        for each in missing
    )


def operation_headings() -> list[str]:
    """Over the columns of the operations."""
    return [
        _tr("Operation"),
        _tr("Size"),
        _tr("Way"),
        _tr("Time"),
        _tr("Speed-up"),
        _tr("GFLOP/s"),
        _tr("To device"),
        _tr("From device"),
        _tr("Result"),
    ]


def operation_row(each: OperationTimes, timing: Timing) -> list[str]:
    """What the columns say of one way to do an operation."""
    gain, flops = timing.speed_up, timing.flops
    verdict = {
        None: _tr("Left out"),
        True: _tr("Agrees"),
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
    """Over the columns of the cells."""
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
    """What the columns say of a cell."""
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
    """The word for the state of a cell."""
    return {
        "waiting": _tr("Waits"),
        "running": _tr("Being measured"),
        "measured": _tr("Measured"),
        "no_memory": _tr("Does not fit"),
        "timed_out": _tr("Timed out"),
        "failed": _tr("Failed"),
    }[state]


def done_text(states: Sequence[CellState]) -> str:
    """How many cells are over."""
    over = sum(state in OVER for state in states)
    return _tr("{done} of {all} cells").format(done=count(over), all=count(len(states)))


def load_text(share: float) -> str:
    """A warning about other programs that ran meanwhile; empty where there is no need.

    Args:
        share: The most of the processors that they used during a measurement, 0 to 1.
    """
    if share <= BUSY:
        return ""
    return _tr(
        "Other programs used up to {share} of the processors meanwhile: alone, this machine is "
        "faster."
    ).format(share=percent(share, 0))
