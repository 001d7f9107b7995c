"""Columns, and the model of a table: rows that are sorted, filtered, grouped and edited."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar, cast

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QStyleOptionViewItem

from studio.ui.widgets.figures import count

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Row = TypeVar("Row")
Row_contra = TypeVar("Row_contra", contravariant=True)
Paint = Callable[[QPainter, QStyleOptionViewItem, Row_contra], None]
SortValue = tuple[int, float | str]
"""A number or a text by which rows are sorted: numbers come before texts."""

FILL: Final = -1
"""Width of a column that takes the room that the others leave."""
_ARROWS: Final = {False: "▲", True: "▼"}  # by whether it goes downwards
_FOLDED, _UNFOLDED = "▸", "▾"
_LEFT: Final = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_DISPLAY: Final = int(Qt.ItemDataRole.DisplayRole)
_TIP: Final = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT: Final = int(Qt.ItemDataRole.TextAlignmentRole)
_COLOR: Final = int(Qt.ItemDataRole.ForegroundRole)
_FONT: Final = int(Qt.ItemDataRole.FontRole)
_EDIT: Final = int(Qt.ItemDataRole.EditRole)
_CHECK: Final = int(Qt.ItemDataRole.CheckStateRole)
_SPOKEN: Final = int(Qt.ItemDataRole.AccessibleTextRole)
_DECORATION: Final = int(Qt.ItemDataRole.DecorationRole)
_ROLES: Final = frozenset(
    (_DISPLAY, _TIP, _ALIGNMENT, _COLOR, _FONT, _EDIT, _CHECK, _SPOKEN, _DECORATION)
)
_SLICE: Final = 0.006
"""Seconds for reading values between two frames."""
_PIECE: Final = 64
"""Values that are read before the time is checked."""


@dataclass(frozen=True)  # with slots, Column[Row](…) fails in Python 3.11
class Column(Generic[Row_contra]):
    """A column of a table.

    Attributes:
        heading: Text above the column.
        text: Returns the text of a row.
        value: Returns what a row is sorted by: a number, a text, an interval (its width counts) or
            a curve (its last value counts). Rows without a value (None, NaN, empty) come last in
            both directions. Without it, the column cannot be sorted.
        key: Stable name in the settings; the heading by default.
        width: Pixels at first, or as many as the heading needs; `FILL`; 0 for those of the
            content.
        tip: Explains the heading.
        is_text: True for names, at the left; numbers are at the right.
        is_descending: True if the first click on the heading sorts in descending order.
        is_hidden: True if the column is hidden until the user shows it.
        cell_tip: Returns the tooltip of a row; the text by default.
        spoken: Returns the text of a row for screen readers; that of the tooltip by default.
        color: Returns the color of the text of a row, or None.
        is_bold: Returns True if the text of a row is bold.
        paint: Paints the cell of a row instead of its text.
        edit: Takes a text that was typed; the row shows it once it is stored.
        checked: Returns the state of the check box of a row; None for none.
        check: Takes another state of the check box.
        icon: Returns a picture beside the heading.
        picture: Returns a picture before the text of a row, or None.
    """

    heading: str
    text: Callable[[Row_contra], str]
    value: Callable[[Row_contra], object] | None = None
    key: str = ""
    width: int = 0
    tip: str = ""
    is_text: bool = False
    is_descending: bool = False
    is_hidden: bool = False
    cell_tip: Callable[[Row_contra], str] | None = None
    spoken: Callable[[Row_contra], str] | None = None
    color: Callable[[Row_contra], QColor | None] | None = None
    is_bold: Callable[[Row_contra], bool] | None = None
    paint: Paint[Row_contra] | None = None
    edit: Callable[[Row_contra, str], None] | None = None
    checked: Callable[[Row_contra], bool | None] | None = None
    check: Callable[[Row_contra, bool], None] | None = None
    icon: Callable[[], QPixmap] | None = None
    picture: Callable[[Row_contra], QPixmap | None] | None = None

    @property
    def name(self) -> str:
        """The stable name."""
        return self.key or self.heading

    def exact(self, row: Row_contra) -> object:
        """Return the content of a cell for other programs: numbers unformatted."""
        value = None if self.value is None else self.value(row)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number and sort_value(value) is not None else self.text(row)


def text_columns(
    headings: Sequence[str], *, numbers_last: bool = False
) -> list[Column[Sequence[str]]]:
    """Return columns for rows of texts.

    Args:
        headings: One for each column.
        numbers_last: True if all but the first are numbers; the first column then takes the room
            that is left, otherwise the last one does.
    """
    filling = 0 if numbers_last else len(headings) - 1
    return [
        Column(
            heading,
            partial(_nth, at),
            value=None if numbers_last and at else partial(_nth, at),
            key=str(at),
            width=FILL if at == filling else 0,
            is_text=not (numbers_last and at),
        )
        for at, heading in enumerate(headings)
    ]


def _nth(at: int, row: Sequence[str]) -> str:
    return row[at]


@dataclass(frozen=True, slots=True)
class FigureCell:
    """A cell of figures.

    Attributes:
        text: Its text.
        value: Sort key; None for an unknown value.
        tip: A longer text; empty if `text` has it all.
    """

    text: str
    value: float | str | None
    tip: str = ""


def figure_columns(
    headings: Sequence[str], tips: Sequence[str] = ()
) -> list[Column[Sequence[FigureCell]]]:
    """Return columns for rows of figures, whose first cell is a name.

    Args:
        headings: Headings of the columns.
        tips: Tooltips of the headings.
    """
    return [
        Column(
            heading,
            partial(_figure_text, at),
            value=partial(_figure_value, at),
            key=str(at),
            width=0 if at else FILL,
            tip=tips[at] if at < len(tips) else "",
            is_text=at == 0,
            cell_tip=partial(_figure_tip, at),
        )
        for at, heading in enumerate(headings)
    ]


def _figure_text(at: int, row: Sequence[FigureCell]) -> str:
    return row[at].text


def _figure_value(at: int, row: Sequence[FigureCell]) -> float | str | None:
    return row[at].value


def _figure_tip(at: int, row: Sequence[FigureCell]) -> str:
    return row[at].tip or row[at].text


def sort_value(value: object) -> SortValue | None:
    """Return the sort key of a value of a column; None if there is no value."""
    if isinstance(value, tuple) and len(value) == 2:
        return 0, float(value[1] - value[0])
    if isinstance(value, list):
        return sort_value(value[-1]) if value else None
    if isinstance(value, bool | int | float):
        return None if math.isnan(value) else (0, float(value))
    return (1, str(value).casefold()) if value not in (None, "") else None


def _untinted(picture: QPixmap) -> QIcon:
    """Return an icon that keeps its colors in selected rows, where Qt tints a mere picture."""
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Selected)
    return icon


@dataclass(frozen=True, slots=True)
class GroupHeading:
    """A row above the rows of a group.

    Attributes:
        name: The group.
        rows: Number of its rows.
        title: Name of the group as it is shown.
    """

    name: str
    rows: int
    title: str


Rows = Mapping[Hashable, Row] | Sequence[Row]
"""Rows by their keys; without keys, by their positions."""


class TableModel(QAbstractTableModel, Generic[Row]):
    """Rows under columns.

    Values are read only when their row is visible or sorted, and in slices between two frames, so
    that ten thousand rows are as fast as ten.

    Args:
        columns: The first columns.
        parent: Owns the model.
        key: Identifies a row. The selection follows it when rows are sorted, filtered or replaced.
            Without it, rows are identified by their positions.

    Attributes:
        columns: The columns.
        row_heading: Returns the heading at the left of a row.
    """

    def __init__(
        self,
        columns: Sequence[Column[Row]] = (),
        parent: QObject | None = None,
        *,
        key: Callable[[Row], Hashable] | None = None,
    ) -> None:
        super().__init__(parent)
        self.columns: list[Column[Row]] = list(columns)
        self.row_heading: Callable[[Row], str] | None = None
        self._key = key
        self._rows: Rows[Row] = () if key is None else {}
        self._passing: Sequence[Hashable] = ()
        self._lines: Sequence[Hashable] = ()
        self._indices: dict[Hashable, int] | None = None
        self._usual_sort: list[tuple[str, bool]] = []
        self._sort: list[tuple[str, bool]] = []
        self._values: dict[str, dict[Hashable, SortValue | None]] = {}
        self._unread: dict[tuple[str, Hashable], None] = {}
        self._filter: Callable[[Row], bool] | None = None
        self._group: Callable[[Row], str] | None = None
        self._groups: dict[Hashable, str] = {}  # of the rows that pass the filter
        self._group_title: Callable[[str], str] = str
        self._folded: dict[str, bool] = {}  # groups that are not as they are at first
        self._is_nested = False
        self._reading = QTimer(self)
        self._reading.timeout.connect(self._read_on)

    # Rows

    @property
    def rows(self) -> Sequence[Row]:
        """All rows in the order given, also hidden ones."""
        return list(self._rows.values()) if isinstance(self._rows, Mapping) else self._rows

    @property
    def shown(self) -> list[Row]:
        """The rows that pass the filter in their order, also those of folded groups."""
        return [self._row(key) for key in self._passing]

    def show_rows(self, rows: Iterable[Row], columns: Sequence[Column[Row]] | None = None) -> None:
        """Show rows, sorted as before.

        Args:
            rows: The rows.
            columns: The columns; None to keep them.
        """
        columns = self.columns if columns is None else list(columns)
        is_same = [(each.name, each.heading) for each in columns] == [
            (each.name, each.heading) for each in self.columns
        ]
        is_restored = is_same and self._key is not None
        if not is_restored:
            self.beginResetModel()
            self._values = {name: {} for name in self._values}
        self.columns, self._rows = columns, self._indexed(rows)
        self._values = {
            name: {key: value for key, value in values.items() if key in self._keys}
            for name, values in self._values.items()
        }
        # Old values keep the rows in their order until the new ones are read.
        self._unread = {(name, key): None for name in self._values for key in self._keys}
        self._read_some()
        if is_restored:
            self._set_lines(self._arranged())
        else:
            self._lines, self._indices = self._arranged(), None
            self.endResetModel()
        if is_restored and self._lines:
            last = self.index(len(self._lines) - 1, len(columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def touch(self, key: Hashable) -> bool:
        """Update a row that changed in place; return True if its position may have changed."""
        if not isinstance(self._rows, Mapping) or key not in self._rows:
            return False
        row, is_moved = self._rows[key], False
        for name, values in self._values.items():
            known, values[key] = values.get(key), self._value(name, row)
            is_moved = is_moved or known != values[key]
            self._unread.pop((name, key), None)
        if self._filter is not None or self._group is not None:
            group = self._group_of(row)
            is_moved = is_moved or self._groups.get(key) != group
        index = self.index_of(key)
        if index.isValid():
            self.dataChanged.emit(index, index.siblingAtColumn(len(self.columns) - 1))
        return is_moved

    def row_at(self, row: int) -> Row | None:
        """Return the object shown in a row; None for the head of a group."""
        line = self._lines[row]
        return None if isinstance(line, GroupHeading) else self._row(line)

    def head_at(self, row: int) -> GroupHeading | None:
        """Return the head that is shown in a row; None for another row."""
        line = self._lines[row]
        return line if isinstance(line, GroupHeading) else None

    def key_at(self, row: int) -> Hashable:
        """Return the key, or the position in the order given, of what is shown in a row."""
        return self._lines[row]

    def index_of(self, key: Hashable) -> QModelIndex:
        """Return the first cell of a row by its key or position; invalid if it is hidden."""
        if self._indices is None:
            self._indices = {line: row for row, line in enumerate(self._lines)}
        index = self._indices.get(key)
        return QModelIndex() if index is None else self.index(index, 0)

    # Order

    @property
    def sort_keys(self) -> list[tuple[str, bool]]:
        """Names of the sorted columns, the first one first, each with True for descending."""
        return list(self._sort)

    @property
    def is_sorted(self) -> bool:
        """True if the rows are in their order; reading the values of many takes a moment."""
        return not self._reading.isActive()

    def sort_by(self, keys: Sequence[tuple[str, bool]]) -> None:
        """Sort by columns, each with True for descending; without any, in the usual order."""
        self._sort = list(keys) or list(self._usual_sort)
        names = [name for name, _ in self._sort]
        new = [(name, key) for name in names if name not in self._values for key in self._keys]
        self._values = {name: self._values.get(name, {}) for name in names}
        self._unread = {pair: None for pair in [*self._unread, *new] if pair[0] in names}
        self.arrange()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(0, len(self.columns) - 1))

    def set_usual_sort(self, keys: Sequence[tuple[str, bool]]) -> None:
        """Set the order of rows that are not sorted by the user; the given order by default."""
        is_usual = self._sort == self._usual_sort
        self._usual_sort = list(keys)
        if is_usual:
            self.sort_by(())

    def set_filter(self, takes: Callable[[Row], bool] | None) -> None:
        """Show only the rows for which a function returns True; None shows all."""
        if self._is_nested and (takes is None) != (self._filter is None):
            self._folded = {name: False for name, folded in self._folded.items() if not folded}
        self._filter = takes
        self.arrange()

    def set_group(
        self,
        group: Callable[[Row], str] | None,
        *,
        is_nested: bool = False,
        title: Callable[[str], str] = str,
    ) -> None:
        """Show rows under heads with the names of their groups.

        Args:
            group: Returns the group of a row; None shows a flat list.
            is_nested: True to show rows without a group beside the heads. A head then stands where
                its first row would, and its rows are folded at first unless there is a filter.
            title: Returns the name of a group as it is shown.
        """
        if is_nested != self._is_nested:
            self._folded.clear()
        self._group, self._is_nested, self._group_title = group, is_nested, title
        self.arrange()

    def fold(self, group: str) -> None:
        """Fold or unfold a group."""
        folds = not self._is_folded(group)
        if folds == self._folds_first:
            self._folded.pop(group, None)
        else:
            self._folded[group] = folds
        self.arrange()

    def heads(self) -> list[int]:
        """Return the rows that are heads of groups."""
        if self._group is None:
            return []
        return [row for row, line in enumerate(self._lines) if isinstance(line, GroupHeading)]

    def arrange(self) -> None:
        """Filter, sort and group again after rows changed; the selection stays."""
        self._read_some()
        self._set_lines(self._arranged())

    # What Qt asks

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of shown rows and heads of groups."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make cells editable or checkable where their column says so."""
        flags = super().flags(index)
        row = self.row_at(index.row()) if index.isValid() else None
        if row is None:
            return flags
        column = self.columns[index.column()]
        if column.edit is not None:
            flags |= Qt.ItemFlag.ItemIsEditable
        if column.checked is not None and column.checked(row) is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        """Return a heading, with an arrow if sorted by it, its tip, alignment or picture."""
        if orientation != Qt.Orientation.Horizontal:
            return self._heading_of(section) if role in (_DISPLAY, _TIP) else None
        if section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == _DISPLAY:
            return f"{column.heading}{self._arrow(column)}"
        if role == _ALIGNMENT:
            return _LEFT if column.is_text else _RIGHT
        if role == _DECORATION:
            return None if column.icon is None else column.icon()
        return column.tip or None if role == _TIP else None

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """Return the text, style or state of a cell."""
        # Views ask for ten roles of every cell in every frame.
        if role not in _ROLES or not index.isValid():
            return None
        line = self._lines[index.row()]
        if isinstance(line, GroupHeading):
            return self._head_data(line, index.column(), role)
        row, column = self._row(line), self.columns[index.column()]
        if role in (_DISPLAY, _EDIT):
            return column.text(row)
        if role == _ALIGNMENT:
            return _LEFT if column.is_text else _RIGHT
        if role == _TIP:
            return (column.cell_tip or column.text)(row)
        return self._rare_data(row, column, role)

    def setData(self, index: Index, value: object, role: int = _EDIT) -> bool:
        """Give an edited text or a changed check box to the column."""
        row = self.row_at(index.row()) if index.isValid() else None
        if row is None:
            return False
        column = self.columns[index.column()]
        if role == _CHECK and column.check is not None:
            column.check(row, Qt.CheckState(value) == Qt.CheckState.Checked)
            self.dataChanged.emit(index, index)
            return True
        if role != _EDIT or column.edit is None:
            return False
        if str(value) != column.text(row):
            column.edit(row, str(value))
        return True

    # Inside

    def _indexed(self, rows: Iterable[Row]) -> Rows[Row]:
        if self._key is not None:
            return {self._key(row): row for row in rows}
        # A million positions are not copied.
        return cast("Sequence[Row]", rows) if isinstance(rows, range) else list(rows)

    def _row(self, line: Hashable) -> Row:
        return self._rows[line]  # type: ignore[call-overload]  # a key, or a position

    def _heading_of(self, section: int) -> str | None:
        row = self.row_at(section) if section < len(self._lines) else None
        return None if self.row_heading is None or row is None else self.row_heading(row)

    def _rare_data(self, row: Row, column: Column[Row], role: int) -> object:
        if role == _COLOR:
            return None if column.color is None else column.color(row)
        if role == _FONT:
            return _bold() if column.is_bold is not None and column.is_bold(row) else None
        if role == _SPOKEN:
            spoken = column.spoken or column.cell_tip
            return None if spoken is None else spoken(row)
        if role == _DECORATION:
            picture = None if column.picture is None else column.picture(row)
            return None if picture is None else _untinted(picture)
        if role == _CHECK and column.checked is not None:
            is_checked = column.checked(row)
            states = Qt.CheckState
            return None if is_checked is None else [states.Unchecked, states.Checked][is_checked]
        return None

    def _head_data(self, head: GroupHeading, column: int, role: int) -> object:
        if column == 0 and role == _DISPLAY:
            sign = _FOLDED if self._is_folded(head.name) else _UNFOLDED
            return f"{sign}  {head.title or self.tr('No group')} · {count(head.rows)}"
        return _bold() if role == _FONT else None

    def _arrow(self, column: Column[Row]) -> str:
        """Return an arrow if it is sorted by a column; the style would paint its own over it."""
        for index, (name, is_down) in enumerate(self._sort, 1):
            if name == column.name and column.value is not None:
                return f" {_ARROWS[is_down]}{index if len(self._sort) > 1 else ''}"
        return ""

    def _value(self, name: str, row: Row) -> SortValue | None:
        for column in self.columns:
            if column.name == name:
                return None if column.value is None else sort_value(column.value(row))
        return None

    @property
    def _keys(self) -> Collection[Hashable]:
        rows = self._rows
        return rows.keys() if isinstance(rows, Mapping) else range(len(rows))

    def _read_some(self) -> None:
        """Read values that rows are sorted by; those of many rows between the next frames."""
        end = time.perf_counter() + _SLICE
        while self._unread and time.perf_counter() < end:
            for _ in range(min(_PIECE, len(self._unread))):
                name, key = self._unread.popitem()[0]
                self._values[name][key] = self._value(name, self._row(key))
        if self._unread:
            self._reading.start(0)
        else:
            self._reading.stop()

    def _read_on(self) -> None:
        self._read_some()
        if not self._unread:
            self._set_lines(self._arranged())

    def _group_of(self, row: Row) -> str | None:
        """Return the group of a row, or None if it does not pass the filter."""
        if self._filter is not None and not self._filter(row):
            return None
        return "" if self._group is None else self._group(row)

    def _arranged(self) -> Sequence[Hashable]:
        keys: Sequence[Hashable]
        keys = list(self._rows) if isinstance(self._rows, Mapping) else range(len(self._rows))
        if self._filter is not None or self._group is not None:
            groups = ((key, self._group_of(self._row(key))) for key in keys)
            self._groups = {key: group for key, group in groups if group is not None}
            keys = list(self._groups)
        for name, is_down in reversed(self._sort):
            values = self._values.get(name, {})
            known = {key: value for key in keys if (value := values.get(key)) is not None}
            missing = [key for key in keys if key not in known]
            keys = [*sorted(known, key=known.__getitem__, reverse=is_down), *missing]
        self._passing = keys
        return keys if self._group is None else self._with_heads(keys)

    def _with_heads(self, keys: Sequence[Hashable]) -> Sequence[Hashable]:
        found: dict[str, list[Hashable]] = {}
        for key in keys:
            found.setdefault(self._groups[key], []).append(key)
        if self._is_nested:
            return self._nested(keys, found)
        lines: list[Hashable] = []
        for name in sorted(found, key=lambda name: (not name, name.casefold())):
            lines += self._group_lines(name, found[name])
        return lines

    def _nested(
        self, keys: Sequence[Hashable], groups: Mapping[str, Sequence[Hashable]]
    ) -> list[Hashable]:
        """Return rows without a group, and each other group at the place of its first row."""
        lines: list[Hashable] = []
        for key in keys:
            name = self._groups[key]
            if not name:
                lines.append(key)
            elif groups[name][0] == key:
                lines += self._group_lines(name, groups[name])
        return lines

    def _group_lines(self, name: str, keys: Sequence[Hashable]) -> list[Hashable]:
        shown = () if self._is_folded(name) else keys
        return [GroupHeading(name, len(keys), self._group_title(name)), *shown]

    @property
    def _folds_first(self) -> bool:
        """True if groups are folded at first."""
        return self._is_nested and self._filter is None

    def _is_folded(self, group: str) -> bool:
        return self._folded.get(group, self._folds_first)

    def _set_lines(self, lines: Sequence[Hashable]) -> None:
        """Show other lines: the selection of the view stays as far as possible."""
        old = self._lines
        first = next(
            (at for at, pair in enumerate(zip(old, lines, strict=False)) if pair[0] != pair[1]),
            min(len(old), len(lines)),
        )
        if first == len(old) == len(lines):
            return
        if first == len(old):
            self.beginInsertRows(ROOT, first, len(lines) - 1)
            self._lines, self._indices = lines, None
            self.endInsertRows()
        elif first == len(lines):
            self.beginRemoveRows(ROOT, first, len(old) - 1)
            self._lines, self._indices = lines, None
            self.endRemoveRows()
        elif len(old) == len(lines) and set(old) == set(lines):
            self._move_lines(lines)
        else:
            self.beginResetModel()
            self._lines, self._indices = lines, None
            self.endResetModel()

    def _move_lines(self, lines: Sequence[Hashable]) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        keys = [self._lines[index.row()] for index in before]
        self._lines = lines
        self._indices = {line: row for row, line in enumerate(lines)}
        after = [
            self.index(self._indices[key], index.column())
            for key, index in zip(keys, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()


def _bold() -> QFont:
    font = QFont()
    font.setBold(True)
    return font
