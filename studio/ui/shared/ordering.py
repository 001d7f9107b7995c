"""Jobs that a card of a page asks for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.ui.context import AppContext


class Order(Protocol):
    """A card that collects what is wanted."""

    def set_asking(self, *, is_asking: bool) -> None:
        """Whether an order is on its way; another one waits for that."""

    def show_problem(self, text: str) -> None:
        """Say what was wrong with the order."""


class Ordering(QObject):
    """Asks for jobs in another thread.

    Args:
        context: Of the window.
        order: Where plans come from, and where it is said what is wrong with one.
        request: Asks the queue for the job of a plan.

    Signals:
        accepted: The id of the record of a job that was asked for.
    """

    accepted = Signal(str)

    def __init__(
        self,
        context: AppContext,
        order: Order,
        request: Callable[[JobQueue, Any], Job],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._context, self._order, self._request = context, order, request

    def ask(self, plan: object) -> None:
        """Ask for the job of a plan."""
        self._order.set_asking(is_asking=True)
        work = partial(self._request, self._context.jobs.queue, plan)
        self._context.background.run(self, work, self._on_accepted, self._on_refused)

    def _on_accepted(self, job: Job) -> None:
        self._order.set_asking(is_asking=False)
        self._context.jobs.wake()
        self.accepted.emit(job.record.id)

    def _on_refused(self, error: BaseException) -> None:
        self._order.set_asking(is_asking=False)
        if isinstance(error, StudioError):
            self._order.show_problem(str(error))
        else:
            self._context.navigator.show_failure(error)
