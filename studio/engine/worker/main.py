"""Does jobs, one run after another where they can share a process, and records how each ended."""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from studio import __version__
from studio.engine.errors import StudioError
from studio.engine.files import clear_system_error, remove
from studio.engine.jobs import commands
from studio.engine.jobs.device_claims import others_wait
from studio.engine.jobs.events import Started, StateChanged
from studio.engine.jobs.executors.handed_over import is_handed_over
from studio.engine.jobs.job import JOURNAL_FILE, Job, JobContext, JournalWriter
from studio.engine.jobs.launch import LOG_FILE, WARM_FOLDER, Offer, process_key
from studio.engine.jobs.liveness import JobBusy, holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.messages import message
from studio.engine.progress import Cancelled
from studio.engine.worker.executors import executor_of
from studio.engine.worker.failures import failed_by
from studio.engine.worker.gate import devices_of
from studio.engine.worker.priority import priority_of, set_priority
from studio.engine.workspace import Record, RecordKind, Workspace, read_limits

NOT_OURS = 3
RESERVE_BYTES = 64 * 2**10
MAX_RUNS: Final = 50
"""Maximum number of runs that share a process, so that leaked memory cannot add up."""
SWEEP_SECONDS: Final = 3.0
"""Seconds that a worker waits for a sweep to request its next run."""
# After any other end the state of this process is unknown.
_CLEAN: Final = (State.COMPLETED, State.STOPPED, State.PAUSED)


def main(folder: Path, attempt: int) -> int:
    """Run a job and, after a run, similar waiting ones.

    Args:
        folder: Folder of the job.
        attempt: Number of the attempt.

    Returns:
        Exit code for the first job: 0 if its journal records how it ended, `NOT_OURS` if another
        process runs it or it was stopped or given up before.
    """
    root = folder.parent.parent
    set_priority(priority_of(root))
    queue = JobQueue(Workspace(root))
    for number in range(MAX_RUNS):
        is_last = number == MAX_RUNS - 1
        following, is_ours = _do_and_wait(
            queue, folder, attempt, is_last=is_last, is_reused=number > 0
        )
        if not is_ours and number == 0:
            return NOT_OURS
        if following is None:
            break
        folder, attempt = following
        _print_to(folder / LOG_FILE)
    return 0


def _do_and_wait(
    queue: JobQueue, folder: Path, attempt: int, *, is_last: bool, is_reused: bool
) -> tuple[tuple[Path, int] | None, bool]:
    """Do a job, and wait for a run that can follow in this process.

    Returns:
        Folder and attempt of that run, None if there is none; whether the job was ours to do.
    """
    with Offer(queue.workspace.root, queue.locked) as offer:

        def before_end(job: Job, state: State) -> None:
            is_fit = state in _CLEAN and not is_last
            key = _key_after(job, queue.workspace) if is_fit else None
            if key is not None:
                offer.give(key)

        if do_job(queue.workspace, folder, attempt, before_end, is_reused=is_reused) is None:
            return None, False
        _leave(queue.workspace.root)
        # The queue continues although every window may be closed. Who dispatches it just now may
        # have looked before our end.
        with queue.locked():
            queue.dispatch()
        if not offer.is_given:
            return None, True
        # A sweep asks for its next run only when it has seen the end of this one.
        is_sweep = any(entry.job.record.kind == RecordKind.SWEEP for entry in queue.entries())
        return offer.taken(SWEEP_SECONDS if is_sweep else 0.0), True


def _key_after(job: Job, workspace: Workspace) -> str | None:
    """Return the `process_key` of the runs that can follow a job in its process."""
    if job.record.kind != RecordKind.RUN or not job.record.folder.exists():
        return None
    job.refresh()
    if others_wait(workspace.root, job.history.devices):
        return None  # for memory that is free only when this process has ended
    required = job.job_type.requirements(read_plan(job.record), job.history.changes)
    return process_key(required, job.history.devices)


def _leave(root: Path) -> None:
    """Let go of the finished record: on Windows it could not be deleted while we live."""
    (root / WARM_FOLDER).mkdir(exist_ok=True)
    _print_to(root / WARM_FOLDER / LOG_FILE)
    if "keras" in sys.modules:
        from studio.engine.compute.backends.prepare import forget_models  # noqa: PLC0415 - not before

        forget_models()


def _print_to(log_file: Path) -> None:
    """Redirect the output of this process, also of libraries in C, to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    with log_file.open("ab") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)


@contextlib.contextmanager
def computer_awake(root: Path) -> Iterator[None]:
    """Keep the computer awake as long as the block runs, unless the workspace says not to.

    The request belongs to this process, so the system drops it when the process dies. Where the
    system takes no such request, as on a server without a desktop, nothing happens.

    Args:
        root: The folder of the workspace, which has the setting.
    """
    if not _is_requested(root):
        yield
        return
    from wakepy import keep  # noqa: PLC0415 - most processes do without it

    mode = keep.running(on_fail="pass")
    mode.__enter__()
    try:
        yield
    finally:
        # It says so where the system does not answer; the request ends with the process then.
        with contextlib.suppress(RuntimeError):
            mode.__exit__(None, None, None)


def _is_requested(root: Path) -> bool:
    try:
        return read_limits(root).keep_awake
    except (OSError, StudioError):  # the queue reports a damaged file
        return True


_REASONS = {
    State.STOPPED: "It was stopped; its model is kept.",
    State.PAUSED: "Paused. Resume continues exactly from here.",
}


BeforeEnd = Callable[[Job, State], None]
"""Called with a job and its final state before that is visible to others."""


def _ignore_end(_job: Job, _state: State) -> None:
    pass


RecordedEnd = Callable[[Job, StateChanged], tuple[StateChanged, ...]]
"""Called with a job and how it ended; returns the states that the journal records of that.

None are returned if another process records the end.
"""


def as_it_is(_job: Job, outcome: StateChanged) -> tuple[StateChanged, ...]:
    """Return the outcome alone; see `RecordedEnd`."""
    return (outcome,)


def do_job(
    workspace: Workspace,
    folder: Path,
    attempt: int,
    before_end: BeforeEnd = _ignore_end,
    *,
    is_reused: bool = False,
) -> State | None:
    """Do the job in a folder, if it is ours to do.

    Args:
        workspace: Workspace of the job.
        folder: The job's folder.
        attempt: Number of the attempt, from 1.
        before_end: Called when the work is done and the journal does not say so yet.
        is_reused: True if this process did a job on the same devices before.

    Returns:
        How it ended; None where it was not ours to do.
    """
    try:
        # Others hold the lock for moments, to see whether we live.
        with holding(folder, seconds=10):
            job = ready_job(folder, attempt)
            if job is None:
                return None
            with (
                computer_awake(workspace.root),
                devices_of(workspace, job, is_reused=is_reused) as ended,
            ):
                return ended or _work_here_or_there(workspace, job, before_end)
    except JobBusy:
        return None


def _work_here_or_there(workspace: Workspace, job: Job, before_end: BeforeEnd) -> State:
    elsewhere = executor_of(job)
    if elsewhere is None:
        return work(workspace, job, before_end)
    place, run_there = elsewhere
    run_there(workspace, job, place)
    job.refresh()
    return job.history.state


def ready_job(folder: Path, attempt: int) -> Job | None:
    """Read the job in a folder; None if this attempt of it is not waiting to start.

    An attempt that another machine runs is followed again after this process was killed.

    Args:
        folder: Folder of the job.
        attempt: Number of the attempt.
    """
    job = Job.read(Record(kind_of_folder(folder), folder))
    history = job.history
    continues = history.state.has_worker and is_handed_over(folder)
    starts = history.state == State.STARTING or continues
    return job if starts and history.attempt == attempt else None


def work(
    workspace: Workspace,
    job: Job,
    before_end: BeforeEnd = _ignore_end,
    ending: RecordedEnd = as_it_is,
    *,
    catch_signals: Callable[[JobContext], None] = JobContext.stop_on_signal,
) -> State:
    """Run a job whose lock we hold, and record the outcome in its journal.

    Args:
        workspace: Workspace of the job.
        job: The job, its journal read.
        before_end: Called when the work is done, before the journal records it.
        ending: Called then, too; decides what the journal records.
        catch_signals: Called before the work begins; decides what signals do to the job.

    Returns:
        The final state.
    """
    commands.prepare(job.record.folder)
    writer = JournalWriter(job.record.folder / JOURNAL_FILE)
    context = JobContext(workspace, job, writer)
    catch_signals(context)
    writer.append(
        Started(
            studio=__version__,
            pid=os.getpid(),
            host=f"{platform.node()} ({platform.platform()}, Python {platform.python_version()})",
        )
    )
    writer.append(StateChanged(state=State.RUNNING, attempt=context.attempt), durable=True)
    while True:
        with _reserve(job.record.folder):
            outcome = _outcome(context)
        before_end(job, outcome.state)
        if context.end(*ending(job, outcome)):  # on a full disk there is room for this now
            break
    writer.close()
    return outcome.state


@contextlib.contextmanager
def _reserve(folder: Path) -> Iterator[None]:
    """Keep some space of the disk for the last words of the journal."""
    path = folder / ".reserve"
    with contextlib.suppress(OSError):  # a disk that is full already has none to keep
        path.write_bytes(b"\0" * RESERVE_BYTES)
    try:
        yield
    finally:
        remove(path)


def handler_of(job: Job) -> Callable[[JobContext], State]:
    """Import what does the job; only now, because an import of images needs no Keras."""
    module, _, name = job.job_type.handler.partition(":")
    handler: Callable[[JobContext], State] = getattr(importlib.import_module(module), name)
    return handler


def _outcome(context: JobContext) -> StateChanged:
    attempt = context.attempt
    try:
        state = handler_of(context.job)(context)
    except Cancelled:
        if context.ending() == "pause":
            return StateChanged(state=State.PAUSED, attempt=attempt, reason="It was paused.")
        return StateChanged(state=State.STOPPED, attempt=attempt, reason="It was stopped.")
    except (StudioError, OSError) as error:
        clear = clear_system_error(error)
        return (
            failed_by(context.job, clear)
            if isinstance(clear, StudioError)
            else _bug(attempt, clear)
        )
    except MemoryError:
        return StateChanged(
            state=State.FAILED,
            attempt=attempt,
            category="out_of_memory",
            reason="The machine ran out of memory.",
            hint="Use a smaller batch size or smaller images, or close other programs.",
        )
    except Exception as error:  # noqa: BLE001 - the last line of defense: it must reach the journal
        return _bug(attempt, error)
    return StateChanged(state=state, attempt=attempt, reason=_REASONS.get(state, ""))


def _bug(attempt: int, error: BaseException) -> StateChanged:
    traceback.print_exception(error)
    return StateChanged(
        state=State.FAILED,
        attempt=attempt,
        category="internal",
        reason=message(
            "Studio has a bug: {kind}: {reason}", kind=type(error).__name__, reason=error
        ),
        hint="Please report it with the details below.",
        detail="".join(traceback.format_exception(error)),
    )


def kind_of_folder(folder: Path) -> RecordKind:
    """Return the kind of the job in a folder."""
    return next(kind for kind in RecordKind if kind.folder == folder.parent.name)
