"""The grid of the browser: a million images can be selected, and some dragged to other windows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QMimeData,
    QObject,
    Qt,
    QUrl,
    Signal,
)
from PySide6.QtGui import QDrag, QImage, QPixmap, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from studio.engine.errors import StudioError
from studio.ui.pages.datasets.browsing.pictures import DatasetImages, Selection
from studio.ui.pages.datasets.browsing.query import Answers
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import percent
from studio.ui.widgets.picture_grid import ImageGrid, Index, PictureModel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ImageRows(PictureModel):
    """One picture per image: its targets or file name, its path as a tooltip, its dataset row.

    Predictions of a model that is compared replace the name.

    Holds an array of row numbers and nothing per image.
    """

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._predictions: Answers | None = None
        self.take(selection)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row in the dataset of each row of the model."""
        return self.selection.rows

    def take(self, selection: Selection, answers: Answers | None = None) -> None:
        """Show other images of the same dataset, and the predictions of a model for them."""
        self.selection: Selection = selection
        self._predictions = answers
        self.reset(len(selection.rows))

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Allow images to be dragged."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def key(self, row: int) -> int:
        """Return the row of the dataset."""
        return int(self.selection.rows[row])

    def caption(self, row: int) -> str:
        """Return the prediction, else the targets, else the file name."""
        row, table = self.key(row), self.selection.table
        caption = self._answer(row) or table.view.caption(table.targets, row)
        return caption or table.names.shown(row).rpartition("/")[2]

    def tip(self, row: int) -> str:
        """Return the path and the targets."""
        row, table = self.key(row), self.selection.table
        caption = table.view.caption(table.targets, row)
        return "\n".join(filter(None, (table.names.shown(row), caption)))

    def is_wrong(self, row: int) -> bool:
        """True if the model predicted another class."""
        row = self.key(row)
        answer = None if self._predictions is None else self._predictions.predictions.answer(row)
        return answer is not None and answer[0] != int(self.selection.table.labels[row])

    def _answer(self, row: int) -> str:
        """Such as “cat · 98 %”; empty where no model was asked about the image."""
        answer = None if self._predictions is None else self._predictions.predictions.answer(row)
        classes = self.selection.table.classes
        if answer is None or answer[0] >= len(classes):
            return ""
        return f"{classes[answer[0]]} · {percent(answer[1])}"


# So many files are looked for without a pause that a person would notice.
MOST_DRAGGED = 500
_DRAG_SIDE = 96


class BrowserGrid(ImageGrid):
    """An `ImageGrid` whose selection is told as ranges, never row by row.

    Signals:
        chosen_changed: Other images are selected.
        zoom_wanted: Larger pictures, or smaller ones: 1 or -1.
        drag_refused: Why nothing was dragged, in a sentence.
    """

    chosen_changed = Signal()
    zoom_wanted = Signal(int)
    drag_refused = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._pictures: DatasetImages | None = None
        self._rows: ImageRows | None = None
        self.setDragEnabled(True)
        self.activated.connect(self.show_large)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)

    def show_rows(self, rows: ImageRows, pictures: DatasetImages) -> None:
        """Show the images of a model; pictures that are loaded already stay."""
        if rows is not self._rows:
            self._rows = rows
            self._pictures = pictures
            self.set_source(rows, pictures.load)

    def clear(self) -> None:
        """Show nothing, and forget the dataset."""
        self._rows = None
        self._pictures = None
        super().clear()

    def count(self) -> int:
        """How many images are selected."""
        return sum(stop - start for start, stop in self._spans())

    def chosen(self) -> NDArray[np.int64]:
        """The selected images, by their rows in the dataset."""
        import numpy as np  # noqa: PLC0415 - there is no dataset to look at without it

        if self._rows is None:
            return np.empty(0, np.int64)
        parts = [self._rows.rows[start:stop] for start, stop in self._spans()]
        return np.concatenate([np.empty(0, np.int64), *parts])

    def choose(self, places: NDArray[np.int64]) -> None:
        """Select places of the model, ascending, and make the first of them the current one."""
        import numpy as np  # noqa: PLC0415

        if not len(places):
            return
        selection = QItemSelection()
        for run in np.split(places, np.flatnonzero(np.diff(places) != 1) + 1):
            selection.select(self._index(int(run[0])), self._index(int(run[-1])))
        model, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        model.setCurrentIndex(self._index(int(places[0])), flags.NoUpdate)
        model.select(selection, flags.ClearAndSelect)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell that other images are selected; `selection_changed` is not used here."""
        QAbstractItemView.selectionChanged(self, selected, deselected)
        self.chosen_changed.emit()

    def selected_rows(self) -> list[int]:
        """The selected places, in order."""
        return [row for start, stop in self._spans() for row in range(start, stop)]

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl the wheel zooms, as elsewhere."""
        turned = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and turned:
            self.zoom_wanted.emit(1 if turned > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def startDrag(self, _actions: Qt.DropAction) -> None:
        """Let other programs copy the files that the selected images came from."""
        data = self.dragged()
        if data is None:
            return
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(self._drag_pixmap())
        drag.exec(Qt.DropAction.CopyAction)

    def dragged(self) -> QMimeData | None:
        """The source files of the selected images; None, and a sentence, where that cannot be."""
        rows = self.chosen()
        if self._rows is None or not len(rows):
            return None
        if len(rows) > MOST_DRAGGED:
            text = self.tr("At most {n} images can be dragged at a time.")
            self.drag_refused.emit(text.format(n=MOST_DRAGGED))
            return None
        files = self._rows.selection.table.source_files(rows)
        if not files:
            self.drag_refused.emit(self.tr("The files of these images are not there any more."))
            return None
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path.absolute())) for path in files])
        return data

    def _drag_pixmap(self) -> QPixmap:
        image = QImage()
        if self._pictures is not None and self._rows is not None:
            row = self.chosen()[0]
            with contextlib.suppress(StudioError):  # damaged: it is dragged without a picture
                image = self._pictures.load(int(row))
        mode = Qt.AspectRatioMode.KeepAspectRatio
        return QPixmap.fromImage(image.scaled(_DRAG_SIDE, _DRAG_SIDE, mode))

    def _spans(self) -> list[tuple[int, int]]:
        """Start and stop of what is selected, in order."""
        if self.model() is None:
            return []
        selection = self.selectionModel().selection()
        parts = [selection.at(place) for place in range(selection.count())]
        return sorted((part.top(), part.bottom() + 1) for part in parts)
