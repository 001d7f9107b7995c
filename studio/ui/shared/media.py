"""Picture files read for the screen, pasted pictures, webcam, video files, screen regions.

Reading and `PastedPictures` are called in other threads. The webcam needs Qt Multimedia, which
comes with the extra `camera`; `load` loads it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import tempfile
import threading
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import (
    QCoreApplication,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QImageReader,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QScreen,
)
from PySide6.QtWidgets import QRubberBand, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError, StudioError
from studio.engine.installation import install_command
from studio.engine.web.address import Reach, short_name
from studio.ui.widgets.pictures import to_image

if TYPE_CHECKING:
    from studio.engine.display_mapping import DisplayMapping
    from studio.engine.inference.frames import Frame
    from studio.engine.pictures.pyramids import Pyramid

ANIMATION_SUFFIXES: Final = frozenset({".gif", ".webp", ".png", ".apng"})
"""Suffixes of files that may be animations."""
_QT_FORMATS: Final = frozenset({b"png", b"jpeg", b"bmp", b"gif"})
"""Formats that Qt decodes. It has readers of SVG, PDF and others, which are no pictures to us and
can be made to compute forever; `read_picture` goes by the content and not by the suffix."""
_DEEP: Final = frozenset(
    {
        QImage.Format.Format_Grayscale16,
        QImage.Format.Format_RGBX64,
        QImage.Format.Format_RGBA64,
        QImage.Format.Format_RGBA64_Premultiplied,
    }
)
"""Pixels of 16 bits: Qt would cut them to 8."""
_LARGE_PIXELS: Final = 16_000_000
_LARGE: Final = threading.Lock()
_LARGEST_SIDE: Final = 2048
"""Pixels; more is not needed to fill a page, and would be slow to scale."""
_THUMB_SIDE: Final = 512
_LARGEST_DOWNLOAD: Final = 64 * 2**20
"""Bytes."""
_MOST_FRAMES: Final = 120
"""Frames of a video file that are predicted, evenly over the whole."""
_HIDING_MS: Final = 300
"""Time until a hidden window is gone from most screens."""
_SMALLEST_REGION: Final = 4
_SHADE: Final = QColor(0, 0, 0, 70)


@dataclass(frozen=True, slots=True)
class FilePicture:
    """A picture file as it is shown.

    Attributes:
        image: The picture, upright; null if it cannot be read.
        is_standard: True if screens show its pixels as they are.
        pyramid: A picture that is too large to be read at once; `image` is null then.
    """

    image: QImage
    is_standard: bool = True
    pyramid: Pyramid | None = None


def read_picture(
    path: Path, side: int = _LARGEST_SIDE, display: DisplayMapping | None = None
) -> QImage:
    """Return a picture upright; null if it cannot be read. See `read_file_picture`."""
    return read_file_picture(path, side, display).image


def read_file_picture(
    path: Path, side: int = _LARGEST_SIDE, display: DisplayMapping | None = None, plane: int = 0
) -> FilePicture:
    """Return a picture as it is shown.

    Args:
        path: The file.
        side: Longest side in pixels; larger pictures are made smaller.
        display: Colors and contrast of pictures that screens do not show as they are; None for
            those that suit the file.
        plane: Number of the plane, from 0.
    """
    reader = QImageReader(str(path))
    # By its first bytes: suffixes are often wrong.
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    if bytes(reader.format().data()) not in _QT_FORMATS or reader.imageFormat() in _DEEP:
        return _read_any(path, side, display, plane)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > side:
        reader.setScaledSize(size.scaled(QSize(side, side), Qt.AspectRatioMode.KeepAspectRatio))
    with _alone_if_large(size.width() * size.height()):
        image = reader.read()
    return FilePicture(_read_with_pillow(path, side) if image.isNull() else image)


def _read_any(path: Path, side: int, display: DisplayMapping | None, plane: int) -> FilePicture:
    """Read a picture of a format, or of pixels, that Qt does not show."""
    from studio.engine.datasets.picture_display import (  # noqa: PLC0415 - NumPy
        read_large,
        read_unusual,
    )
    from studio.engine.display_mapping import reduced  # noqa: PLC0415 - OpenCV

    try:
        found = read_large(path, plane) or read_unusual(path, plane, _alone_if_large)
    except (OSError, StudioError):
        return FilePicture(QImage())
    if found is None:
        return FilePicture(_read_with_pillow(path, side))
    image = to_image(reduced(found.pixels, side), found.mapping(display))
    if max(image.width(), image.height()) > side:
        mode, smooth = Qt.AspectRatioMode, Qt.TransformationMode.SmoothTransformation
        image = image.scaled(side, side, mode.KeepAspectRatio, smooth)
    return FilePicture(image, is_standard=False)


@contextlib.contextmanager
def _alone_if_large(pixels: int) -> Iterator[None]:
    """Let only one thread at a time decode a large picture, which takes up to half a gigabyte."""
    with _LARGE if pixels > _LARGE_PIXELS else contextlib.nullcontext():
        yield


def load_thumbnail(key: Hashable, folder: Path | None = None) -> QImage:
    """Return a small picture for a grid.

    Args:
        key: The path as text.
        folder: Folder of the dataset or the labeling whose colors and contrast are used.
    """
    return read_picture(Path(str(key)), _THUMB_SIDE, chosen_display(folder))


def chosen_display(folder: Path | None) -> DisplayMapping | None:
    """Return the colors and contrast of a dataset or a labeling; None for none.

    Args:
        folder: Folder of the record; None if there is none.
    """
    from studio.engine.datasets.display import read_display  # noqa: PLC0415 - NumPy

    return None if folder is None else read_display(folder)


class NetworkInput(NamedTuple):
    """The input of a network for a picture.

    Attributes:
        image: The picture in the size and colors of the dataset.
        channels: Channels of the input.
    """

    image: QImage
    channels: int


def network_input(path: Path, recipe: DatasetRecipe, folder: Path | None = None) -> NetworkInput:
    """Return the input of the network for a picture.

    Args:
        path: The file.
        recipe: Recipe of the dataset.
        folder: Folder of the dataset; None if it was deleted.

    Raises:
        BadDataError: The picture cannot be read.
    """
    # NumPy and Pillow are not needed to open the window.
    from studio.engine.datasets.decode import load_image  # noqa: PLC0415
    from studio.engine.datasets.summary import read_summary  # noqa: PLC0415
    from studio.engine.display_mapping import DisplayMapping  # noqa: PLC0415

    if folder is not None:  # the recipe as it was planned does not know the pixels that it found
        recipe = recipe.changed(pixels=read_summary(folder).pixels)
    display = chosen_display(folder)
    if display is None or not display.fits(recipe.pixel_format):
        display = DisplayMapping.of(recipe.pixel_format)
    return NetworkInput(to_image(load_image(path, recipe), display), recipe.channels)


def video_of(path: Path, pasted: PastedPictures) -> list[Frame]:
    """Return frames of a video file, evenly over the whole.

    Args:
        path: The file.
        pasted: Gets the frames.

    Raises:
        StudioError: It cannot be read, or the frames cannot be written.
    """
    from studio.engine.inference.frames import video_frames  # noqa: PLC0415 - seldom

    try:
        return video_frames(path, pasted.folder(), _MOST_FRAMES)
    except BadDataError as error:
        raise _unreadable(path, error, "Choose a video such as MP4.") from error


def frames_of(path: Path, pasted: PastedPictures) -> list[Frame]:
    """Return the frames of an animation; none of a still picture.

    Args:
        path: The file.
        pasted: Stores the frames.

    Raises:
        StudioError: They are too large or damaged, or cannot be written.
    """
    from studio.engine.inference.frames import animation_frames  # noqa: PLC0415

    try:
        return animation_frames(path, pasted.folder())
    except BadDataError as error:
        raise _unreadable(path, error, "Choose a smaller animation.") from error


def _unreadable(path: Path, error: BadDataError, hint: str) -> StudioError:
    return StudioError(
        "{file} cannot be read: {reason}.", hint, file=path.name, reason=error.message
    )


class PastedPictures:
    """A temporary folder for pictures that come without a file; deleted with the page.

    Thread safety: `save` may be called from any thread.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0

    def save(self, image: QImage, suffix: str = ".png") -> Path:
        """Write a picture losslessly, as PNG or, faster, as BMP.

        Args:
            image: The picture.
            suffix: Suffix of the format.

        Raises:
            StudioError: It cannot be written.
        """
        path = self.new_path(suffix)
        if image.isNull() or not image.save(str(path)):
            raise _not_saved(str(path.parent))
        return path

    def new_path(self, suffix: str) -> Path:
        """Return an unused path.

        Raises:
            StudioError: The folder cannot be created.
        """
        with self._guard:
            try:
                if self._folder is None:
                    self._folder = tempfile.TemporaryDirectory(prefix="studio-pasted-")
            except OSError as error:
                raise _not_saved(tempfile.gettempdir()) from error
            self._count += 1
            return Path(self._folder.name) / f"pasted-{self._count}{suffix}"

    def fetch(self, address: str) -> Path:
        """Download a picture from the web.

        Raises:
            StudioError: The download failed, is too large, takes too long, or is no picture.
        """
        # HTTP, NumPy and Pillow are not needed to open the window.
        from studio.engine.datasets.decode import describe  # noqa: PLC0415
        from studio.engine.web.transfer import web_image  # noqa: PLC0415

        try:
            data = web_image(address, most=_LARGEST_DOWNLOAD, reach=Reach.TYPED)
            path = self.new_path(Path(short_name(address)).suffix or ".png")
            try:
                path.write_bytes(data)
            except OSError as error:
                raise _not_saved(str(path.parent)) from error
            describe(path)
        except BadDataError as error:
            raise StudioError(
                "No image could be loaded from {address}: {reason}.",
                "Check the address and the network, or save the image and drop the file.",
                address=address[:200],
                reason=error.message,
            ) from error
        return path

    def folder(self) -> Path:
        """Create a folder inside, for many pictures.

        Raises:
            StudioError: It cannot be created.
        """
        path = self.new_path("")
        try:
            path.mkdir()
        except OSError as error:
            raise _not_saved(str(path.parent)) from error
        return path

    def close(self) -> None:
        """Delete the folder."""
        with self._guard:
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None


def _not_saved(folder: str) -> StudioError:
    return StudioError(
        "The pasted image cannot be saved in {folder}.",
        "Free some disk space, or save the image as a file and drop that.",
        folder=folder,
    )


def _read_with_pillow(path: Path, side: int) -> QImage:
    """Read formats that this Qt has no reader for, such as TIFF and WebP."""
    from studio.engine.datasets.decode import describe, load_image  # noqa: PLC0415
    from studio.engine.display_mapping import DisplayMapping  # noqa: PLC0415

    try:
        width, height, _ = describe(path)  # refuses pictures above the limit
        shrink = min(1.0, side / max(width, height))
        recipe = DatasetRecipe(
            source=str(path.parent),
            width=max(1, round(width * shrink)),
            height=max(1, round(height * shrink)),
        )
        with _alone_if_large(width * height):
            return to_image(load_image(path, recipe), DisplayMapping.of(recipe.pixel_format))
    except StudioError:
        return QImage()


def missing() -> str:
    """Return why Qt Multimedia cannot be used; empty where it is installed. Loads nothing."""
    if importlib.util.find_spec("PySide6.QtMultimedia") is not None:
        return ""
    text = QCoreApplication.translate("predict", "This needs Qt Multimedia: {command}")
    return text.format(command=install_command("camera"))


def load() -> None:
    """Load Qt Multimedia in the window's thread, where PySide must define its classes.

    Raises:
        StudioError: It is not installed, or cannot be loaded.
    """
    reason = missing()
    if reason:
        raise StudioError(reason)
    try:
        importlib.import_module("PySide6.QtMultimedia")
    except ImportError as error:  # a library of the system is missing, of sound for example
        pattern = QCoreApplication.translate("predict", "Qt Multimedia cannot be loaded: {reason}")
        raise StudioError(pattern.format(reason=error)) from error


class Camera(QObject):
    """The first webcam.

    Signals:
        frame: A `QImage`.
        failed: Reason why there are no pictures.
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
                self.tr("Connect a camera and allow Studio to use it."),
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
        """Switch it off and delete this."""
        if hasattr(self, "_camera"):
            self._camera.stop()
        self.deleteLater()

    def _on_frame(self, frame: object) -> None:
        image = _image_of(frame)
        if not image.isNull():
            self.frame.emit(image)

    def _on_error(self, _error: object, words: str) -> None:
        self.failed.emit(words or self.tr("The camera sends no images."))


def _image_of(frame: object) -> QImage:
    """Return the picture of a `QVideoFrame`; null where it has none."""
    to_image = getattr(frame, "toImage", None)
    found = to_image() if callable(to_image) else None
    return found if isinstance(found, QImage) else QImage()


def screen_unavailable() -> str:
    """Return why no region of the screen can be taken; empty where it can."""
    if QGuiApplication.platformName().startswith("wayland"):
        return QCoreApplication.translate(
            "predict",
            "Wayland does not let programs capture the screen. Take a screenshot with the tool "
            "of the desktop and paste it.",
        )
    return ""


class ScreenPicker(QWidget):
    """Hides a window, then covers its screen with a still picture of it.

    Signals:
        picked: A `QImage` of the region that was drawn.
    """

    picked = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(None)
        self._window = window
        self._screenshot = QPixmap()
        self._from = QPoint()
        self._band = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self.setWindowFlags(Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(self.tr("Draw a rectangle around the image"))

    def start(self) -> None:
        """Hide the window, wait until it is gone, and show the screen."""
        screen = self._window.screen()
        self._window.hide()
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(self._take)
        self._screen: QScreen = screen
        timer.start(_HIDING_MS)

    def show_screenshot(self, screenshot: QPixmap, rect: QRect) -> None:
        """Cover a place of the desktop with its screenshot.

        Args:
            screenshot: The screenshot.
            rect: The place.
        """
        self._screenshot = screenshot
        self.setGeometry(rect)
        self.show()
        self.activateWindow()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the screenshot, a little darker outside the region."""
        painter = QPainter(self)
        painter.drawPixmap(self.rect(), self._screenshot)
        painter.fillRect(self.rect(), _SHADE)
        if self._band.isVisible():
            painter.setClipRect(self._band.geometry())
            painter.drawPixmap(self.rect(), self._screenshot)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start a rectangle."""
        self._from = event.position().toPoint()
        self._band.setGeometry(QRect(self._from, self._from))
        self._band.show()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw the rectangle."""
        self._band.setGeometry(QRect(self._from, event.position().toPoint()).normalized())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the region; a click alone takes nothing."""
        rect = QRect(self._from, event.position().toPoint()).normalized()
        self._end()
        if min(rect.width(), rect.height()) >= _SMALLEST_REGION:
            ratio = self._screenshot.width() / max(1, self.width())
            corner = QPoint(round(rect.x() * ratio), round(rect.y() * ratio))
            part = QRect(corner, rect.size() * ratio)
            self.picked.emit(self._screenshot.copy(part).toImage())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self._end()

    def _take(self) -> None:
        self.show_screenshot(self._screen.grabWindow(0), self._screen.geometry())

    def _end(self) -> None:
        self._window.show()
        self.close()
