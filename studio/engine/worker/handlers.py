"""What does each kind of job. Imports happen when the job is known: an import needs no Keras."""

from __future__ import annotations

from collections.abc import Callable

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind


def import_dataset(context: JobContext) -> State:
    """Turn a folder of pictures into a dataset."""
    from studio.engine.datasets.importer import import_dataset as run  # noqa: PLC0415

    summary = run(context.job.plan(DatasetRecipe), context.folder, context)
    context.result({"count": summary.count, "skipped": len(summary.skipped)})
    return State.COMPLETED


def train(context: JobContext) -> State:
    """Train a network."""
    from studio.engine.compute.train import train as run  # noqa: PLC0415

    return run(context)


def evaluate(context: JobContext) -> State:
    """Measure a model on a split."""
    from studio.engine.compute.evaluate import evaluate as run  # noqa: PLC0415

    return run(context)


def export(context: JobContext) -> State:
    """Write a model as files that work without Studio."""
    from studio.engine.compute.export import export as run  # noqa: PLC0415

    return run(context)


HANDLERS: dict[RecordKind, Callable[[JobContext], State]] = {
    RecordKind.DATASET: import_dataset,
    RecordKind.RUN: train,
    RecordKind.EVALUATION: evaluate,
    RecordKind.EXPORT: export,
}
