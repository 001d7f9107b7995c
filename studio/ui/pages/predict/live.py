"""Live predictions for a webcam, as fast as the model gives them; no frame is kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.errors import StudioError
from studio.engine.files import remove
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.answers import Classifier
from studio.ui.pages.predict.pictures import Batch, PictureInput
from studio.ui.shared import media
from studio.ui.shared.media import Camera
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.layout import hbox


class LiveCamera(QObject):
    """Predicts a frame of the webcam only when the one before has its prediction.

    Signals:
        answered: The `Batch` of a frame with its prediction.
        changed: The webcam was switched on or off.
    """

    answered = Signal(object)
    changed = Signal()

    def __init__(self, context: AppContext, pictures: PictureInput, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._pictures = pictures
        self._classifier = Classifier(context, self)
        self._classifier.changed.connect(self._on_changed)
        self._camera: Camera | None = None
        self._model: RunChoice | None = None
        self._is_busy = False
        self._batch: Batch | None = None
        self._last: Path | None = None
        self._image = QImage()

    @property
    def is_on(self) -> bool:
        """True while the webcam is on."""
        return self._camera is not None

    def open(self, model: RunChoice) -> None:
        """Switch the webcam on and predict its frames with a model."""
        try:
            media.load()
        except StudioError as error:
            self._on_not_loaded(error)
        else:
            self._on_loaded(model)

    def start(self, camera: Camera, model: RunChoice) -> None:
        """Predict the frames of a camera that is on."""
        self.stop()
        self._camera, self._model = camera, model
        camera.frame.connect(self._on_frame)
        camera.failed.connect(self._on_camera_failed)
        self.changed.emit()

    def stop(self) -> None:
        """Switch the webcam off."""
        if self._camera is None:
            return
        self._camera.stop()
        self._camera, self._model, self._batch, self._is_busy = None, None, None, False
        self._classifier.cancel()
        self.changed.emit()

    def freeze(self) -> None:
        """Switch the webcam off and keep its last frame as a picture."""
        self.stop()
        if not self._image.isNull():
            self._pictures.take_image(self._image, self.tr("Webcam"))

    def _on_loaded(self, model: RunChoice) -> None:
        camera = Camera(self)
        try:
            camera.start()
        except StudioError as error:
            camera.stop()
            self._pictures.warn(error)
            return
        self.start(camera, model)

    def _on_not_loaded(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self._pictures.warn(error)
        else:
            self._context.navigator.show_failure(error)

    def _on_camera_failed(self, reason: str) -> None:
        self.stop()
        self._pictures.warn(StudioError(reason))

    def _on_frame(self, image: QImage) -> None:
        if self._model is None or self._is_busy:
            return
        self._is_busy = True
        self._image = image
        save = partial(self._pictures.pasted.save, image, ".bmp")
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
            self._context.background.run(self, partial(remove, self._last))
        self._last = batch.first
        self.answered.emit(batch)


class LiveBar(QWidget):
    """Buttons to keep the current frame of the webcam and to switch it off."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.keep_button = push_button(
            self.tr("Keep this picture"),
            theme,
            icon="image",
            tip=self.tr("Freezes the current frame."),
        )
        self.stop_button = push_button(
            self.tr("Switch off"), theme, icon="stop", tip=self.tr("Stops the webcam.")
        )
        line = QLabel(self.tr("The webcam is on."))
        hbox((line, 1), self.keep_button, self.stop_button, owner=self, spacing=SPACE.s)
        self.hide()
