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
from studio.engine.jobs.device_claims import DeviceClaim
from studio.engine.jobs.events import Note, ProgressMade, StateChanged
from studio.engine.jobs.executors.handed_over import place_of
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, message
from studio.engine.workspace import Workspace

POLL_SECONDS: Final = 0.2


@contextlib.contextmanager
def devices_of(workspace: Workspace, job: Job) -> Iterator[State | None]:
    """Hold the devices of a job among all users and workspaces of this machine.

    Where the folder that the users share cannot be used, the job starts with a warning.

    Args:
        workspace: The workspace.
        job: A job whose lock this process holds, with the devices that the queue gave it.

    Yields:
        None when the job has its devices; otherwise the state in which it ended while it waited.
    """
    if not job.history.devices or place_of(job.history.devices):
        yield None
        return
    with contextlib.ExitStack() as stack:
        ended = None
        try:
            claim = stack.enter_context(DeviceClaim(workspace, job))
            ended = _Wait(job).until_ours(claim)
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

    def __init__(self, job: Job) -> None:
        self._job = job
        self._commands = CommandReader(job.record.folder, job.history.attempt)
        self._pause = threading.Event()
        self._is_signalled = False

    def until_ours(self, claim: DeviceClaim) -> State | None:
        """Wait; return the state in which the job ended if it was asked to end meanwhile."""
        reported = ""
        reason = claim.attempt()
        if reason:
            signal.signal(signal.SIGTERM, self._on_signal)
        while reason:
            if reason != reported:
                text = message("Waits: {reason}", reason=as_message(reason))
                self._job.append(ProgressMade(done=0, total=0, what=text))
                reported = reason
            if (ending := self._ending()) is not None:
                return ending
            self._pause.wait(POLL_SECONDS)
            reason = claim.attempt()
        return None

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
