"""The end of a sweep on a cluster: what was carried to its nodes goes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from studio.engine.jobs.lock import JobBusy, holding
from studio.engine.worker.cluster.connection import connected
from studio.engine.worker.cluster.copies import remove_all_copies

CARRIED = ".carried"
"""In the folder of a run that was carried to a node."""
_WAIT_SECONDS = 30.0


def tidy_nodes(address: str, folders: Iterable[Path]) -> None:
    """Remove from all nodes what was carried there and nobody uses.

    Args:
        address: Of the cluster.
        folders: Those of the runs of a sweep that is over; where no run was carried, nothing is
            done.

    Raises:
        StudioError: The cluster cannot be reached.
    """
    carried = [folder for folder in folders if (folder / CARRIED).exists()]
    if not carried:
        return
    for folder in carried:
        with contextlib.suppress(JobBusy), holding(folder, seconds=_WAIT_SECONDS):
            pass  # a worker that has just told the end of its run still uses what it read
    with connected(address) as ray:
        # Only where there is Ray, and a submodule that `import ray` does not bring.
        from ray.util.scheduling_strategies import (  # noqa: PLC0415
            NodeAffinitySchedulingStrategy,
        )

        task = ray.remote(remove_all_copies)
        asked = [
            task.options(
                num_cpus=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(each["NodeID"], soft=False),
            ).remote()
            for each in ray.nodes()
            if each["Alive"]
        ]
        ray.wait(asked, num_returns=len(asked), timeout=_WAIT_SECONDS)
