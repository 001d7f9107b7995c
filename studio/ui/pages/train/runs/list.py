"""The list of runs at the left of the page."""

from __future__ import annotations

import math
from typing import cast

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.engine.workspace import RecordKind
from studio.ui.bridge.job_rows import Index, JobRows
from studio.ui.bridge.jobs import Jobs
from studio.ui.documents.record import RecordDocument, RunDocument
from studio.ui.engine_text import plan_text
from studio.ui.pages.train.state import best_metric, progress_curve
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, STATE_ROLES, chart_color
from studio.ui.widgets.figures import metric_text
from studio.ui.widgets.labels import elided, state_word
from studio.ui.widgets.small_charts import curve_words, sparkline_path

ENTRY_ROLE = int(Qt.ItemDataRole.UserRole) + 1
CURVE_WIDTH = 64


class RunModel(JobRows):
    """All runs, newest first; follows the workspace.

    Signals:
        renamed: A `RunDocument`, and the name that was typed for it.
    """

    renamed = Signal(object, str)

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(jobs, (RecordKind.RUN,), parent)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The name, what a screen reader says, or the `RunDocument`."""
        if not index.isValid():
            return None
        entry = cast("RunDocument", self._entries[index.row()])
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return entry.name
        metric, value = best_metric(entry.history)
        if role == Qt.ItemDataRole.ToolTipRole:
            if not math.isfinite(value):
                return entry.name
            best = f"{plan_text(metric.label)} {metric_text(metric, value)}"
            return f"{entry.name}\n{best}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            curve = progress_curve(entry.history)
            said = [entry.name, state_word(entry.state.value), metric_text(metric, value)]
            said.append(curve_words(curve, len(curve), is_share=metric.is_fraction))
            return ", ".join(filter(None, said))
        return entry if role == ENTRY_ROLE else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Names can be edited in place."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """A name that was typed is told; the row shows it when it is kept."""
        entry = index.data(ENTRY_ROLE)
        if role != Qt.ItemDataRole.EditRole or not isinstance(entry, RecordDocument):
            return False
        if str(value) != entry.name:
            self.renamed.emit(entry, str(value))
        return True


class _RunDelegate(QStyledItemDelegate):
    """Paints one run in two lines: name and metric, state and curve."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Two lines of text and some air."""
        return QSize(160, 2 * option.fontMetrics.height() + 2 * SPACE.s + SPACE.xs)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, _index: Index
    ) -> None:
        """The name is typed across the whole row."""
        editor.setGeometry(option.rect)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Background by the style, the rest by hand."""
        super().initStyleOption(option, index)
        entry: RunDocument = index.data(ENTRY_ROLE)
        option.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        box = option.rect.adjusted(SPACE.m, SPACE.s, -SPACE.m, -SPACE.s)
        line = option.fontMetrics.height()
        top = QRect(box.left(), box.top(), box.width(), line)
        bottom = QRect(box.left(), box.bottom() - line + 1, box.width(), line)
        painter.save()
        best = metric_text(*best_metric(entry.history))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self._theme.color("text"))
        painter.drawText(top, right, best)
        room = top.width() - option.fontMetrics.horizontalAdvance(best) - SPACE.s
        name = elided(option.fontMetrics, entry.name, room)
        painter.drawText(top, left, name)
        small = option.font
        small.setPixelSize(12)
        painter.setFont(small)
        painter.setPen(self._theme.color(STATE_ROLES[entry.state.value]))
        painter.drawText(bottom, left, _state_line(entry, QFontMetrics(small), bottom.width()))
        self._draw_curve(painter, bottom, progress_curve(entry.history))
        painter.restore()

    def _draw_curve(self, painter: QPainter, line: QRect, values: list[float]) -> None:
        box = QRectF(line.right() - CURVE_WIDTH, line.top() + 2, CURVE_WIDTH, line.height() - 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = QColor(chart_color(0, dark=self._theme.is_dark))
        painter.setPen(QPen(color, 1.5))
        painter.drawPath(sparkline_path(values, box))


def _state_line(entry: RunDocument, metrics: QFontMetrics, width: int) -> str:
    history = entry.history
    text = state_word(entry.state.value)
    if history.epochs and history.training is not None:
        text += f" · {history.epochs[-1].epoch}/{history.training.epochs}"
    curve = CURVE_WIDTH + SPACE.s if len(progress_curve(history)) > 1 else 0
    return elided(metrics, text, width - curve)


class RunList(QListView):
    """The list of runs. Ctrl and Shift select several; F2 renames.

    Signals:
        chosen: The id of the run that the user wants to see.
        several_chosen: The ids of the runs that the user wants to see together.
        menu_wanted: The selected `RunDocument`s as a list, and where on the screen was pressed.
    """

    chosen = Signal(str)
    several_chosen = Signal(list)
    menu_wanted = Signal(list, object)

    def __init__(self, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Runs"))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._known: list[str] = []
        self._model = RunModel(jobs, self)
        self.renamed = self._model.renamed
        self.setModel(self._model)
        self.setItemDelegate(_RunDelegate(theme, self))
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.customContextMenuRequested.connect(self._on_menu)
        theme.changed.connect(self.viewport().update)

    def select(self, record_id: str) -> None:
        """Mark a run; an id that is not there marks none."""
        row = self._model.row_of(record_id)
        blocked = self.selectionModel().blockSignals(True)
        if row >= 0:
            # The view's own way would ask which keys are held, and might add to what is selected.
            how = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(self._model.index(row), how)
            self.scrollTo(self._model.index(row))
        else:
            self.selectionModel().clear()
        self.selectionModel().blockSignals(blocked)
        self._known = self._selected_ids()
        self.viewport().update()

    def selected_entries(self) -> list[RunDocument]:
        """The selected runs, from top to bottom."""
        rows = sorted(self.selectionModel().selectedRows(), key=QModelIndex.row)
        return [index.data(ENTRY_ROLE) for index in rows]

    def _selected_ids(self) -> list[str]:
        return [entry.record.id for entry in self.selected_entries()]

    def edit_name(self, record_id: str) -> None:
        """Let the name of a run be typed where it stands."""
        row = self._model.row_of(record_id)
        if row >= 0:
            self.edit(self._model.index(row))

    def _on_selection(self, _chosen: QItemSelection, _gone: QItemSelection) -> None:
        ids = self._selected_ids()
        if ids == self._known:
            return  # a run that comes or goes moves the rows, which is no wish of the user's
        self._known = ids
        if len(ids) == 1:
            self.chosen.emit(ids[0])
        elif ids:
            self.several_chosen.emit(ids)

    def _on_menu(self, place: QPoint) -> None:
        entries = self.selected_entries()
        if entries:
            self.menu_wanted.emit(entries, self.viewport().mapToGlobal(place))
