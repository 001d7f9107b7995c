"""Texts, chart lines and table rows of benchmarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QCoreApplication

from studio.engine.benchmarks.operations import (
    OPERATIONS,
    OperationsReport,
    OperationTimes,
    Timing,
)
from studio.engine.benchmarks.prediction import (
    CPU,
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
from studio.engine.timing import BUSY
from studio.ui.language import translated
from studio.ui.widgets.figures import NO_VALUE, count, percent, significant, size
from studio.ui.widgets.table_model import Column, Row

_tr = partial(QCoreApplication.translate, "bench")

OperationRow = tuple[OperationTimes, Timing]
"""An operation in one implementation."""


def name_of(result: LatencyResult) -> str:
    """Return format, precision and, unless it is the CPU, the execution provider."""
    where = "" if result.provider == CPU else f", {result.provider}"
    return f"{result.format} {result.precision}{where}"


@dataclass(frozen=True, slots=True)
class BenchmarkCurve:
    """Curve of a chart.

    Attributes:
        name: Parts in which the lines of the benchmark differ.
        x: Batch sizes, sizes or epochs, ascending.
        y: Values; NaN for none.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def _lines(points: Iterable[tuple[str, float, float]]) -> list[BenchmarkCurve]:
    """Return a line for each name through its points, given as name, x and y."""
    found: dict[str, dict[float, float]] = {}
    for name, x, y in points:
        found.setdefault(name, {})[x] = y
    ordered = {name: sorted(line.items()) for name, line in found.items()}
    return [
        BenchmarkCurve(name, tuple(x for x, _ in line), tuple(y for _, y in line))
        for name, line in ordered.items()
    ]


def latency_lines(results: Iterable[LatencyResult]) -> list[BenchmarkCurve]:
    """Return median milliseconds per batch by batch size, a line per format."""
    return _lines(
        (name_of(result), result.batch, 1000 * figures.p50_seconds)
        for result in results
        if (figures := result.outcome.figures) is not None
    )


def throughput_lines(results: Iterable[LatencyResult]) -> list[BenchmarkCurve]:
    """Return images per second by batch size, a line per format."""
    return _lines(
        (name_of(result), result.batch, figures.images_per_second)
        for result in results
        if (figures := result.outcome.figures) is not None
    )


def operation_lines(report: OperationsReport) -> list[BenchmarkCurve]:
    """Return milliseconds by size, a line per operation and implementation."""
    return _lines(
        (f"{_operation(each)}, {timing.way}", each.size, 1000 * timing.seconds)
        for each in report.operations
        for timing in each.timings
        if timing.seconds is not None
    )


def training_speed_lines(cells: Sequence[Cell]) -> list[BenchmarkCurve]:
    """Return milliseconds per image by batch size, a line per network and mode."""
    vary = _varying(cells)
    return _lines(
        (_name(cell, vary), cell.batch, 1000 * cell.image_seconds)
        for cell in cells
        if cell.image_seconds
    )


def gain_lines(cells: Sequence[Cell], devices: Sequence[str]) -> list[BenchmarkCurve]:
    """Return speed-up over the first device, a line per network and mode of the others."""
    vary, gains = _varying(cells), speed_ups(cells, devices)
    return _lines(
        (_name(cell, vary), cell.batch, gains[cell.number])
        for cell in cells
        if cell.device != devices[0] and cell.number in gains
    )


def beside_lines(cells: Iterable[Beside]) -> list[BenchmarkCurve]:
    """Return milliseconds per image of other machines, a line per machine, network and mode."""
    return _lines(
        (
            f"{cell.machine}: {cell.key.network} {cell.key.mode.strip('/')}",
            cell.key.batch,
            1000 * cell.image_seconds,
        )
        for cell in cells
    )


def loss_lines(cells: Sequence[Cell]) -> list[BenchmarkCurve]:
    """Return mean loss by epoch, a line per measured cell."""
    vary = [*_varying(cells), "batch"]
    return _lines(
        (_name(cell, vary), epoch, math.nan if loss is None else loss)
        for cell in cells
        if cell.outcome.figures is not None
        for epoch, loss in enumerate(cell.outcome.figures.epoch_losses, 1)
    )


def _varying(cells: Sequence[Cell]) -> list[str]:
    names = ("network", "device", "backend", "precision")
    return [name for name in names if len({getattr(cell, name) for cell in cells}) > 1] or [
        "network"
    ]


def _name(cell: Cell, vary: Sequence[str]) -> str:
    return ", ".join(str(getattr(cell, name)) for name in vary)


def latency_text(result: LatencyResult) -> str:
    """Return median time and images per second, on two lines."""
    figures = result.outcome.figures
    if figures is None:
        return state_word(result.outcome.state)
    return "\n".join(
        (
            _tr("{time} ms").format(time=significant(1000 * figures.p50_seconds, 3)),
            _tr("{speed}/s").format(speed=significant(figures.images_per_second, 3)),
        )
    )


def latency_details(result: LatencyResult) -> str:
    """Return all results of a measurement, in lines."""
    figures, parts = result.outcome.figures, [translated(result.outcome.reason)]
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


def fastest_text(results: Sequence[LatencyResult]) -> str:
    """Return the fastest format for one image and for many; empty if not known."""
    found = fastest(results)
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
        "Highest throughput: {speed} images per second with {name}, batch size {batch}."
    ).format(
        speed=significant(most.images_per_second, 3), name=name_of(many), batch=count(many.batch)
    )
    names = ", ".join(map(name_of, as_fast_as(alone, results)))
    equal = (
        _tr("Equally fast within measurement noise: {names}.").format(names=names) if names else ""
    )
    return " ".join(filter(None, (text, equal, many_text, load_text(busiest_share(results)))))


def missing_text(missing: Sequence[Missing]) -> str:
    """Return a line for each format that could not be measured, with its installation."""
    return "\n".join(
        _tr("Without {what}: {reason}. {install}").format(
            what=translated(each.what), reason=translated(each.reason), install=each.install
        )
        for each in missing
    )


def operation_columns() -> list[Column[OperationRow]]:
    """Return the columns of the table of operations."""
    return _with_reason(
        [
            _text_column(_tr("Operation"), lambda row: _operation(row[0])),
            _number_column(_tr("Size"), lambda row: row[0].size, count),
            _text_column(_tr("Implementation"), lambda row: row[1].way),
            _number_column(_tr("Time"), lambda row: row[1].seconds, _milliseconds),
            _number_column(_tr("Speed-up"), lambda row: row[1].speed_up, _factor),
            _number_column(_tr("GFLOP/s"), lambda row: row[1].flops or None, _giga),
            _number_column(_tr("To device"), lambda row: row[1].to_device_seconds, _milliseconds),
            _number_column(
                _tr("From device"), lambda row: row[1].from_device_seconds, _milliseconds
            ),
            _text_column(_tr("Result"), _verdict),
        ],
        lambda row: translated(row[1].reason),
    )


def operation_key(row: OperationRow) -> Hashable:
    """Return the key of a row in the table of operations."""
    return row[0].operation, row[0].size, row[1].way


def _text_column(heading: str, text: Callable[[Row], str]) -> Column[Row]:
    return Column(heading, text, value=text, is_text=True)


def _number_column(
    heading: str, value: Callable[[Row], float | None], text: Callable[[float], str]
) -> Column[Row]:
    """Return a column of numbers; rows without a number have a dash."""
    return Column(heading, partial(_number_text, value, text), value=value)


def _number_text(
    value: Callable[[Row], float | None], text: Callable[[float], str], row: Row
) -> str:
    number = value(row)
    return NO_VALUE if number is None else text(number)


def _operation(times: OperationTimes) -> str:
    return translated(OPERATIONS[times.operation])


def _giga(flops: float) -> str:
    return significant(flops / 1e9, 3)


def _verdict(row: OperationRow) -> str:
    verdicts = {None: _tr("Skipped"), True: _tr("Matches"), False: _tr("Differs")}
    return verdicts[row[1].agrees]


def _with_reason(
    columns: Sequence[Column[Row]], reason: Callable[[Row], str]
) -> list[Column[Row]]:
    """Show the reason in the tooltips of rows without results."""
    return [replace(each, cell_tip=partial(_tip, each.text, reason)) for each in columns]


def _tip(text: Callable[[Row], str], reason: Callable[[Row], str], row: Row) -> str:
    return reason(row) or text(row)


def _factor(gain: float) -> str:
    return _tr("{factor}×").format(factor=significant(gain, 3))


def _milliseconds(seconds: float) -> str:
    if seconds < 1e-4:
        return _tr("{time} µs").format(time=significant(1e6 * seconds, 3))
    return _tr("{time} ms").format(time=significant(1000 * seconds, 3))


def cell_columns(gains: Mapping[int, float]) -> list[Column[Cell]]:
    """Return the columns of the table of cells.

    Args:
        gains: Speed-ups by the numbers of the cells.
    """
    return _with_reason(
        [
            _text_column(_tr("Network"), attrgetter("network")),
            _text_column(_tr("Device"), attrgetter("device")),
            _text_column(_tr("Backend"), attrgetter("backend")),
            _text_column(_tr("Precision"), attrgetter("precision")),
            _number_column(_tr("Batch"), attrgetter("batch"), count),
            _text_column(_tr("State"), lambda cell: state_word(cell.outcome.state)),
            _number_column(
                _tr("ms per image"),
                attrgetter("image_seconds"),
                lambda seconds: significant(1000 * seconds),
            ),
            _number_column(_tr("Images/s"), attrgetter("images_per_second"), significant),
            _number_column(_tr("Speed-up"), lambda cell: gains.get(cell.number), _factor),
            _number_column(_tr("Memory"), _memory, size),
            _number_column(
                _tr("GPU"), partial(_figure, "utilization"), lambda load: percent(load / 100, 0)
            ),
            _number_column(_tr("Power"), partial(_figure, "power"), _watts),
        ],
        lambda cell: translated(cell.outcome.reason),
    )


def _figure(name: str, cell: Cell) -> float | None:
    figures = cell.outcome.figures
    return None if figures is None else getattr(figures, name)


def _memory(cell: Cell) -> float | None:
    return _figure("device_bytes", cell) or _figure("process_bytes", cell) or None


def _watts(power: float) -> str:
    return _tr("{watts} W").format(watts=significant(power, 3))


FormatRow = Mapping[int, LatencyResult]
"""Results of one format by batch size."""


def format_rows(results: Iterable[LatencyResult]) -> list[FormatRow]:
    """Return a row for each format, precision and provider."""
    found: dict[str, dict[int, LatencyResult]] = {}
    for result in results:
        found.setdefault(name_of(result), {})[result.batch] = result
    return list(found.values())


def format_columns(rows: Iterable[FormatRow]) -> list[Column[FormatRow]]:
    """Return the columns of the table of predictions: the format, then one per batch size."""
    batches = sorted({batch for row in rows for batch in row})
    return [
        Column(_tr("Format"), format_name, value=format_name, is_text=True),
        *(
            Column(
                _tr("Batch {count}").format(count=count(batch)),
                partial(_format_text, batch),
                value=partial(_format_seconds, batch),
                cell_tip=partial(_format_tip, batch),
            )
            for batch in batches
        ),
    ]


def format_name(row: FormatRow) -> str:
    """Return the name of a row of the table of predictions."""
    return name_of(next(iter(row.values())))


def _format_text(batch: int, row: FormatRow) -> str:
    return latency_text(row[batch]) if batch in row else ""


def _format_tip(batch: int, row: FormatRow) -> str:
    return latency_details(row[batch]) if batch in row else ""


def _format_seconds(batch: int, row: FormatRow) -> float | None:
    figures = row[batch].outcome.figures if batch in row else None
    return None if figures is None else figures.p50_seconds


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
        "Other programs used up to {share} of the CPU during the benchmark. Close them for faster "
        "results."
    ).format(share=percent(share, 0))
