"""The state in which an error leaves a job."""

from __future__ import annotations

from studio.engine import errors
from studio.engine.jobs.events import ErrorCategory, StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, message

_CATEGORIES: tuple[tuple[type[errors.StudioError], ErrorCategory | None], ...] = (
    (errors.BadDataError, "bad_data"),
    (errors.DeviceLostError, None),
    (errors.DiskFullError, "disk_full"),
    (errors.NotFiniteError, "not_finite"),
    (errors.OutOfMemoryError, "out_of_memory"),
    (errors.StudioError, "user"),
)


def failed_by(job: Job, error: errors.StudioError) -> StateChanged:
    """Return the event that ends a job with an error that the user can fix.

    Args:
        job: The job.
        error: The error.
    """
    state, hint = State.FAILED, error.hint
    if isinstance(error, errors.DeviceLostError):
        state = State.LOST
    elif (
        isinstance(error, errors.DiskFullError)
        and job.job_type.can_pause
        and not job.job_type.is_coordinator
    ):
        state = State.PAUSED
        hint = message(
            "{advice} The last checkpoint is kept: resume the run.", advice=as_message(hint)
        )
    return StateChanged(
        state=state,
        attempt=job.history.attempt,
        category=next((name for kind, name in _CATEGORIES if isinstance(error, kind)), None),
        reason=error.message,
        hint=hint,
    )
