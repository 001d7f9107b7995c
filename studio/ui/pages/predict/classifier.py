"""Has the engine host answer what was dropped, and forgets answers that nobody waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.predicting import predict_all
from studio.engine.inference.questions import Prediction
from studio.engine.inference.sources import Picture, find_pictures
from studio.engine.tasks import TASKS
from studio.engine.workspace import Record, RecordKind
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.state import TOP, Batch, failure_of

# What a thread tells of a batch: its pictures, the next answers, or that another host is asked.
_Part = list[Picture] | tuple[Prediction, ...] | None
_Report = Callable[[_Part], None]


class Classifier(QObject):
    """Answers one batch at a time; a new question makes the one before stale.

    Signals:
        changed: The `Batch` that was searched, answered in part, answered, or has failed.
    """

    changed = Signal(object)

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._cancelled = threading.Event()
        self._warm: set[str] = set()
        self._sources: dict[str, tuple[RunChoice, ModelSource]] = {}
        context.background.closing.connect(self.drop)

    def is_warm(self, model: RunChoice) -> bool:
        """Whether that model has answered before, so that it need not be loaded first."""
        return model.id in self._warm

    def classify(self, batch: Batch, model: RunChoice) -> None:
        """Ask a model about a batch, from the beginning."""
        batch.forget()
        batch.model = model
        if batch.known:
            batch.pictures = batch.known
        # Searched again: the classes of another model may say more about the folders.
        self._begin(batch, partial(self._work, model, batch.dropped, batch.known))

    def go_on(self, batch: Batch) -> None:
        """Ask about the pictures that have no answer yet, after `stop` or a failure."""
        if batch.model is None:
            return
        batch.is_stopped, batch.failure = False, None
        rest = batch.pictures[len(batch.predictions) :]
        self._begin(batch, partial(self._work, batch.model, batch.dropped, rest))

    def _begin(self, batch: Batch, work: Callable[[threading.Event, _Report], None]) -> None:
        self.drop()
        self._cancelled = cancelled = threading.Event()
        self._context.background.stream(
            self,
            partial(work, cancelled),
            partial(self._on_part, batch, cancelled),
            partial(self._on_done, cancelled),
            partial(self._on_failed, batch, cancelled),
        )

    def stop(self, batch: Batch) -> None:
        """Leave the rest of a batch without answers."""
        self.drop()
        batch.is_stopped = True
        self.changed.emit(batch)

    def drop(self) -> None:
        """Take no notice of answers that are still to come."""
        self._cancelled.set()

    def classes(self, model: RunChoice) -> tuple[str, ...]:
        """The classes of a model that was asked; none before."""
        known = self._sources.get(model.id)
        return () if known is None else known[1].classes

    def source(self, model: RunChoice) -> ModelSource:
        """What a run is asked by; reads it from the disk where it changed. From any thread."""
        known = self._sources.get(model.id)
        if known is not None and known[0] == model:
            return known[1]
        source = model_of_run(self._context.workspace, Record(RecordKind.RUN, model.folder))
        self._sources[model.id] = (model, source)
        return source

    def _work(
        self,
        model: RunChoice,
        dropped: Sequence[Path],
        pictures: Sequence[Picture],
        cancelled: threading.Event,
        report: _Report,
    ) -> None:
        """In another thread: look for the pictures unless they are known, and ask."""
        source = self.source(model)
        if not pictures:
            pictures = find_pictures(
                dropped, None if TASKS[source.task].has_targets else source.classes
            )
            report(list(pictures))
        asking = _Asking(report, cancelled)
        predict_all(self._context.engine, source, pictures, asking, TOP)

    def _on_part(self, batch: Batch, cancelled: threading.Event, part: _Part) -> None:
        if cancelled.is_set():
            return
        if part is None:
            batch.was_restarted = True
            self._warm.clear()
        elif isinstance(part, list):
            batch.pictures = tuple(part)
        else:
            batch.add(part)
            if batch.model is not None:
                self._warm.add(batch.model.id)
        self.changed.emit(batch)

    def _on_done(self, cancelled: threading.Event, _nothing: None) -> None:
        cancelled.set()

    def _on_failed(self, batch: Batch, cancelled: threading.Event, error: BaseException) -> None:
        if cancelled.is_set():
            return
        # A host that died has forgotten its models.
        self._warm.clear()
        batch.failure = failure_of(error)
        if not isinstance(error, StudioError):
            self._context.navigator.show_failure(error)
        self.changed.emit(batch)


class _Asking:
    """Carries answers from the asking thread to the window's."""

    def __init__(self, report: _Report, cancelled: threading.Event) -> None:
        self._report = report
        self._cancelled = cancelled

    def answered(self, predictions: Sequence[Prediction]) -> None:
        """Some answers came."""
        self._report(tuple(predictions))

    def restarted(self) -> None:
        """The host died, and another one is asked."""
        self._report(None)

    def is_cancelled(self) -> bool:
        """Whether the batch is not waited for any more."""
        return self._cancelled.is_set()
