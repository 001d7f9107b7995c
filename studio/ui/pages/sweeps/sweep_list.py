"""The sweeps of the workspace as a list: name and best, state and how far."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter
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
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.sweeps.messages import best_text, done_text
from studio.ui.pages.sweeps.watch import SweepWatch
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, STATE_ROLES, TYPE
from studio.ui.widgets.labels import elided, state_word

ENTRY_ROLE = int(Qt.ItemDataRole.UserRole) + 1
BEST_ROLE = ENTRY_ROLE + 1
LINE_ROLE = ENTRY_ROLE + 2


class SweepsModel(JobRows):
    """All sweeps, newest first; follows the workspace."""

    def __init__(self, jobs: Jobs, watch: SweepWatch, parent: QWidget | None = None) -> None:
        super().__init__(jobs, (RecordKind.SWEEP,), parent)
        self._watch = watch
        watch.changed.connect(self._on_facts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The name, the best, state and progress, what a screen reader says, or the entry."""
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        facts = self._watch.facts(entry.record.id)
        best = best_text(facts) if facts else ""
        words = [state_word(entry.state.value), done_text(facts) if facts else ""]
        said = [word for word in words if word]
        shown: dict[int, object] = {
            Qt.ItemDataRole.DisplayRole: entry.name,
            Qt.ItemDataRole.ToolTipRole: "\n".join([entry.name, *said]),
            Qt.ItemDataRole.AccessibleTextRole: ", ".join([entry.name, *said, best]).rstrip(", "),
            BEST_ROLE: best,
            LINE_ROLE: " · ".join(said),
            ENTRY_ROLE: entry,
        }
        return shown.get(role)

    def _on_facts(self, ids: list[str]) -> None:
        for record_id in ids:
            self._tell(record_id)


class _SweepDelegate(QStyledItemDelegate):
    """Paints one sweep in two lines: name and best, state and how far."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Two lines of text and some air."""
        return QSize(160, 2 * option.fontMetrics.height() + 2 * SPACE.s + SPACE.xs)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Background by the style, the rest by hand."""
        super().initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        entry: RecordDocument = index.data(ENTRY_ROLE)
        best, line = str(index.data(BEST_ROLE)), str(index.data(LINE_ROLE))
        box = option.rect.adjusted(SPACE.m, SPACE.s, -SPACE.m, -SPACE.s)
        height = option.fontMetrics.height()
        top = QRect(box.left(), box.top(), box.width(), height)
        bottom = QRect(box.left(), box.bottom() - height + 1, box.width(), height)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.save()
        painter.setPen(self._theme.color("text"))
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | middle, best)
        room = top.width() - option.fontMetrics.horizontalAdvance(best) - SPACE.s
        name = elided(option.fontMetrics, entry.name, room)
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | middle, name)
        small = option.font
        small.setPixelSize(TYPE.caption)
        painter.setFont(small)
        painter.setPen(self._theme.color(STATE_ROLES[entry.state.value]))
        fitting = elided(QFontMetrics(small), line, bottom.width())
        painter.drawText(bottom, Qt.AlignmentFlag.AlignLeft | middle, fitting)
        painter.restore()


class SweepList(QListView):
    """The list of sweeps.

    Signals:
        chosen: The id of the sweep that the user wants to see.
    """

    chosen = Signal(str)

    def __init__(
        self, jobs: Jobs, watch: SweepWatch, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Sweeps"))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._model = SweepsModel(jobs, watch, self)
        self.setModel(self._model)
        self.setItemDelegate(_SweepDelegate(theme, self))
        self._known = ""
        self.selectionModel().selectionChanged.connect(self._on_selection)
        theme.changed.connect(self.viewport().update)

    def select(self, record_id: str) -> None:
        """Mark a sweep; an id that is not there marks none."""
        row = self._model.row_of(record_id)
        self._known = record_id if row >= 0 else ""
        if row >= 0:
            how = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(self._model.index(row), how)
            self.scrollTo(self._model.index(row))
        else:
            self.selectionModel().clear()

    def _on_selection(self, _chosen: QItemSelection, _gone: QItemSelection) -> None:
        indexes = self.selectionModel().selectedRows()
        found = indexes[0].data(ENTRY_ROLE).record.id if indexes else ""
        if found == self._known:
            return  # a sweep that comes or goes moves the rows, which is no wish of the user's
        self._known = found
        if found:
            self.chosen.emit(found)
