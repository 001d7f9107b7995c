"""Requests: work outside the window's thread of which only the last one counts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from studio.engine.jobs.host import EngineHost
from studio.engine.progress import Cancelled
from studio.ui.bridge.background import Background, Failed

T = TypeVar("T")
PartT = TypeVar("PartT")
ReplyT = TypeVar("ReplyT", bound=BaseModel)


def _ignore(_nothing: None) -> None:
    """Do nothing at the end of a stream."""


class Cancellation:
    """Tells work in another thread that it should end."""

    def __init__(self) -> None:
        self._is_cancelled = False

    def cancel(self) -> None:
        """Ask the work to end soon."""
        self._is_cancelled = True

    def is_cancelled(self) -> bool:
        """Return True if the work should end; called in its thread."""
        return self._is_cancelled


class PartSender(Cancellation, Generic[PartT]):
    """Sends the parts of a result from the thread of the work, see `Request.stream`.

    Attributes:
        send: Sends a part.
    """

    send: Callable[[PartT], None]


class RequestProgress(Cancellation):
    """The `Progress` of the work of a request; work that should end raises `Cancelled`.

    Args:
        report: Receives amount done, total amount and current step, as a tuple, in the thread of
            the work.

    Attributes:
        warnings: What the user should know.
    """

    def __init__(self, report: Callable[[tuple[int, int, str]], None]) -> None:
        super().__init__()
        self.warnings: list[str] = []
        self._report = report

    def advance(self, done: int, total: int, what: str) -> None:
        """Report progress, and end the work if this was requested.

        Args:
            done: Finished units.
            total: All units.
            what: Name of the step.
        """
        self.check()
        self._report((done, total, what))

    def warn(self, message: str) -> None:
        """Store a warning for the user."""
        self.warnings.append(message)

    def check(self) -> None:
        """Raise `Cancelled` if the end was requested.

        Raises:
            Cancelled: It was.
        """
        if self.is_cancelled():
            raise Cancelled


class _CurrentWork:
    """The work that runs and can end early; outlives the request, whose deletion cancels it."""

    def __init__(self) -> None:
        self.value: Cancellation | None = None

    def cancel(self) -> None:
        if self.value is not None:
            self.value.cancel()


class Request(QObject):
    """Work outside the window's thread; new work replaces the work before.

    Results, progress and errors of replaced work are ignored, and those of all work after `drop`
    or the deletion of the owner. Work that is tracked or streamed also ends early then, and when
    the window closes.

        self._reading = Request(context.background, self)
        self._reading.run(partial(read_summary, folder), self._on_summary)

    Args:
        background: Runs the work.
        owner: Parent.

    Attributes:
        is_running: True until the last result has arrived.

    Signals:
        advanced: Amount done (images found, bytes received), total amount, 0 while unknown, and
            current step, of work that was started with `track`.
    """

    # Not int: Qt's ends at 2 GB.
    advanced = Signal(object, object, str)

    def __init__(self, background: Background, owner: QObject) -> None:
        super().__init__(owner)
        self._background = background
        self._number = 0
        self._current = _CurrentWork()
        self.is_running = False
        background.closing.connect(self.stop)
        self.destroyed.connect(self._current.cancel)

    def run(
        self, work: Callable[[], T], done: Callable[[T], None], failed: Failed | None = None
    ) -> None:
        """Run work in another thread.

        Args:
            work: Touches no widget.
            done: Called with the result.
            failed: Called with the error; left out, it is shown as a notice.
        """
        self._background.run(self, work, *self._callbacks(done, failed))

    def track(
        self,
        work: Callable[[RequestProgress], T],
        done: Callable[[T], None],
        failed: Failed | None = None,
    ) -> None:
        """Run work that reports its progress and can be stopped.

        Args:
            work: Takes the progress; touches no widget.
            done: Called with the result.
            failed: Called with the error, also `Cancelled`; left out, it is shown as a notice.
        """
        callbacks = self._callbacks(done, failed)
        receive = partial(self._on_reported, self._number)
        progress = RequestProgress(self._background.sender_to(self, receive))
        self._current.value = progress
        self._background.run(self, partial(work, progress), *callbacks)

    def stream(
        self,
        work: Callable[[PartSender[PartT]], None],
        part: Callable[[PartT], object],
        done: Callable[[None], None] = _ignore,
        failed: Failed | None = None,
    ) -> None:
        """Run work that delivers its result in parts and can be stopped.

        Args:
            work: Sends parts, and ends soon once it is cancelled; touches no widget.
            part: Called with each part, in their order and before `done` or `failed`.
            done: Called at the end, with nothing.
            failed: Called with the error; left out, it is shown as a notice.
        """
        callbacks = self._callbacks(done, failed)
        take = partial(self._take_part, self._number, part)
        sender = self._current.value = PartSender[PartT]()
        self._background.stream(self, partial(_streamed, work, sender), take, *callbacks)

    def ask(
        self,
        engine: EngineHost,
        op: str,
        make: Callable[[], BaseModel],
        reply: type[ReplyT],
        done: Callable[[ReplyT], None],
        failed: Failed | None = None,
    ) -> None:
        """Send a question to the engine host.

        A reply with `is_complete` that is false is followed by the same question, until it is
        true; questions of others come in between.

        Args:
            engine: The host.
            op: Operation of the host.
            make: Returns the question; called in another thread, where it may read files.
            reply: Type of the reply.
            done: Called with each reply.
            failed: Called with the error; left out, it is shown as a notice.
        """
        work = partial(_asked, engine, op, make, reply)
        again = partial(self.ask, engine, op, reply=reply, done=done, failed=failed)

        def on_reply(question: BaseModel, found: ReplyT) -> None:
            if not getattr(found, "is_complete", True):
                again(make=partial(_same, question))
            done(found)

        def on_asked(sent: tuple[BaseModel, Future[ReplyT]]) -> None:
            self.is_running = True
            question, future = sent
            deliver = partial(self._deliver, self._number, partial(on_reply, question))
            self._background.follow(self, future, deliver, on_failed)

        # Asking may have to start the host first, which takes its time.
        deliver, on_failed = self._callbacks(on_asked, failed)
        self._background.run(self, work, deliver, on_failed)

    def stop(self) -> None:
        """Ask work to end: tracked work fails with `Cancelled`, a stream is done early."""
        self._current.cancel()

    def drop(self) -> None:
        """Ignore what is still to come, and end work that can end early."""
        self.stop()
        self._number += 1
        self._current.value = None
        self.is_running = False

    def _callbacks(
        self, done: Callable[[Any], None], failed: Failed | None
    ) -> tuple[Callable[[Any], None], Failed]:
        """Begin new work; return what receives its result and its error."""
        self.drop()
        self.is_running = True
        failed = failed or self._background.failed.emit
        number = self._number
        return partial(self._deliver, number, done), partial(self._deliver, number, failed)

    def _deliver(self, number: int, take: Callable[[Any], None], found: object) -> None:
        if number == self._number:
            self._current.value = None
            self.is_running = False
            take(found)

    def _take_part(self, number: int, take: Callable[[PartT], object], part: PartT) -> None:
        if number == self._number:
            take(part)

    def _on_reported(self, number: int, reported: tuple[int, int, str]) -> None:
        if number == self._number:
            self.advanced.emit(*reported)


def _streamed(
    work: Callable[[PartSender[PartT]], None],
    sender: PartSender[PartT],
    send: Callable[[PartT], None],
) -> None:
    sender.send = send
    work(sender)


def _asked(
    engine: EngineHost, op: str, make: Callable[[], BaseModel], reply: type[ReplyT]
) -> tuple[BaseModel, Future[ReplyT]]:
    question = make()
    return question, engine.ask(op, question, reply)


def _same(question: BaseModel) -> BaseModel:
    return question
