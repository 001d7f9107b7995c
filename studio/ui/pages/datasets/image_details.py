"""The image that is chosen in the grid: a larger picture, and what is known of it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from studio.ui.bridge.background import Background
from studio.ui.pages.datasets import browsing_words, messages
from studio.ui.pages.datasets.image_facts import FileFacts, ImageFacts, read_image_facts
from studio.ui.pages.datasets.pictures import DatasetPictures
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.figures import size
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.picture_view import PictureView

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

    def show_row(self, pictures: DatasetPictures, row: int) -> None:
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
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget(scroll)
        inside.setProperty("plain", True)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(self.picture)
        column.addWidget(self.name)
        column.addWidget(self._facts)
        column.addWidget(self.hint)
        column.addStretch(1)
        scroll.setWidget(inside)
        around = QVBoxLayout(self)
        around.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        around.addWidget(scroll)

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
        self._add(self.tr("Split"), browsing_words.split_words(facts.split))
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
        title = ElidedLabel(heading, self._facts)
        title.setProperty("role", "caption")
        value: QWidget
        if isinstance(text, str):
            value = ElidedLabel(text, self._facts)
            value.setProperty("role", "body")
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
