"""Work outside the window's thread: one call with `done` and `failed`, and nothing else.

    context.background.run(self, partial(read_summary, folder), self._on_summary)

Both callbacks run in the window's thread, unless their owner was deleted.
`Request` drops the results of all calls but the last, reports their progress and ends them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, Final, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Signal

from studio.engine.files import clear_system_error

T = TypeVar("T")
PartT = TypeVar("PartT")
_LONG_CALLS: Final = 16
CLOSING_SECONDS: Final = 2.0
"""Seconds that a window that closes waits for running calls."""
Failed = Callable[[BaseException], None]


class Background(QObject):
    """Runs calls in a thread pool and brings their results back to the window's thread.

    Signals:
        failed: An error that the caller did not want to see itself.
        closing: `close` is about to wait for what runs; who can, ends it now.
    """

    failed = Signal(object)
    closing = Signal()
    _resolved = Signal(object)
    _reported = Signal(object, object, object)
    _sent = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Not Qt's pool: with PySide it keeps references to some finished calls and their data.
        self._pool = ThreadPoolExecutor(os.cpu_count(), "background")
        # What mostly waits for another process must not keep the others from their cores.
        self._long = ThreadPoolExecutor(_LONG_CALLS, "long")
        self._is_closed = False
        self._waiting: dict[Future[Any], tuple[QObject, Callable[[Any], None], Failed]] = {}
        self._running: dict[Future[None], str] = {}
        self._resolved.connect(self._on_resolved)
        self._reported.connect(self._on_reported)
        self._sent.connect(self._on_sent)

    def run(
        self,
        owner: QObject,
        work: Callable[[], T],
        done: Callable[[T], None] | None = None,
        failed: Failed | None = None,
        ended: Callable[[], None] | None = None,
    ) -> None:
        """Do `work` in another thread.

        Args:
            owner: Callbacks are dropped when this object is deleted.
            work: Function that uses no widgets.
            done: Called with the result, if given.
            failed: Called with the error; by default a notice shows it.
            ended: Called before either of them: makes controls available again in any case.
        """
        done, failed = done or _ignore, failed or self.failed.emit
        if ended is not None:
            done, failed = partial(_after, ended, done), partial(_after, ended, failed)
        self._start(self._pool, owner, Future(), work, done, failed)

    def stream(
        self,
        owner: QObject,
        work: Callable[[Callable[[PartT], None]], None],
        part: Callable[[PartT], object],
        done: Callable[[None], None] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Run `work` in another thread and deliver several results.

        Args:
            owner: Callbacks are dropped when this object is deleted.
            work: Touches no widget, gives parts to what it is called with, and ends soon after
                `closing`.
            part: Called with each part, in their order and before `done` or `failed`.
            done: Called at the end, with nothing; left out where the parts are enough.
            failed: Called with the error; left out, it is shown as a notice.
        """
        future: Future[None] = Future()
        report = partial(self._reported.emit, future, part)
        self._start(self._long, owner, future, partial(work, report), done or _ignore, failed)

    def follow(
        self,
        owner: QObject,
        future: Future[T],
        done: Callable[[T], None],
        failed: Failed | None = None,
    ) -> None:
        """Deliver the result of a future, for example of the engine host, in the window's thread.

        Args:
            owner: The result is dropped when this object is deleted.
            future: The future.
            done: Called with the result.
            failed: Called with the error; by default it is reported.
        """
        self._waiting[future] = (owner, done, failed or self.failed.emit)
        future.add_done_callback(self._resolved.emit)

    def ask(
        self,
        owner: QObject,
        request: Callable[[], Future[T]],
        done: Callable[[T], None],
        failed: Failed | None = None,
    ) -> None:
        """Send a request to the engine host and deliver its answer in the window's thread.

        Args:
            owner: The answer is dropped when this object is deleted.
            request: Sends the request in another thread: the host may have to start first.
            done: Called with the answer.
            failed: Called with the error; by default it is reported.
        """
        follow = partial(self.follow, owner, done=done, failed=failed)
        self.run(owner, request, follow, failed)

    def sender_to(
        self, owner: QObject, receive: Callable[[PartT], object]
    ) -> Callable[[PartT], None]:
        """Return a function for other threads that delivers a value in the window's thread.

        A signal of the owner itself must not be emitted there: it may be deleted at that moment.

        Args:
            owner: Values are dropped when this object is deleted.
            receive: Called with the value.
        """
        return partial(self._sent.emit, owner, receive)

    @property
    def is_idle(self) -> bool:
        """True if no work is running."""
        return not self._waiting

    def close(self, seconds: float = CLOSING_SECONDS) -> list[str]:
        """Cancel work and wait a little for it; nothing new starts, and callbacks are dropped.

        Args:
            seconds: Maximum time to wait.

        Returns:
            Names of the functions that still run. The interpreter would wait for them at its end.
        """
        self.closing.emit()
        self._is_closed = True
        self._waiting.clear()
        for pool in (self._pool, self._long):
            pool.shutdown(wait=False, cancel_futures=True)
        wait(dict(self._running), seconds)
        return self.running()

    def running(self) -> list[str]:
        """Return the names of the functions that run now."""
        running = dict(self._running)
        return sorted({name for future, name in running.items() if not future.done()})

    def _start(
        self,
        pool: ThreadPoolExecutor,
        owner: QObject,
        future: Future[T],
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Failed | None,
    ) -> None:
        if self._is_closed:
            return
        # Connected before it starts: finished work would call back from within this call.
        self.follow(owner, future, done, failed)
        submitted = pool.submit(_resolve, future, work)
        self._running[submitted] = _name_of(work)
        submitted.add_done_callback(self._running.pop)

    def _on_resolved(self, future: Future[Any]) -> None:
        entry = self._waiting.pop(future, None)
        if entry is None:
            return
        owner, done, failed = entry
        if future.cancelled() or not shiboken6.isValid(owner):
            return
        error = future.exception()
        if error is None:
            done(future.result())
        else:
            failed(clear_system_error(error))

    def _on_sent(self, owner: QObject, receive: Callable[[object], object], value: object) -> None:
        if shiboken6.isValid(owner):
            receive(value)

    def _on_reported(
        self, future: Future[Any], part: Callable[[object], None], value: object
    ) -> None:
        entry = self._waiting.get(future)
        if entry is not None and shiboken6.isValid(entry[0]):
            part(value)


def _name_of(work: Callable[..., object]) -> str:
    """Return the full name of a function, also of one with fixed arguments."""
    while isinstance(work, partial):
        work = work.func
    return f"{work.__module__}.{getattr(work, '__qualname__', type(work).__qualname__)}"


def _after(ended: Callable[[], None], take: Callable[[Any], None], value: object) -> None:
    ended()
    take(value)


def _ignore(_result: object) -> None:
    """Drop the result."""


def _resolve(future: Future[T], work: Callable[[], T]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - carried to the window's thread
        future.set_exception(error)
