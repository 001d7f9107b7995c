"""Wait of a worker for the devices of its job, which other users of the machine may have."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.jobs.commands import CommandReader
from studio.engine.jobs.device_claims import BUSY, DeviceClaim
from studio.engine.jobs.events import Note, ProgressMade, StateChanged
from studio.engine.jobs.executors.handed_over import place_of
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.messages import Message, as_message, message
from studio.engine.workspace import Workspace

POLL_SECONDS: Final = 0.2


@contextlib.contextmanager
def devices_of(
    workspace: Workspace, job: Job, *, is_reused: bool = False
) -> Iterator[State | None]:
    """Hold the devices of a job among all users and workspaces of this machine.

    Where the folder that the users share cannot be used, the job starts with a warning.

    Args:
        workspace: The workspace.
        job: A job whose lock this process holds, with the devices that the queue gave it.
        is_reused: True if this process had the same devices before, and may have their memory.

    Yields:
        None when the job has its devices; otherwise its state now: it ended while it waited, or
        is back in the queue because this process has memory that others wait for.
    """
    if not job.history.devices or place_of(job.history.devices):
        yield None
        return
    with contextlib.ExitStack() as stack:
        ended = None
        try:
            claim = stack.enter_context(DeviceClaim(workspace, job, is_reused=is_reused))
            ended = _Wait(job, is_reused=is_reused).until_ours(claim)
        except (OSError, StudioError) as error:
            job.append(_warning(error))
        yield ended


def _warning(error: OSError | StudioError) -> Note:
    if isinstance(error, StudioError):
        text = message(
            "{reason} {consequence}", reason=as_message(error.message), consequence=error.hint
        )
    else:
        text = message(
            "Jobs of other users on the same device are not seen: {reason}.",
            reason=error.strerror or error,
        )
    return Note(level="warning", message=text)


class _Wait:
    """The time before a job has its devices."""

    def __init__(self, job: Job, *, is_reused: bool) -> None:
        self._job = job
        self._is_reused = is_reused
        self._commands = CommandReader(job.record.folder, job.history.attempt)
        self._pause = threading.Event()
        self._is_signalled = False

    def until_ours(self, claim: DeviceClaim) -> State | None:
        """Wait; return the state of the job if it does not get its devices."""
        reported: object = None
        reason = claim.attempt()
        if reason:
            signal.signal(signal.SIGTERM, self._on_signal)
        while reason:
            if self._is_reused and reason != BUSY:
                return self._ending() or self._give_back()
            kind = reported if reason == BUSY and reported else _without_figures(reason)
            if kind != reported:
                text = message("Waits: {reason}", reason=as_message(reason))
                self._job.append(ProgressMade(done=0, total=0, what=text))
                reported = kind
            if (ending := self._ending()) is not None:
                return ending
            self._pause.wait(POLL_SECONDS)
            reason = claim.attempt()
        return None

    def _give_back(self) -> State:
        """Put the job back: those before it may wait for the memory that this process has."""
        self._job.append(StateChanged(state=State.QUEUED, attempt=self._job.history.attempt))
        return State.QUEUED

    def _ending(self) -> State | None:
        names = {each.command for each in self._commands.poll(at_once=True)}
        if self._is_signalled or "stop" in names:
            state = State.STOPPED
        elif "pause" in names:
            state = State.PAUSED
        else:
            return None
        text = message("It was {state} before its device was free.", state=state.label)
        self._job.append(StateChanged(state=state, attempt=self._job.history.attempt, reason=text))
        return state

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._is_signalled = True


def _without_figures(reason: str) -> object:
    """Return what is equal for reasons that differ by figures only, which change all the time."""
    if not isinstance(reason, Message):
        return reason
    return reason.template, [each for each in reason.values.values() if isinstance(each, str)]
