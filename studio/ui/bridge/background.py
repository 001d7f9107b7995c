"""Work outside the window's thread: one call with `done` and `failed`, and nothing else.

    context.background.run(self, partial(read_summary, folder), self._on_summary)

Both callbacks run in the window's thread, unless their owner was deleted.
`Latest` drops the results of all calls but the last. `WindowProgress` reports the progress of such
work, `Asker` sends questions to the engine host.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, Final, TypeVar

import shiboken6
from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from studio.engine.files import clear_system_error
from studio.engine.jobs.host import EngineHost
from studio.engine.progress import Cancelled

T = TypeVar("T")
PartT = TypeVar("PartT")
_LONG_CALLS: Final = 16
CLOSING_SECONDS: Final = 2.0
"""How long a window that closes waits for running calls."""
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
        # Not Qt's pool: with PySide it keeps references to some finished calls and their data.
        self._pool = ThreadPoolExecutor(os.cpu_count(), "background")
        # What mostly waits for another process must not keep the others from their cores.
        self._long = ThreadPoolExecutor(_LONG_CALLS, "long")
        self._is_closed = False
        self._waiting: dict[Future[Any], tuple[QObject, Callable[[Any], None], Failed]] = {}
        self._running: dict[Future[None], str] = {}
        self._resolved.connect(self._on_resolved)
        self._reported.connect(self._on_reported)

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
        running = dict(self._running)
        wait(running, seconds)
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

    def _on_reported(
        self, future: Future[Any], part: Callable[[object], None], value: object
    ) -> None:
        entry = self._waiting.get(future)
        if entry is not None and shiboken6.isValid(entry[0]):
            part(value)


class Latest:
    """Runs calls in other threads of which only the last one counts.

    Results and errors of the calls before, and of those before `drop`, are ignored.

    Args:
        background: Runs the calls.
        owner: Callbacks are dropped when this object is deleted.
    """

    def __init__(self, background: Background, owner: QObject) -> None:
        self._background = background
        self._owner = owner
        self._number = 0

    def run(
        self, work: Callable[[], T], done: Callable[[T], None], failed: Failed | None = None
    ) -> None:
        """Run a call in another thread; see `Background.run`.

        Args:
            work: Touches no widget.
            done: Called with the result.
            failed: Called with the error; left out, it is shown as a notice.
        """
        self._number += 1
        number, failed = self._number, failed or self._background.failed.emit
        self._background.run(
            self._owner,
            work,
            partial(self._deliver, number, done),
            partial(self._deliver, number, failed),
        )

    def drop(self) -> None:
        """Ignore further results."""
        self._number += 1

    def _deliver(self, number: int, take: Callable[[Any], None], found: object) -> None:
        if number == self._number:
            take(found)


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


class WindowProgress(QObject):
    """The `Progress` of work that runs in a thread, with a way to cancel it.

    Signals:
        advanced: Amount done (images found, bytes received), total amount, 0 while unknown, and
            current step.
    """

    # Not int: Qt's ends at 2 GB.
    advanced = Signal(object, object, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.warnings: list[str] = []
        self._cancelled = False

    def cancel(self) -> None:
        """Ask the work to end; it raises `Cancelled` soon."""
        self._cancelled = True

    def advance(self, done: int, total: int, what: str) -> None:
        """Forward progress to the window's thread.

        Args:
            done: Finished units.
            total: All units.
            what: Name of the step.
        """
        self.check()
        self.advanced.emit(done, total, what)

    def warn(self, message: str) -> None:
        """Store a warning for the user."""
        self.warnings.append(message)

    def check(self) -> None:
        """Raise `Cancelled` if the end was requested.

        Raises:
            Cancelled: It was.
        """
        if self._cancelled:
            raise Cancelled


class Asker(QObject):
    """Has one pending request at a time; a new one makes the previous one stale.

    An answer with `is_complete` that is false is followed by the same question, until it is true;
    questions of others come in between.

    Attributes:
        is_waiting: True until the last result has arrived.

    Signals:
        answered: An answer, perhaps in part.
        failed: The error, an exception.
    """

    answered = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        background: Background,
        engine: EngineHost,
        op: str,
        answer: type[BaseModel],
        parent: QObject | None = None,
    ) -> None:
        """Send `op` to the engine host, whose reply is an `answer`."""
        super().__init__(parent)
        self._background = background
        self._engine = engine
        self._op = op
        self._answer = answer
        self._ticket = 0
        self.is_waiting = False

    def ask(self, make: Callable[[], BaseModel]) -> None:
        """Ask; the question is made in another thread, where it may read files."""
        self.drop()
        self.is_waiting = True
        self._send(make)

    def drop(self) -> None:
        """Take no notice of answers that are still to come."""
        self._ticket += 1
        self.is_waiting = False

    def _send(self, make: Callable[[], BaseModel]) -> None:
        # Asking may have to start the host first, which takes its time.
        work = partial(_asked, self._engine, self._op, make, self._answer)
        done = partial(self._on_asked, self._ticket)
        self._background.run(self, work, done, partial(self._on_failed, self._ticket))

    def _on_asked(self, ticket: int, sent: tuple[BaseModel, Future[BaseModel]]) -> None:
        question, future = sent
        done = partial(self._on_answer, ticket, question)
        self._background.follow(self, future, done, partial(self._on_failed, ticket))

    def _on_answer(self, ticket: int, question: BaseModel, answer: BaseModel) -> None:
        if ticket != self._ticket:
            return
        if getattr(answer, "is_complete", True):
            self.is_waiting = False
        else:
            self._send(partial(_same, question))
        self.answered.emit(answer)

    def _on_failed(self, ticket: int, error: BaseException) -> None:
        if ticket == self._ticket:
            self.is_waiting = False
            self.failed.emit(error)


def _asked(
    engine: EngineHost, op: str, make: Callable[[], BaseModel], answer: type[BaseModel]
) -> tuple[BaseModel, Future[BaseModel]]:
    question = make()
    return question, engine.ask(op, question, answer)


def _same(question: BaseModel) -> BaseModel:
    return question
