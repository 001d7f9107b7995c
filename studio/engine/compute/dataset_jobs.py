"""Handlers of a worker for imports and audits of datasets.

Labels are checked by the features of a pretrained network whose weights are on this machine.
"""

from __future__ import annotations

from functools import partial

from studio.engine.arrays import Rows
from studio.engine.baselines.report import BaselinePlan
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.compute.extractors import NetworkFeatures, choose
from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.audit.label_noise import ImageFeatures
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.importer import import_dataset as import_images
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_summary
from studio.engine.errors import StudioError
from studio.engine.evaluation.audit import evaluated_boxes
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.progress import Cancelled, Progress
from studio.engine.training.backends import installed_backend
from studio.engine.workspace import RecordKind, Workspace


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
    network = partial(network_features, context.workspace, plan.dataset)
    try:
        audit_dataset(context.folder, plan, context, network=network)
    except Cancelled:
        context.warn("The images are imported, but the audit was stopped.")
    except StudioError as error:
        context.warn(
            message(
                "The images are imported, but the audit failed: {reason}",
                reason=error.text,
            )
        )


def audit(context: JobContext) -> State:
    """Audit every image of a dataset; the report is written beside the dataset."""
    plan = context.job.plan(AuditPlan)
    record = context.workspace.require(RecordKind.DATASET, plan.dataset)
    boxes = partial(evaluated_boxes, context.workspace, record)
    network = partial(network_features, context.workspace, record.id)
    report = audit_dataset(record.folder, plan, context, boxes, network)
    context.result(
        {"dataset": plan.dataset, "version": report.dataset_version, "counts": report.counts}
    )
    return State.COMPLETED


MAX_NETWORK_IMAGES = 10_000
"""Images of a dataset whose features are computed at most: about 1.5 minutes on two cores. They
are cached, and baselines use the same."""


def network_features(
    workspace: Workspace, dataset: str, store: Store, rows: Rows, progress: Progress
) -> ImageFeatures | None:
    """Return features of images by a pretrained network; None if no weights are at hand.

    Args:
        workspace: Holds runs, weights and the cache.
        dataset: Id of the dataset.
        store: The dataset.
        rows: Rows of the images, shape (N,).
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: The job was asked to end; features computed so far are cached.
    """
    if len(rows) > MAX_NETWORK_IMAGES:
        return None
    try:
        chosen = choose(BaselinePlan(dataset=dataset), store, workspace)
        if chosen is None:
            return None
        progress.advance(0, len(rows), "Loading the network")
        prepare_backend(installed_backend(), deterministic=False, seed=0, threads=None)
        extractor = NetworkFeatures(chosen, dataset, store, workspace, progress)
        return ImageFeatures(extractor.features(rows, progress), chosen.label)
    except StudioError as error:
        progress.warn(
            message("Labels are checked without a pretrained network: {reason}", reason=error.text)
        )
        return None
