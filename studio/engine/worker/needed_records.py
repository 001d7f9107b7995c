"""Records that a run reads, which go with it to another machine."""

from __future__ import annotations

from studio.engine.errors import BadDataError
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace


def needed_records(workspace: Workspace, plan: TrainingPlan) -> list[Record]:
    """Return the dataset of a run, and the run whose weights it starts from.

    Args:
        workspace: Holds them.
        plan: Plan of the run.

    Raises:
        BadDataError: The dataset was deleted.
    """
    dataset = workspace.record(RecordKind.DATASET, plan.dataset)
    if dataset is None:
        raise BadDataError(
            'The dataset "{dataset}" was deleted.',
            "Restore it from the trash.",
            "dataset",
            dataset=plan.dataset,
        )
    run_id = plan.weights.removeprefix(RUN_PREFIX).partition("@")[0]
    is_run = plan.weights.startswith(RUN_PREFIX)
    run = workspace.record(RecordKind.RUN, run_id) if is_run else None
    return [dataset] if run is None else [dataset, run]
