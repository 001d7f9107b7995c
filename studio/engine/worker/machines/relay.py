"""The worker here of a job that a machine runs which ssh reaches.

It computes nothing. While the network is gone the job continues there, and this process tries
again until it is back. It may be killed at any time, and started again for the same attempt.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.files import remove
from studio.engine.jobs import commands
from studio.engine.jobs.events import ProgressMade, StateChanged
from studio.engine.jobs.executors.handed_over import HANDED_OVER
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
    except StudioError as error:
        job.refresh()
        if job.history.state.has_worker:
            remove(job.record.folder / HANDED_OVER)
            job.append(failed_by(job, error))


class _Relay:
    def __init__(self, workspace: Workspace, job: Job, host: str) -> None:
        self._job = job
        self._host = host
        self._sent = SentJob(workspace, job, host)
        self._commands = commands.CommandReader(job.record.folder, job.history.attempt)
        self._pause = threading.Event()
        self._next_report = 0.0
        self._is_leaving = False

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Leave: the job continues there, and another process follows it later."""
        self._is_leaving = True
        self._pause.set()

    def run(self) -> None:
        """Run the job; returns when it is over.

        Raises:
            Cancelled: It ended here before it began there, or this process has to end.
            StudioError: It cannot run there.
        """
        failures = 0
        while True:
            try:
                if self._follow():
                    return
            except ConnectionLostError as error:
                # Before it began there is nothing to come back to, and the user learns at once.
                if not self._sent.is_handed_over:
                    raise
                sys.stderr.write(f"{error.message}\n")
                seconds = RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)]
                failures += 1
                self._rest(seconds)
            else:
                failures = 0

    def _follow(self) -> bool:
        """Connect and follow the job until it is over; return True then."""
        machine = find_machine(self._host)
        code = bring_program(machine)
        with AgentConnection(machine, code) as agent:
            if not self._sent.is_handed_over:
                self._sent.bring(agent, self._on_sent)
            while not self._sent.sync(agent):
                self._rest(POLL_SECONDS)
        return True

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
