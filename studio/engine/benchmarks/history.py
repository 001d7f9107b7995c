"""The history of a benchmark: what was measured so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from studio.engine.benchmarks.prediction import Pace
from studio.engine.benchmarks.results import Cell
from studio.engine.jobs.events import Event
from studio.engine.jobs.history import Handlers, JobHistory
from studio.engine.jobs.job import Job, JobContext

# Events in the journal of a benchmark.


class CellChanged(Event):
    """A cell of a benchmark, whole: the last one of a number counts."""

    event: Literal["cell"] = "cell"
    cell: Cell


class PaceChanged(Event):
    """A measurement of a benchmark of predictions, whole: the last one of a place counts."""

    event: Literal["pace"] = "pace"
    pace: Pace


@dataclass(slots=True)
class BenchmarkHistory(JobHistory):
    """What the journal of a benchmark says.

    Attributes:
        cells: The cells of a benchmark of trainings of which something is known, by number.
        paces: The measurements of a benchmark of predictions by `Place.key`, in their order.
    """

    cells: dict[int, Cell] = field(default_factory=dict)
    paces: dict[str, Pace] = field(default_factory=dict)

    handlers: ClassVar[Handlers] = {}


BenchmarkJob = Job[BenchmarkHistory]
BenchmarkContext = JobContext[BenchmarkHistory]


def _on_cell(history: BenchmarkHistory, event: CellChanged) -> None:
    history.cells[event.cell.number] = event.cell


def _on_pace(history: BenchmarkHistory, event: PaceChanged) -> None:
    history.paces[event.pace.place.key] = event.pace


BenchmarkHistory.handlers = {
    **JobHistory.handlers,
    CellChanged: _on_cell,
    PaceChanged: _on_pace,
}
