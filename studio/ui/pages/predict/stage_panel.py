"""The large area at the left: an invitation, then the picture, or all of several pictures."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.ui.context import AppContext
from studio.ui.pages.predict.folder_bar import FolderBar
from studio.ui.pages.predict.live_bar import LiveBar
from studio.ui.pages.predict.pictures import read_picture
from studio.ui.pages.predict.results import ResultsGrid
from studio.ui.pages.predict.results_table import ResultsTable
from studio.ui.pages.predict.state import Batch, Stage
from studio.ui.pages.predict.timeline import Timeline
from studio.ui.widgets.cards import Card
from studio.ui.widgets.drop_area import DropArea
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.pictures import HeatView, scaled_into
from studio.ui.widgets.tips import explain


class StagePanel(QWidget):
    """Shows what was dropped.

    Signals:
        browse_requested: Choose pictures by a file dialog.
        picked: The row of a grid whose answer is wanted.
        opened: The row of a grid that is wanted alone; -1 for the whole grid again.
        picture_shown: Another picture was read and is shown.
    """

    browse_requested = Signal()
    picked = Signal(int)
    opened = Signal(int)
    picture_shown = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._path: Path | None = None
        self._batch: Batch | None = None
        self.drop_area = DropArea(
            context.theme,
            self.tr("Drop a picture"),
            self.tr("One, several, or a folder. Pasting works as well."),
            icon="image",
            parent=self,
        )
        # The whole page takes drops, with more kinds of things than this area knows.
        self.drop_area.setAcceptDrops(False)
        self.view = HeatView(context.theme, self)
        self.unreadable = EmptyState(context.theme, "warning", "", "", self)
        self.grid = ResultsGrid(context.theme, self)
        self.table = ResultsTable(context.theme, self)
        self.bar = FolderBar(context.theme, self)
        self.live_bar = LiveBar(context.theme, self)
        self.timeline = Timeline(context.theme, self)
        self.timeline.hide()
        self._card = Card("", self)
        self._inside = PageStack(self)
        self._stack = PageStack(self)
        self._lay_out()
        self.drop_area.browse_requested.connect(self._on_browse)
        self.bar.back_requested.connect(self._on_back)
        self.timeline.chosen.connect(self.picked)
        self.bar.table_wanted.connect(self._on_table)
        for view in (self.grid, self.table):
            view.picked.connect(self.picked)
            view.opened.connect(self.opened)
        explain(self.grid, self.tr("All pictures with their answers; choose one to see it large."))
        explain(self.table, self.tr("All answers as rows, to sort and filter them."))

    def show_batch(self, stage: Stage, batch: Batch | None) -> None:
        """Show a batch at its stage."""
        self._stack.setCurrentWidget(self.drop_area if batch is None else self._card)
        self._batch = batch
        if batch is None:
            self._path = None
            return
        self.bar.show_batch(stage, batch)
        self.timeline.setVisible(bool(batch.times))
        if batch.times:
            self.timeline.show_answers(batch.times, batch.predictions, batch.shown)
        if stage is Stage.GRID:
            self._path = None
            self._show_many(batch)
            return
        self._show_picture(batch)

    def shows(self, widget: QWidget) -> bool:
        """Whether that (the drop area, or one of the card's parts) is what can be seen."""
        if widget is not self.drop_area and self._stack.currentWidget() is not self._card:
            return False
        return widget in (self._stack.currentWidget(), self._inside.currentWidget())

    def _show_many(self, batch: Batch) -> None:
        view = self.table if self.bar.table_button.isChecked() else self.grid
        self._inside.setCurrentWidget(view)
        view.show_batch(batch)

    def _on_table(self, _wanted: bool) -> None:
        if self._batch is not None and self._path is None:
            self._show_many(self._batch)

    def _show_picture(self, batch: Batch) -> None:
        path = batch.picture
        if path is None:
            reason = batch.failure
            if reason is not None:
                self._path = None
                self.unreadable.set_texts(self.tr("No pictures"), reason.message)
                self._inside.setCurrentWidget(self.unreadable)
            return
        if path != self._path:
            self._path = path
            # Scaled there, too: it would keep the window waiting for cores that the model has.
            room, ratio = self.view.size(), self.view.devicePixelRatioF()
            read = partial(_read, path, room, ratio)
            self._context.background.run(self, read, partial(self._on_read, path))

    def _on_read(self, path: Path, found: tuple[QImage, QImage]) -> None:
        image, scaled = found
        if path != self._path:
            return
        if image.isNull():
            self.unreadable.set_texts(
                self.tr("This picture cannot be read"),
                self.tr("It may be damaged, or not a picture at all."),
            )
            self._inside.setCurrentWidget(self.unreadable)
            return
        self.view.set_image(image, path.name, scaled)
        self._inside.setCurrentWidget(self.view)
        self.picture_shown.emit()

    def _lay_out(self) -> None:
        for widget in (self.view, self.unreadable, self.grid, self.table):
            self._inside.addWidget(widget)
        self._card.body.addWidget(self.live_bar)
        self._card.body.addWidget(self.bar)
        self._card.body.addWidget(self._inside, 1)
        self._card.body.addWidget(self.timeline)
        self._card.setAccessibleName(self.tr("Pictures"))
        self._stack.addWidget(self.drop_area)
        self._stack.addWidget(self._card)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)

    def _on_browse(self) -> None:
        self.browse_requested.emit()

    def _on_back(self) -> None:
        self.opened.emit(-1)


def _read(path: Path, room: QSize, ratio: float) -> tuple[QImage, QImage]:
    """In another thread: a picture, and the same as large as there is room."""
    image = read_picture(path)
    return image, scaled_into(image, room, ratio)
