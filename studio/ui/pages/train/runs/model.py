"""The rows and columns of the table of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Literal

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont

from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec, in_sentence
from studio.engine.tasks.task import Task
from studio.engine.training.comparison import best_of, last_of, seconds_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label, setting_value
from studio.ui.documents.record import RunDocument
from studio.ui.engine_text import plan_text
from studio.ui.forms.setting_words import setting_words
from studio.ui.pages.train.state import progress_curve
from studio.ui.shared.training import planned_network
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import STATE_ROLES
from studio.ui.widgets.figures import NO_VALUE, count, duration, metric_text, number
from studio.ui.widgets.labels import state_word
from studio.ui.widgets.small_charts import curve_words

_tr = partial(QCoreApplication.translate, "runs")

NAME, STATE, NETWORK, DATASET = "name", "state", "network", "dataset"
GROUP, TAGS, NOTES, CURVE = "group", "tags", "notes", "curve"
EPOCHS, TIME, STARTED, SPEED, PARAMETERS = "epochs", "time", "started", "speed", "parameters"
SETTING = "setting:"
"""Prefix of the keys of settings, before their dotted names."""
BEST, LAST = "best_", "last_"
"""Prefixes of the keys of metrics: the value of the best or the last epoch."""

Kind = Literal["text", "metric", "count", "seconds", "date", "curve"]
EDITABLE = (NAME, GROUP, TAGS, NOTES)
_CURVE_POINTS = 60


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table.

    Attributes:
        key: Its stable name in the settings.
        kind: Format of its values.
        width: Initial width in pixels.
        shown: True if it is initially visible; columns of metrics follow the tasks of the runs.
    """

    key: str
    kind: Kind
    width: int = 90
    shown: bool = True

    @property
    def is_figure(self) -> bool:
        """True if it is aligned to the right and first sorts in descending order."""
        return self.kind not in ("text", "curve")


def _measured(which: str) -> list[Column]:
    return [
        Column(f"{which}{metric.name}", "metric", 156 if metric.is_fraction else 104, shown=False)
        for metric in MEASURED_METRICS.values()
    ]


COLUMNS = (
    Column(NAME, "text", 180),
    Column(STATE, "text", 96),
    *_measured(BEST),
    Column(CURVE, "curve", 84),
    Column(NETWORK, "text", 110),
    Column(DATASET, "text", 110),
    Column(GROUP, "text", 130),
    Column(TAGS, "text", 120),
    Column(EPOCHS, "count", 72),
    Column(TIME, "seconds", 104),
    Column(STARTED, "date", 140),
    *_measured(LAST),
    Column(SPEED, "count", 90, shown=False),
    Column(PARAMETERS, "count", 100, shown=False),
    Column(NOTES, "text", 200, shown=False),
)


def shown_at_first(column: Column, tasks: Mapping[str, Task]) -> bool:
    """Return True if a column is visible unless the user hides it.

    Args:
        column: The column.
        tasks: Tasks of the runs by name; if there are none, the default task counts.
    """
    metric = metric_of(column.key)
    if metric is None:
        return column.shown
    named = tasks.values() or (DEFAULT_TASK,)
    shown = {name for task in named for name in (task.primary.name, task.loss.name)}
    return column.key.startswith(BEST) and metric.name in shown


def is_measured(column: Column, tasks: Mapping[str, Task]) -> bool:
    """Return True if runs of these tasks can have values in a column."""
    metric = metric_of(column.key)
    names = {spec.name for task in tasks.values() or (DEFAULT_TASK,) for spec in task.measured}
    return metric is None or metric.name in names


def metric_of(key: str) -> MetricSpec | None:
    """Return the metric of a column; None if it shows something else."""
    is_metric = key.startswith((BEST, LAST))
    return MEASURED_METRICS.get(key[len(BEST) :]) if is_metric else None


def setting_column(name: str) -> Column:
    """Return the column of a setting."""
    return Column(f"{SETTING}{name}", "text", 100)


def heading(key: str) -> str:
    """Return the heading of a column."""
    if key.startswith(SETTING):
        return plan_text(setting_label(key.removeprefix(SETTING)))
    metric = metric_of(key)
    if metric is not None:
        pattern = _tr("Best {metric}") if key.startswith(BEST) else _tr("Last {metric}")
        return pattern.format(metric=in_sentence(plan_text(metric.label)))
    return {
        NAME: _tr("Name"),
        STATE: _tr("State"),
        NETWORK: _tr("Network"),
        DATASET: _tr("Dataset"),
        GROUP: _tr("Group"),
        TAGS: _tr("Tags"),
        NOTES: _tr("Notes"),
        CURVE: _tr("Curve"),
        EPOCHS: _tr("Epochs"),
        TIME: _tr("Time"),
        STARTED: _tr("Started"),
        SPEED: _tr("Images/s"),
        PARAMETERS: _tr("Parameters"),
    }[key]


@dataclass(slots=True, eq=False)
class RunRow:
    """A run in the table; its values are cached until it changes.

    Attributes:
        entry: The run.
        dataset: Name of its dataset.
        is_shown: True if it passed the filter when the rows were arranged last.
        group: Its group at that time.
    """

    entry: RunDocument
    dataset: str
    is_shown: bool = False
    group: str = ""
    _values: dict[str, object] = field(default_factory=dict)

    def mark(self, is_shown: bool) -> bool:
        """Store the result of the filter and the group, and return the result."""
        self.is_shown, self.group = is_shown, self.entry.info.group
        return is_shown

    def forget(self) -> None:
        """Clear the cache after a change of the run."""
        self._values.clear()

    def value(self, key: str) -> object:
        """Return the number or text of a column; NaN or "" if there is none."""
        if key == TIME and self.entry.state.has_worker:
            return seconds_of(self.entry.history)  # it grows without an event
        if key not in self._values:
            self._values[key] = self._read(key)
        return self._values[key]

    def text(self, column: Column) -> str:
        """Return the formatted value of a column."""
        return _text(column, self.value(column.key))

    def matches(self, words: list[str]) -> bool:
        """Return True if the texts of the run contain all words, which are in lower case."""
        if "" not in self._values:
            keys = (NAME, NETWORK, DATASET, GROUP, TAGS, NOTES)
            parts = [str(self.value(key)) for key in keys]
            parts.append(state_word(self.entry.state.value))
            self._values[""] = "\n".join(parts).casefold()
        everything = str(self._values[""])
        return all(word in everything for word in words)

    def _read(self, key: str) -> object:
        if key in _READ:
            return _READ[key](self)
        history, plan = self.entry.history, self.entry.plan
        if key.startswith(SETTING):
            name = key.removeprefix(SETTING)
            if name == DATASET or not isinstance(plan, TrainingPlan):
                return self.dataset
            return _setting(name, setting_value(plan, history.changes, name))
        measure = best_of if key.startswith(BEST) else last_of
        return measure(history, MEASURED_METRICS[key[len(BEST) :]])


def _network(row: RunRow) -> str:
    plan = row.entry.plan
    return planned_network(plan) if isinstance(plan, TrainingPlan) else ""


def _speed(row: RunRow) -> float:
    epochs = row.entry.history.epochs
    return epochs[-1].images_per_second if epochs else math.nan


def _parameters(row: RunRow) -> float:
    began = row.entry.history.training
    return began.parameters if began else math.nan


def _started(row: RunRow) -> float:
    return row.entry.history.started_at or row.entry.info.created.timestamp()


_READ: dict[str, Callable[[RunRow], object]] = {
    NAME: lambda row: row.entry.info.name,
    STATE: lambda row: state_word(row.entry.state.value),
    NETWORK: _network,
    DATASET: lambda row: row.dataset,
    GROUP: lambda row: row.entry.info.group,
    TAGS: lambda row: ", ".join(row.entry.info.tags),
    NOTES: lambda row: row.entry.info.notes,
    CURVE: lambda row: _thinned(progress_curve(row.entry.history)),
    EPOCHS: lambda row: len(row.entry.history.epochs),
    TIME: lambda row: seconds_of(row.entry.history),
    STARTED: _started,
    SPEED: _speed,
    PARAMETERS: _parameters,
}


def sort_key(value: object) -> tuple[int, float, str]:
    """Return the sort key of a value: numbers before texts, texts without case."""
    if isinstance(value, bool | int | float):
        return 0, float(value), ""
    return 1, 0.0, str(value).casefold()


def is_missing(value: object) -> bool:
    """Return True if there is no value; such runs are sorted last in both directions."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _setting(name: str, value: object) -> object:
    """Return numbers as they are, to be sorted, and other values as text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return "" if value is None else setting_words(name, value)


def _text(column: Column, value: object) -> str:
    if is_missing(value):
        return "" if column.kind == "text" and not column.key.startswith(SETTING) else NO_VALUE
    if not isinstance(value, int | float):
        return str(value)
    if column.key.startswith(SETTING):
        return number(value)
    metric = metric_of(column.key)
    return _FORMATS[column.kind](value) if metric is None else metric_text(metric, value)


def _date(seconds: float) -> str:
    moment = QDateTime.fromSecsSinceEpoch(int(seconds))
    return QLocale().toString(moment, QLocale.FormatType.ShortFormat)


def _whole(value: float) -> str:
    return count(round(value))


_FORMATS: dict[Kind, Callable[[float], str]] = {
    "text": str,
    "count": _whole,
    "seconds": duration,
    "date": _date,
}


def _thinned(values: list[float]) -> list[float]:
    """Reduce a curve to about as many points as it has pixels."""
    step = max(1, math.ceil(len(values) / _CURVE_POINTS))
    return [*values[:-1:step], values[-1]] if values else []


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of runs.

    Attributes:
        text: Words that the texts of a run must contain.
        state: State of the runs; empty for all.
        tag: Tag of the runs; empty for all.
        group: Group of the runs, `""` for runs without a group; None for all.
    """

    text: str = ""
    state: str = ""
    tag: str = ""
    group: str | None = None

    def takes(self, row: RunRow) -> bool:
        """Return True if a run passes the filter."""
        info = row.entry.info
        return (
            (not self.state or row.entry.state == self.state)
            and (not self.tag or self.tag in info.tags)
            and (self.group is None or info.group == self.group)
            and (not self.text or row.matches(self.text.casefold().split()))
        )


def sorted_rows(rows: Iterable[RunRow], keys: Sequence[tuple[str, bool]]) -> list[RunRow]:
    """Sort runs by columns, each with True for descending; runs without a value come last."""
    found = list(rows)
    for key, descending in reversed(keys):
        pairs = [(row.value(key), row) for row in found]
        there = [pair for pair in pairs if not is_missing(pair[0])]
        if any(isinstance(value, str) for value, _ in there):
            there = [(sort_key(value), row) for value, row in there]
        there.sort(key=itemgetter(0), reverse=descending)
        found = [row for _, row in there] + [row for value, row in pairs if is_missing(value)]
    return found


def grouped_rows(rows: Iterable[RunRow]) -> list[tuple[str, list[RunRow]]]:
    """Return groups by name, each with its runs in their order; ungrouped runs come last."""
    found: dict[str, list[RunRow]] = {}
    for row in rows:
        found.setdefault(row.entry.info.group, []).append(row)
    return sorted(found.items(), key=lambda pair: (not pair[0], pair[0].casefold()))


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
    """Runs as rows, optionally under rows of their groups, which can be folded.

    Values of a run are read only when its row is visible or sorted, so that ten thousand runs
    are as fast as ten.

    Signals:
        edited: A `RunDocument`, the key of a column and its new text.
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
        """The columns, with those of settings at the end."""
        return self._columns

    @property
    def sort_keys(self) -> list[tuple[str, bool]]:
        """Keys of the sorted columns, each with True for descending."""
        return list(self._sort)

    @property
    def is_grouped(self) -> bool:
        """True if runs are grouped."""
        return self._is_grouped

    @property
    def total(self) -> int:
        """Number of all runs, also those that the filter hides."""
        return len(self._rows)

    def rows(self) -> list[RunRow]:
        """Return the runs that pass the filter in their order, also those in folded groups."""
        return self._shown

    def every_row(self) -> Iterable[RunRow]:
        """Return all runs, also those that the filter hides."""
        return self._rows.values()

    def set_entries(self, entries: Iterable[RunDocument], datasets: dict[str, str]) -> None:
        """Show runs; `datasets` has the names of datasets by their ids."""
        kept = self._rows
        self._rows = {}
        for entry in entries:
            row = kept.get(entry.key[1])
            name = datasets.get(getattr(entry.plan, "dataset", ""), "")
            if row is None or row.entry is not entry or row.dataset != name:
                row = RunRow(entry, name)
            self._rows[entry.key[1]] = row
        self.arrange()

    def set_filter(self, wanted: Filter) -> None:
        """Show the runs that pass a filter."""
        if wanted != self._filter:
            self._filter = wanted
            self.arrange()

    def sort_by(self, keys: Sequence[tuple[str, bool]]) -> None:
        """Sort by several columns, the first one first."""
        self._sort = list(keys) or [(STARTED, True)]
        self.arrange()
        last = max(0, len(self._columns) - 1)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def set_grouped(self, *, grouped: bool) -> None:
        """Show runs under rows of their groups, or as a flat list."""
        if grouped != self._is_grouped:
            self._is_grouped = grouped
            self.arrange()

    def fold(self, group: str) -> None:
        """Fold or unfold a group."""
        self._folded ^= {group}
        self.arrange()

    def set_settings(self, names: Sequence[str]) -> None:
        """Replace the columns of settings."""
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
        """Update the row of a changed run and return True if its position may have changed."""
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

    # Finding

    def entry(self, index: Index) -> RunDocument | None:
        """Return the run of a cell; None for a group."""
        return self.entry_at(index.row()) if index.isValid() else None

    def entry_at(self, row: int) -> RunDocument | None:
        """Return the run of a row; None for a group."""
        line = self._lines[row]
        return line.entry if isinstance(line, RunRow) else None

    def group_at(self, index: Index) -> str | None:
        """Return the group of a cell; None for a run."""
        line = self._lines[index.row()] if index.isValid() else None
        return line.name if isinstance(line, GroupHead) else None

    def group_rows(self) -> list[int]:
        """Return the positions of the rows of groups."""
        if not self._is_grouped:
            return []
        return [row for row, line in enumerate(self._lines) if isinstance(line, GroupHead)]

    def index_of(self, record_id: str) -> QModelIndex:
        """Return the first cell of a run; invalid if it is hidden."""
        place = self._places.get(record_id)
        return QModelIndex() if place is None else self.index(place, 0)

    # What Qt asks

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of runs and groups."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make names, groups, tags and notes editable."""
        flags = super().flags(index)
        row = self._row(index)
        if row is not None and self._columns[index.column()].key in EDITABLE:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a heading with its sort arrow."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heading(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tr("{heading}: click to sort, Shift+click to add a sort column").format(
                heading=heading(column.key)
            )
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.is_figure else _LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the content of a cell; `VALUE_ROLE` is its raw value."""
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
        return self._style(row, column, role)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Emit a new text; the row shows it once it is saved."""
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

    def _style(self, row: RunRow, column: Column, role: int) -> object:
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

    def arrange(self) -> None:
        """Filter, sort and group; selection and editors stay if only the order changes."""
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
