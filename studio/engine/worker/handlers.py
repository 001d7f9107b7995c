"""What does each kind of job. Imports happen when the job is known: an import needs no Keras."""

from __future__ import annotations

from collections.abc import Callable

from studio.engine.datasets.audit.plan import AuditPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import read_summary
from studio.engine.errors import BadDataError, StudioError
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.states import State
from studio.engine.progress import Cancelled
from studio.engine.workspace import RecordKind


def import_dataset(context: JobContext) -> State:
    """Turn a folder of pictures into a dataset, and audit it.

    The dataset is there before its audit begins: whatever becomes of that, the import is complete.
    """
    from studio.engine.datasets.importer import import_dataset as run  # noqa: PLC0415

    if context.attempt > 1 and (context.folder / "images.h5").exists():
        # An earlier attempt died after its import: nothing of it has to be done again.
        imported = read_summary(context.folder)
        context.result({"count": imported.total, "skipped": imported.skipped})
    else:
        summary = run(context.job.plan(DatasetRecipe), context.folder, context)
        context.result({"count": summary.count, "skipped": len(summary.skipped)})
    _audit_import(context)
    return State.COMPLETED


def audit(context: JobContext) -> State:
    """Look at every image of a dataset; the report goes beside the dataset."""
    from studio.engine.datasets.audit.run import audit_dataset as run  # noqa: PLC0415

    plan = context.job.plan(AuditPlan)
    record = context.workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        raise BadDataError(
            f'The dataset "{plan.dataset}" was deleted.', "Restore it from the trash.", "dataset"
        )
    report = run(record.folder, plan, context)
    context.result(
        {"dataset": plan.dataset, "version": report.dataset_version, "counts": report.counts}
    )
    return State.COMPLETED


def _audit_import(context: JobContext) -> None:
    from studio.engine.datasets.audit.run import audit_dataset as run  # noqa: PLC0415

    plan = AuditPlan(dataset=context.job.record.id, dataset_version=0)
    try:
        run(context.folder, plan, context)
    except Cancelled:
        context.warn("The images are imported; their audit was stopped.")
    except StudioError as error:
        context.warn(f"The images are imported; their audit could not be done: {error}")


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


def baseline(context: JobContext) -> State:
    """Say what a linear classifier on ready features makes of a dataset."""
    from studio.engine.compute.baseline import baseline as run  # noqa: PLC0415

    return run(context)


def embed(context: JobContext) -> State:
    """Draw a map of images by what a model makes of them."""
    from studio.engine.compute.embed import embed as run  # noqa: PLC0415

    return run(context)


def preflight(context: JobContext) -> State:
    """Measure what a training would take."""
    from studio.engine.compute.preflight import preflight as run  # noqa: PLC0415

    return run(context)


def sweep(context: JobContext) -> State:
    """Lead the trials of a sweep; never imports Keras."""
    from studio.engine.worker.conductor import conduct  # noqa: PLC0415

    return conduct(context)


def benchmark(context: JobContext) -> State:
    """Lead the cells of a benchmark; never imports Keras."""
    from studio.engine.worker.study import Study  # noqa: PLC0415

    return Study(context).work()


def operations(context: JobContext) -> State:
    """Time single operations in several ways."""
    from studio.engine.compute.benchmarks.operations import time_operations  # noqa: PLC0415

    return time_operations(context)


def predictions(context: JobContext) -> State:
    """Time the predictions of a network in every format."""
    from studio.engine.worker.prediction import PredictionStudy  # noqa: PLC0415

    return PredictionStudy(context).work()


HANDLERS: dict[RecordKind, Callable[[JobContext], State]] = {
    RecordKind.DATASET: import_dataset,
    RecordKind.RUN: train,
    RecordKind.EVALUATION: evaluate,
    RecordKind.EXPORT: export,
    RecordKind.AUDIT: audit,
    RecordKind.BASELINE: baseline,
    RecordKind.EMBEDDING: embed,
    RecordKind.PREFLIGHT: preflight,
    RecordKind.SWEEP: sweep,
    RecordKind.BENCHMARK: benchmark,
    RecordKind.OPERATIONS: operations,
    RecordKind.PREDICTIONS: predictions,
}
