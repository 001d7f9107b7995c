"""Job types of benchmarks: training, operations, predictions. They run one at a time."""

from __future__ import annotations

from studio.engine.benchmarks.history import BenchmarkHistory, CellChanged, LatencyChanged
from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.jobs.types import JobType, register
from studio.engine.workspace import RecordKind

TRAININGS = JobType(
    record=RecordKind.BENCHMARK,
    plan=StudyPlan,
    handler="studio.engine.worker.study:benchmark",
    verb="benchmark",
    events=(CellChanged,),
    history=BenchmarkHistory,
    reference="dataset",
)

OPERATIONS = JobType(
    record=RecordKind.OPERATIONS,
    plan=OperationsPlan,
    handler="studio.engine.compute.benchmarks.operations:time_operations",
    verb="benchmark of operations",
    history=BenchmarkHistory,
)

PREDICTIONS = JobType(
    record=RecordKind.PREDICTIONS,
    plan=PredictPlan,
    handler="studio.engine.worker.prediction:benchmark_predictions",
    verb="benchmark of predictions",
    events=(LatencyChanged,),
    history=BenchmarkHistory,
)

register(TRAININGS, OPERATIONS, PREDICTIONS)
