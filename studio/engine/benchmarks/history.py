"""The history of a benchmark: what was measured so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from studio.engine.benchmarks.prediction import LatencyResult
from studio.engine.benchmarks.results import Cell
from studio.engine.jobs.events import Event
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job, JobContext

# Events in the journal of a benchmark.


class CellChanged(Event):
    """A cell of a benchmark, whole: the last one of a number counts."""

    event: Literal["cell"] = "cell"
    cell: Cell


class LatencyChanged(Event):
    """A measurement of a benchmark of predictions, whole: the last one of a place counts."""

    event: Literal["pace"] = "pace"
    pace: LatencyResult


@dataclass(slots=True)
class BenchmarkHistory(JobHistory):
    """State of a benchmark, replayed from its journal.

    Attributes:
        cells: The cells of a benchmark of trainings of which something is known, by number.
        paces: The measurements of a benchmark of predictions by `Place.key`, in their order.
    """

    cells: dict[int, Cell] = field(default_factory=dict)
    paces: dict[str, LatencyResult] = field(default_factory=dict)

    def _on_cell(self, event: CellChanged) -> None:
        self.cells[event.cell.number] = event.cell

    def _on_pace(self, event: LatencyChanged) -> None:
        self.paces[event.pace.place.key] = event.pace


BenchmarkJob = Job[BenchmarkHistory]
BenchmarkContext = JobContext[BenchmarkHistory]
