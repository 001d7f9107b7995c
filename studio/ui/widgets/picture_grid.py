"""A grid of pictures with captions that stays smooth with a million of them."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from studio.engine.errors import StudioError
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.overlay import Overlaid
from studio.ui.widgets.painting import FocusRing
from studio.ui.widgets.pictures import PictureWindow
from studio.ui.widgets.thumbnails import PAD, CellPainter, CellState, Load, ThumbnailLoader

GAP = SPACE.xs


@dataclass(slots=True)
class GridLayout:
    """Cells in lines from left to right; all lengths in pixels.

    Attributes:
        thumb: Side of the square for the picture.
        caption: Height of the line under it.
        rows: Number of cells.
        width: Width of the view.
    """

    thumb: int
    caption: int
    rows: int = 0
    width: int = 0

    @property
    def step_x(self) -> int:
        """Distance from one cell to the next; gaps share the remaining width of a line."""
        return max(self._least_step, (self.width - GAP) // self.columns)

    @property
    def step_y(self) -> int:
        """From one line to the next."""
        return self.thumb + self.caption + 2 * PAD + GAP

    @property
    def columns(self) -> int:
        """Cells in a line, at least one."""
        return max(1, (self.width - GAP) // self._least_step)

    @property
    def _least_step(self) -> int:
        return self.thumb + 2 * PAD + GAP

    @property
    def height(self) -> int:
        """Height of everything."""
        return -(-self.rows // self.columns) * self.step_y + GAP

    def cell(self, row: int) -> QRect:
        """Return the rectangle of a cell, measured from the top of everything."""
        return QRect(*self.corner(row), self.thumb + 2 * PAD, self.step_y - GAP)

    def corner(self, row: int) -> tuple[int, int]:
        """Return left and top of a cell, measured from the top of everything."""
        columns = self.columns
        line, column = divmod(row, columns)
        step = max(self._least_step, (self.width - GAP) // columns)
        return GAP + column * step, GAP + line * self.step_y

    def row_at(self, x: int, y: int) -> int:
        """Return the cell at a point, or -1.

        Args:
            x: In pixels of the content.
            y: In pixels of the content.
        """
        column, line = (x - GAP) // self.step_x, (y - GAP) // self.step_y
        row = line * self.columns + column
        if not 0 <= column < self.columns or not 0 <= row < self.rows:
            return -1
        return row if self.cell(row).contains(x, y) else -1

    def span(self, top: int, bottom: int) -> tuple[int, int]:
        """Return the range of cells in lines that overlap a vertical range, as start and stop.

        Args:
            top: In pixels of the content.
            bottom: In pixels of the content.
        """
        first = max(0, (top - GAP) // self.step_y) * self.columns
        last = max(0, bottom // self.step_y + 1) * self.columns
        return min(first, self.rows), min(last, self.rows)

    def first_in_sight(self, top: int) -> int:
        """Return the first cell at or below a height."""
        return self.span(top + GAP, top + GAP)[0]

    def rows_in(self, rect: QRect) -> list[tuple[int, int]]:
        """Return the cells that a rectangle intersects, as start and stop per line."""
        rect = rect.normalized()
        left = max(0, (rect.left() - GAP) // self.step_x)
        right = min(self.columns - 1, (rect.right() - GAP) // self.step_x)
        first, last = self.span(rect.top(), rect.bottom())
        spans = []
        for start in range(first, last, self.columns):
            begin, end = start + left, min(start + right + 1, self.rows)
            if begin < end and self.cell(begin).top() <= rect.bottom():
                spans.append((begin, end))
        return spans


Index = QModelIndex | QPersistentModelIndex
KEY_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
"""Role of the key that the loader is called with."""
WRONG_ROLE: Final = KEY_ROLE + 1
"""Role of the mark of a wrong prediction, which outlines the picture."""
_ROOT: Final = QModelIndex()
_METHODS: Final[dict[int, str]] = {
    KEY_ROLE: "key",
    WRONG_ROLE: "is_wrong",
    Qt.ItemDataRole.DisplayRole: "caption",
    Qt.ItemDataRole.ToolTipRole: "tip",
    Qt.ItemDataRole.AccessibleTextRole: "spoken",
}
_POLL_MS: Final = 16
_MOVES: Final = {
    QAbstractItemView.CursorAction.MoveLeft: -1,
    QAbstractItemView.CursorAction.MoveRight: 1,
    QAbstractItemView.CursorAction.MovePrevious: -1,
    QAbstractItemView.CursorAction.MoveNext: 1,
}


class PictureModel(QAbstractListModel):
    """The pictures of an `ImageGrid`; subclasses describe them.

    Nothing is kept per picture: texts are made when Qt asks for them.

    Attributes:
        count: Number of pictures.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.count = 0

    def reset(self, count: int) -> None:
        """Show other pictures; called once the methods below describe them."""
        self.beginResetModel()
        self.count = count
        self.endResetModel()

    def key(self, row: int) -> Hashable:
        """Return the key for the loader."""
        return row

    def caption(self, row: int) -> str:
        """Return the line under a picture."""
        raise NotImplementedError

    def tip(self, row: int) -> str:
        """Return the tooltip."""
        return self.caption(row)

    def spoken(self, row: int) -> str:
        """Return the text for screen readers."""
        return self.tip(row)

    def is_wrong(self, row: int) -> bool:
        """Return True if the picture was predicted wrongly and is outlined."""
        del row
        return False

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of pictures."""
        return 0 if parent.isValid() else self.count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a text, key or mark of a picture."""
        name = _METHODS.get(role)
        return None if name is None else getattr(self, name)(index.row())


class ImageGrid(QAbstractItemView):
    """A view of a `PictureModel`, whose pictures come from a loader.

    All cells have the same size, so only visible ones are computed, painted and loaded.
    Selection, keyboard and accessibility are Qt's own.

    Signals:
        selection_changed: `list[int]` of the selected rows, in order.

    Attributes:
        picture_window: The window of `show_large`; None until it is first opened.
    """

    selection_changed = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        FocusRing(theme, self)
        self._grid = GridLayout(thumb=96, caption=self.fontMetrics().height() + SPACE.xs)
        self._source: PictureModel | None = None
        self._loader: ThumbnailLoader | None = None
        self._load: Load | None = None
        self.picture_window: PictureWindow | None = None
        self._anchor = 0
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self._collect)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().rangeChanged.connect(self._on_range)
        self._on_range(0, 0)
        self.setFrameShape(QAbstractItemView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Images"))
        theme.changed.connect(self.viewport().update)

    def _on_range(self, least: int, most: int) -> None:
        """Disable the scroll bar while everything is visible; its place stays reserved."""
        self.verticalScrollBar().setEnabled(most > least)

    def set_source(self, model: PictureModel, load: Load, thumbnail: Load | None = None) -> None:
        """Show a model.

        Args:
            model: Names the pictures.
            load: Returns a picture for a key; called in background threads.
            thumbnail: Returns it perhaps smaller; by default as `load` does.
        """
        self.stop()
        self._loader = ThumbnailLoader(thumbnail or load)
        self._load = load
        self._source = model
        self.setModel(model)
        self.viewport().update()

    def stop(self) -> None:
        """Stop loading; loaded pictures stay visible until `set_source`."""
        self._poll.stop()
        if self._loader is not None:
            self._loader.stop()

    def reload(self) -> None:
        """Load the pictures again, which the loader paints in another way now."""
        if self._loader is not None:
            self._loader.reload()
            self.viewport().update()

    def clear(self) -> None:
        """Show nothing and forget the model, which can be deleted now."""
        self.stop()
        self._loader = None
        self._load = None
        self._source = None
        self.setModel(None)
        self.updateGeometries()
        self.viewport().update()

    def set_thumb_size(self, pixels: int) -> None:
        """Set the size of the pictures, 32 to 512 pixels; the first visible one stays visible."""
        first = self._grid.first_in_sight(self.verticalOffset())
        self._grid.thumb = max(32, min(512, pixels))
        self.updateGeometries()
        self.verticalScrollBar().setValue(self._grid.cell(first).top())
        self.viewport().update()

    def show_large(self, index: Index) -> None:
        """Show one picture enlarged in a separate window."""
        if not index.isValid() or self._source is None or self._load is None:
            return
        if self.picture_window is None:
            self.picture_window = PictureWindow(self._theme, self)
            self.picture_window.stepped.connect(self._on_stepped)
        image: Overlaid = QImage()
        # Damaged, or deleted meanwhile.
        with contextlib.suppress(StudioError):
            image = self._load(self._source.key(index.row()))
        self.picture_window.show_image(image, self._source.tip(index.row()))

    def _on_stepped(self, step: int) -> None:
        index = self._index(self.currentIndex().row() + step)
        if index.isValid():
            self.setCurrentIndex(index)
            self.show_large(index)

    @property
    def thumb_size(self) -> int:
        """Side of a picture's square in pixels."""
        return self._grid.thumb

    def selected_rows(self) -> list[int]:
        """Return the selected rows, in order."""
        if self._source is None:
            return []
        chosen = self.selectionModel()
        return sorted(index.row() for index in chosen.selectedIndexes())

    def visible_rows(self) -> list[int]:
        """Return the rows whose pictures are on the screen, loaded and at least half in sight."""
        source, loader = self._source, self._loader
        if source is None or loader is None or not self.isVisible():
            return []
        top = self.verticalOffset()
        bottom = top + self.viewport().height()
        first, end = self._rows_in_sight()
        return [
            row
            # The view may still be laid out for more pictures than there are now.
            for row in range(first, min(end, source.rowCount()))
            if top <= self._grid.cell(row).center().y() <= bottom
            and loader.get(source.key(row)) is not None
        ]

    def sizeHint(self) -> QSize:
        """Return room for a few columns."""
        return QSize(self._grid.step_x * 5, self._grid.step_y * 3)

    # What follows is what Qt asks of an item view.

    def visualRect(self, index: Index) -> QRect:
        """Return the rectangle of a cell, in viewport coordinates."""
        if not index.isValid():
            return QRect()
        return self._grid.cell(index.row()).translated(0, -self.verticalOffset())

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the cell under a point of the viewport."""
        row = self._grid.row_at(point.x(), point.y() + self.verticalOffset())
        return self._index(row) if 0 <= row < self._grid.rows else QModelIndex()

    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Scroll to a cell, by default as little as possible."""
        cell, bar = self._grid.cell(index.row()), self.verticalScrollBar()
        height = self.viewport().height()
        low, high = cell.bottom() - height + SPACE.xs, cell.top() - SPACE.xs
        if hint == QAbstractItemView.ScrollHint.PositionAtTop:
            bar.setValue(high)
        elif hint == QAbstractItemView.ScrollHint.PositionAtCenter:
            bar.setValue(cell.center().y() - height // 2)
        elif not low <= bar.value() <= high:
            bar.setValue(low if bar.value() < low else high)

    def horizontalOffset(self) -> int:
        """Return 0: it never scrolls sideways."""
        return 0

    def verticalOffset(self) -> int:
        """Return the scroll position in pixels."""
        return self.verticalScrollBar().value()

    def isIndexHidden(self, _index: Index) -> bool:
        """Return False: nothing is hidden."""
        return False

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, _modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Return the cell that an arrow, Page, Home or End key leads to."""
        rows, current = self._grid.rows, self.currentIndex().row()
        if rows == 0:
            return QModelIndex()
        if current < 0:
            return self._index(0)
        actions = QAbstractItemView.CursorAction
        columns = self._grid.columns
        page = columns * max(1, self.viewport().height() // self._grid.step_y)
        steps = {actions.MoveUp: -columns, actions.MoveDown: columns}
        steps |= {actions.MovePageUp: -page, actions.MovePageDown: page} | _MOVES
        if action == actions.MoveHome:
            return self._index(0)
        if action == actions.MoveEnd:
            return self._index(rows - 1)
        target = current + steps.get(action, 0)
        if not 0 <= target < rows and action in (actions.MoveUp, actions.MoveLeft):
            target = current
        return self._index(max(0, min(rows - 1, target)))

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Select what a rubber band touches; with Shift, all from where it began to here."""
        is_band = self.state() == QAbstractItemView.State.DragSelectingState
        touched = self._grid.rows_in(rect.translated(0, self.verticalOffset()))
        current = self.currentIndex().row()
        if QItemSelectionModel.SelectionFlag.Current in command and current >= 0 and not is_band:
            start, stop = sorted((min(self._anchor, self._grid.rows - 1), current))
            touched = [(start, stop + 1)]
        selection = QItemSelection()
        for start, stop in touched:
            selection.select(self._index(start), self._index(stop - 1))
        self.selectionModel().select(selection, command)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Remember the start of a selection with Shift."""
        super().currentChanged(current, previous)
        shift = Qt.KeyboardModifier.ShiftModifier
        if shift not in QGuiApplication.keyboardModifiers():
            self._anchor = max(0, current.row())

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        """Return the part of the viewport that a selection covers."""
        region = QRegion()
        first, last = self._rows_in_sight()
        for index in range(selection.count()):
            part = selection.at(index)
            for row in range(max(first, part.top()), min(last, part.bottom() + 1)):
                region += self.visualRect(self._index(row))
        return region

    def updateGeometries(self) -> None:
        """Fit rows, columns and the scroll bar to the model and the width."""
        self._grid.rows = self._source.rowCount() if self._source is not None else 0
        self._grid.width = self.viewport().width()
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, self._grid.height - height))
        bar.setPageStep(height)
        bar.setSingleStep(max(16, self._grid.step_y // 3))
        super().updateGeometries()

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:
        """Lay out the cells again, because the model has grown."""
        super().rowsInserted(parent, start, end)
        self.scheduleDelayedItemsLayout()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the width."""
        super().resizeEvent(event)
        self.updateGeometries()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Emit the selected rows."""
        super().selectionChanged(selected, deselected)
        self.selection_changed.emit(self.selected_rows())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the visible cells and request the missing pictures."""
        source, loader = self._source, self._loader
        if source is None or loader is None:
            return
        grid, offset = self._grid, self.verticalOffset()
        hovered = self.indexAt(self.viewport().mapFromGlobal(self.cursor().pos())).row()
        current = self.currentIndex().row() if self.hasFocus() else -1
        chosen = self.selectionModel() if self.selectionModel().hasSelection() else None
        painter = QPainter(self.viewport())
        cells = CellPainter(painter, self._theme, grid.thumb, grid.caption)
        keys = []
        for row in range(*self._rows_in_sight()):
            # Asked of the model directly: through its indices, a frame takes twice as long.
            key = source.key(row)
            keys.append(key)
            state = CellState(
                selected=chosen is not None and chosen.isSelected(self._index(row)),
                current=row == current,
                hovered=row == hovered,
                wrong=source.is_wrong(row),
            )
            x, y = grid.corner(row)
            cells.paint(x, y - offset, loader.get(key), source.caption(row), state)
        painter.end()
        loader.want(keys, round(grid.thumb * self.devicePixelRatioF()))
        if loader.is_pending and not self._poll.isActive():
            self._poll.start()

    def _rows_in_sight(self) -> tuple[int, int]:
        offset = self.verticalOffset()
        return self._grid.span(offset, offset + self.viewport().height())

    def _index(self, row: int) -> QModelIndex:
        return self.model().index(row, 0, self.rootIndex())

    def _collect(self) -> None:
        if self._loader is None or not self._loader.is_pending:
            self._poll.stop()
            return
        if self._loader.take():
            self.viewport().update()
