"""The words of the page of benchmarks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from studio.engine.benchmarks.results import OVER, Cell, CellState
from studio.engine.processor_load import BUSY
from studio.ui.widgets.figures import NO_VALUE, count, percent, significant, size


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


def _tr(text: str) -> str:
    return QCoreApplication.translate("bench", text)
