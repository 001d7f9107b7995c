"""Tabs with the insights of a validation: mistakes, samples, confusion, targets and norms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QScrollArea, QWidget

from studio.engine.tasks.task import Task
from studio.engine.training.history import InsightStored
from studio.ui.charts.confusion import ConfusionChart
from studio.ui.charts.heat_map import Cell
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.pages.train.dashboard.section import (
    InsightSection,
    Snapshot,
    insight_name,
    no_images,
    read_all_norms,
)
from studio.ui.shared.dataset_pictures import DatasetPictures, PictureGrid, captioned
from studio.ui.shared.overlay import OverlayBar
from studio.ui.tasks import view_of
from studio.ui.tasks.view import InsightView, ValidationInsight
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import significant
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import (
    STRETCH,
    FlowLayout,
    fill,
    remove_widget,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.pages import ScrollColumn
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.thumbnails import PredictionTile

if TYPE_CHECKING:
    from studio.engine.training.insights import LayerNorm

_MOST_CACHED = 2000
"""Number of images in the cache: the same ones come back at other validations."""


@dataclass(frozen=True, slots=True)
class PredictedImage:
    """An image with its predictions.

    Attributes:
        row: Its row in the dataset.
        truth: Its class.
        predictions: Classes with their scores, the most probable first.
    """

    row: int
    truth: str
    predictions: tuple[tuple[str, float], ...]


class PredictionTiles(ScrollColumn):
    """A tile for each image; the pictures are loaded in the background and cached."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(SPACE.s, parent)
        self._context = context
        self._pictures: DatasetPictures | None = None
        self._known: dict[int, QImage] = {}
        self._images: list[PredictedImage] = []
        self._tiles: list[PredictionTile] = []
        self._flow = FlowLayout(spacing=SPACE.s)
        fill(self.column, self._flow, STRETCH)

    def show_images(self, images: Sequence[PredictedImage], pictures: DatasetPictures) -> None:
        """Show images of the dataset of a run."""
        if pictures is not self._pictures or len(self._known) > _MOST_CACHED:
            self._pictures, self._known = pictures, {}
        self._images = list(images)
        while len(self._tiles) < len(images):
            self._tiles.append(PredictionTile(self._context.theme, self))
            self._flow.addWidget(self._tiles[-1])
        for at, tile in enumerate(self._tiles):
            tile.setVisible(at < len(images))
        for tile, image in zip(self._tiles, images, strict=False):
            tile.set_predictions(image.truth, image.predictions)
        self._reposition()
        missing = tuple(image.row for image in images if image.row not in self._known)
        if missing:
            work = partial(_load, pictures, missing)
            self._context.background.run(self, work, partial(self._on_loaded, pictures))

    def tiles(self) -> list[PredictionTile]:
        """Return the tiles that show an image."""
        return self._tiles[: len(self._images)]

    def images(self) -> list[PredictedImage]:
        """Return the images that are shown."""
        return list(self._images)

    def _reposition(self) -> None:
        for tile, image in zip(self._tiles, self._images, strict=False):
            tile.set_image(self._known.get(image.row, QImage()))

    def _on_loaded(self, pictures: DatasetPictures, found: dict[int, QImage]) -> None:
        if pictures is self._pictures:
            self._known |= found
            self._reposition()


def _load(pictures: DatasetPictures, rows: Sequence[int]) -> dict[int, QImage]:
    return {row: pictures.picture(row) for row in rows}


class TilesSection(InsightSection):
    """Base of the tabs that show images with their predictions."""

    shows_classes = True

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.tiles = PredictionTiles(context, self)
        self.body.addWidget(self.tiles, 1)

    def images_of(self, snapshot: Snapshot) -> list[PredictedImage]:
        """Return the images of a validation."""
        raise NotImplementedError

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the insights of a validation."""
        self.tiles.show_images(self.images_of(snapshot), snapshot.pictures)


class Mistakes(TilesSection):
    """The mistakes with the highest scores, as pictures."""

    word = str(QT_TRANSLATE_NOOP("Mistakes", "Mistakes"))

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """Return a message if there are no mistakes or no validation images."""
        answers = snapshot.insight.answers
        if not len(answers.rows) or len(answers.mistakes(1)):
            return no_images(answers.rows)
        return self.tr("No mistakes: all predictions are correct.")

    def images_of(self, snapshot: Snapshot) -> list[PredictedImage]:
        """Return the mistakes of a validation."""
        answers, names = snapshot.insight.answers, snapshot.names
        images = []
        for index in answers.mistakes().tolist():
            prediction = names[answers.predicted[index]], float(answers.scores[index])
            truth = names[answers.truth[index]]
            images.append(PredictedImage(int(answers.rows[index]), truth, (prediction,)))
        return images


class Samples(TilesSection):
    """The same validation images in every epoch, with their most probable classes."""

    word = str(QT_TRANSLATE_NOOP("Samples", "Samples"))

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """Return a message if there are no validation images."""
        return no_images(snapshot.insight.pictures.rows)

    def images_of(self, snapshot: Snapshot) -> list[PredictedImage]:
        """Return the samples of a validation."""
        found, names = snapshot.insight.pictures, snapshot.names
        columns = (found.rows, found.truth, found.classes, found.scores)
        return [
            PredictedImage(
                row,
                names[truth],
                tuple(zip([names[each] for each in classes], scores, strict=True)),
            )
            for row, truth, classes, scores in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]


_MOST = 500
"""Number of images of a cell that are shown, those with the highest scores first."""
_THUMB = 64
MIN_MATRIX = 240
"""Least height of the matrix in pixels."""


class ConfusionSection(InsightSection):
    """The confusion matrix and the images of the chosen cell."""

    word = str(QT_TRANSLATE_NOOP("ConfusionSection", "Confusion"))
    shows_classes = True

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._snapshot: Snapshot | None = None
        self._is_chosen = False
        self.view = ConfusionChart(context.theme, self)
        self.view.plot.setMinimumHeight(MIN_MATRIX)
        self.read_out = ElidedLabel("", self)
        self.grid = PictureGrid(context.theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.tr("Images of the cell"))
        self.none_left = text_label(self.tr("No images in this cell."), "muted", self)
        side = vbox(self.read_out, self.none_left, (self.grid, 1), spacing=SPACE.xs)
        # In a low window the matrix scrolls instead of shrinking.
        scroll = QScrollArea(self)
        scrolled(scroll, self.view)
        fill(self.body, (scroll, 3), (side, 2))
        self.view.described.connect(self.read_out.setText)
        self.view.chosen.connect(self._on_chosen)
        self.view.failed.connect(context.navigator.show_failure)

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """Return a message if there are no validation images."""
        return no_images(snapshot.insight.answers.rows)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the insights of a validation; the chosen cell stays while the run does."""
        if self._snapshot is not None and snapshot.pictures is not self._snapshot.pictures:
            self._is_chosen = False
        self._snapshot = snapshot
        counts = snapshot.insight.confusion()
        self.view.set_matrix(counts, snapshot.names)
        if not self._is_chosen or self.view.plot.current() is None:
            from studio.ui.charts.colors import most_confused  # noqa: PLC0415 - NumPy

            self.view.set_current(most_confused(counts) or (0, 0))
        self._show_cell()

    def _on_chosen(self, _cell: Cell) -> None:
        self._is_chosen = True
        self._show_cell()

    def _show_cell(self) -> None:
        snapshot, cell = self._snapshot, self.view.plot.current()
        if snapshot is None or cell is None:
            return
        answers = snapshot.insight.answers
        images = captioned(answers, snapshot.names, answers.cell(*cell)[:_MOST])
        self.none_left.setVisible(not images)
        self.grid.setVisible(bool(images))
        self.grid.show_images(images, snapshot.pictures)


class TargetsSection(InsightSection):
    """The insights of tasks with other targets than one class, as their view shows them."""

    word = str(QT_TRANSLATE_NOOP("TargetsSection", "Predictions"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._task = ""
        self.view: InsightView | None = None
        self.overlay = OverlayBar(context.settings, self)
        self.tools.addWidget(self.overlay)
        context.settings.overlay_changed.connect(self._on_overlay)

    @classmethod
    def title_for(cls, task: Task) -> str:
        """Return the title of the view of the task; empty if it has none."""
        return view_of(task).insights_title()

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """Return a message if there are no validation images."""
        return no_images(snapshot.insight.targets.rows)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the insights of a validation."""
        entry, found = self.timeline.entry, snapshot.insight.targets
        if entry is None:
            return
        task = self.context.jobs.task_of(entry)
        if task.name != self._task:
            self._task = task.name
            self._replace(view_of(task).insights(self.context.theme, self))
            self.overlay.show_part(task.geometry.part_type)
        if self.view is not None:
            snapshot.pictures.style = self.context.settings.overlay
            about = (snapshot.names, snapshot.units, snapshot.pictures, snapshot.colors)
            regions = (snapshot.insight.masks, snapshot.insight.boxes)
            self.view.show_insight(ValidationInsight(found, *about, *regions))

    def _on_overlay(self) -> None:
        snapshot = self.timeline.snapshot
        if snapshot is not None and self.view is not None:
            snapshot.pictures.style = self.context.settings.overlay
            self.view.repaint_pictures()

    def _replace(self, view: InsightView | None) -> None:
        if self.view is not None:
            remove_widget(self.body, self.view)
        self.view = view
        if view is not None:
            self.body.addWidget(view, 1)


_DRAWN = 6
"""Layers that are drawn first: as many as there are colors."""
_MOST_CURVES = 24


class Norms(InsightSection):
    """The norms of all layers at a validation, and curves of the selected layers."""

    word = str(QT_TRANSLATE_NOOP("Norms", "Norms"))
    needs_steps = True

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._norms: dict[tuple[int, float], tuple[LayerNorm, ...]] = {}
        self._insights: list[InsightStored] = []
        self._run = ""
        self.table = Table(
            self.tr("Layers"),
            [
                Column(self.tr("Layer"), attrgetter("name"), width=FILL, is_text=True),
                _norm_column(self.tr("Weights"), "weight"),
                _norm_column(self.tr("Gradient"), "gradient"),
                _norm_column(self.tr("Change"), "update"),
            ],
            self,
            key=attrgetter("name"),
            selection="many",
        )
        self.box = QComboBox(self)
        self.box.setAccessibleName(self.tr("Drawn norm"))
        batch = self.tr("Gradient on a fixed batch of training images.")
        change = self.tr("Change since the previous validation, relative to the weights.")
        for key, text, tip in (
            ("gradient", self.tr("Gradient"), batch),
            ("weight", self.tr("Weights"), self.tr("All weights of the layer.")),
            ("update", self.tr("Change"), change),
        ):
            self.box.addItem(text, key)
            self.box.setItemData(self.box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        words = (self.tr("Norms by layer"), self.tr("Epoch"), self.tr("Norm"))
        self.chart = LineChart(context.theme, *words, whole_x=True, parent=self)
        self.chart.setMinimumSize(240, 96)  # there are other charts above
        self.chart.set_log(log=True)
        self.chart.failed.connect(context.navigator.show_failure)
        self.tools.addWidget(self.box)
        fill(self.body, (self.table, 1), (self.chart, 1))
        self.box.currentIndexChanged.connect(self._draw)
        self.table.selection_changed.connect(self._draw)

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """Return a message if no layer is trained."""
        return "" if snapshot.insight.norms else self.tr("This network has no trained layers.")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a validation in the table and all validations in the chart."""
        norms = snapshot.insight.norms
        before = [norm.name for norm in self.table.content.rows]
        self.table.show_rows(norms)
        names = [norm.name for norm in norms]
        if names != before:
            self._select_some(names)
        entry = self.timeline.entry
        run = "" if entry is None else entry.record.id
        if run != self._run:
            self._run, self._norms = run, {}
        self._insights = insights = list(self.timeline.insights)
        self._mark(snapshot)
        missing = [each for each in insights if (each.step, each.t) not in self._norms]
        if missing and entry is not None:
            folder = entry.record.folder
            work = partial(read_all_norms, folder, [each.step for each in missing])
            done = partial(self._on_norms, run, missing)
            self.context.background.run(self, work, done)
        else:
            self._draw()

    def _on_norms(
        self, run: str, insights: list[InsightStored], found: dict[int, tuple[LayerNorm, ...]]
    ) -> None:
        if run != self._run:
            return
        for insight in insights:
            self._norms[insight.step, insight.t] = found.get(insight.step, ())
        self._draw()

    def _select_some(self, names: Sequence[str]) -> None:
        """Select layers at even distances from the first to the last."""
        shown = min(len(names), _DRAWN)
        indices = (at * (len(names) - 1) / max(1, shown - 1) for at in range(shown))
        self.table.select(*{names[round(index)] for index in indices})

    def _mark(self, snapshot: Snapshot) -> None:
        insight = self.timeline.insights[self.timeline.index] if self.timeline.insights else None
        self.chart.set_mark(
            snapshot.insight.epoch, "" if insight is None else insight_name(insight)
        )

    def _draw(self) -> None:
        """Draw the selected layers."""
        names = [norm.name for norm in self.table.selected[:_MOST_CURVES]]
        if set(self.chart.keys()) - set(names):
            mark = self.timeline.snapshot
            self.chart.clear()
            if mark is not None:
                self._mark(mark)
        kind = str(self.box.currentData())
        known = [
            (insight.epoch, {norm.name: norm for norm in norms})
            for insight in self._insights
            if (norms := self._norms.get((insight.step, insight.t)))
        ]
        for at, name in enumerate(names):
            points = [
                (epoch, getattr(norms[name], kind)) for epoch, norms in known if name in norms
            ]
            x, y = [epoch for epoch, _ in points], [value for _, value in points]
            self.chart.set_curve(name, x, y, name=name, color_index=at, dashed=at >= _DRAWN)


def _norm_column(heading: str, name: str) -> Column[LayerNorm]:
    return Column(
        heading, lambda norm: significant(getattr(norm, name), 3), value=attrgetter(name)
    )
