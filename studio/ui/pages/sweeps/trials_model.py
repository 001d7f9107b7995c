"""The trials of a sweep as a table; of ten thousand, only the rows that changed are told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from studio.engine.jobs.events import TrialChanged
from studio.engine.jobs.states import State
from studio.engine.sweeps.plan import SweepPlan
from studio.ui.pages.sweeps.messages import STAR, cell_text, heading
from studio.ui.pages.sweeps.trial_row import (
    CURVE,
    NUMBER,
    STATE,
    Runs,
    TrialRow,
    columns_of,
    sorted_rows,
)
from studio.ui.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
VALUE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
_ARROWS = {False: "▲", True: "▼"}  # by whether it goes downwards
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TrialsModel(QAbstractTableModel):
    """Trials as rows. Nothing is read of a run before its row is in sight, or sorted by."""

    def __init__(self, theme: Theme, runs: Runs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._runs = runs
        self._columns: list[str] = []
        self._trials: dict[int, TrialRow] = {}
        self._only: frozenset[int] | None = None
        self._rows: list[TrialRow] = []
        self._places: dict[int, int] = {}
        self._by_run: dict[str, int] = {}
        self._best: frozenset[int] = frozenset()
        self._sort = (NUMBER, False)

    @property
    def columns(self) -> Sequence[str]:
        """The keys of the columns."""
        return self._columns

    @property
    def sorted_by(self) -> tuple[int, Qt.SortOrder]:
        """The column by which it is sorted, and the direction."""
        key, descending = self._sort
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        return self._columns.index(key), order

    def show_trials(self, plan: SweepPlan, trials: Iterable[TrialChanged]) -> None:
        """Show another sweep, or this one with other columns."""
        self.beginResetModel()
        self._columns = columns_of(plan)
        if self._sort[0] not in self._columns:
            self._sort = (NUMBER, False)
        self._trials = {each.number: TrialRow(each, plan, self._runs) for each in trials}
        self._only = None
        shown = self._trials.values()
        self._by_run = {run.id: row.number for row in shown for run in row.event.runs}
        self._order()
        self.endResetModel()

    def show_only(self, numbers: frozenset[int] | None) -> None:
        """Leave out all trials but these; None shows all again."""
        self.beginResetModel()
        self._only = numbers
        self._order()
        self.endResetModel()

    def update_trials(self, plan: SweepPlan, trials: Iterable[TrialChanged]) -> None:
        """Take what the sweep says of some trials now; new ones come last until `arrange`."""
        for trial in trials:
            for run in trial.runs:
                self._by_run[run.id] = trial.number
            row = self._trials.get(trial.number)
            if row is None:
                self._append(TrialRow(trial, plan, self._runs))
                continue
            row.event = trial
            row.forget()
            if trial.number in self._places:
                self._tell(self._places[trial.number])

    def _append(self, row: TrialRow) -> None:
        self._trials[row.number] = row
        if self._only is not None:
            return  # it is not among those that were picked out
        place = len(self._rows)
        self.beginInsertRows(QModelIndex(), place, place)
        self._rows.append(row)
        self._places[row.number] = place
        self.endInsertRows()

    def touch_run(self, record_id: str) -> bool:
        """A run is not as it was; says whether it is one of a trial that is shown."""
        place = self._places.get(self._by_run.get(record_id, -1))
        if place is not None:
            self._touch(place)
        return place is not None

    def set_best(self, best: frozenset[int]) -> None:
        """Mark the best trials."""
        changed, self._best = best ^ self._best, best
        for number in changed:
            if number in self._places:
                self._tell(self._places[number])

    def arrange(self) -> None:
        """Sort anew after trials went on; what is selected stays selected."""
        if self._sort != (NUMBER, False):  # by number they come in their order
            self._arrange()

    def _arrange(self) -> None:
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        numbers = [self._rows[index.row()].number for index in old]
        self._order()
        new = [
            self.index(self._places[number], index.column())
            for number, index in zip(numbers, old, strict=True)
        ]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def row(self, index: Index) -> TrialRow | None:
        """The trial of a cell."""
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, number: int) -> QModelIndex:
        """The first cell of a trial; not valid where there is none."""
        place = self._places.get(number)
        return QModelIndex() if place is None else self.index(place, 0)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; trials without a value come last."""
        if 0 <= column < len(self._columns):
            self._sort = (self._columns[column], order == Qt.SortOrder.DescendingOrder)
            self._arrange()
            last = len(self._columns) - 1
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of trials."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Number, what varies, state, objectives, time and curve."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The headings."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text, (key, descending) = heading(self._columns[section]), self._sort
            arrow = _ARROWS[descending] if key == self._columns[section] else ""
            return f"{text} {arrow}".strip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(self._columns[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a cell shows; its raw value in `VALUE_ROLE`."""
        row = self.row(index)
        if row is None:
            return None
        key = self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            is_best = key == NUMBER and row.number in self._best
            return f"{STAR} {cell_text(row, key)}" if is_best else cell_text(row, key)
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.reason or cell_text(row, key)
        if role == VALUE_ROLE:
            return row.value(key)
        return self._look(row, key, role)

    def _look(self, row: TrialRow, key: str, role: int) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(key)
        if role == Qt.ItemDataRole.ForegroundRole and row.state in (State.FAILED, State.LOST):
            return self._theme.color("bad")
        if role == Qt.ItemDataRole.FontRole and row.number in self._best:
            font = QFont()
            font.setBold(True)
            return font
        return None

    @staticmethod
    def _alignment(key: str) -> Qt.AlignmentFlag:
        return _LEFT if key in (STATE, CURVE) else _RIGHT

    def _order(self) -> None:
        key, descending = self._sort
        only = self._trials if self._only is None else self._only
        shown = [row for number, row in self._trials.items() if number in only]
        self._rows = sorted_rows(shown, key, descending=descending)
        self._places = {row.event.number: place for place, row in enumerate(self._rows)}

    def _touch(self, place: int) -> None:
        self._rows[place].forget()
        self._tell(place)

    def _tell(self, place: int) -> None:
        last = max(0, len(self._columns) - 1)
        self.dataChanged.emit(self.index(place, 0), self.index(place, last))
