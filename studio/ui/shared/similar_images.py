"""The training images that a model finds most like a picture, as a strip that is switched on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from studio.engine.embeddings.requests import neighbors_request
from studio.engine.errors import StudioError
from studio.engine.inference.requests import NeighborsReply, png_bytes
from studio.engine.workspace import Record, RecordKind
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import FlowLayout, text_label, vbox
from studio.ui.widgets.pictures import PictureView

_SIDE = 64
_Key = tuple[Path, str]


class SimilarImages(QWidget):
    """Asks the engine host while it is switched on, and shows the nearest images found so far.

    Signals:
        shown: There are other images, or none.

    Attributes:
        button: The switch; the owner of the strip places it.
    """

    shown = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._model: RunChoice | None = None
        self._picture: Path | None = None
        self._asked: _Key | None = None
        self.button = push_button(
            self.tr("Similar images"), context.theme, icon="datasets", parent=self
        )
        self.button.setCheckable(True)
        self.button.setToolTip(self.tr("Show the most similar training images"))
        self.line = text_label("", "caption", self, wraps=True)
        self._cells: list[_Cell] = []
        self._flow = FlowLayout(spacing=SPACE.s)
        vbox(self.line, self._flow, owner=self, spacing=SPACE.s)
        self._searching = Request(context.background, self)
        self._decoding = Request(context.background, self)
        self.button.toggled.connect(self._ask)
        self._show("", [])

    def show_picture(self, model: RunChoice | None, picture: Path | None) -> None:
        """Show the training images that are similar to a picture.

        Args:
            model: Run whose model computes the features; None for none.
            picture: File of the picture; None for none.
        """
        self._model, self._picture = model, picture
        self._ask()

    def classes(self) -> list[str]:
        """Return the classes of the images that are shown, the nearest first."""
        return [cell.label.text() for cell in self._cells if not cell.isHidden()]

    def _ask(self) -> None:
        requested = None
        if self._model is not None and self._picture is not None and self.button.isChecked():
            requested = self._picture, self._model.id
        if requested == self._asked:
            return
        self._asked = requested
        self._searching.drop()
        self._decoding.drop()
        if requested is None or self._model is None:
            self._show("", [])
            return
        self._show(self.tr("Searching the training images…"), [])
        run = Record(RecordKind.RUN, self._model.folder)
        make = partial(neighbors_request, self._context.workspace, run, requested[0])
        done, failed = self._on_answered, self._on_failed
        engine = self._context.engine
        self._searching.ask(engine, "neighbors", make, NeighborsReply, done, failed)

    def _on_answered(self, answer: NeighborsReply) -> None:
        done = partial(self._on_decoded, answer)
        self._decoding.run(partial(_decoded, answer), done)

    def _on_decoded(self, answer: NeighborsReply, images: list[QImage]) -> None:
        total = count(answer.total)
        words = (
            self.tr("The nearest of {total} training images").format(total=total)
            if answer.is_complete
            else self.tr("Searched {done} of {total} training images…").format(
                done=count(answer.done), total=total
            )
        )
        labels = [each.label for each in answer.neighbors]
        self._show(words, list(zip(images, labels, strict=True)))

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self._show(translated(error.text), [])
        else:
            self._show("", [])
            self._context.navigator.show_failure(error)

    def _show(self, words: str, images: list[tuple[QImage, str]]) -> None:
        self.line.setText(words)
        while len(self._cells) < len(images):
            self._cells.append(_Cell(self._context.theme, self))
            self._flow.addWidget(self._cells[-1])
        for index, cell in enumerate(self._cells):
            cell.setVisible(index < len(images))
        for cell, (image, label) in zip(self._cells, images, strict=False):
            cell.show_image(image, label)
        self.setVisible(bool(words))
        self.shown.emit()


class _Cell(QWidget):
    """A small picture with its class below."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = PictureView(theme, self)
        self._picture.setFixedSize(QSize(_SIDE, _SIDE))
        self.label = ElidedLabel("", self)
        self.label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setFixedWidth(_SIDE)
        vbox(self._picture, self.label, owner=self, spacing=SPACE.xs)

    def show_image(self, image: QImage, label: str) -> None:
        """Show another image."""
        self._picture.set_image(image, label)
        self.label.setText(label)


def _decoded(answer: NeighborsReply) -> list[QImage]:
    return [QImage.fromData(png_bytes(each.picture)) for each in answer.neighbors]
