"""Asks the engine host a question of one kind, part by part where the answer comes in parts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from studio.engine.jobs.host import EngineHost
from studio.ui.bridge.background import Background


class Asker(QObject):
    """Has one question open at a time; a new one makes the one before stale.

    An answer with `is_complete` that is false is followed by the same question, until it is true;
    questions of others come in between.

    Signals:
        answered: An answer, perhaps in part.
        failed: What went wrong, an exception.
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
        """Ask `op` of the engine host, which answers with `answer`."""
        super().__init__(parent)
        self._background = background
        self._engine = engine
        self._op = op
        self._answer = answer
        self._ticket = 0
        self._is_open = False

    @property
    def is_waiting(self) -> bool:
        """Whether there is more to come."""
        return self._is_open

    def ask(self, make: Callable[[], BaseModel]) -> None:
        """Ask; the question is made in another thread, where it may read files."""
        self.drop()
        self._is_open = True
        self._send(make)

    def drop(self) -> None:
        """Take no notice of answers that are still to come."""
        self._ticket += 1
        self._is_open = False

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
            self._is_open = False
        else:
            self._send(partial(_same, question))
        self.answered.emit(answer)

    def _on_failed(self, ticket: int, error: BaseException) -> None:
        if ticket == self._ticket:
            self._is_open = False
            self.failed.emit(error)


def _asked(
    engine: EngineHost, op: str, make: Callable[[], BaseModel], answer: type[BaseModel]
) -> tuple[BaseModel, Future[BaseModel]]:
    question = make()
    return question, engine.ask(op, question, answer)


def _same(question: BaseModel) -> BaseModel:
    return question
