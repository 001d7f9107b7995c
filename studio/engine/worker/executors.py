"""Executors by the name of their place: what a worker calls whose job another place runs."""

from __future__ import annotations

from typing import Protocol

from studio.engine.jobs.devices import RAY
from studio.engine.jobs.executors.handed_over import place_of
from studio.engine.jobs.executors.launchers import SLURM
from studio.engine.jobs.job import Job
from studio.engine.worker.cluster.relay import relay as relay_to_ray
from studio.engine.worker.machines.relay import relay as relay_to_machine
from studio.engine.worker.slurm.relay import relay as relay_to_slurm
from studio.engine.workspace import Workspace


class Executor(Protocol):
    """Runs a job at another place and adds all that it writes there to the journal here.

    It returns when the job is over there; the journal says how it ended. It is called again for
    the same attempt if the process here was killed and the job has continued there.
    """

    def __call__(self, workspace: Workspace, job: Job, place: str) -> None:
        """Run a job whose lock this process holds.

        Args:
            workspace: The workspace.
            job: The job, its journal read.
            place: Name of the place.
        """
        ...


EXECUTORS: dict[str, Executor] = {RAY: relay_to_ray, SLURM: relay_to_slurm}
"""Those of places with a fixed name; every other name is a machine that ssh reaches."""


def executor_of(job: Job) -> tuple[str, Executor] | None:
    """Return the place where a job runs, and its executor; None for this machine."""
    place = place_of(job.history.devices)
    return (place, EXECUTORS.get(place, relay_to_machine)) if place else None
