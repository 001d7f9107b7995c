"""The model of the table of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont

from studio.engine.tasks.metric import in_sentence
from studio.ui.documents.record import RunDocument
from studio.ui.engine_text import plan_text
from studio.ui.pages.train.runs.columns import (
    COLUMNS,
    CURVE,
    EDITABLE,
    STARTED,
    STATE,
    Column,
    Filter,
    RunRow,
    grouped_rows,
    heading,
    setting_column,
    sort_key,
    sorted_rows,
)
from studio.ui.pages.train.state import progress_curve
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import STATE_ROLES
from studio.ui.widgets.figures import NO_VALUE, count
from studio.ui.widgets.small_charts import curve_words

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
VALUE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_FOLDED, _UNFOLDED = "▸", "▾"
_ARROWS = {False: "▲", True: "▼"}  # by whether it goes downwards


@dataclass(frozen=True, slots=True)
class GroupHead:
    """A row above the runs of a group."""

    name: str
    runs: int


class RunsModel(QAbstractTableModel):
    """Runs as rows; where they are in groups, each has a row above its runs, and can be folded.

    Nothing is read of a run before its row is seen or sorted by, so that ten thousand are as
    quick as ten.

    Signals:
        edited: A `RunDocument`, the key of a column and the text that was typed there.
    """

    edited = Signal(object, str, str)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: dict[str, RunRow] = {}
        self._columns: list[Column] = list(COLUMNS)
        self._filter = Filter()
        self._sort: list[tuple[str, bool]] = [(STARTED, True)]
        self._is_grouped = False
        self._folded: set[str] = set()
        self._shown: list[RunRow] = []
        self._lines: list[RunRow | GroupHead] = []
        self._places: dict[str, int] = {}

    # What is shown

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, those of settings last."""
        return self._columns

    @property
    def sort_keys(self) -> list[tuple[str, bool]]:
        """Keys of columns by which it is sorted, each with whether downwards."""
        return list(self._sort)

    @property
    def is_grouped(self) -> bool:
        """Whether groups have rows of their own."""
        return self._is_grouped

    @property
    def total(self) -> int:
        """How many runs there are, shown or not."""
        return len(self._rows)

    def rows(self) -> list[RunRow]:
        """The runs that pass the filter, in their order; also those of groups that are folded."""
        return self._shown

    def every_row(self) -> Iterable[RunRow]:
        """All runs, shown or not."""
        return self._rows.values()

    def set_entries(self, entries: Iterable[RunDocument], datasets: dict[str, str]) -> None:
        """Show these runs; `datasets` has the names of datasets by their ids."""
        kept = self._rows
        self._rows = {}
        for entry in entries:
            row = kept.get(entry.key[1])
            name = datasets.get(getattr(entry.plan, "dataset", ""), "")
            if row is None or row.entry is not entry or row.dataset != name:
                row = RunRow(entry, name)
            self._rows[entry.key[1]] = row
        self._arrange()

    def set_filter(self, wanted: Filter) -> None:
        """Show other runs."""
        if wanted != self._filter:
            self._filter = wanted
            self._arrange()

    def sort_by(self, keys: Sequence[tuple[str, bool]]) -> None:
        """Sort by the first column, where that is equal by the second, and so on."""
        self._sort = list(keys) or [(STARTED, True)]
        self._arrange()
        last = max(0, len(self._columns) - 1)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def set_grouped(self, *, grouped: bool) -> None:
        """Give each group a row that holds its runs."""
        if grouped != self._is_grouped:
            self._is_grouped = grouped
            self._arrange()

    def fold(self, group: str) -> None:
        """Hide the runs of a group, or show them again."""
        self._folded ^= {group}
        self._arrange()

    def set_settings(self, names: Sequence[str]) -> None:
        """Have a column for each of these settings, and for no other."""
        wanted = [setting_column(name) for name in names]
        first = len(COLUMNS)
        if self._columns[first:] == wanted:
            return
        if len(self._columns) > first:
            self.beginRemoveColumns(QModelIndex(), first, len(self._columns) - 1)
            del self._columns[first:]
            self.endRemoveColumns()
        if wanted:
            self.beginInsertColumns(QModelIndex(), first, first + len(wanted) - 1)
            self._columns += wanted
            self.endInsertColumns()

    def touch(self, record_id: str) -> bool:
        """A run is not as it was: show its values; says whether its place may be another."""
        row = self._rows.get(record_id)
        if row is None:
            return False
        before, was_shown, group = self._sort_values(row), row.is_shown, row.group
        row.forget()
        index = self.index_of(record_id)
        if index.isValid():
            self.dataChanged.emit(index, index.siblingAtColumn(len(self._columns) - 1))
        return (
            before != self._sort_values(row)
            or was_shown != self._filter.takes(row)
            or (self._is_grouped and group != row.entry.info.group)
        )

    def arrange(self) -> None:
        """Bring rows to where they belong now."""
        self._arrange()

    # Finding

    def entry(self, index: Index) -> RunDocument | None:
        """The run of a row; None for a group."""
        return self.entry_at(index.row()) if index.isValid() else None

    def entry_at(self, row: int) -> RunDocument | None:
        """The run of a row by its number; None for a group."""
        line = self._lines[row]
        return line.entry if isinstance(line, RunRow) else None

    def group_at(self, index: Index) -> str | None:
        """The group of a row that is one; None for a run."""
        line = self._lines[index.row()] if index.isValid() else None
        return line.name if isinstance(line, GroupHead) else None

    def group_rows(self) -> list[int]:
        """Numbers of the rows that are groups."""
        if not self._is_grouped:
            return []
        return [row for row, line in enumerate(self._lines) if isinstance(line, GroupHead)]

    def index_of(self, record_id: str) -> QModelIndex:
        """The first cell of a run; not valid where it is not shown."""
        place = self._places.get(record_id)
        return QModelIndex() if place is None else self.index(place, 0)

    # What Qt asks

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Runs and groups."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """The same for groups and runs."""
        return 0 if parent.isValid() else len(self._columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What a person writes can be edited in place."""
        flags = super().flags(index)
        row = self._row(index)
        if row is not None and self._columns[index.column()].key in EDITABLE:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The headings, with how they sort."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heading(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tr("{heading}: a click sorts, with Shift as a further key").format(
                heading=heading(column.key)
            )
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.is_figure else _LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a cell shows; its raw value in `VALUE_ROLE`."""
        if not index.isValid():
            return None
        row, column = self._row(index), self._columns[index.column()]
        if row is None:
            return self._group_data(index, role)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return "" if column.key == CURVE else row.text(column)
        if role in (Qt.ItemDataRole.EditRole, VALUE_ROLE):
            return row.value(column.key)
        if role == Qt.ItemDataRole.AccessibleTextRole and column.key == CURVE:
            curve = progress_curve(row.entry.history)
            metric = row.entry.history.task.metrics[0]
            return self.tr("{metric} {curve}").format(
                metric=in_sentence(plan_text(metric.label)),
                curve=curve_words(curve, len(curve), is_share=metric.is_fraction) or NO_VALUE,
            )
        return self._look(row, column, role)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """What was typed is told; the row shows it when it is kept."""
        entry = self.entry(index)
        if role != Qt.ItemDataRole.EditRole or entry is None:
            return False
        key, text = self._columns[index.column()].key, str(value)
        if text != index.data(VALUE_ROLE):
            self.edited.emit(entry, key, text)
        return True

    # Inside

    def _row(self, index: Index) -> RunRow | None:
        line = self._lines[index.row()] if index.isValid() else None
        return line if isinstance(line, RunRow) else None

    def _look(self, row: RunRow, column: Column, role: int) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.is_figure else _LEFT
        if role == Qt.ItemDataRole.ForegroundRole and column.key == STATE:
            return self._theme.color(STATE_ROLES[row.entry.state.value])
        return None

    def _group_data(self, index: Index, role: int) -> object:
        head = self._lines[index.row()]
        if not isinstance(head, GroupHead):
            return None
        if index.column() == 0 and role == Qt.ItemDataRole.DisplayRole:
            name = head.name or self.tr("No group")
            sign = _FOLDED if head.name in self._folded else _UNFOLDED
            return f"{sign}  {name} · {count(head.runs)}"
        if role == Qt.ItemDataRole.FontRole:
            font = QFont()
            font.setBold(True)
            return font
        return None

    def _heading(self, column: Column) -> str:
        text = heading(column.key)
        keys = [key for key, _ in self._sort]
        if column.key not in keys:
            return text
        place = keys.index(column.key)
        arrow = _ARROWS[self._sort[place][1]]
        return f"{text} {arrow}" if len(keys) == 1 else f"{text} {arrow}{place + 1}"

    def _sort_values(self, row: RunRow) -> list[object]:
        return [sort_key(row.value(key)) for key, _ in self._sort]

    def _arrange(self) -> None:
        """Filter, sort and group; where only the order is another, selection and editors stay."""
        shown = [row for row in self._rows.values() if row.mark(self._filter.takes(row))]
        shown = sorted_rows(shown, self._sort)
        lines = self._with_groups(shown) if self._is_grouped else list[RunRow | GroupHead](shown)
        places = {
            line.entry.key[1]: row for row, line in enumerate(lines) if isinstance(line, RunRow)
        }
        if self._is_grouped or places.keys() != self._places.keys() or len(lines) != len(places):
            if lines == self._lines:
                return
            self.beginResetModel()
            self._shown, self._lines, self._places = shown, lines, places
            self.endResetModel()
            return
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        ids = [getattr(self.entry(index), "key", ("", ""))[1] for index in old]
        self._shown, self._lines, self._places = shown, lines, places
        new = [
            self.index(places.get(record_id, -1), index.column())
            for record_id, index in zip(ids, old, strict=True)
        ]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def _with_groups(self, shown: list[RunRow]) -> list[RunRow | GroupHead]:
        lines: list[RunRow | GroupHead] = []
        for name, rows in grouped_rows(shown):
            lines.append(GroupHead(name, len(rows)))
            if name not in self._folded:
                lines += rows
        return lines
