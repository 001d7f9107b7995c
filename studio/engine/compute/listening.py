"""Passes what a run tells on to somebody else, without the run waiting for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from studio.engine.errors import StudioError
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.events import Event

CLOSE_SECONDS = 15.0
"""How long the end of a run waits for what was not passed on yet."""


class QueuedListener:
    """Takes events in a thread of its own; trouble there is told once and stops nothing.

    Args:
        context: The running job.
        name: What it is called where it has trouble.
    """

    def __init__(self, context: JobContext, name: str) -> None:
        self._context = context
        self._name = name
        self._queue: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._is_silent = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def open(self) -> None:
        """Listen from now on."""
        self._thread.start()
        self._context.add_listener(self._queue.put)

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Pass on what came so far; what cannot be in so many seconds is lost."""
        self._queue.put(None)
        self._thread.join(seconds)
        self._is_silent = True  # the journal is about to be closed

    def take(self, event: Event) -> None:
        """Pass an event on."""
        raise NotImplementedError

    def finish(self) -> None:
        """Pass on what is left; nothing more will come."""

    def _run(self) -> None:
        while (event := self._queue.get()) is not None:
            self._try(self.take, event)
        self._try(self.finish)

    def _try(self, work: Callable[..., None], *given: Event) -> None:
        try:
            work(*given)
        except Exception as error:  # noqa: BLE001 - of libraries; training must not care
            self._tell(error)

    def _tell(self, error: Exception) -> None:
        if self._is_silent:
            return
        self._is_silent = True
        first_line = (str(error).splitlines() or [""])[0]
        try:
            self._context.warn(
                f"{self._name} gets nothing at the moment ({type(error).__name__}: {first_line}); "
                "training goes on."
            )
        except (StudioError, OSError):
            return  # whoever trains meets the same at his next line
