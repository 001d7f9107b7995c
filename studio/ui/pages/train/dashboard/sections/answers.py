"""Answers on the validation images: mistakes, samples, and a table of confusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from studio.engine.tasks.task import Task
from studio.ui.charts.confusion import ConfusionChart
from studio.ui.charts.heat_map import Cell
from studio.ui.context import AppContext
from studio.ui.pages.train.dashboard.sections.insight import InsightSection, Snapshot
from studio.ui.shared.dataset_pictures import Captioned, DatasetPictures, PictureGrid
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import percent
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import FlowLayout
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.thumbnails import GuessTile

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


class Mistakes(InsightSection):
    """The worst mistakes as pictures, the surest first."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.tiles = GuessTiles(context, self)
        self.body.addWidget(self.tiles, 1)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Mistakes", "Mistakes")

    @classmethod
    def title_for(cls, task: Task) -> str:
        """Only for runs on images of one class each."""
        return cls.title() if view_of(task).has_classes else ""

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """Where there is nothing wrong, or nothing to be wrong about."""
        answers = snapshot.insight.answers
        if not len(answers.rows):
            return self.tr("There are no validation images to be wrong about.")
        return "" if len(answers.mistakes(1)) else self.tr("No mistake: every answer is right.")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment."""
        answers, names = snapshot.insight.answers, snapshot.names
        images = []
        for place in answers.mistakes().tolist():
            guess = names[answers.predicted[place]], float(answers.scores[place])
            images.append(Guessed(int(answers.rows[place]), names[answers.truth[place]], (guess,)))
        self.tiles.show_images(images, snapshot.pictures)


class Samples(InsightSection):
    """Fixed validation pictures with their likeliest classes."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.tiles = GuessTiles(context, self)
        self.body.addWidget(self.tiles, 1)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Samples", "Samples")

    @classmethod
    def title_for(cls, task: Task) -> str:
        """Only for runs on images of one class each."""
        return cls.title() if view_of(task).has_classes else ""

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """The pictures are of the validation images."""
        if len(snapshot.insight.pictures.rows):
            return ""
        return self.tr("There are no validation images to follow.")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment."""
        found, names = snapshot.insight.pictures, snapshot.names
        guesses = [
            tuple((names[index], score) for index, score in zip(classes, scores, strict=True))
            for classes, scores in zip(found.classes.tolist(), found.scores.tolist(), strict=True)
        ]
        images = [
            Guessed(row, names[truth], guess)
            for row, truth, guess in zip(
                found.rows.tolist(), found.truth.tolist(), guesses, strict=True
            )
        ]
        self.tiles.show_images(images, snapshot.pictures)


_MOST = 500
"""Pictures of a cell that are shown, the surest answers first."""
_THUMB = 64
LEAST_MATRIX = 240
"""Pixels: less cannot be read."""


class Confusion(InsightSection):
    """The matrix at the left, the pictures of a cell at the right."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._snapshot: Snapshot | None = None
        self._is_chosen = False
        self.view = ConfusionChart(context.theme, self)
        self.view.plot.setMinimumHeight(LEAST_MATRIX)
        self.read_out = ElidedLabel("", self)
        self.grid = PictureGrid(context.theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Pictures of the cell"))
        self.none_left = QLabel(self.tr("No picture was answered this way."), self)
        self.none_left.setProperty("role", "muted")
        side = QVBoxLayout()
        side.setSpacing(SPACE.xs)
        side.addWidget(self.read_out)
        side.addWidget(self.none_left)
        side.addWidget(self.grid, 1)
        # In a low window it scrolls rather than shrinks.
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self.view)
        self.body.addWidget(scroll, 3)
        self.body.addLayout(side, 2)
        self.view.hovered.connect(self._on_hovered)
        self.view.chosen.connect(self._on_chosen)
        self.view.failed.connect(context.navigator.show_failure)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Confusion", "Confusion")

    @classmethod
    def title_for(cls, task: Task) -> str:
        """Only for runs on images of one class each."""
        return cls.title() if view_of(task).has_classes else ""

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """There is nothing to count without validation images."""
        if len(snapshot.insight.answers.rows):
            return ""
        return self.tr("There are no validation images whose answers could be counted.")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment; of the same run the chosen cell stays."""
        if self._snapshot is not None and snapshot.pictures is not self._snapshot.pictures:
            self._is_chosen = False
        self._snapshot = snapshot
        counts = snapshot.insight.confusion()
        self.view.set_matrix(counts, snapshot.names)
        if not self._is_chosen or self.view.plot.current() is None:
            from studio.ui.charts.colors import most_confused  # noqa: PLC0415 - NumPy

            # What most people look for first.
            self.view.set_current(most_confused(counts) or (0, 0))
        self._show_cell()

    def _on_hovered(self, cell: Cell | None) -> None:
        shown = cell or self.view.plot.current()
        self.read_out.setText("" if shown is None else self.view.describe(shown))

    def _on_chosen(self, _cell: Cell) -> None:
        self._is_chosen = True
        self._show_cell()

    def _show_cell(self) -> None:
        snapshot, cell = self._snapshot, self.view.plot.current()
        if snapshot is None or cell is None:
            return
        self.read_out.setText(self.view.describe(cell))
        answers = snapshot.insight.answers
        images = []
        for place in answers.cell(*cell)[:_MOST].tolist():
            score = percent(float(answers.scores[place]))
            whole = f"{snapshot.names[cell[0]]} → {snapshot.names[cell[1]]}, {score}"
            wrong = cell[0] != cell[1]
            images.append(Captioned(int(answers.rows[place]), score, whole, wrong=wrong))
        self.none_left.setVisible(not images)
        self.grid.setVisible(bool(images))
        self.grid.show_images(images, snapshot.pictures)
