"""Pictures of a run's dataset as tiles, each with what a network took it for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from studio.ui.context import AppContext
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.guess_tile import GuessTile
from studio.ui.widgets.scroll_column import ScrollColumn

_KEPT = 2000
"""Pictures that are remembered: one comes back with every step through time."""


@dataclass(frozen=True, slots=True)
class Guessed:
    """An image.

    Attributes:
        row: In its dataset.
        truth: Its class.
        guesses: Classes with their scores, the likeliest first.
    """

    row: int
    truth: str
    guesses: tuple[tuple[str, float], ...]


class GuessTiles(ScrollColumn):
    """As many tiles as images; pictures come when they are loaded, and stay."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(SPACE.s, parent)
        self._context = context
        self._pictures: DatasetPictures | None = None
        self._known: dict[int, QImage] = {}
        self._images: list[Guessed] = []
        self._tiles: list[GuessTile] = []
        self._flow = FlowLayout(spacing=SPACE.s)
        self.column.addLayout(self._flow)
        self.column.addStretch(1)

    def show_images(self, images: Sequence[Guessed], pictures: DatasetPictures) -> None:
        """Show images of a run's dataset."""
        if pictures is not self._pictures or len(self._known) > _KEPT:
            self._pictures, self._known = pictures, {}
        self._images = list(images)
        while len(self._tiles) < len(images):
            self._tiles.append(GuessTile(self._context.theme, self))
            self._flow.addWidget(self._tiles[-1])
        for at, tile in enumerate(self._tiles):
            tile.setVisible(at < len(images))
        for tile, image in zip(self._tiles, images, strict=False):
            tile.set_guesses(image.truth, image.guesses)
        self._place()
        missing = tuple(image.row for image in images if image.row not in self._known)
        if missing:
            work = partial(_load, pictures, missing)
            self._context.background.run(self, work, partial(self._on_loaded, pictures))

    def tiles(self) -> list[GuessTile]:
        """Those that are in use."""
        return self._tiles[: len(self._images)]

    def images(self) -> list[Guessed]:
        """What is shown."""
        return list(self._images)

    def _place(self) -> None:
        for tile, image in zip(self._tiles, self._images, strict=False):
            tile.set_image(self._known.get(image.row, QImage()))

    def _on_loaded(self, pictures: DatasetPictures, found: dict[int, QImage]) -> None:
        if pictures is self._pictures:
            self._known |= found
            self._place()


def _load(pictures: DatasetPictures, rows: Sequence[int]) -> dict[int, QImage]:
    return {row: pictures.load(row) for row in rows}
