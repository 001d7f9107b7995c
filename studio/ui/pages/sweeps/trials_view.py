"""The table of trials on the screen: states as pills, curves as small as a word."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.ui.commands import Command
from studio.ui.pages.sweeps.commands import EARLIER, LATER
from studio.ui.pages.sweeps.state import moved_before
from studio.ui.pages.sweeps.trial_row import CURVE, FIELD, INTERVAL, NUMBER, STATE, TIME, TrialRow
from studio.ui.pages.sweeps.trials_model import VALUE_ROLE, TrialsModel
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE, STATE_ROLES, chart_color, mix
from studio.ui.widgets.eliding import ElidingDelegate
from studio.ui.widgets.sparkline import sparkline_path
from studio.ui.widgets.state_badge import state_word
from studio.ui.widgets.tables import dress_table

Index = QModelIndex | QPersistentModelIndex
WIDTHS = {NUMBER: 76, STATE: 120, INTERVAL: 188, TIME: 88, CURVE: 88}
_FIELD_WIDTH, _OTHER_WIDTH = 116, 116
_PILL = 22


_PAINTED = (STATE, CURVE)


class _Cells(ElidingDelegate):
    """The two kinds of cells that are no text; all others are left to Qt, which is faster."""

    def __init__(self, theme: Theme, model: TrialsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """A state is painted, so its word is not written under it."""
        super().initStyleOption(option, index)
        if self._model.columns[index.column()] == STATE:
            option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The cell, and over it the pill or the curve."""
        super().paint(painter, option, index)
        key = self._model.columns[index.column()]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if key == STATE:
            self._draw_state(painter, option, str(index.data(VALUE_ROLE)))
        else:
            area = QRectF(option.rect).adjusted(SPACE.s, SPACE.s, -SPACE.s, -SPACE.s)
            area.setWidth(min(area.width(), WIDTHS[CURVE]))
            painter.setPen(QPen(QColor(chart_color(0, dark=self._theme.is_dark)), 1.5))
            painter.drawPath(sparkline_path(index.data(VALUE_ROLE), area))
        painter.restore()

    def _draw_state(self, painter: QPainter, option: QStyleOptionViewItem, state: str) -> None:
        palette, role = self._theme.palette, STATE_ROLES[state]
        color = palette.color(role)
        word = state_word(state)
        width = option.fontMetrics.horizontalAdvance(word) + ICON_SMALL + 3 * SPACE.s
        middle = option.rect.center().y() + 1
        box = QRectF(option.rect.left() + SPACE.xs, middle - _PILL / 2, width, _PILL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(palette.surface, color, 0.1)))
        painter.drawRoundedRect(box, _PILL / 2, _PILL / 2)
        picture = pixmap(state, self._theme, role, ICON_SMALL)
        painter.drawPixmap(
            int(box.left()) + SPACE.s, int(box.center().y()) - ICON_SMALL // 2, picture
        )
        painter.setPen(QColor(color))
        painter.setFont(option.font)
        text = box.adjusted(ICON_SMALL + SPACE.s + SPACE.xs, 0, 0, 0)
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, word)


class TrialsView(QTableView):
    """Trials in rows, sorted by a click on a heading.

    Signals:
        chosen: Another trial is selected, or none.
        opened: Number of a trial that was pressed twice, or with Enter.
        move_wanted: Number of a trial that waits, and -1 for a place up or 1 for one down.
    """

    chosen = Signal()
    opened = Signal(int)
    move_wanted = Signal(int, int)

    def __init__(
        self,
        model: TrialsModel,
        theme: Theme,
        shortcuts: Shortcuts,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._shortcuts = shortcuts
        self.setModel(model)
        self._cells = _Cells(theme, model, self)
        dress_table(self)
        self.setAccessibleName(self.tr("Trials"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setCornerButtonEnabled(False)
        header = self.horizontalHeader()
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)  # it would lie over the word; the model writes one
        self.up_action = self._action(self.tr("Move up"), EARLIER, self._on_up)
        self.down_action = self._action(self.tr("Move down"), LATER, self._on_down)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.chosen.connect(self._allow_moves)
        model.rowsInserted.connect(self._allow_moves)
        model.rowsRemoved.connect(self._allow_moves)
        self._allow_moves()
        model.modelReset.connect(self._on_reset)
        self.selectionModel().selectionChanged.connect(self.chosen)
        self.doubleClicked.connect(self._on_double_click)
        theme.changed.connect(self.viewport().update)

    def selected(self) -> TrialRow | None:
        """The trial that is selected."""
        rows = self.selectionModel().selectedRows()
        return self._model.row(rows[0]) if rows else None

    def select(self, number: int) -> None:
        """Select a trial and bring it into sight; one that is not there selects none."""
        index = self._model.index_of(number)
        if not index.isValid():
            self.clearSelection()
            return
        how = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, how.ClearAndSelect | how.Rows)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens."""
        row = self.selected()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.opened.emit(row.number)
        else:
            super().keyPressEvent(event)

    def _action(self, text: str, command: Command, slot: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        self._shortcuts.bind(action, command)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _allow_moves(self, *_: object) -> None:
        """Only trials that wait have an order, which is that of a grid."""
        row, waiting = self.selected(), self._model.waiting
        for action, step in ((self.up_action, -1), (self.down_action, 1)):
            action.setEnabled(row is not None and moved_before(waiting, row.number, step)[0])

    def _on_up(self) -> None:
        self._move(-1)

    def _on_down(self) -> None:
        self._move(1)

    def _move(self, step: int) -> None:
        row = self.selected()
        if row is not None:
            self.move_wanted.emit(row.number, step)

    def _on_double_click(self, index: QModelIndex) -> None:
        row = self._model.row(index)
        if row is not None:
            self.opened.emit(row.number)

    def _on_reset(self) -> None:
        for place, key in enumerate(self._model.columns):
            usual = _FIELD_WIDTH if key.startswith(FIELD) else _OTHER_WIDTH
            width = max(WIDTHS.get(key, usual), self.horizontalHeader().sectionSizeHint(place))
            self.setColumnWidth(place, width)
            painted = self._cells if key in _PAINTED else self.itemDelegate()
            self.setItemDelegateForColumn(place, painted)
        header = self.horizontalHeader()
        blocker = QSignalBlocker(header)  # the model is sorted already
        header.setSortIndicator(*self._model.sorted_by)
        blocker.unblock()
        self.chosen.emit()
