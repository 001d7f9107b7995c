"""Table model of the trials of a sweep; with ten thousand trials it updates changed rows only."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QFont

from studio.engine.jobs.states import State
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.trial_order import WaitingTrial
from studio.ui.pages.sweeps.messages import STAR, cell_text, heading, objective_label
from studio.ui.pages.sweeps.trial_row import CURVE, NUMBER, STATE, TIME, Runs, TrialRow, columns_of
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import NO_VALUE

Key = float | str | None
"""Sort key of a trial: numbers come before texts; None, for no value, comes last."""
_PIECE = 64
"""Values that are read before the time is checked."""


def key_of(value: object) -> Key:
    """Return the sort key of a value; texts ignore case."""
    if value is None or value == []:
        return None
    if isinstance(value, tuple):
        return float(value[1] - value[0])  # an interval by its width
    if isinstance(value, list):
        return float(value[-1])  # a curve by its last value
    if isinstance(value, bool | int | float):
        return None if math.isnan(value) else float(value)
    return str(value).casefold()


class TrialOrder:
    """Sorts trials by a column.

    Reading the values of ten thousand rows and their runs takes a tenth of a second: it is done
    in chunks, and only changed values are read again.

    Args:
        read: Returns the value of a trial, by its number, in a column.
    """

    def __init__(self, read: Callable[[int, str], object]) -> None:
        self._read = read
        self.column = NUMBER
        self.is_descending = False
        self._keys: dict[int, Key] = {}
        self._unread: dict[int, None] = {}

    @property
    def is_natural(self) -> bool:
        """True if trials are in the order in which they started."""
        return self.column == NUMBER and not self.is_descending

    def choose(self, column: str, *, descending: bool, trials: Iterable[int]) -> None:
        """Sort by another column.

        Args:
            column: Its key.
            descending: True if the greatest comes first.
            trials: Numbers of all trials.
        """
        if column != self.column:
            self.column = column
            self.begin(trials)
        self.is_descending = descending

    def begin(self, trials: Iterable[int]) -> None:
        """Forget all values and take other trials."""
        self._keys = {}
        self._unread = {} if self.column == NUMBER else dict.fromkeys(trials)

    def forget(self, trials: Iterable[int]) -> None:
        """Forget the values of trials that are new or changed."""
        if self.column != NUMBER:
            self._unread.update(dict.fromkeys(trials))

    def read_on(self, seconds: float) -> bool:
        """Read values for about this time; return True once all are known."""
        end = time.perf_counter() + seconds
        while self._unread:
            for _ in range(min(_PIECE, len(self._unread))):
                number, _nothing = self._unread.popitem()
                self._keys[number] = key_of(self._read(number, self.column))
            if time.perf_counter() > end:
                break
        return not self._unread

    def sorted(self, trials: Mapping[int, object]) -> list[int]:
        """Return the numbers of trials in order; unread values sort like missing ones."""
        numbers = sorted(trials)
        if self.column == NUMBER:
            return numbers[::-1] if self.is_descending else numbers
        keys = self._keys
        figures = {n: key for n in numbers if isinstance(key := keys.get(n), float)}
        words = {n: key for n in numbers if isinstance(key := keys.get(n), str)}
        is_down = self.is_descending
        parts = [
            sorted(figures, key=figures.__getitem__, reverse=is_down),
            sorted(words, key=words.__getitem__, reverse=is_down),
        ]
        if is_down:
            parts.reverse()
        return [*parts[0], *parts[1], *(n for n in numbers if keys.get(n) is None)]


Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
VALUE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
_ARROWS = {False: "▲", True: "▼"}  # by whether it goes downwards
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROLES = frozenset(
    {
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.TextAlignmentRole,
        Qt.ItemDataRole.ForegroundRole,
        Qt.ItemDataRole.FontRole,
        Qt.ItemDataRole.AccessibleTextRole,
        VALUE_ROLE,
    }
)
_SLICE = 0.004
"""Seconds for reading between two frames."""


class TrialsModel(QAbstractTableModel):
    """Trials as rows. Values of runs are read when their row is visible or for sorting."""

    def __init__(self, theme: Theme, runs: Runs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._runs = runs
        self._columns: list[str] = []
        self._plan: SweepPlan | None = None
        self._trials: dict[int, TrialChanged] = {}
        self._waiting: dict[int, TrialChanged] = {}
        self._made: dict[int, TrialRow] = {}
        self._only: frozenset[int] | None = None
        self._numbers: list[int] = []
        self._places: dict[int, int] = {}
        self._by_run: dict[str, int] = {}
        self._running: set[int] = set()
        self._best: frozenset[int] = frozenset()
        self._sorting = TrialOrder(self._value)
        self._reading = QTimer(self)
        self._reading.timeout.connect(self._read_on)

    @property
    def columns(self) -> Sequence[str]:
        """Keys of the columns."""
        return self._columns

    @property
    def numbers(self) -> Sequence[int]:
        """Numbers of the shown trials, from top to bottom."""
        return self._numbers

    @property
    def is_sorted(self) -> bool:
        """True if the rows are sorted; sorting many trials takes a moment."""
        return not self._reading.isActive()

    @property
    def sorted_by(self) -> tuple[int, Qt.SortOrder]:
        """Column by which it is sorted (-1 without columns), and the direction."""
        is_down = self._sorting.is_descending
        order = Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder
        if self._sorting.column not in self._columns:  # no sweep has been shown yet
            return -1, order
        return self._columns.index(self._sorting.column), order

    def show_trials(self, plan: SweepPlan, trials: Mapping[int, TrialChanged]) -> None:
        """Show another sweep, or this one with other columns."""
        self.beginResetModel()
        self._plan = plan
        self._columns = columns_of(plan)
        self._trials = dict(trials)
        self._waiting = {}
        self._made = {}
        self._only = None
        self._by_run = {run.id: n for n, each in trials.items() for run in each.runs}
        self._running = {n for n, each in trials.items() if each.state is State.RUNNING}
        if self._sorting.column not in self._columns:
            self._sorting.choose(NUMBER, descending=False, trials=())
        self._sorting.begin(self._trials)
        self._order()
        self.endResetModel()
        self.arrange()

    def show_waiting(self, waiting: Iterable[WaitingTrial]) -> None:
        """Show the trials that have not started below all others, in their order."""
        rows = {
            each.number: TrialChanged(
                number=each.number, values=dict(each.values), state=State.QUEUED
            )
            for each in waiting
            if each.number not in self._trials
        }
        if list(rows.items()) == list(self._waiting.items()):
            return
        gone = [number for number in self._numbers if number in self._waiting]
        if gone:
            first = len(self._numbers) - len(gone)
            self.beginRemoveRows(QModelIndex(), first, len(self._numbers) - 1)
            self._forget_waiting(gone)
            self.endRemoveRows()
        if rows and self._only is None:
            first = len(self._numbers)
            self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
            self._numbers.extend(rows)
            self._places.update(zip(rows, range(first, first + len(rows)), strict=True))
            self.endInsertRows()
        self._waiting = rows

    def _forget_waiting(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._made.pop(number, None)
            del self._places[number]
        del self._numbers[len(self._places) :]

    @property
    def waiting(self) -> Sequence[int]:
        """Numbers of the trials that have not started, in their order."""
        return list(self._waiting)

    def show_only(self, numbers: frozenset[int] | None) -> None:
        """Show only these trials; None shows all."""
        self.beginResetModel()
        self._only = numbers
        self._order()
        self.endResetModel()

    def update_trials(self, plan: SweepPlan, trials: Iterable[TrialChanged]) -> None:
        """Update some trials; new ones come last until `arrange`."""
        self._plan = plan
        for trial in trials:
            number, is_new = trial.number, trial.number not in self._trials
            self._trials[number] = trial
            began = number == next(iter(self._waiting), None)
            if began:
                del self._waiting[number]  # its row stays: it is the next one
            elif number in self._waiting:
                self.show_waiting(
                    ()
                )  # another trial came first; the next summary has the new order
            self._by_run.update({run.id: number for run in trial.runs})
            if trial.state == State.RUNNING:
                self._running.add(number)
            else:
                self._running.discard(number)
            if number in self._made:
                self._made[number].event = trial
            if is_new and not began:
                self._append(number)
            self._touch(number)

    def _append(self, number: int) -> None:
        if self._only is not None:
            return  # it is not among the trials selected in a chart
        if self._waiting:
            self.show_waiting(())  # they come after it; the next summary has them
        place = len(self._numbers)
        self.beginInsertRows(QModelIndex(), place, place)
        self._numbers.append(number)
        self._places[number] = place
        self.endInsertRows()

    def touch_run(self, record_id: str) -> bool:
        """Update a run that changed; return True if its trial is shown."""
        number = self._by_run.get(record_id)
        if number is None:
            return False
        self._touch(number)
        return number in self._places

    def set_best(self, best: frozenset[int]) -> None:
        """Mark the best trials."""
        changed, self._best = best ^ self._best, best
        for number in changed:
            self._tell(number)

    def arrange(self) -> None:
        """Sort again after trials changed; the selection stays."""
        if self._sorting.is_natural:
            return  # they are added in this order
        if self._sorting.column == TIME:
            self._sorting.forget(self._running)  # it grows without an event
        self._read_on()

    def _read_on(self) -> None:
        """Read sort values between frames, then sort."""
        if not self._sorting.read_on(_SLICE):
            self._reading.start(0)
            return
        self._reading.stop()
        self._arrange()

    def _arrange(self) -> None:
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        numbers = [self._numbers[index.row()] for index in old]
        self._order()
        new = [
            self.index(self._places[number], index.column())
            for number, index in zip(numbers, old, strict=True)
        ]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def row(self, index: Index) -> TrialRow | None:
        """Return the trial of a cell."""
        return self._row(self._numbers[index.row()]) if index.isValid() else None

    def index_of(self, number: int) -> QModelIndex:
        """Return the first cell of a trial; an invalid index if it is not shown."""
        place = self._places.get(number)
        return QModelIndex() if place is None else self.index(place, 0)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; trials without a value come last."""
        if 0 <= column < len(self._columns):
            is_down = order == Qt.SortOrder.DescendingOrder
            self._sorting.choose(self._columns[column], descending=is_down, trials=self._trials)
            self._read_on()
            last = len(self._columns) - 1
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of trials."""
        return 0 if parent.isValid() else len(self._numbers)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a heading."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            key, sorting = self._columns[section], self._sorting
            arrow = _ARROWS[sorting.is_descending] if key == sorting.column else ""
            return f"{heading(key)} {arrow}".strip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(self._columns[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the content of a cell; its raw value in `VALUE_ROLE`."""
        # Views ask for seven roles of every cell in every frame.
        row = self.row(index) if role in _ROLES else None
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
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row) if key == CURVE else None
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
    def _spoken(row: TrialRow) -> str:
        said = row.spoken_curve()
        return f"{objective_label(row.curve_name())} {said}" if said else NO_VALUE

    @staticmethod
    def _alignment(key: str) -> Qt.AlignmentFlag:
        return _LEFT if key in (STATE, CURVE) else _RIGHT

    def _row(self, number: int) -> TrialRow | None:
        """A trial; rows are made when they are first asked for."""
        row = self._made.get(number)
        if row is None and self._plan is not None:
            event = self._trials.get(number) or self._waiting[number]
            row = TrialRow(event, self._plan, self._runs)
            self._made[number] = row
        return row

    def _value(self, number: int, column: str) -> object:
        row = self._row(number)
        return None if row is None else row.value(column)

    def _order(self) -> None:
        only = self._only
        numbers = self._sorting.sorted(self._trials)
        shown = [n for n in numbers if n in only] if only is not None else numbers
        self._numbers = shown if only is not None else [*shown, *self._waiting]
        self._places = dict(zip(self._numbers, range(len(self._numbers)), strict=True))

    def _touch(self, number: int) -> None:
        if number in self._made:
            self._made[number].forget()
        self._sorting.forget((number,))
        self._tell(number)

    def _tell(self, number: int) -> None:
        place = self._places.get(number)
        if place is not None:
            last = max(0, len(self._columns) - 1)
            self.dataChanged.emit(self.index(place, 0), self.index(place, last))
