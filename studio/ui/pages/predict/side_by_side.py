"""What further models say about the picture that is shown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.inference.predicting import predict_all
from studio.engine.inference.questions import Prediction
from studio.engine.inference.sources import Picture
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.classifier import Classifier
from studio.ui.pages.predict.state import TOP, Failure, failure_of

MOST: Final = 4
"""Models beside each other, the page's own among them; the engine keeps as many loaded."""
_KEPT: Final = 500
_Answer = Prediction | Failure
_Key = tuple[Path, str]


class SideBySide(QObject):
    """Asks the chosen models one after the other; an answer is asked for once.

    Signals:
        changed: Other models were chosen, another picture is asked about, or one has answered.
    """

    changed = Signal()

    def __init__(
        self, context: AppContext, classifier: Classifier, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._classifier = classifier
        self._models: list[RunChoice] = []
        self._picture: Path | None = None
        self._answers: dict[_Key, _Answer] = {}
        self._cancelled = threading.Event()
        context.background.closing.connect(self._drop)

    @property
    def models(self) -> list[RunChoice]:
        """The models beside the page's own."""
        return list(self._models)

    def set_models(self, models: Sequence[RunChoice]) -> None:
        """Have these models beside the page's own, at most `MOST` less one."""
        self._models = list(models)[: MOST - 1]
        self._ask()
        self.changed.emit()

    def show_picture(self, picture: Path | None) -> None:
        """Ask about a picture, or about none."""
        if picture != self._picture:
            self._picture = picture
            self._ask()
            self.changed.emit()

    def answers(self) -> list[tuple[RunChoice, _Answer | None]]:
        """What each model says about the picture; None while it is asked."""
        if self._picture is None:
            return []
        return [(model, self._answers.get((self._picture, model.id))) for model in self._models]

    def _ask(self) -> None:
        self._drop()
        picture = self._picture
        if picture is None:
            return
        wanted = [model for model in self._models if (picture, model.id) not in self._answers]
        if not wanted:
            return
        while len(self._answers) > _KEPT:
            self._answers.pop(next(iter(self._answers)))
        self._cancelled = cancelled = threading.Event()
        work = partial(self._work, picture, wanted, cancelled)
        part = partial(self._on_answer, picture)
        self._context.background.stream(self, work, part, self._on_done)

    def _drop(self) -> None:
        self._cancelled.set()

    def _work(
        self,
        picture: Path,
        models: Sequence[RunChoice],
        cancelled: threading.Event,
        report: Callable[[tuple[str, _Answer]], None],
    ) -> None:
        """In another thread: ask each model; that one cannot be asked says nothing of others."""
        for model in models:
            listener = _One(partial(_told, report, model.id), cancelled)
            try:
                source = self._classifier.source(model)
                predict_all(self._context.engine, source, [Picture(picture)], listener, TOP)
            except StudioError as error:
                report((model.id, failure_of(error)))

    def _on_answer(self, picture: Path, part: tuple[str, _Answer]) -> None:
        model, answer = part
        self._answers[picture, model] = answer
        self.changed.emit()

    def _on_done(self, _nothing: None) -> None:
        # A failure is told once, and the model asked anew when the picture comes again.
        self._answers = {
            key: answer
            for key, answer in self._answers.items()
            if key[0] == self._picture or not isinstance(answer, Failure)
        }


class _One:
    """Passes the one answer on."""

    def __init__(self, told: Callable[[Prediction], None], cancelled: threading.Event) -> None:
        self._told = told
        self._cancelled = cancelled

    def answered(self, predictions: Sequence[Prediction]) -> None:
        """The answer came."""
        self._told(predictions[0])

    def restarted(self) -> None:
        """Whoever answers for the page's own model tells of it."""

    def is_cancelled(self) -> bool:
        """Whether another picture is shown by now."""
        return self._cancelled.is_set()


def _told(
    report: Callable[[tuple[str, _Answer]], None], model: str, prediction: Prediction
) -> None:
    report((model, prediction))
