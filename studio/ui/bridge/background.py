"""Work outside the window's thread: one call with `done` and `failed`, and nothing else.

    context.background.run(self, partial(read_summary, folder), self._on_summary)

Both callbacks run in the window's thread, and not at all when their owner is gone by then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Signal

from studio.engine.files import clear_system_error

T = TypeVar("T")
PartT = TypeVar("PartT")
_LONG_CALLS: Final = 16
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

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Not Qt's pool: it keeps, with PySide, some calls that are over, and all they work on.
        self._pool = ThreadPoolExecutor(os.cpu_count(), "background")
        # What mostly waits for another process must not keep the others from their cores.
        self._long = ThreadPoolExecutor(_LONG_CALLS, "long")
        self._is_closed = False
        self._waiting: dict[Future[Any], tuple[QObject, Callable[[Any], None], Failed]] = {}
        self._resolved.connect(self._on_resolved)
        self._reported.connect(self._on_reported)

    def run(
        self,
        owner: QObject,
        work: Callable[[], T],
        done: Callable[[T], None] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Do `work` in another thread.

        Args:
            owner: Whose business it is; when it is deleted, nobody is called back.
            work: Touches no widget.
            done: Called with the result; left out where there is none to wait for.
            failed: Called with the error; left out, it is shown as a notice.
        """
        self._start(self._pool, owner, Future(), work, done or _ignore, failed)

    def stream(
        self,
        owner: QObject,
        work: Callable[[Callable[[PartT], None]], None],
        part: Callable[[PartT], None],
        done: Callable[[None], None],
        failed: Failed | None = None,
    ) -> None:
        """Do `work` that takes long and tells more than once, in another thread.

        Args:
            owner: Whose business it is; when it is deleted, nobody is called back.
            work: Touches no widget, gives parts to what it is called with, and ends soon after
                `closing`.
            part: Called with each part, in their order and before `done` or `failed`.
            done: Called at the end, with nothing.
            failed: Called with the error; left out, it is shown as a notice.
        """
        future: Future[None] = Future()
        report = partial(self._reported.emit, future, part)
        self._start(self._long, owner, future, partial(work, report), done, failed)

    def follow(
        self,
        owner: QObject,
        future: Future[T],
        done: Callable[[T], None],
        failed: Failed | None = None,
    ) -> None:
        """Bring the result of a future, of the engine host for example, to the window's thread."""
        self._waiting[future] = (owner, done, failed or self.failed.emit)
        future.add_done_callback(self._resolved.emit)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is waited for."""
        return not self._waiting

    def close(self) -> None:
        """Wait for what runs; nothing is begun, and nobody is called back, any more."""
        self.closing.emit()
        self._is_closed = True
        self._waiting.clear()
        for pool in (self._pool, self._long):
            pool.shutdown(cancel_futures=True)

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
        # Followed before it begins: what is over by then would call back from within this call.
        self.follow(owner, future, done, failed)
        pool.submit(_resolve, future, work)

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

    def _on_reported(
        self, future: Future[Any], part: Callable[[object], None], value: object
    ) -> None:
        entry = self._waiting.get(future)
        if entry is not None and shiboken6.isValid(entry[0]):
            part(value)


def _ignore(_result: object) -> None:
    """Nobody waits for the result."""


def _resolve(future: Future[T], work: Callable[[], T]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - carried to the window's thread
        future.set_exception(error)
