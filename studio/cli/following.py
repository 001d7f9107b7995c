"""Waits for a job, showing how far it is. Ctrl+C asks it to stop; a second one leaves it alone."""

from __future__ import annotations

import shlex
import time

from studio.cli.log_reader import LogReader
from studio.cli.verb import Bar, Session, figure
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.events import Note
from studio.engine.jobs.executors.handed_over import is_cut_off
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import HistoryT_co, Job
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import Text, in_sentence
from studio.engine.training.comparison import primary_metric
from studio.engine.training.history import RunHistory
from studio.engine.workspace import RecordKind

REASON_SECONDS = 1.0


def leave(session: Session, job: Job, what: str, see: str = "") -> dict[str, str]:
    """Start a job and print its state, without waiting for it.

    Args:
        session: The command that requested it.
        job: The job.
        what: Its name at the beginning of a sentence.
        see: The command that shows details.
    """
    session.queue.dispatch()
    job.refresh()
    state = job.history.state.value
    session.output.say(f"{what} is {state}.{see and f' See: {see}'}")
    return {"name": job.record.name, "state": state}


def completed(session: Session, job: Job[HistoryT_co], title: str) -> HistoryT_co:
    """Wait until a job is completed; see `wait_for`.

    Raises:
        StudioError: It was stopped, paused, or failed because of something its user can change.
        JobFailedError: It failed by an internal error, or was lost.
    """
    history = wait_for(session, job, title)
    if history.state != State.COMPLETED:
        raise StudioError(f"The {job.job_type.verb} was {history.state.value}.")
    return history


def wait_for(session: Session, job: Job[HistoryT_co], title: str) -> HistoryT_co:
    """Wait until a job has ended.

    Args:
        session: The command in progress.
        job: The job.
        title: Title of the progress bar.

    Returns:
        Its history; it is completed, stopped, pruned or paused.

    Raises:
        StudioError: The job failed because of something that its user can change.
        JobFailedError: It failed by an internal error, or was lost.
        KeyboardInterrupt: Ctrl+C was pressed twice; the job continues in the background.
    """
    queue, output = session.queue, session.output
    asked_to_stop = False
    while True:
        try:
            with output.bar(title) as bar:
                _poll_until_over(session, job, bar)
            break
        except KeyboardInterrupt:
            if asked_to_stop:
                output.note("It continues in the background.")
                raise
            asked_to_stop = True
            title = "Stopping (Ctrl+C again leaves it running)"
            queue.stop(job)
    output.interrupted = asked_to_stop and job.history.state != State.COMPLETED
    job.raise_if_failed()
    return job.history


def _poll_until_over(session: Session, job: Job, bar: Bar) -> None:
    queue, output = session.queue, session.output
    name = job.record.name  # known also when it is deleted meanwhile
    log = LogReader(job.record.folder / LOG_FILE) if session.options.verbose else None
    reason, next_check = "", 0.0
    waits_for: Text = ""
    for events in control.follow(queue, job):
        for event in events:
            if isinstance(event, Note):
                output.note(event.message)
        for line in () if log is None else log.new_lines():
            output.note(line)
        if job.history.state == State.QUEUED and time.monotonic() >= next_check:
            next_check = time.monotonic() + REASON_SECONDS
            before, reason = reason, _reason(queue, job)
            if reason and reason != before:
                output.note(f"{name} {reason}.")
        progress = job.history.progress
        if job.history.state == State.STARTING and progress and progress.what != waits_for:
            waits_for = progress.what
            output.note(f"{name}: {waits_for}.")
        bar.show(job.history.fraction, _detail(job.history, reason))


def _reason(queue: JobQueue, job: Job) -> str:
    """Reason why a job waits; empty if it is about to start."""
    entries = queue.entries()
    names = {each.job.record.id: each.job.record for each in entries}
    for entry in entries:
        if entry.job.record.folder == job.record.folder and entry.wait is not None:
            return entry.wait.text(lambda each: names[each].name)
    return ""


def _detail(history: JobHistory, reason: str) -> str:
    if history.state == State.QUEUED:
        return reason or "waits for its turn"
    progress = history.progress
    is_reason = progress is not None and is_cut_off(progress.what)
    if progress is not None and (is_reason or history.state == State.STARTING):
        return progress.what  # what it waits for
    if isinstance(history, RunHistory) and history.epochs and progress is None:
        last = history.epochs[-1]
        total = history.training.epochs if history.training else last.epoch
        metric = primary_metric(history)
        measured = f"{in_sentence(metric.label)} {metric.text(last.value(metric.name))}"
        return f"epoch {last.epoch}/{total}  loss {figure(last.value('loss'))}  {measured}"
    if progress is not None and progress.total:
        return f"{progress.what}  {progress.done:,}/{progress.total:,}".strip()
    return history.state.value


def ended(name: str, history: JobHistory) -> str:
    """Return the sentence that says in which state a job has ended, and after what time.

    Args:
        name: Name of the record.
        history: Its history.
    """
    began = history.seconds_spent(time.time()) is not None
    when = f"after {elapsed(history)}" if began else "before it began"
    return f"{name} is {history.state.value} {when}."


def elapsed(history: JobHistory) -> str:
    """Format the duration of a job, so far if it still runs."""
    seconds = history.seconds_spent(time.time())
    if seconds is None:
        return "–"
    return duration(seconds, f"{seconds:.1f} s")


def duration(seconds: float, short: str) -> str:
    """Format a duration for display.

    Args:
        seconds: The duration.
        short: Text for less than a minute.
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else short


# What can be done with the workers of runs and of sweeps alike.


def find_job(session: Session, kind: RecordKind) -> Job:
    """Return the job named by the options, with its current history.

    Args:
        session: The command in progress.
        kind: Kind of the record.
    """
    session.queue.dispatch()
    return Job.read(session.workspace.find(kind, session.options.name))


_PAUSED_KINDS = (RecordKind.RUN, RecordKind.SWEEP)


def pause_job(session: Session, job: Job) -> object:
    """Pause a job and wait until it has.

    Args:
        session: The command in progress.
        job: The job.
    """
    control.pause(job)
    wait_for(session, job, f"Pausing {job.record.name}")
    return print_state(session, job)


def stop_job(session: Session, job: Job) -> object:
    """Stop a job and wait until it has.

    Args:
        session: The command in progress.
        job: The job.
    """
    name, state = job.record.name, job.history.state
    if state.is_at_rest:
        is_benchmark = job.record.kind == RecordKind.OPERATIONS
        kind = (RecordKind.BENCHMARK if is_benchmark else job.record.kind).value
        raise StudioError(f'The {kind} "{name}" is already {state.value}.', _next_step(kind, job))
    session.queue.stop(job)
    wait_for(session, job, f"Stopping {name}")
    return print_state(session, job)


def _next_step(kind: str, job: Job) -> str:
    """Return what to do with a job that rests; empty for one that is finished."""
    if job.history.state != State.PAUSED or job.record.kind not in _PAUSED_KINDS:
        return ""
    command, name = f"studio {kind}s", shlex.quote(job.record.name)
    return f"Continue it: {command} resume {name}; or delete it: {command} delete {name}"


def print_state(session: Session, job: Job) -> dict[str, str]:
    """Print the state of a job and return it as JSON data.

    Args:
        session: The command in progress.
        job: The job.
    """
    name, state = job.record.name, job.history.state.value
    session.output.say(f"{name} is {state}.")
    return {"name": name, "state": state}
