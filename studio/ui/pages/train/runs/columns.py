"""The columns, the order and the filter of the table of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Literal

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

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
from studio.ui.widgets.figures import NO_VALUE, count, duration, number, percent, significant
from studio.ui.widgets.labels import state_word

_tr = partial(QCoreApplication.translate, "runs")

NAME, STATE, NETWORK, DATASET = "name", "state", "network", "dataset"
GROUP, TAGS, NOTES, CURVE = "group", "tags", "notes", "curve"
EPOCHS, TIME, STARTED, SPEED, PARAMETERS = "epochs", "time", "started", "speed", "parameters"
SETTING = "setting:"
"""Before the dotted name of a setting."""

Kind = Literal["text", "share", "number", "count", "seconds", "date", "curve"]
EDITABLE = (NAME, GROUP, TAGS, NOTES)
_CURVE_POINTS = 60


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        key: Its stable name, by which the window remembers it.
        kind: How its values read.
        width: At first, in logical pixels.
        shown: Whether it is shown at first; those of metrics follow the tasks of the runs.
    """

    key: str
    kind: Kind
    width: int = 90
    shown: bool = True

    @property
    def is_figure(self) -> bool:
        """Whether it stands at the right, and sorts downwards at the first click."""
        return self.kind not in ("text", "curve")


def _measured(which: str) -> list[Column]:
    return [
        Column(
            f"{which}_{metric.name}",
            "share" if metric.is_fraction else "number",
            156 if metric.is_fraction else 104,
            shown=False,
        )
        for metric in MEASURED_METRICS.values()
    ]


COLUMNS = (
    Column(NAME, "text", 180),
    Column(STATE, "text", 96),
    *_measured("best"),
    Column(CURVE, "curve", 84),
    Column(NETWORK, "text", 110),
    Column(DATASET, "text", 110),
    Column(GROUP, "text", 130),
    Column(TAGS, "text", 120),
    Column(EPOCHS, "count", 72),
    Column(TIME, "seconds", 104),
    Column(STARTED, "date", 140),
    *_measured("last"),
    Column(SPEED, "count", 90, shown=False),
    Column(PARAMETERS, "count", 100, shown=False),
    Column(NOTES, "text", 200, shown=False),
)


def shown_at_first(column: Column, tasks: Mapping[str, Task]) -> bool:
    """Return whether a column is shown unless the user chose otherwise.

    Args:
        column: Any of `COLUMNS`, or that of a setting.
        tasks: Those of the runs, by name; without a run the usual one.
    """
    which, metric = _metric_of(column.key)
    if metric is None:
        return column.shown
    named = tasks.values() or (DEFAULT_TASK,)
    shown = {name for task in named for name in (task.primary.name, task.loss.name)}
    return which == "best" and metric.name in shown


def is_measured(column: Column, tasks: Mapping[str, Task]) -> bool:
    """Return whether a run of one of these tasks can have a value in a column."""
    _, metric = _metric_of(column.key)
    names = {spec.name for task in tasks.values() or (DEFAULT_TASK,) for spec in task.measured}
    return metric is None or metric.name in names


def _metric_of(key: str) -> tuple[str, MetricSpec | None]:
    """Which value of a metric a column shows, `best` or `last`, and of which metric."""
    which, _, name = key.partition("_")
    return which, MEASURED_METRICS.get(name) if which in ("best", "last") else None


def setting_column(name: str) -> Column:
    """The column of a setting."""
    return Column(f"{SETTING}{name}", "text", 100)


def heading(key: str) -> str:
    """What stands above a column."""
    if key.startswith(SETTING):
        return plan_text(setting_label(key.removeprefix(SETTING)))
    which, _, metric = key.partition("_")
    if metric in MEASURED_METRICS:
        label = in_sentence(plan_text(MEASURED_METRICS[metric].label))
        pattern = _tr("Best {metric}") if which == "best" else _tr("Last {metric}")
        return pattern.format(metric=label)
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
    """A run in the table; what was read of it is kept until it goes on.

    Attributes:
        entry: The run.
        dataset: Name of its dataset.
        is_shown: Whether it passed the filter when the rows were arranged.
        group: Its group at that time.
    """

    entry: RunDocument
    dataset: str
    is_shown: bool = False
    group: str = ""
    _values: dict[str, object] = field(default_factory=dict)

    def mark(self, is_shown: bool) -> bool:
        """Remember how it stands while the rows are arranged, and give that back."""
        self.is_shown, self.group = is_shown, self.entry.info.group
        return is_shown

    def forget(self) -> None:
        """The run, or what is written about it, is not as it was."""
        self._values.clear()

    def value(self, key: str) -> object:
        """The value of a column: a number, or a text; NaN or "" where there is none."""
        if key == TIME and self.entry.state.has_worker:
            return seconds_of(self.entry.history)  # it grows without an event
        if key not in self._values:
            self._values[key] = self._read(key)
        return self._values[key]

    def text(self, column: Column) -> str:
        """The value of a column as people read it."""
        return _text(column, self.value(column.key))

    def matches(self, words: list[str]) -> bool:
        """Whether all words, in lower case, stand somewhere in what is written about it."""
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
        which, _, metric = key.partition("_")
        measure = best_of if which == "best" else last_of
        return measure(history, MEASURED_METRICS[metric])


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
    """What a value is sorted by: numbers by size, before texts, which are sorted without case."""
    if isinstance(value, bool | int | float):
        return 0, float(value), ""
    return 1, 0.0, str(value).casefold()


def is_missing(value: object) -> bool:
    """Whether there is no value; such runs come last, whichever the direction."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _setting(name: str, value: object) -> object:
    """Numbers stay numbers, to be sorted; the rest is what people read."""
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
    return _FIGURES[column.kind](value)


def _date(seconds: float) -> str:
    moment = QDateTime.fromSecsSinceEpoch(int(seconds))
    return QLocale().toString(moment, QLocale.FormatType.ShortFormat)


def _whole(value: float) -> str:
    return count(round(value))


_FIGURES: dict[Kind, Callable[[float], str]] = {
    "text": str,
    "share": percent,
    "number": significant,
    "count": _whole,
    "seconds": duration,
    "date": _date,
}


def _thinned(values: list[float]) -> list[float]:
    """A curve as small as a word needs no more points than it has pixels."""
    step = max(1, math.ceil(len(values) / _CURVE_POINTS))
    return [*values[:-1:step], values[-1]] if values else []


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are shown.

    Attributes:
        text: Words that all stand somewhere in what is written about a run.
        state: Only runs in this state; empty for all.
        tag: Only runs with this tag; empty for all.
        group: Only runs of this group, `""` for those of none; None for all.
    """

    text: str = ""
    state: str = ""
    tag: str = ""
    group: str | None = None

    def takes(self, row: RunRow) -> bool:
        """Whether a run is shown."""
        info = row.entry.info
        return (
            (not self.state or row.entry.state == self.state)
            and (not self.tag or self.tag in info.tags)
            and (self.group is None or info.group == self.group)
            and (not self.text or row.matches(self.text.casefold().split()))
        )


def sorted_rows(rows: Iterable[RunRow], keys: Sequence[tuple[str, bool]]) -> list[RunRow]:
    """Runs sorted by columns, each with whether downwards; those without a value come last."""
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
    """Groups by name with their runs, whose order stays; runs of no group come last."""
    found: dict[str, list[RunRow]] = {}
    for row in rows:
        found.setdefault(row.entry.info.group, []).append(row)
    return sorted(found.items(), key=lambda pair: (not pair[0], pair[0].casefold()))
