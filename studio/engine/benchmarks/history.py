"""The history of a benchmark: all measurements so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import AliasChoices, Field

from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.prediction import LatencyResult, PredictPlan
from studio.engine.benchmarks.results import Cell
from studio.engine.jobs.devices import GPU_PREFIX
from studio.engine.jobs.events import Event
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job, JobContext
from studio.engine.jobs.types import JobType, Requirements, register, uses_any_gpu
from studio.engine.workspace import RecordKind

# Events in the journal of a benchmark.


class CellChanged(Event):
    """A cell of a training benchmark, complete; the last one of a number counts."""

    event: Literal["cell"] = "cell"
    cell: Cell


class LatencyChanged(Event):
    """The complete result of one latency measurement; the last one of a key counts."""

    event: Literal["pace"] = "pace"
    latency: LatencyResult = Field(validation_alias=AliasChoices("latency", "pace"))


@dataclass(slots=True)
class BenchmarkHistory(JobHistory):
    """State of a benchmark, replayed from its journal.

    Attributes:
        cells: The cells of a benchmark of trainings of which something is known, by number.
        latencies: Latency results of a benchmark of predictions by `LatencyKey.id`, in order.
    """

    cells: dict[int, Cell] = field(default_factory=dict)
    latencies: dict[str, LatencyResult] = field(default_factory=dict)

    def _on_cell(self, event: CellChanged) -> None:
        self.cells[event.cell.number] = event.cell

    def _on_pace(self, event: LatencyChanged) -> None:
        self.latencies[event.latency.key.id] = event.latency


BenchmarkJob = Job[BenchmarkHistory]
BenchmarkContext = JobContext[BenchmarkHistory]


# Jobs, which run one at a time.


def _gpus_of_study(plan: StudyPlan, _changes: Mapping[str, Any]) -> Requirements:
    """Return the GPUs that a study names: it measures nothing while others compute on them."""
    numbers = [
        each.removeprefix(GPU_PREFIX) for each in plan.devices if each.startswith(GPU_PREFIX)
    ]
    if not numbers:
        return Requirements()
    return Requirements(GPU_PREFIX + ",".join(sorted(set(numbers))), can_use_gpus=True)


register(
    JobType(
        record=RecordKind.BENCHMARK,
        plan=StudyPlan,
        handler="studio.engine.worker.study:benchmark",
        verb="benchmark",
        requirements=_gpus_of_study,
        events=(CellChanged,),
        history=BenchmarkHistory,
        reference="dataset",
    ),
    JobType(
        record=RecordKind.OPERATIONS,
        plan=OperationsPlan,
        handler="studio.engine.compute.benchmarks.operations:time_operations",
        verb="benchmark of operations",
        requirements=uses_any_gpu,
        history=BenchmarkHistory,
    ),
    JobType(
        record=RecordKind.PREDICTIONS,
        plan=PredictPlan,
        handler="studio.engine.worker.prediction:benchmark_predictions",
        verb="benchmark of predictions",
        requirements=uses_any_gpu,
        events=(LatencyChanged,),
        history=BenchmarkHistory,
    ),
)
