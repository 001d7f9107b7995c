"""What can be done with the workers of runs and of sweeps alike."""

from __future__ import annotations

from studio.cli.following import wait_for
from studio.cli.verb import Session
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.job import Job
from studio.engine.workspace import RecordKind


def find_job(session: Session, kind: RecordKind) -> Job:
    """The named job, with workers that died noticed and its journal read."""
    job = Job(session.workspace.find(kind, session.options.name))
    session.queue.dispatch()
    job.refresh()
    return job


def pause_job(session: Session, job: Job) -> object:
    """Pause a job, and wait for that."""
    control.pause(job)
    wait_for(session.queue, job, session.output, f"Pausing {job.record.name}")
    return tell_state(session, job)


def stop_job(session: Session, job: Job) -> object:
    """Stop a job, and wait for that."""
    name, state = job.record.name, job.history.state
    if state.is_at_rest:
        raise StudioError(f'The {job.record.kind.value} "{name}" is already {state.value}.')
    session.queue.stop(job)
    wait_for(session.queue, job, session.output, f"Stopping {name}")
    return tell_state(session, job)


def tell_state(session: Session, job: Job) -> dict[str, str]:
    """Say in which state a job is."""
    name, state = job.record.name, job.history.state.value
    session.output.say(f"{name} is {state}.")
    return {"name": name, "state": state}
