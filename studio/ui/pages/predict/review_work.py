"""What the review queue does to the workspace; everything here runs in other threads.

NumPy and Pillow are not needed to open the window, so the engine is imported here when it is used.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.jobs.queue import JobQueue
from studio.engine.workspace import Workspace

if TYPE_CHECKING:
    from studio.engine.datasets.edits import SplitName
    from studio.engine.evaluation.mcnemar import Gain
    from studio.engine.review.corrections import Correction, ReviewQueue


def queue_of(workspace: Workspace) -> ReviewQueue:
    """The queue of a workspace."""
    from studio.engine.review.corrections import ReviewQueue  # noqa: PLC0415

    return ReviewQueue(workspace.root)


def read(workspace: Workspace) -> tuple[list[Correction], list[tuple[Correction, Path]]]:
    """All corrections, and those that wait with their pictures.

    Raises:
        BadDataError: The queue is damaged.
    """
    from studio.engine.review.retraining import waiting  # noqa: PLC0415

    queue = queue_of(workspace)
    return queue.corrections(), [(each, queue.picture(each)) for each in waiting(workspace)]


def held_out(
    workspace: Workspace, dataset: str, corrections: Sequence[Correction]
) -> dict[str, SplitName]:
    """See `reviewing.held_out`."""
    from studio.engine.review.retraining import held_out as find  # noqa: PLC0415

    return find(workspace, dataset, corrections)


def add_to_dataset(queue: JobQueue, dataset: str, ids: Collection[str]) -> None:
    """See `reviewing.request_adding`; starts it."""
    from studio.engine.review.retraining import request_adding  # noqa: PLC0415

    request_adding(queue, dataset, ids)
    queue.dispatch()


def retrain(queue: JobQueue, run: str, dataset: str) -> None:
    """See `reviewing.request_retraining`; starts it."""
    from studio.engine.review.retraining import request_retraining  # noqa: PLC0415

    request_retraining(queue, run, dataset)
    queue.dispatch()


def measure(queue: JobQueue, run: str) -> Gain | None:
    """What a run won; asks for the evaluations that it takes where they are not there.

    Raises:
        StudioError: It cannot be measured.
    """
    from studio.engine.review.retraining import gain_of, request_gain  # noqa: PLC0415

    if request_gain(queue, run):
        queue.dispatch()
    return gain_of(queue.workspace, run)
