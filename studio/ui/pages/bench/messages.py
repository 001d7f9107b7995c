"""The words of the page of benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.engine.benchmarks.operations import OperationTimes, Timing
from studio.engine.benchmarks.prediction import Missing, Pace, as_fast_as, fastest
from studio.engine.benchmarks.results import OVER, Cell, CellState, busiest_share
from studio.engine.processor_load import BUSY
from studio.ui.pages.bench.state import name_of
from studio.ui.widgets.figures import NO_VALUE, count, percent, significant, size

_tr = partial(QCoreApplication.translate, "bench")


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
        state_text(cell),
        significant(1000 * seconds) if seconds else NO_VALUE,
        significant(1 / seconds) if seconds else NO_VALUE,
        _tr("{factor}×").format(factor=significant(gain, 3)) if gain else NO_VALUE,
        size(used) if used else NO_VALUE,
        NO_VALUE if load is None else percent(load / 100, 0),
        NO_VALUE if power is None else _tr("{watts} W").format(watts=significant(power, 3)),
    ]


def state_text(cell: Cell) -> str:
    """How a cell stands."""
    return state_word(cell.outcome.state)


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
