"""Reads pictures for the screen and keeps pasted ones; everything here runs in other threads."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.shared.address import Reach, short_name
from studio.engine.errors import BadDataError, StudioError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.inference.frames import Frame

LARGEST_SIDE: Final = 2048
"""More is not needed to fill a page, and would be slow to scale."""
THUMB_SIDE: Final = 512
MAY_MOVE: Final = frozenset({".gif", ".webp", ".png", ".apng"})
"""Endings of files that may be animations."""
LARGEST_DOWNLOAD: Final = 64 * 2**20


def read_picture(path: Path, side: int = LARGEST_SIDE) -> QImage:
    """A picture upright, its longer side at most `side` pixels; null where it cannot be read."""
    reader = QImageReader(str(path))
    # What a file is, its first bytes say; names lie.
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > side:
        reader.setScaledSize(size.scaled(QSize(side, side), Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    return _read_with_pillow(path, side) if image.isNull() else image


def load_thumbnail(key: Hashable) -> QImage:
    """A small picture for a grid; its key is the path as text."""
    return read_picture(Path(str(key)), THUMB_SIDE)


def network_view(path: Path, recipe: DatasetRecipe) -> QImage:
    """What the network is given: the picture in the size and colors of its dataset.

    Raises:
        BadDataError: The picture cannot be read.
    """
    # NumPy and Pillow are not needed to open the window.
    from studio.engine.datasets.decode import load_image  # noqa: PLC0415

    return _as_image(load_image(path, recipe))


def frames_of(path: Path, pasted: PastedPictures) -> list[Frame]:
    """The frames of an animation; none at all of a picture that stands still.

    Raises:
        StudioError: They cannot be written.
    """
    from studio.engine.inference.frames import animation_frames  # noqa: PLC0415

    return animation_frames(path, pasted.folder())


class PastedPictures:
    """A folder for pictures that come without a file; it goes when the page goes.

    Thread safety: `save` may be called from any thread.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0

    def save(self, image: QImage, suffix: str = ".png") -> Path:
        """Write a picture without loss, as PNG or quicker as BMP.

        Raises:
            StudioError: It cannot be written.
        """
        path = self.place(suffix)
        if image.isNull() or not image.save(str(path)):
            raise _not_kept(str(path.parent))
        return path

    def place(self, suffix: str) -> Path:
        """A path that nothing has yet.

        Raises:
            StudioError: The folder cannot be made.
        """
        with self._guard:
            try:
                if self._folder is None:
                    self._folder = tempfile.TemporaryDirectory(prefix="studio-pasted-")
            except OSError as error:
                raise _not_kept(tempfile.gettempdir()) from error
            self._count += 1
            return Path(self._folder.name) / f"pasted-{self._count}{suffix}"

    def fetch(self, address: str) -> Path:
        """Download a picture from the web.

        Raises:
            StudioError: It cannot be had, is too large, takes too long, or is no picture.
        """
        # HTTP, NumPy and Pillow are not needed to open the window.
        from studio.engine.datasets.decode import describe  # noqa: PLC0415
        from studio.engine.datasets.sources.shared.web_image import web_image  # noqa: PLC0415

        try:
            data = web_image(address, most=LARGEST_DOWNLOAD, reach=Reach.TYPED)
            path = self.place(Path(short_name(address)).suffix or ".png")
            try:
                path.write_bytes(data)
            except OSError as error:
                raise _not_kept(str(path.parent)) from error
            describe(path)
        except BadDataError as error:
            raise StudioError(
                f"There is no picture to be had from {address[:200]}: {error.message}.",
                "Check the address and the network, or save the picture and drop the file.",
            ) from error
        return path

    def folder(self) -> Path:
        """A new folder inside, for many pictures.

        Raises:
            StudioError: It cannot be made.
        """
        path = self.place("")
        try:
            path.mkdir()
        except OSError as error:
            raise _not_kept(str(path.parent)) from error
        return path

    def close(self) -> None:
        """Delete the folder."""
        with self._guard:
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None


def _not_kept(folder: str) -> StudioError:
    return StudioError(
        f"The pasted picture cannot be kept in {folder}.",
        "Make room on the disk, or save the picture as a file and drop that.",
    )


def _read_with_pillow(path: Path, side: int) -> QImage:
    """Formats that this Qt has no reader for, TIFF and WebP among them."""
    from studio.engine.datasets.decode import describe, load_image  # noqa: PLC0415

    try:
        width, height, _ = describe(path)
        shrink = min(1.0, side / max(width, height))
        recipe = DatasetRecipe(
            source=str(path.parent),
            width=max(1, round(width * shrink)),
            height=max(1, round(height * shrink)),
        )
        return _as_image(load_image(path, recipe))
    except StudioError:
        return QImage()


def _as_image(pixels: NDArray[np.uint8]) -> QImage:
    height, width, channels = pixels.shape
    kind = QImage.Format.Format_Grayscale8 if channels == 1 else QImage.Format.Format_RGB888
    # A copy, because the array goes when this function returns.
    return QImage(pixels.tobytes(), width, height, width * channels, kind).copy()
