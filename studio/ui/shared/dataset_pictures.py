"""Images of a dataset, read in background threads, and a grid that shows them with captions."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import percent
from studio.ui.widgets.overlay import (
    Overlaid,
    Overlay,
    OverlayStyle,
    overlaid,
)
from studio.ui.widgets.picture_grid import ImageGrid, PictureModel
from studio.ui.widgets.pictures import to_image
from studio.ui.widgets.region_overlays import overlay_of_regions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.display import DisplayFacts, DisplayFile
    from studio.engine.datasets.store import Store
    from studio.engine.display_mapping import DisplayMapping
    from studio.engine.training.insights import ValidationPredictions


Value = TypeVar("Value")
_THUMB_SIDE: Final = 384
OverlayOf = Callable[[int], Overlay | None]
"""Returns the regions over a picture by its row; called in background threads."""


class DatasetPictures:
    """The images of a version of a dataset, for background threads.

    The dataset is opened by the thread that first asks for an image.

    Args:
        folder: Folder of the dataset; None if it was deleted.
        version: Version of the dataset; None for the newest.

    Attributes:
        style: Style of the masks or boxes over pictures, where the dataset has them.
    """

    def __init__(self, folder: Path | None, version: int | None = None) -> None:
        self.style = OverlayStyle()
        self._folder = folder
        self._version = version
        self._guard = threading.Lock()
        self._store: Store | None = None
        self._display: DisplayFile | None = None
        self._files: Path | None = None

    def names(self, classes: int) -> list[str]:
        """Return the names of the classes; their numbers if the dataset is unreadable."""
        names = self._read(attrgetter("classes"), list[str]())
        return names if len(names) == classes else [str(index) for index in range(classes)]

    def units(self, count: int) -> list[str]:
        """Return the units of the quantities; empty texts if there are none."""
        units = self._read(attrgetter("units"), list[str]())
        return units if len(units) == count else [""] * count

    def colors(self, classes: int) -> list[str]:
        """Return the colors of the classes of masks and boxes; empty texts without these."""
        colors = self._read(_region_colors, list[str]())
        return colors if len(colors) == classes else [""] * classes

    def load(self, key: Hashable) -> Overlaid:
        """Return one picture by its row with its regions over it; null if it is unreadable."""
        return self.load_under(self.overlay, key)

    def thumbnail(self, key: Hashable) -> Overlaid:
        """Return the same for a grid, made of fewer pixels if it is large."""
        return self.load_under(self.overlay, key, _THUMB_SIDE)

    def load_under(self, overlay_of: OverlayOf, key: Hashable, side: int = 0) -> Overlaid:
        """Return one picture with regions over it; null if it is unreadable.

        Args:
            overlay_of: Gives the regions of a row.
            key: The row.
            side: Longest side in pixels, at least; 0 for all pixels.
        """
        if not isinstance(key, int):
            raise TypeError(f"a row is a whole number; received {key!r}")
        image = self.picture(key, side)
        return image if image.isNull() else overlaid(image, overlay_of(key), self.style)

    def picture(self, row: int, side: int = 0) -> QImage:
        """Return one picture by its row without regions; null if it is unreadable.

        Args:
            row: The row.
            side: Longest side in pixels, at least; 0 for all pixels.
        """
        return self._read(partial(self.image, row=row, side=side), QImage())

    def display(self) -> DisplayMapping:
        """Return the colors and contrast in which the images are shown now.

        Raises:
            StudioError: The dataset is unreadable.
        """
        return self._display_file().mapping()

    def set_display(self, display: DisplayMapping) -> None:
        """Show the images in other colors or contrast, here and wherever they are read next.

        Raises:
            StudioError: The dataset is unreadable, or it cannot be stored.
        """
        self._display_file().write(display)

    def display_facts(self) -> DisplayFacts:
        """Return the facts by which a person chooses colors and contrast.

        Raises:
            StudioError: The dataset is unreadable.
        """
        from studio.engine.datasets.display import facts_of_dataset  # noqa: PLC0415 - takes NumPy

        return facts_of_dataset(self._opened())

    @property
    def is_standard(self) -> bool:
        """True if screens show the pixels as they are."""
        return self._read(lambda store: store.pixel_format.is_standard, otherwise=True)

    def overlay(self, row: int) -> Overlay | None:
        """Return the mask or the boxes of a picture by its row; None if there are none."""
        return self._read(partial(overlay_of_store, row=row), None)

    def boxes(self, row: int) -> NDArray[np.float32] | None:
        """Return the boxes of a picture by its row, shape (n, 6); None if there are none."""
        return self._read(partial(_boxes, row=row), None)

    def size(self) -> tuple[int, int] | None:
        """Return width and height of all pictures; None if they are unreadable."""
        return self._read(lambda store: (store.recipe.width, store.recipe.height), None)

    def file(self, row: int) -> Path:
        """Write the pixels of a picture to a temporary file, which is deleted with this object.

        Raises:
            StudioError: It cannot be read or written.
        """
        store = self._opened()
        with self._guard:
            if self._files is None:
                folder = tempfile.TemporaryDirectory(prefix="studio-rows-")
                weakref.finalize(self, folder.cleanup)
                self._files = Path(folder.name)
            path = self._files / f"{row}{'.png' if store.pixel_format.is_standard else '.npy'}"
        if not path.exists() and not _write_pixels(store, row, path):
            raise StudioError(
                "The image cannot be saved in {folder}.",
                "Free some disk space.",
                folder=path.parent,
            )
        return path

    def _read(self, read: Callable[[Store], Value], otherwise: Value) -> Value:
        """Return what a function reads of the dataset; another value if it is unreadable."""
        try:
            return read(self._opened())
        except StudioError:
            return otherwise

    def image(self, store: Store, row: int, side: int = 0) -> QImage:
        """Return one picture without regions; null if there is no such row.

        Args:
            store: The dataset.
            row: The row.
            side: Longest side in pixels, at least; 0 for all pixels.

        Raises:
            StudioError: It is unreadable.
        """
        from studio.engine.display_mapping import reduced  # noqa: PLC0415 - OpenCV takes 0.1 s

        if row >= len(store.images):
            return QImage()
        display, pixels = self.display(), store.images[row]
        # Qt scales 8 bit pixels as fast as it is done here.
        return to_image(pixels if display.is_identity else reduced(pixels, side), display)

    def _display_file(self) -> DisplayFile:
        from studio.engine.datasets.display import DisplayFile  # noqa: PLC0415 - takes NumPy

        store = self._opened()
        with self._guard:
            if self._display is None:
                self._display = DisplayFile(store.path.parent, store.pixel_format)
            return self._display

    def _opened(self) -> Store:
        from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

        with self._guard:
            if self._store is None:
                if self._folder is None:
                    raise StudioError("The dataset was deleted.")
                self._store = Store.open(self._folder, self._version)
            return self._store


def _write_pixels(store: Store, row: int, path: Path) -> bool:
    """Write the stored pixels of an image; return False if the disk is full."""
    # NumPy and OpenCV take 0.1 s
    from studio.engine.datasets.picture_values import array_file  # noqa: PLC0415
    from studio.engine.display_mapping import DisplayMapping  # noqa: PLC0415

    pixels = store.images[row]
    if path.suffix == ".png":
        return to_image(pixels, DisplayMapping.of(store.pixel_format)).save(str(path))
    try:
        path.write_bytes(array_file(pixels))
    except OSError:
        return False
    return True


def _region_colors(store: Store) -> list[str]:
    return list(store.colors)


def _boxes(store: Store, row: int) -> NDArray[np.float32] | None:
    boxes = store.task.geometry.objects(store.example(row)[None])
    return None if boxes is None else boxes[0]


def overlay_of_store(store: Store, row: int) -> Overlay | None:
    """Return the mask or the boxes of an image; None if there are none.

    Args:
        store: The dataset.
        row: Row of the image.

    Raises:
        StudioError: They cannot be read.
    """
    size = (store.recipe.width, store.recipe.height)
    part = store.task.geometry.part_type
    return overlay_of_regions(part, store.example(row), size, store.classes, store.colors)


@dataclass(frozen=True, slots=True)
class Captioned:
    """An image with a caption.

    Attributes:
        row: Row of the image in its dataset.
        caption: Line under the image.
        whole: The same at length.
        wrong: True if the prediction is wrong; the image is outlined.
    """

    row: int
    caption: str
    whole: str
    wrong: bool = False


def captioned(
    answers: ValidationPredictions, classes: Sequence[str], indices: NDArray[np.int64]
) -> list[Captioned]:
    """Return images with their predictions as captions.

    Args:
        answers: Predictions of a dataset with one class per image.
        classes: Names of the classes.
        indices: Indices of the images in the predictions.
    """
    # If all have the same prediction, their captions need not name it.
    is_mixed = len(set(answers.predicted[indices].tolist())) > 1
    images = []
    for index in indices.tolist():
        score = percent(float(answers.scores[index]))
        truth, predicted = classes[answers.truth[index]], classes[answers.predicted[index]]
        is_right = truth == predicted
        whole = f"{truth}, {score}" if is_right else f"{truth} → {predicted}, {score}"
        caption = f"→ {predicted}" if is_mixed and not is_right else score
        images.append(Captioned(int(answers.rows[index]), caption, whole, wrong=not is_right))
    return images


class CaptionedModel(PictureModel):
    """Model of a grid of images with captions."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.images: list[Captioned] = []

    def take(self, images: Sequence[Captioned]) -> None:
        """Show other images."""
        self.images = list(images)
        self.reset(len(self.images))

    def key(self, row: int) -> int:
        """Return the row of the dataset."""
        return self.images[row].row

    def caption(self, row: int) -> str:
        """Return the caption."""
        return self.images[row].caption

    def tip(self, row: int) -> str:
        """Return the caption at length."""
        return self.images[row].whole

    def is_wrong(self, row: int) -> bool:
        """Return True for a wrong prediction."""
        return self.images[row].wrong


class _Source:
    """Loads the pictures of a grid; not the grid itself, which no other thread may touch."""

    def __init__(self, pictures: DatasetPictures) -> None:
        self.pictures = pictures
        self.overlay_of: OverlayOf = pictures.overlay

    def load(self, key: Hashable) -> Overlaid:
        """Return a picture with its regions."""
        return self.pictures.load_under(self.overlay_of, key)

    def thumbnail(self, key: Hashable) -> Overlaid:
        """Return the same, made of fewer pixels if it is large."""
        return self.pictures.load_under(self.overlay_of, key, _THUMB_SIDE)


class PictureGrid(ImageGrid):
    """A grid of captioned images; loaded pictures of a dataset are kept."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._rows = CaptionedModel(self)
        self._images_of: _Source | None = None
        self.activated.connect(self.show_large)

    def show_images(
        self,
        images: Sequence[Captioned],
        pictures: DatasetPictures,
        overlay_of: OverlayOf | None = None,
    ) -> None:
        """Show images of a dataset.

        Args:
            images: Rows and captions.
            pictures: Loads the pixels.
            overlay_of: Gives the regions over each picture; None for those of the dataset.
        """
        self._rows.take(images)
        if self._images_of is None or pictures is not self._images_of.pictures:
            self._images_of = _Source(pictures)
            self.set_source(self._rows, self._images_of.load, self._images_of.thumbnail)
        wanted = pictures.overlay if overlay_of is None else overlay_of
        if wanted != self._images_of.overlay_of:
            self._images_of.overlay_of = wanted
            self.reload()
        self.updateGeometries()
        self.viewport().update()

    def images(self) -> list[Captioned]:
        """Return the images shown."""
        return list(self._rows.images)
