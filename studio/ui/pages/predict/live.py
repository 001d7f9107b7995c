"""Answers for what a webcam shows, as fast as the model gives them; nothing is kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.engine.files import remove
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.classifier import Classifier
from studio.ui.pages.predict.pictures import PastedPictures
from studio.ui.pages.predict.state import Batch


class Live(QObject):
    """Takes a frame only when the one before is answered; the others pass by.

    Signals:
        answered: The `Batch` of a frame with its answer.
    """

    answered = Signal(object)

    def __init__(
        self, context: AppContext, pasted: PastedPictures, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._pasted = pasted
        self._classifier = Classifier(context, self)
        self._classifier.changed.connect(self._on_changed)
        self._model: RunChoice | None = None
        self._is_busy = False
        self._batch: Batch | None = None
        self._last: Path | None = None
        self.image = QImage()

    def start(self, model: RunChoice) -> None:
        """Answer with this model from now on."""
        self._model = model

    def stop(self) -> None:
        """Take no frame any more."""
        self._model, self._batch, self._is_busy = None, None, False
        self._classifier.drop()

    def take(self, image: QImage) -> None:
        """A frame came."""
        if self._model is None or self._is_busy:
            return
        self._is_busy = True
        self.image = image
        save = partial(self._pasted.save, image, ".bmp")
        self._context.background.run(self, save, self._on_saved, self._on_not_saved)

    def _on_saved(self, path: Path) -> None:
        if self._model is None:
            return
        self._batch = Batch((path,), title=self.tr("Webcam"))
        self._classifier.classify(self._batch, self._model)

    def _on_not_saved(self, error: BaseException) -> None:
        self._is_busy = False
        self._context.navigator.show_failure(error)

    def _on_changed(self, batch: Batch) -> None:
        if batch is not self._batch or not (batch.is_answered or batch.failure):
            return
        self._is_busy = False
        if self._last is not None:
            self._context.background.run(self, partial(_forget, self._last))
        self._last = batch.first
        self.answered.emit(batch)


def _forget(path: Path) -> None:
    remove(path)
