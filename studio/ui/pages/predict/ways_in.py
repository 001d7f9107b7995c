"""All ways for a picture into the page: dialogs, clipboard, web, webcam, part of the screen."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QWidget

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.datasets.sources.list_file import SUFFIXES as LIST_SUFFIXES
from studio.engine.errors import StudioError
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict import multimedia
from studio.ui.pages.predict.arrivals import Arrivals
from studio.ui.pages.predict.incoming import has_something, incoming, web_address
from studio.ui.pages.predict.live import Live
from studio.ui.pages.predict.multimedia import VIDEOS, Camera
from studio.ui.pages.predict.pictures import PastedPictures
from studio.ui.pages.predict.saving import FOLDER_KEY
from studio.ui.pages.predict.screen_picker import ScreenPicker
from studio.ui.pages.predict.state import Batch
from studio.ui.widgets.notices import Notice


class WaysIn(QObject):
    """Turns what people do into batches.

    Signals:
        arrived: A new `Batch`, perhaps without files for now.
        ready: A batch has its files now, or the reason why not.
        live_answered: The answered `Batch` of a frame of the webcam.
        live_changed: The webcam was switched on or off.
    """

    arrived = Signal(object)
    ready = Signal(object)
    live_answered = Signal(object)
    live_changed = Signal()

    def __init__(self, context: AppContext, owner: QWidget) -> None:
        super().__init__(owner)
        self._context = context
        self._owner = owner
        self.pasted = PastedPictures()
        # Not `destroyed`: it is emitted while the garbage collector takes this apart.
        weakref.finalize(self, self.pasted.close)
        self._arrivals = Arrivals(context, self.pasted, self)
        self._live = Live(context, self.pasted, self)
        self._camera: Camera | None = None
        self._arrivals.arrived.connect(self.arrived)
        self._arrivals.ready.connect(self.ready)
        self._live.answered.connect(self.live_answered)

    @property
    def is_live(self) -> bool:
        """Whether the webcam is on."""
        return self._camera is not None

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Files and folders."""
        self._arrivals.take_paths(paths)

    def take_data(self, data: QMimeData | None) -> bool:
        """What a drag or the clipboard holds; False when that is nothing."""
        found = incoming(data)
        if found is None:
            return False
        if found.paths:
            self.take_paths(found.paths)
        elif found.image is not None:
            self._arrivals.take_image(found.image, self.tr("Pasted picture"))
        else:
            self._arrivals.take_address(found.address)
        return True

    def paste(self, data: QMimeData | None) -> None:
        """What the clipboard holds; it is told where that looked like a picture and is none."""
        if not self.take_data(data) and has_something(data):
            self._refuse(
                StudioError(
                    self.tr("The picture in the clipboard cannot be read."),
                    self.tr("Copy it again, or save it as a file and drop that."),
                )
            )

    def fetch(self, batch: Batch) -> None:
        """Download the picture of a batch once more."""
        self._arrivals.fetch(batch)

    def open_files(self) -> None:
        """Ask for files."""
        paths = self._ask_files()
        if paths:
            self._context.settings.set_folder(FOLDER_KEY, paths[0].parent)
            self.take_paths(paths)

    def open_address(self) -> None:
        """Ask for an address of the web."""
        text = self._ask_address()
        if not text:
            return
        address = web_address(text)
        if address:
            self._arrivals.take_address(address)
        else:
            self._refuse(
                StudioError(
                    self.tr("“{text}” is no address of the web.").format(text=text[:80]),
                    self.tr("For example https://host/picture.jpg."),
                )
            )

    def open_screen(self) -> None:
        """Let a region of the screen be drawn."""
        picker = ScreenPicker(self._owner.window())
        picker.picked.connect(self.take_region)
        picker.start()

    def take_region(self, image: QImage) -> None:
        """A region of the screen was drawn."""
        self._arrivals.take_image(image, self.tr("Part of the screen"))

    def open_camera(self, model: RunChoice) -> None:
        """Switch the webcam on and answer what it shows with a model."""
        done = partial(self._on_loaded, model)
        self._context.background.run(self, multimedia.load, done, self._on_not_loaded)

    def _on_loaded(self, model: RunChoice, _nothing: None) -> None:
        camera = Camera(self)
        try:
            camera.start()
        except StudioError as error:
            camera.stop()
            self._refuse(error)
            return
        self.go_live(camera, model)

    def go_live(self, camera: Camera, model: RunChoice) -> None:
        """Answer the pictures of a camera that is on."""
        self.end_live()
        self._camera = camera
        self._live.start(model)
        camera.frame.connect(self._live.take)
        camera.failed.connect(self._on_camera_failed)
        self.live_changed.emit()

    def end_live(self) -> None:
        """Switch the webcam off."""
        if self._camera is None:
            return
        self._camera.stop()
        self._camera = None
        self._live.stop()
        self.live_changed.emit()

    def keep_live(self) -> None:
        """Keep the picture that the webcam shows now."""
        image = self._live.image
        self.end_live()
        if not image.isNull():
            self._arrivals.take_image(image, self.tr("Webcam"))

    def _on_not_loaded(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self._refuse(error)
        else:
            self._context.navigator.show_failure(error)

    def _on_camera_failed(self, words: str) -> None:
        self.end_live()
        self._refuse(StudioError(words))

    def _refuse(self, error: StudioError) -> None:
        self._context.navigator.notify(Notice("warning", error.message, error.hint))

    def _ask_address(self) -> str:
        text, is_sure = QInputDialog.getText(
            self._owner,
            self.tr("From the web"),
            self.tr("Address of a picture"),
            QLineEdit.EchoMode.Normal,
            "https://",
        )
        return text.strip() if is_sure else ""

    def _ask_files(self) -> list[Path]:
        endings = [
            " ".join(f"*{suffix}" for suffix in sorted(kinds))
            for kinds in (IMAGE_SUFFIXES, VIDEOS | {".gif"}, LIST_SUFFIXES)
        ]
        names, _ = QFileDialog.getOpenFileNames(
            self._owner,
            self.tr("Choose pictures"),
            str(self._context.settings.folder(FOLDER_KEY)),
            self.tr(
                "Pictures ({pictures});;Videos ({videos});;Lists ({lists});;All files (*)"
            ).format(pictures=endings[0], videos=endings[1], lists=endings[2]),
        )
        return [Path(name) for name in names]
