"""The worker here of a job that a machine runs which ssh reaches.

It computes nothing. While the network is gone the job continues there, and this process tries
again until it is back. It may be killed at any time, and started again for the same attempt.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
import traceback
from types import FrameType
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.files import clear_system_error, remove
from studio.engine.jobs import commands
from studio.engine.jobs.events import ProgressMade, StateChanged
from studio.engine.jobs.executors.handed_over import HANDED_OVER, cut_off, reached_again
from studio.engine.jobs.executors.handed_over import is_cut_off as says_cut_off
from studio.engine.jobs.executors.host import find_machine
from studio.engine.jobs.executors.setup import bring_program
from studio.engine.jobs.executors.ssh import AgentConnection, ConnectionLostError
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.progress import Cancelled
from studio.engine.worker.failures import failed_by
from studio.engine.worker.machines.sent_job import SentJob
from studio.engine.workspace import Workspace

POLL_SECONDS: Final = 0.5
RETRY_SECONDS: Final = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Time before the connection is tried again, longer each time."""
MIN_FAILURES: Final = 3
"""Attempts to connect before a job that was asked to stop ends here alone."""
_MEGABYTE: Final = 10**6


def relay(workspace: Workspace, job: Job, place: str) -> None:
    """Run a job on another machine; see `Executor`.

    Args:
        workspace: The workspace.
        job: A run whose lock this process holds.
        place: The machine.
    """
    relayed = _Relay(workspace, job, place)
    signal.signal(signal.SIGTERM, relayed.on_signal)
    try:
        relayed.run()
    except Cancelled:
        return
    except (StudioError, OSError, KeyError, TypeError, ValueError) as error:
        relayed.give_up(error)


class _Relay:
    def __init__(self, workspace: Workspace, job: Job, host: str) -> None:
        self._job = job
        self._host = host
        self._sent = SentJob(workspace, job, host)
        self._commands = commands.CommandReader(job.record.folder, job.history.attempt)
        self._pause = threading.Event()
        self._next_report = 0.0
        self._is_leaving = False
        self._is_connected = False
        self._failures = 0

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Leave: the job continues there, and another process follows it later."""
        self._is_leaving = True
        self._pause.set()

    def run(self) -> None:
        """Run the job; returns when it is over.

        Raises:
            Cancelled: It ended here before it began there, or this process has to end.
            StudioError: It cannot run there.
            OSError: A file here cannot be written.
            KeyError: An answer from there is not what it has to be; or TypeError, ValueError.
        """
        while True:
            try:
                self._follow()
            except ConnectionLostError as error:
                # Before it began there is nothing to come back to, and the user learns at once.
                if not self._sent.is_handed_over:
                    raise
                sys.stderr.write(f"{error.message}\n")
                self._await_connection()
            else:
                return

    def give_up(self, error: Exception) -> None:
        """End the job because of an error, here and, if that is possible, there.

        Args:
            error: What `run` raised.
        """
        clear = clear_system_error(error)
        if not isinstance(clear, StudioError):
            traceback.print_exception(error)
            clear = StudioError(
                "The job on {host} cannot be followed: {reason}",
                "Its results so far are kept. Resume it, here or there.",
                "host",
                host=self._host,
                reason=f"{type(error).__name__}: {error}",
            )
        if self._sent.is_handed_over:
            with contextlib.suppress(StudioError, OSError), self._connection() as agent:
                self._sent.stop(agent)
        self._job.refresh()
        if self._job.history.state.has_worker:
            remove(self._job.record.folder / HANDED_OVER)
            self._job.append(failed_by(self._job, clear))

    def _follow(self) -> None:
        """Connect and follow the job until it is over."""
        with self._connection() as agent:
            if not self._sent.is_handed_over:
                self._sent.bring(agent, self._on_sent, find_machine(self._host).launcher)
            elif not self._sent.is_begun:  # the reply was lost; perhaps it is queued there
                self._sent.begin(agent, find_machine(self._host).launcher)
            while not self._sent.sync(agent):
                self._on_answer()
                self._rest(POLL_SECONDS)

    def _connection(self) -> AgentConnection:
        machine = find_machine(self._host)
        return AgentConnection(machine, bring_program(machine))

    def _on_answer(self) -> None:
        if not self._is_connected:
            self._is_connected, self._failures = True, 0
            self._report(is_cut_off=False)

    def _await_connection(self) -> None:
        """Wait before the next attempt to connect; end the job here if that was asked for.

        Raises:
            Cancelled: It ended here, or this process has to end.
        """
        self._is_connected = False
        seconds = RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS) - 1)]
        self._failures += 1
        if self._failures > 1:  # the first may be a short break
            self._report(is_cut_off=True)
        until = time.monotonic() + seconds
        while True:
            if self._failures >= MIN_FAILURES and self._is_to_stop():
                self._end_as_lost()
            left = until - time.monotonic()
            if left <= 0:
                return
            self._rest(min(1.0, left))

    def _report(self, *, is_cut_off: bool) -> None:
        """Write what became of the connection, if the journal says something else."""
        self._job.refresh()
        progress = self._job.history.progress
        if (progress is not None and says_cut_off(progress.what)) != is_cut_off:
            text = cut_off(self._host) if is_cut_off else reached_again(self._host)
            self._job.append(ProgressMade(done=0, total=0, what=text))

    def _is_to_stop(self) -> bool:
        """Return True if the attempt that runs there was ever asked to stop."""
        reader = commands.CommandReader(self._job.record.folder, self._job.history.attempt)
        return any(each.command == "stop" for each in reader.poll(at_once=True))

    def _end_as_lost(self) -> None:
        self._job.refresh()
        remove(self._job.record.folder / HANDED_OVER)
        lost = StateChanged(
            state=State.LOST,
            attempt=self._job.history.attempt,
            reason=message(
                "{host} cannot be reached, so the job was not stopped there.", host=self._host
            ),
            hint="The results so far are kept.",
        )
        self._job.append(lost)
        raise Cancelled

    def _rest(self, seconds: float) -> None:
        self._pause.wait(seconds)
        if self._is_leaving:
            raise Cancelled

    def _on_sent(self, done: int, total: int) -> None:
        """Report the progress of the copy, at most once a second, and see to requests."""
        self._end_if_asked()
        now = time.monotonic()
        if now >= self._next_report:
            self._next_report = now + 1
            text = message("Copies data to {host} (MB)", host=self._host)
            counts = done // _MEGABYTE, max(1, total // _MEGABYTE)
            self._job.append(ProgressMade(done=counts[0], total=counts[1], what=text))

    def _end_if_asked(self) -> None:
        names = {each.command for each in self._commands.poll(at_once=True)}
        if self._is_leaving or not names & {"stop", "pause"}:
            return
        state = State.STOPPED if "stop" in names else State.PAUSED
        text = message(
            "It was {state} before it began on {host}.", state=state.label, host=self._host
        )
        self._job.append(StateChanged(state=state, attempt=self._job.history.attempt, reason=text))
        raise Cancelled
