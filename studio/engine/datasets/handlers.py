"""Handler of a worker for imports."""

from __future__ import annotations

from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.importer import import_dataset as import_images
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import read_summary
from studio.engine.errors import StudioError
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.progress import Cancelled


def import_dataset(context: JobContext) -> State:
    """Turn a folder of pictures into a dataset, and audit it.

    The dataset is there before its audit begins: whatever becomes of that, the import is complete.
    """
    if context.attempt > 1 and (context.folder / "images.h5").exists():
        # An earlier attempt died after its import, which need not be repeated.
        imported = read_summary(context.folder)
        context.result({"count": imported.total, "skipped": imported.skipped})
    else:
        summary = import_images(context.job.plan(DatasetRecipe), context.folder, context)
        context.result({"count": summary.count, "skipped": len(summary.skipped)})
    _audit_import(context)
    return State.COMPLETED


def _audit_import(context: JobContext) -> None:
    plan = AuditPlan(dataset=context.job.record.id, dataset_version=0)
    try:
        audit_dataset(context.folder, plan, context)
    except Cancelled:
        context.warn("The images are imported, but the audit was stopped.")
    except StudioError as error:
        context.warn(
            message(
                "The images are imported, but the audit failed: {reason}",
                reason=error.text,
            )
        )
