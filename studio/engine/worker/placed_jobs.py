"""Jobs that may run on another machine: their plans, and the records that go with them."""

from __future__ import annotations

from studio.engine.jobs.job import Job
from studio.engine.jobs.placed_plan import PlacedPlan
from studio.engine.jobs.types import read_plan, type_of_plan
from studio.engine.workspace import Record, Workspace


def placed_plan(job: Job) -> PlacedPlan:
    """Return the plan of a job that may run on another machine, with its changes.

    Args:
        job: The job, its journal read.

    Raises:
        StudioError: The file of the plan is damaged.
        TypeError: Jobs of this kind run only on this machine.
    """
    plan = read_plan(job.record)
    if not isinstance(plan, PlacedPlan):
        raise TypeError(f"a {type(plan).__name__} has no machine")
    return plan.changed(**job.history.changes)


def inputs_of(workspace: Workspace, plan: PlacedPlan) -> list[Record]:
    """Return the records that a job reads besides its own.

    Args:
        workspace: Holds them.
        plan: Plan of the job.

    Raises:
        StudioError: One of them was deleted.
        TypeError: Jobs of this kind run only on this machine.
    """
    inputs = type_of_plan(plan).inputs
    if inputs is None:
        raise TypeError(f"the inputs of a {type(plan).__name__} are not known")
    return inputs(workspace, plan)
