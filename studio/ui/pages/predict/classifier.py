"""Asks the engine host about what was dropped, and forgets answers that nobody waits for."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.inference.answers import PredictAnswer
from studio.engine.inference.sources import expand
from studio.engine.jobs.models import model_of_run
from studio.engine.workspace import Record, RecordKind
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.state import Batch, failure_of, next_request


class Classifier(QObject):
    """Answers one batch at a time; a new question makes the one before stale.

    Signals:
        changed: The `Batch` that was searched, answered in part, answered, or has failed.
    """

    changed = Signal(object)

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._ticket = 0
        self._warm: set[str] = set()

    def is_warm(self, model: RunChoice) -> bool:
        """Whether that model has answered before, so that it need not be loaded first."""
        return model.id in self._warm

    def classify(self, batch: Batch, model: RunChoice) -> None:
        """Ask a model about a batch, from the beginning."""
        self.drop()
        batch.model, batch.predictions, batch.failure = model, [], None
        if batch.pictures:
            self._ask(batch, model)
            return
        found = partial(self._on_found, batch, model, self._ticket)
        failed = partial(self._on_failed, batch, self._ticket)
        self._context.background.run(self, partial(expand, batch.dropped), found, failed)

    def drop(self) -> None:
        """Take no notice of answers that are still to come."""
        self._ticket += 1

    def _on_found(self, batch: Batch, model: RunChoice, ticket: int, pictures: list[Path]) -> None:
        if ticket != self._ticket:
            return
        batch.pictures = tuple(pictures)
        self.changed.emit(batch)
        self._ask(batch, model)

    def _ask(self, batch: Batch, model: RunChoice) -> None:
        # Asking may have to start the host first, which takes its time.
        ask = partial(_ask, self._context, batch, model)
        asked = partial(self._on_asked, batch, model, self._ticket)
        failed = partial(self._on_failed, batch, self._ticket)
        self._context.background.run(self, ask, asked, failed)

    def _on_asked(
        self, batch: Batch, model: RunChoice, ticket: int, answer: Future[PredictAnswer]
    ) -> None:
        done = partial(self._on_answer, batch, model, ticket)
        failed = partial(self._on_failed, batch, ticket)
        self._context.background.follow(self, answer, done, failed)

    def _on_answer(
        self, batch: Batch, model: RunChoice, ticket: int, answer: PredictAnswer
    ) -> None:
        self._warm.add(model.id)
        if ticket != self._ticket:
            return
        batch.predictions += answer.predictions
        if not batch.is_answered:
            self._ask(batch, model)
        self.changed.emit(batch)

    def _on_failed(self, batch: Batch, ticket: int, error: BaseException) -> None:
        if ticket != self._ticket:
            return
        # A host that died has forgotten its models.
        self._warm.clear()
        batch.failure = failure_of(error)
        if not isinstance(error, StudioError):
            self._context.desk.show_failure(error)
        self.changed.emit(batch)


def _ask(context: AppContext, batch: Batch, model: RunChoice) -> Future[PredictAnswer]:
    """Put the next question of a batch; reads what the model takes from the disk."""
    source = model_of_run(context.workspace, Record(RecordKind.RUN, model.folder))
    return context.engine.ask("predict", next_request(batch, source), PredictAnswer)
