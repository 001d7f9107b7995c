"""The image that is chosen in the grid: a larger picture, its targets, and facts of its file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QWidget

from studio.ui.bridge.background import Background
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.browsing.pictures import DatasetImages
from studio.ui.tasks.data_view import Fact
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import number, size
from studio.ui.widgets.labels import ElidedLabel, HintLabel, elided
from studio.ui.widgets.layout import STRETCH, FlowLayout, scrolled, vbox
from studio.ui.widgets.pictures import PictureView

# Tags of EXIF 3.0 that tell a person something, and where they stand: in the first directory or
# in that of the camera.
_MAKE, _MODEL, _TURN, _CAMERA = 0x010F, 0x0110, 0x0112, 0x8769
_TAKEN, _EXPOSURE, _APERTURE, _SPEED, _FOCAL = 0x9003, 0x829A, 0x829D, 0x8827, 0x920A


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the file tells that an image came from.

    Attributes:
        path: Where it is.
        bytes: Its size.
        width: In pixels, as stored; 0 where it cannot be read any more.
        height: In pixels.
        camera: Maker and model; each text is empty where the file does not say.
        taken: When, as the camera writes it.
        exposure: Time, aperture, sensitivity and focal length.
        turn: EXIF orientation, 1 upright.
    """

    path: Path
    bytes: int
    width: int = 0
    height: int = 0
    camera: str = ""
    taken: str = ""
    exposure: str = ""
    turn: int = 1


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """One image.

    Attributes:
        row: Its row in the dataset.
        name: Its path as the dataset has it.
        targets: Headings with a text, or with words of their own.
        split: Its split, or `LEFT_OUT`.
        picture: As the network sees it.
        channels: Of the picture, 1 gray or 3 color.
        file: Of its file; None where there is none any more.
    """

    row: int
    name: str
    targets: list[Fact]
    split: str
    picture: QImage
    channels: int
    file: FileFacts | None


def read_image_facts(pictures: DatasetImages, row: int) -> ImageFacts:
    """Look at one image and at the file that it came from."""
    table = pictures.table()
    path = table.source_file(row)
    return ImageFacts(
        row=row,
        name=table.names.shown(row),
        targets=table.view.facts(table.targets, row),
        split=table.split_name(row),
        picture=pictures.load(row),
        channels=table.recipe.channels,
        file=None if path is None else read_file_facts(path),
    )


def read_file_facts(path: Path) -> FileFacts | None:
    """Size and EXIF of a file; its pixels are not decoded. None when it has just gone."""
    from PIL import Image  # noqa: PLC0415 - kept out of the start of the window

    try:
        size = path.stat().st_size
    except OSError:
        return None
    try:
        with Image.open(path) as image:
            width, height = image.size
            exif = image.getexif()
            camera = exif.get_ifd(_CAMERA)
            return FileFacts(
                path,
                size,
                width,
                height,
                camera=" ".join(filter(None, (_text(exif.get(_MAKE)), _text(exif.get(_MODEL))))),
                taken=_text(camera.get(_TAKEN)),
                exposure=exposure_words(camera),
                turn=turn if isinstance(turn := exif.get(_TURN), int) else 1,
            )
    except (OSError, ValueError, SyntaxError, TypeError, Image.DecompressionBombError):
        return FileFacts(path, size)  # changed since the import, or damaged


def exposure_words(camera: dict[int, object]) -> str:
    """1/250 s · f/2.8 · ISO 100 · 35 mm, of what the camera wrote."""
    seconds, aperture = _number(camera.get(_EXPOSURE)), _number(camera.get(_APERTURE))
    speed, focal = _number(camera.get(_SPEED)), _number(camera.get(_FOCAL))
    parts = []
    if seconds:
        parts.append(f"1/{round(1 / seconds)} s" if seconds < 0.3 else f"{number(seconds)} s")
    if aperture:
        parts.append(f"f/{number(aperture)}")
    if speed:
        parts.append(f"ISO {number(speed)}")
    if focal:
        parts.append(f"{number(focal)} mm")
    return " · ".join(parts)


def _text(value: object) -> str:
    return value.strip("\0 ") if isinstance(value, str) else ""


def _number(value: object) -> float:
    """A positive number; 0 for anything else, because cameras write all sorts of things."""
    if isinstance(value, tuple):
        value = value[0] if value else 0
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever is no number is caught
    except (TypeError, ValueError, ZeroDivisionError):
        return 0.0
    return number if 0 < number < 1e9 else 0.0


WIDTH = 208
_PICTURE = 176
_CHIP = 84


class ImageDetails(QFrame):
    """A card at the right of the grid."""

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._asked = 0
        self.setProperty("card", True)
        self.setFixedWidth(WIDTH)
        self.picture = PictureView(theme, self)
        self.picture.setFixedHeight(_PICTURE)
        self.name = ElidedLabel("", self)
        self.hint = HintLabel(parent=self)
        self._facts = QWidget(self)
        self._facts.setProperty("plain", True)
        self._grid = QGridLayout(self._facts)
        self._lay_out()
        self.clear()

    def facts(self) -> dict[str, str]:
        """What is shown, by its heading."""
        widgets = [
            widget
            for place in range(self._grid.count())
            if (item := self._grid.itemAt(place)) is not None and (widget := item.widget())
        ]
        texts = [
            widget.text()
            if isinstance(widget, QLabel)
            else ", ".join(chip.text() for chip in widget.findChildren(QLabel))
            for widget in widgets
        ]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    def show_row(self, pictures: DatasetImages, row: int) -> None:
        """Show an image as soon as it is read."""
        self._asked += 1
        work = partial(read_image_facts, pictures, row)
        self._background.run(self, work, partial(self._on_facts, self._asked))

    def clear(self) -> None:
        """Show that nothing is chosen."""
        self._asked += 1
        self._empty()
        self.picture.set_image(None)
        self.picture.hide()
        self.name.hide()
        self.hint.show_text(self.tr("Choose an image to see where it came from."))

    def _lay_out(self) -> None:
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE.s)
        self._grid.setVerticalSpacing(SPACE.xs)
        self._grid.setColumnStretch(1, 1)
        scroll = QScrollArea(self)
        inside = QWidget(scroll)
        vbox(
            self.picture, self.name, self._facts, self.hint, STRETCH, owner=inside, spacing=SPACE.s
        )
        scrolled(scroll, inside)
        vbox(scroll, owner=self, margins=SPACE.m)

    def _on_facts(self, asked: int, facts: ImageFacts) -> None:
        if asked != self._asked:
            return  # another image was chosen since
        self._empty()
        self.picture.set_image(facts.picture, facts.name)
        self.picture.show()
        self.name.setText(facts.name.rpartition("/")[2])
        self.name.setToolTip(facts.name)
        self.name.show()
        picture = facts.picture
        for heading, text in facts.targets:
            self._add(heading, text)
        self._add(self.tr("Split"), messages.split_words(facts.split))
        self._add(
            self.tr("Here"), messages.shape(picture.width(), picture.height(), facts.channels)
        )
        if facts.file is None:
            self._add(self.tr("From"), facts.name)
            self.hint.show_text(self.tr("There is no file of its own to look at any more."))
        else:
            self._add_file(facts.file)
            self.hint.show_text("")

    def _add_file(self, file: FileFacts) -> None:
        self._add(self.tr("File"), str(file.path))
        shape = f"{file.width}×{file.height}" if file.width else self.tr("cannot be read any more")
        self._add(self.tr("Original"), f"{shape}, {size(file.bytes)}")
        self._add(self.tr("Camera"), file.camera)
        self._add(self.tr("Taken"), file.taken)
        self._add(self.tr("Exposure"), file.exposure)
        if file.turn != 1:
            self._add(self.tr("Turned"), self.tr("EXIF orientation {n}").format(n=file.turn))

    def _add(self, heading: str, text: str | tuple[str, ...]) -> None:
        if not text:
            return
        row = self._grid.rowCount()
        title = ElidedLabel(heading, self._facts, role="caption")
        value: QWidget
        if isinstance(text, str):
            value = ElidedLabel(text, self._facts, role="body")
        else:
            value = _chips(text, self._facts)
        self._grid.addWidget(title, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, row, 1)

    def _empty(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def _chips(words: tuple[str, ...], parent: QWidget) -> QWidget:
    """Make a small label with an edge for each word."""
    holder = QWidget(parent)
    holder.setProperty("plain", True)
    flow = FlowLayout(holder, SPACE.xs)
    for word in words:
        chip = QLabel(elided(holder.fontMetrics(), word, _CHIP), holder)
        chip.setTextFormat(Qt.TextFormat.PlainText)
        chip.setToolTip(word)
        chip.setProperty("role", "chip")
        flow.addWidget(chip)
    return holder
