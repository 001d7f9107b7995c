"""The map of a run's dataset, and the images that the lasso went around."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from studio.engine.embeddings.embedding import EMBEDDING_FILE, read_embedding
from studio.engine.embeddings.plan import EmbeddingPlan
from studio.engine.embeddings.requests import request_embedding
from studio.engine.inference.questions import Outline
from studio.engine.jobs.job import Job
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import RecordKind
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.charts.map_chart import MapChart, MapPoints
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.inside.gallery import Gallery
from studio.ui.pages.inside.hover_card import HoverCard
from studio.ui.pages.inside.map_bar import MapBar
from studio.ui.pages.inside.map_order import MapOrder
from studio.ui.pages.inside.row_pictures import RowPictures
from studio.ui.pages.inside.state import DrawnMap, Maps, dataset_id, maps_of
from studio.ui.shared.jobs import show_start
from studio.ui.tasks.targets import TargetTable
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.embeddings.embedding import Embedding

THUMB = 104
KEPT = 300
"""Images of a selection that are in the gallery: the first ones."""


class MapPanel(QWidget):
    """Draws maps as jobs and shows the newest one of the chosen run.

    Signals:
        opened: Path of a picture, and the name of its class: somebody wants to look into it.
    """

    opened = Signal(object, str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choice: RunChoice | None = None
        self._maps = Maps()
        self._shown = ""
        self._pictures: RowPictures | None = None
        self.drawn: DrawnMap | None = None
        self.order = MapOrder(context.theme, self)
        self.bar = MapBar(self)
        self.chart = MapChart(context.theme, self.tr("Map of the images"), self)
        self.chart.bar.add_control(self.bar, 1)
        self.plot = self.chart.plot
        self.words = QLabel(self)
        self.words.setProperty("role", "caption")
        self.words.setWordWrap(True)
        self.hover = HoverCard(context.background, self.plot)
        self.gallery = Gallery(context.theme, self)
        self.gallery_title = QLabel(self)
        self.gallery_title.setProperty("role", "caption")
        self.gallery_title.setWordWrap(True)
        self.empty = EmptyState(
            context.theme,
            "chart",
            self.tr("No map yet"),
            self.tr(
                "Every image becomes a point; those that the network finds alike are close. "
                "Groups and outliers can be seen at once."
            ),
            self,
        )
        self._stack = PageStack(self)
        self._lay_out()
        self._connect()
        explain(
            self.gallery,
            self.tr("Images of the selected points; a second click looks into one."),
        )

    def show_run(self, choice: RunChoice | None) -> None:
        """Show the maps of another run."""
        if choice is None or self._choice is None or choice.id != self._choice.id:
            self._show_nothing()
            self.order.show_layers(None)
        self._choice = choice
        self._refresh()

    def show_outline(self, outline: Outline) -> None:
        """Offer the layers of the run's model."""
        self.order.show_layers(outline)

    def _refresh(self) -> None:
        run = "" if self._choice is None else self._choice.id
        self._maps = maps_of(self._context.jobs.entries(RecordKind.EMBEDDING), run)
        self.order.show_work(self._maps.going)
        entry = self._maps.shown
        if entry is None or self._choice is None or entry.record.id == self._shown:
            return
        self._shown = entry.record.id
        plan = entry.plan
        version = plan.dataset_version if isinstance(plan, EmbeddingPlan) else None
        read = partial(_read, entry.record.folder, self._choice.dataset_folder, version)
        self._context.background.run(self, read, partial(self._on_read, entry))

    def _on_read(self, entry: RecordDocument, read: tuple[DrawnMap, MapPoints]) -> None:
        choice, plan = self._choice, entry.plan
        if entry.record.id != self._shown or choice is None or choice.dataset_folder is None:
            return
        version = plan.dataset_version if isinstance(plan, EmbeddingPlan) else None
        self.drawn, points = read
        self._pictures = RowPictures(choice.dataset_folder, version)
        self._stack.setCurrentIndex(1)
        self.chart.show_points(points)
        self.bar.show_points(points)
        self.bar.show_outputs(self.drawn.targets)
        self.words.setText(self._about(self.drawn.embedding))
        self._on_selected_none()

    def _about(self, embedding: Embedding) -> str:
        parts = [
            self.tr("{count} images at the layer {layer}").format(
                count=count(len(embedding.rows)), layer=embedding.layer
            )
        ]
        if embedding.explained:
            shares = percent(sum(embedding.explained))
            parts.append(
                self.tr("the map shows {share} of their differences").format(share=shares)
            )
        right = embedding.right()
        if right is not None:
            parts.append(
                self.tr("{wrong} are taken for another class").format(
                    wrong=count(int((~right).sum()))
                )
            )
        parts.append(self.tr("Drag a line around points to see their images."))
        return " · ".join(parts)

    def _show_nothing(self) -> None:
        self._shown, self.drawn, self._pictures = "", None, None
        self.chart.show_points(None)
        self.hover.leave()
        self.gallery.stop()
        self._stack.setCurrentIndex(0)

    def _on_wanted(self) -> None:
        choice = self._choice
        if choice is None:
            return
        plan = self.order.plan(f"{RUN_PREFIX}{choice.id}", dataset_id(choice))
        show_start(self.order.draw_button, "", is_asked=True)
        work = partial(request_embedding, self._context.jobs.queue, plan)
        self._context.background.run(self, work, self._on_requested, self._on_refused)

    def _on_requested(self, _job: Job) -> None:
        self._context.jobs.wake()

    def _on_refused(self, error: BaseException) -> None:
        self._refresh()
        self._context.navigator.show_failure(error)

    def _on_cancelled(self) -> None:
        if self._maps.going is not None:
            self._context.jobs.stop(self._maps.going)

    def _on_job(self, entry: RecordDocument, _change: object) -> None:
        if entry.key[0] == RecordKind.EMBEDDING:
            self._refresh()

    def _on_pointed(self, index: int, place: QPoint) -> None:
        if index < 0 or self.drawn is None or self._pictures is None:
            self.hover.leave()
        else:
            self.hover.show_point(self.drawn, index, self._pictures, place)

    def _on_selected(self, indices: NDArray[np.intp]) -> None:
        if self.drawn is None or self._pictures is None or not len(indices):
            self._on_selected_none()
            return
        text = self.tr("{count} images selected").format(count=count(len(indices)))
        self._show_images(indices, text)

    def _show_images(self, indices: NDArray[np.intp], text: str) -> None:
        """Show the images of points in the gallery, under a title."""
        if self.drawn is None or self._pictures is None:
            return
        kept = indices[:KEPT].tolist()
        self.gallery.show_points(self.drawn, kept, self._pictures)
        if len(kept) < len(indices):
            text += " · " + self.tr("the first {count} are shown").format(count=count(len(kept)))
        self.gallery_title.setText(text)

    def _on_selected_none(self) -> None:
        """Show what is worth a look before anything is chosen: the mistakes, where they are."""
        if self.drawn is None:
            return
        right = self.drawn.embedding.right()
        wrong = None if right is None else (~right).nonzero()[0]
        if wrong is not None and len(wrong):
            self._show_images(wrong, self.tr("Taken for another class"))
        else:
            every = self.drawn.embedding.rows.argsort()
            self._show_images(every, self.tr("Images of the map"))

    def _on_opened(self, point: int) -> None:
        if self.drawn is None or self._pictures is None:
            return
        row, label = int(self.drawn.embedding.rows[point]), self.drawn.label(point)
        work = partial(self._pictures.file, row)
        self._context.background.run(self, work, partial(self._on_file, label))

    def _on_file(self, label: str, path: Path) -> None:
        self.opened.emit(path, label)

    def _on_output(self, output: int) -> None:
        """Group the points by another label or quantity."""
        if self.drawn is not None:
            done = partial(self._on_grouped, self.drawn)
            self._context.background.run(self, partial(self.drawn.points, output), done)

    def _on_grouped(self, drawn: DrawnMap, points: MapPoints) -> None:
        if drawn is self.drawn:
            self.chart.show_points(points)
            self.bar.show_points(points)

    def _on_coloring(self, by: str) -> None:
        self.chart.color_by("split" if by == "split" else "error" if by == "error" else "class")

    def _on_lasso(self, is_on: bool) -> None:
        self.plot.box.lasso = is_on

    def _connect(self) -> None:
        self.order.wanted.connect(self._on_wanted)
        self.order.cancelled.connect(self._on_cancelled)
        self.bar.coloring_chosen.connect(self._on_coloring)
        self.bar.output_chosen.connect(self._on_output)
        self.bar.class_chosen.connect(self.plot.show_only)
        self.bar.lasso_toggled.connect(self._on_lasso)
        self.chart.failed.connect(self._context.navigator.show_failure)
        self.plot.pointed.connect(self._on_pointed)
        self.plot.selected.connect(self._on_selected)
        self.plot.chosen.connect(self._on_opened)
        self.gallery.opened.connect(self._on_opened)
        self._context.jobs.changed.connect(self._on_job)

    def _lay_out(self) -> None:
        map_side, gallery_side = QWidget(self), QWidget(self)
        left = QVBoxLayout(map_side)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(SPACE.xs)
        left.addWidget(self.chart, 1)
        left.addWidget(self.words)
        right = QVBoxLayout(gallery_side)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(SPACE.xs)
        right.addWidget(self.gallery_title)
        right.addWidget(self.gallery, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.addWidget(map_side)
        self.splitter.addWidget(gallery_side)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setChildrenCollapsible(False)
        gallery_side.setMinimumWidth(220)
        self.splitter.setSizes([640, 280])
        self.gallery.set_thumb_size(THUMB)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.splitter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.m, 0, 0)
        column.setSpacing(SPACE.m)
        column.addWidget(self.order)
        column.addWidget(self._stack, 1)


def _read(folder: Path, dataset: Path | None, version: int | None) -> tuple[DrawnMap, MapPoints]:
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    found, targets = read_embedding(folder / EMBEDDING_FILE), None
    if dataset is not None and not found.has_classes:
        targets = TargetTable.of_store(Store.open(dataset, version))
    drawn = DrawnMap(found, targets)
    return drawn, drawn.points(0)
