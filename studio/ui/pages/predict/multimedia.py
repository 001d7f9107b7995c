"""Webcam and video files through Qt Multimedia, which comes with the extra `camera`.

`load` comes first, in another thread.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QImage

from studio.engine.errors import StudioError

VIDEOS: Final = frozenset({".mp4", ".m4v", ".mov", ".avi", ".mkv", ".webm", ".mpg", ".mpeg"})
MOST_FRAMES: Final = 120
"""Frames of a video file that are looked at, evenly over the whole."""
_LEAST_STEP_MS: Final = 100
_SILENCE_MS: Final = 10_000


def missing() -> str:
    """Why Qt Multimedia cannot be used; empty where it is installed. Quick: loads nothing."""
    if importlib.util.find_spec("PySide6.QtMultimedia") is not None:
        return ""
    return QCoreApplication.translate(
        "predict", "This needs Qt Multimedia: pip install 'studio-trainer[camera]'"
    )


def load() -> None:
    """Load Qt Multimedia, which takes a moment: for another thread than the window's.

    Raises:
        StudioError: It is not installed, or cannot be loaded.
    """
    reason = missing()
    if reason:
        raise StudioError(reason)
    try:
        importlib.import_module("PySide6.QtMultimedia")
    except ImportError as error:  # a library of the system is not there, of sound for example
        pattern = QCoreApplication.translate("predict", "Qt Multimedia cannot be loaded: {reason}")
        raise StudioError(pattern.format(reason=error)) from error


class Camera(QObject):
    """The pictures of the first webcam.

    Signals:
        frame: A `QImage`.
        failed: A sentence that says why there are no pictures.
    """

    frame = Signal(object)
    failed = Signal(str)

    def start(self) -> None:
        """Switch it on.

        Raises:
            StudioError: There is no camera.
        """
        from PySide6.QtMultimedia import (  # noqa: PLC0415 - an extra
            QCamera,
            QMediaCaptureSession,
            QMediaDevices,
            QVideoSink,
        )

        device = QMediaDevices.defaultVideoInput()
        if device.isNull():
            raise StudioError(
                self.tr("No camera was found."),
                self.tr("Connect one, and allow Studio to use it."),
            )
        self._session = QMediaCaptureSession(self)
        self._camera = QCamera(device, self)
        self._sink = QVideoSink(self)
        self._session.setCamera(self._camera)
        self._session.setVideoSink(self._sink)
        self._sink.videoFrameChanged.connect(self._on_frame)
        self._camera.errorOccurred.connect(self._on_error)
        self._camera.start()

    def stop(self) -> None:
        """Switch it off; it is not used any more."""
        if hasattr(self, "_camera"):
            self._camera.stop()
        self.deleteLater()

    def _on_frame(self, frame: object) -> None:
        image = _image_of(frame)
        if not image.isNull():
            self.frame.emit(image)

    def _on_error(self, _error: object, words: str) -> None:
        self.failed.emit(words or self.tr("The camera gives no pictures."))


class VideoReader(QObject):
    """Goes through a video file and keeps a frame every so often.

    Signals:
        frame: A `QImage` and the second that it stands at.
        finished: Nothing more comes; a sentence that says why there was nothing, or empty.
    """

    frame = Signal(object, float)
    finished = Signal(str)

    def start(self, path: Path) -> None:
        """Begin to read."""
        from PySide6.QtMultimedia import QMediaPlayer, QVideoSink  # noqa: PLC0415 - an extra

        self._step = self._next = self._count = 0
        self._player = QMediaPlayer(self)
        self._sink = QVideoSink(self)
        self._player.setVideoSink(self._sink)
        self._silence = QTimer(self)
        self._silence.setSingleShot(True)
        self._silence.setInterval(_SILENCE_MS)
        self._silence.timeout.connect(self._on_silence)
        self._sink.videoFrameChanged.connect(self._on_frame)
        self._player.errorOccurred.connect(self._on_error)
        self._player.setSource(QUrl.fromLocalFile(str(path)))
        self._player.pause()
        self._silence.start()

    def _on_frame(self, frame: object) -> None:
        length = self._player.duration()
        at = self._player.position()
        image = _image_of(frame)
        if image.isNull() or length <= 0 or at < self._next:
            return
        self._step = self._step or max(_LEAST_STEP_MS, length // MOST_FRAMES)
        self._silence.start()
        self._count += 1
        self.frame.emit(image, at / 1000)
        self._next = at + self._step
        if self._next >= length or self._count >= MOST_FRAMES:
            self._end("")
        else:
            self._player.setPosition(self._next)

    def _on_error(self, _error: object, words: str) -> None:
        self._end(words or self.tr("The video cannot be read."))

    def _on_silence(self) -> None:
        self._end("" if self._count else self.tr("The video gives no pictures."))

    def _end(self, reason: str) -> None:
        self._sink.videoFrameChanged.disconnect(self._on_frame)
        self._player.errorOccurred.disconnect(self._on_error)
        self._silence.stop()
        self._player.stop()
        self.finished.emit(reason)
        self.deleteLater()


def _image_of(frame: object) -> QImage:
    """A `QVideoFrame` as a picture; null where it holds none."""
    to_image = getattr(frame, "toImage", None)
    found = to_image() if callable(to_image) else None
    return found if isinstance(found, QImage) else QImage()
