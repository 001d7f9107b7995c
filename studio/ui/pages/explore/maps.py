"""The map of the images of a run's dataset: form, chart, and images of the selected points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QImage, QPixmap, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QFrame, QLabel, QWidget

from studio.engine.embeddings.embedding import EMBEDDING_FILE, read_embedding
from studio.engine.embeddings.requests import (
    MAP_METHODS,
    EmbeddingPlan,
    MapSplit,
    request_embedding,
)
from studio.engine.inference.requests import Outline
from studio.engine.jobs.states import State
from studio.engine.plans import fields_of
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import RecordKind
from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.charts.map_chart import MapChart, MapColoring, MapPoints
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.shared.jobs import show_job, show_start
from studio.ui.tasks import view_of
from studio.ui.tasks.targets import TargetTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, counted, percent
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.job_rows import JobRow
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import Splitter, fill, flow, hbox, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.picture_grid import ImageGrid, PictureModel
from studio.ui.widgets.tips import allow, explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.embeddings.embedding import Embedding

COLORINGS: tuple[MapColoring, ...] = get_args(MapColoring)
_WIDEST_CLASSES = 280
_WIDEST_LAYER = 400
_LAYER_LETTERS = 8


class MapForm(QWidget):
    """Method, images and layer of a map, the button that draws it, and its progress."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        fields = {field.name: field for field in fields_of(EmbeddingPlan)}
        methods = ((word, method) for method, word in MAP_METHODS.items())
        self.method = ComboBox(self, self.tr("Method of the map"), methods)
        images = (
            self.tr("All images"),
            self.tr("Training images"),
            self.tr("Validation images"),
            self.tr("Test images"),
        )
        splits = zip(images, get_args(MapSplit), strict=True)
        self.split = ComboBox(self, self.tr("Images on the map"), splits)
        self.layer = ComboBox(self, self.tr("Layer whose features are mapped"))
        self.layer.setMinimumContentsLength(_LAYER_LETTERS)
        self.layer.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.layer.setMaximumWidth(_WIDEST_LAYER)
        for box, name in ((self.method, "method"), (self.split, "split"), (self.layer, "layer")):
            why = translated(fields[name].why or fields[name].help)
            box.setToolTip(f"{box.accessibleName()}. {why}")
        self.draw_button = push_button(
            self.tr("Draw the map"), theme, kind="primary", icon="chart", parent=self
        )
        self.progress = JobRow(theme, "", self)
        self.progress.open_button.hide()
        kept = self.tr("Cancels the map. The previous map is kept.")
        explain(self.progress.cancel_button, kept)
        self.problem = HintLabel("", "problem", self)
        self._lay_out()
        self.show_layers(None)
        self.show_work(None)
        explain(
            self.draw_button,
            self.tr("Plots each image as a point. Similar images are close together."),
        )

    def plan(self, model: str, dataset: str) -> EmbeddingPlan:
        """Return the chosen map of a model and a dataset, given as in plans."""
        return EmbeddingPlan(
            model=model,
            dataset=dataset,
            method=self.method.currentData(),
            split=self.split.currentData(),
            layer=self.layer.currentData() or "",
        )

    def show_layers(self, outline: Outline | None) -> None:
        """Offer the layers of a model; None while they are not known."""
        layers = () if outline is None else outline.layers
        paths = ((layer.path, layer.path) for layer in layers)
        self.layer.set_entries([(self.tr("Before the head"), ""), *paths])

    def show_work(self, entry: RecordDocument | None) -> None:
        """Show the progress of a map, or why there is none."""
        is_busy = entry is not None and not entry.state.is_at_rest
        show_start(self.draw_button, self.tr("Draw the map"), is_asked=False)
        allow(self.draw_button, self.tr("A map is being computed.") if is_busy else "")
        self.progress.setVisible(is_busy)
        if entry is not None and is_busy:
            show_job(self.progress, entry)
        failed = entry is not None and entry.state in (State.FAILED, State.LOST)
        self.problem.show_text(entry.history.reason if entry and failed else "", "problem")

    def _lay_out(self) -> None:
        row = hbox(self.method, self.split, (self.layer, 1), spacing=SPACE.s)
        row.addStretch(0)  # takes the rest once the layer has its full width
        fill(row, self.draw_button)
        vbox(row, self.progress, self.problem, owner=self, spacing=SPACE.xs)


class MapBar(QWidget):
    """Colors, classes and mouse mode of the map on the screen.

    Signals:
        coloring_chosen: A `MapColoring`.
        output_chosen: Number of the label or quantity that groups the points.
        class_chosen: Number of the class that is not faded; -1 for all.
    """

    coloring_chosen = Signal(str)
    output_chosen = Signal(int)
    class_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = self.tr("Color by class"), self.tr("Color by split"), self.tr("Color by error")
        self.coloring = ComboBox(self, self.tr("Coloring"), zip(words, COLORINGS, strict=True))
        self.outputs = ComboBox(self, self.tr("Label or quantity"))
        self.coloring.setMinimumContentsLength(6)
        self.outputs.setMinimumContentsLength(4)
        self.outputs.hide()
        self.classes = ComboBox(self, self.tr("Highlighted class"))
        self.classes.setMinimumContentsLength(4)
        self.classes.setMaximumWidth(_WIDEST_CLASSES)
        self.lasso = QCheckBox(self.tr("Drag selects"), self)
        self.lasso.setChecked(True)
        self.lasso.setToolTip(
            self.tr(
                "On: drag around points to select them. Off: drag to zoom. The wheel zooms, "
                "Shift+drag moves, a double click shows everything."
            )
        )
        # Wraps: side by side their words would be cut in a small window.
        self.setLayout(flow(self.coloring, self.outputs, self.classes, self.lasso))
        self.coloring.currentIndexChanged.connect(self._on_coloring)
        self.classes.currentIndexChanged.connect(self._on_class)
        self.outputs.activated.connect(self.output_chosen)
        explain(self.outputs, self.tr("The label or quantity that the points are colored by."))
        explain(self.classes, self.tr("Fades all other classes."))
        explain(self.coloring, self.tr("Coloring by error shows clusters of mistakes."))

    def show_outputs(self, names: Sequence[str]) -> None:
        """Offer the labels or quantities of a dataset; none where images have one class."""
        self.outputs.clear()
        self.outputs.addItems(list(names))
        self.outputs.setVisible(bool(names))
        by_class, by_value = self.tr("Color by class"), self.tr("Color by value")
        self.coloring.setItemText(0, by_value if names else by_class)

    def show_points(self, points: MapPoints) -> None:
        """Offer the classes of a map, and colors by error where they are known."""
        with QSignalBlocker(self.classes):
            self.classes.clear()
            self.classes.addItems([self.tr("All images"), *points.classes])
        self.class_chosen.emit(-1)
        item, known = COLORINGS.index("error"), points.right is not None
        tip = None if known else self.tr("Not known for these images.")
        self.coloring.setItemData(item, tip, Qt.ItemDataRole.ToolTipRole)
        model = self.coloring.model()
        if isinstance(model, QStandardItemModel):  # as that of every combo box is
            model.item(item).setEnabled(known)
        if not known and self.coloring.currentIndex() == item:
            self.coloring.setCurrentIndex(0)

    def _on_coloring(self, _index: int) -> None:
        self.coloring_chosen.emit(self.coloring.currentData())

    def _on_class(self, index: int) -> None:
        self.class_chosen.emit(index - 1)


def maps_of(
    entries: Iterable[RecordDocument], run_id: str
) -> tuple[RecordDocument | None, RecordDocument | None]:
    """Return the map of a run that is not completed, if it is newer, and the last completed one.

    Args:
        entries: All maps, newest first.
        run_id: Id of the run.
    """
    active = None
    for entry in entries:
        plan = entry.plan
        if not isinstance(plan, EmbeddingPlan) or plan.model != f"{RUN_PREFIX}{run_id}":
            continue
        if entry.state == State.COMPLETED:
            return active, entry
        active = active or entry
    return active, None


@dataclass(frozen=True)
class DrawnMap:
    """A map of images that have one class each, with their pictures.

    Attributes:
        embedding: The map.
        pictures: Pictures of the dataset.
    """

    embedding: Embedding
    pictures: DatasetPictures

    @property
    def outputs(self) -> Sequence[str]:
        """Names of the labels or quantities that points can be grouped by; none for classes."""
        return ()

    def caption(self, index: int) -> str:
        """Return the class of an image, and the predicted one if that differs."""
        found = self.embedding
        label, prediction = self.label(index), found.outputs[found.predictions[index]]
        return label if prediction == label else f"{label} → {prediction}"

    def label(self, index: int) -> str:
        """Return the class or the targets of an image."""
        return self.embedding.classes[int(self.embedding.labels[index])]

    def groups(self, output: int) -> tuple[NDArray[np.int32], tuple[str, ...]]:  # noqa: ARG002
        """Return the group of each image, and the names of the groups: the classes.

        Args:
            output: Number of the label or quantity.
        """
        return self.embedding.labels, self.embedding.classes

    def points(self, output: int) -> MapPoints:
        """Return the points in groups: by their class, or by a label or quantity."""
        found, (labels, names) = self.embedding, self.groups(output)
        return MapPoints(found.points, labels, found.splits, found.right(), names)


@dataclass(frozen=True)
class DrawnTargetMap(DrawnMap):
    """A map of images with labels, quantities or regions.

    Attributes:
        targets: Targets of the dataset.
    """

    targets: TargetTable

    @property
    def outputs(self) -> Sequence[str]:
        """Names of the labels or quantities; see `DrawnMap.outputs`."""
        return self.targets.names

    def caption(self, index: int) -> str:
        """Return the targets of an image."""
        row = int(self.embedding.rows[index])
        return str(view_of(self.targets.task).caption(self.targets, row))

    def label(self, index: int) -> str:
        """Return the targets of an image."""
        return self.caption(index)

    def groups(self, output: int) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Return the group of each image by an output; see `DrawnMap.groups`."""
        return view_of(self.targets.task).groups(self.targets, self.embedding.rows, output)


class PointImages(PictureModel):
    """Model of a grid with the images of some points of a map.

    Args:
        drawn: The map.

    Attributes:
        points: The points, in the order of the grid.
    """

    def __init__(self, drawn: DrawnMap) -> None:
        super().__init__()
        self._drawn = drawn
        self._right = drawn.embedding.right()
        # Of each painted image once: those of many outputs take a tenth of a millisecond.
        self._caption = cache(drawn.caption)
        self.points: Sequence[int] = ()

    def take(self, points: Sequence[int]) -> None:
        """Show the images of other points."""
        self.points = points
        self.reset(len(points))

    def key(self, row: int) -> int:
        """Return the row of the dataset."""
        return int(self._drawn.embedding.rows[self.points[row]])

    def caption(self, row: int) -> str:
        """Return the targets of the image, and a wrong prediction."""
        return self._caption(self.points[row])

    def tip(self, row: int) -> str:
        """Return the caption and the path of the image."""
        return f"{self.caption(row)} · {self._drawn.embedding.paths[self.points[row]]}"

    def is_wrong(self, row: int) -> bool:
        """Return True for a wrong prediction."""
        return self._right is not None and not bool(self._right[self.points[row]])


SIDE = 112
_AWAY = 14


class HoverCard(QFrame):
    """Floats over a plot, which is its parent; never in the way of the pointer."""

    def __init__(self, background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._background = background
        self._plot = parent
        self._requested = -1
        self.picture = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter)
        self.picture.setFixedSize(SIDE, SIDE)
        self.summary = text_label("", "caption", self, wraps=True)
        self.summary.setMaximumWidth(SIDE)
        vbox(self.picture, self.summary, owner=self, spacing=SPACE.xs, margins=SPACE.s)
        self.hide()

    def show_point(self, drawn: DrawnMap, point: int, position: QPoint) -> None:
        """Show a point beside a place on the screen."""
        embedding, text = drawn.embedding, drawn.caption(point)
        self._requested = int(embedding.rows[point])
        if embedding.has_predictions:
            text += f" · {percent(float(embedding.scores[point]))}"
        self.summary.setText(text)
        self.picture.clear()
        work = partial(drawn.pictures.load, self._requested)
        self._background.run(self, work, partial(self._on_loaded, self._requested))
        self.adjustSize()
        self.move(self._beside(position))
        self.show()
        self.raise_()

    def clear(self) -> None:
        """Hide it."""
        self._requested = -1
        self.hide()

    def _on_loaded(self, row: int, image: QImage) -> None:
        if row == self._requested:
            # Small pictures pixel by pixel, as the network sees them.
            modes = Qt.TransformationMode
            is_small = image.width() < SIDE
            mode = modes.FastTransformation if is_small else modes.SmoothTransformation
            aspect = Qt.AspectRatioMode.KeepAspectRatio
            self.picture.setPixmap(QPixmap.fromImage(image.scaled(SIDE, SIDE, aspect, mode)))

    def _beside(self, point: QPoint) -> QPoint:
        plot = self._plot
        at = plot.mapFromGlobal(point) + QPoint(_AWAY, _AWAY)
        if at.x() + self.width() > plot.width():
            at.setX(at.x() - self.width() - 2 * _AWAY)
        if at.y() + self.height() > plot.height():
            at.setY(at.y() - self.height() - 2 * _AWAY)
        return QPoint(max(0, at.x()), max(0, at.y()))


_THUMB = 104
_GALLERY_WIDTH = 184
"""Least width of the images beside the map, in pixels: the smallest window shows both."""
MAX_IMAGES = 300
"""Images of a selection that are in the gallery: the first ones."""


class MapPanel(QWidget):
    """Draws maps as jobs and shows the newest one of the chosen run.

    Signals:
        opened: Path of a picture to show alone, and the name of its class.
    """

    opened = Signal(object, str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choice: RunChoice | None = None
        self._active: RecordDocument | None = None
        self._shown = ""
        self._reading = Request(context.background, self)
        self._grouping = Request(context.background, self)
        self._images: PointImages | None = None
        self.drawn: DrawnMap | None = None
        self.form = MapForm(context.theme, self)
        self.bar = MapBar(self)
        self.chart = MapChart(context.theme, self.tr("Map of the images"), self)
        self.chart.bar.add_control(self.bar, 1)
        self.plot = self.chart.plot
        self.summary = text_label("", "caption", self, wraps=True)
        self.hover = HoverCard(context.background, self.plot)
        self.gallery = ImageGrid(context.theme, self)
        self.gallery.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.gallery.setAccessibleName(self.tr("Selected images"))
        self.gallery_title = text_label("", "caption", self, wraps=True)
        self.empty = EmptyState(context.theme, "chart", "", "", self)
        self._say_why_empty()
        self._lay_out()
        self._connect()
        explain(
            self.gallery, self.tr("Images of the selected points. Double-click one to inspect it.")
        )

    def show_run(self, choice: RunChoice | None) -> None:
        """Show the maps of another run."""
        if choice is None or self._choice is None or choice.id != self._choice.id:
            self._show_nothing()
            self.form.show_layers(None)
        self._choice = choice
        self._refresh()

    def _refresh(self) -> None:
        choice = self._choice
        run = "" if choice is None else choice.id
        entries = self._context.jobs.entries(RecordKind.EMBEDDING)
        self._active, entry = maps_of(entries, run)
        self.form.show_work(self._active)
        self._say_why_empty()
        dataset = None if choice is None else choice.dataset_folder
        if entry is None or dataset is None or entry.record.id == self._shown:
            return
        self._shown = entry.record.id
        plan = entry.plan
        version = plan.dataset_version if isinstance(plan, EmbeddingPlan) else None
        work = partial(_read, entry.record.folder, dataset, version)
        self._reading.run(work, self._on_read, self._on_failed)

    def _say_why_empty(self) -> None:
        """Say in place of a map that there is none, or that it is on its way."""
        title = self.tr("No map yet")
        text = self.tr(
            "Plots each image as a point. Similar images are close together, and outliers "
            "stand apart."
        )
        if self._active is not None and not self._active.state.is_at_rest:
            title = self.tr("The map is being computed")
            text = self.tr("It appears here. You can use other pages meanwhile.")
        self.empty.set_texts(title, text)

    def _on_failed(self, error: BaseException) -> None:
        """Show the error; the map is read again when it is chosen again."""
        self._shown = ""
        self._context.navigator.show_failure(error)

    def _on_read(self, read: tuple[DrawnMap, MapPoints]) -> None:
        self._grouping.drop()
        self.drawn, points = read
        self._images = PointImages(self.drawn)
        pictures = self.drawn.pictures
        self.gallery.set_source(self._images, pictures.load, pictures.thumbnail)
        self._stack.setCurrentIndex(1)
        self._show_points(points)
        self.bar.show_outputs(self.drawn.outputs)
        self.summary.setText(self._about(self.drawn.embedding))
        self._show_default_images()

    def _about(self, embedding: Embedding) -> str:
        parts = [
            self.tr("{method} of {count} images, layer {layer}").format(
                method=MAP_METHODS.get(embedding.method, embedding.method),
                count=count(len(embedding.rows)),
                layer=embedding.layer,
            )
        ]
        if embedding.explained:
            ratios = percent(sum(embedding.explained))
            parts.append(self.tr("the map explains {share} of the variance").format(share=ratios))
        right = embedding.right()
        if right is not None:
            one, many = self.tr("1 wrong prediction"), self.tr("{n} wrong predictions")
            parts.append(counted(int((~right).sum()), one, many))
        parts.append(self.tr("Drag a line around points to see their images."))
        return " · ".join(parts)

    def _show_nothing(self) -> None:
        self._reading.drop()
        self._grouping.drop()
        self._shown, self.drawn = "", None
        self.chart.show_points(None)
        self.hover.clear()
        self.gallery.clear()
        self._images = None
        self._stack.setCurrentIndex(0)

    def _on_draw(self) -> None:
        choice = self._choice
        if choice is None:
            return
        dataset = "" if choice.dataset_folder is None else choice.dataset_folder.name
        plan = self.form.plan(f"{RUN_PREFIX}{choice.id}", dataset)
        show_start(self.form.draw_button, "", is_asked=True)
        work = partial(request_embedding, self._context.jobs.queue, plan)
        self._context.background.run(self, work, self._context.jobs.wake, self._on_refused)

    def _on_refused(self, error: BaseException) -> None:
        self._refresh()
        self._context.navigator.show_failure(error)

    def _on_cancel(self) -> None:
        if self._active is not None:
            self._context.jobs.stop(self._active)

    def _on_job(self, entry: RecordDocument, _change: object) -> None:
        if entry.key[0] == RecordKind.EMBEDDING:
            self._refresh()

    def _on_pointed(self, index: int, point: QPoint) -> None:
        if index < 0 or self.drawn is None:
            self.hover.clear()
        else:
            self.hover.show_point(self.drawn, index, point)

    def _on_selected(self, indices: NDArray[np.intp]) -> None:
        if not len(indices):
            self._show_default_images()
            return
        one, many = self.tr("1 image selected"), self.tr("{n} images selected")
        text = counted(len(indices), one, many)
        self._show_images(indices, text)

    def _show_images(self, indices: NDArray[np.intp], text: str) -> None:
        """Show the images of points in the gallery, under a title."""
        if self._images is None:
            return
        self._images.take(indices[:MAX_IMAGES].tolist())
        self.gallery.updateGeometries()
        self.gallery.viewport().update()
        self.gallery.scrollToTop()
        shown = len(self._images.points)
        if shown < len(indices):
            text += " · " + self.tr("the first {count} are shown").format(count=count(shown))
        self.gallery_title.setText(text)

    def _show_default_images(self) -> None:
        """Show mistakes, or all images, while no points are selected."""
        if self.drawn is None:
            return
        right = self.drawn.embedding.right()
        wrong = None if right is None else (~right).nonzero()[0]
        if wrong is not None and len(wrong):
            self._show_images(wrong, self.tr("Wrong predictions"))
        else:
            every = self.drawn.embedding.rows.argsort()
            self._show_images(every, self.tr("Images of the map"))

    def _on_opened(self, point: int) -> None:
        if self.drawn is None:
            return
        row, label = int(self.drawn.embedding.rows[point]), self.drawn.label(point)
        work = partial(self.drawn.pictures.file, row)
        self._context.background.run(self, work, lambda path: self.opened.emit(path, label))

    def _on_image(self, index: QModelIndex) -> None:
        if self._images is not None:
            self._on_opened(self._images.points[index.row()])

    def _on_output(self, output: int) -> None:
        """Group the points by another label or quantity."""
        if self.drawn is not None:
            self._grouping.run(partial(self.drawn.points, output), self._show_points)

    def _show_points(self, points: MapPoints) -> None:
        self.chart.show_points(points)
        self.bar.show_points(points)

    def _on_lasso(self, is_on: bool) -> None:
        self.plot.has_lasso = is_on

    def _connect(self) -> None:
        self.form.draw_button.clicked.connect(self._on_draw)
        self.form.progress.cancel_requested.connect(self._on_cancel)
        self.bar.coloring_chosen.connect(self.chart.color_by)
        self.bar.output_chosen.connect(self._on_output)
        self.bar.class_chosen.connect(self.plot.show_only)
        self.bar.lasso.toggled.connect(self._on_lasso)
        self.chart.failed.connect(self._context.navigator.show_failure)
        self.plot.pointed.connect(self._on_pointed)
        self.plot.selected.connect(self._on_selected)
        self.plot.chosen.connect(self._on_opened)
        self.gallery.activated.connect(self._on_image)
        self._context.jobs.changed.connect(self._on_job)

    def _lay_out(self) -> None:
        map_side, gallery_side = QWidget(self), QWidget(self)
        vbox((self.chart, 1), self.summary, owner=map_side, spacing=SPACE.xs)
        vbox(self.gallery_title, (self.gallery, 1), owner=gallery_side, spacing=SPACE.xs)
        gallery_side.setMinimumWidth(_GALLERY_WIDTH)
        across = Qt.Orientation.Horizontal
        splitter = Splitter(self._context.settings, "explore/map-splitter", across, self)
        splitter.split((map_side, 3, 640), (gallery_side, 1, 280))
        self.gallery.set_thumb_size(_THUMB)
        self._stack = PageStack(self, self.empty, splitter)
        vbox(self.form, (self._stack, 1), owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))


def _read(folder: Path, dataset: Path, version: int | None) -> tuple[DrawnMap, MapPoints]:
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    found, pictures = read_embedding(folder / EMBEDDING_FILE), DatasetPictures(dataset, version)
    drawn = DrawnMap(found, pictures)
    if not found.has_predictions:
        targets = TargetTable.of_store(Store.open(dataset, version))
        drawn = DrawnTargetMap(found, pictures, targets)
    return drawn, drawn.points(0)
