"""Events in the journal of a benchmark."""

from __future__ import annotations

from typing import Literal

from studio.engine.benchmarks.paces import Pace
from studio.engine.benchmarks.results import Cell
from studio.engine.jobs.event import Event


class CellChanged(Event):
    """A cell of a benchmark, whole: the last one of a number counts."""

    event: Literal["cell"] = "cell"
    cell: Cell


class PaceChanged(Event):
    """A measurement of a benchmark of predictions, whole: the last one of a place counts."""

    event: Literal["pace"] = "pace"
    pace: Pace
