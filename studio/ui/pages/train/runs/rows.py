"""Runs as rows of a table: their values, columns and filters."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from studio.engine.messages import in_sentence
from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.comparison import best_of, last_of, seconds_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label, setting_value
from studio.ui.documents.record import RunDocument
from studio.ui.forms.setting_words import setting_words
from studio.ui.language import translated
from studio.ui.pages.train.state import progress_curve
from studio.ui.shared.training import planned_network
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import NO_VALUE, count, duration, metric_text, number
from studio.ui.widgets.labels import paint_state, state_word
from studio.ui.widgets.small_charts import curve_words, paint_curve
from studio.ui.widgets.table_model import Column, sort_value

_tr = partial(QCoreApplication.translate, "runs")

NAME, STATE, NETWORK, DATASET = "name", "state", "network", "dataset"
GROUP, TAGS, NOTES, CURVE = "group", "tags", "notes", "curve"
EPOCHS, TIME, STARTED, SPEED, PARAMETERS = "epochs", "time", "started", "speed", "parameters"
SETTING = "setting:"
"""Prefix of the keys of settings, before their dotted names."""
BEST, LAST = "best_", "last_"
"""Prefixes of the keys of metrics: the value of the best or the last epoch."""

EDITABLE = (NAME, GROUP, TAGS, NOTES)
_WIDTHS = {
    NAME: 180,
    STATE: 124,
    CURVE: 84,
    NETWORK: 110,
    DATASET: 110,
    GROUP: 130,
    TAGS: 120,
    EPOCHS: 72,
    TIME: 104,
    STARTED: 140,
    SPEED: 90,
    PARAMETERS: 100,
    NOTES: 200,
}
_HIDDEN = (SPEED, PARAMETERS, NOTES)
_TEXTS = (NAME, STATE, NETWORK, DATASET, GROUP, TAGS, NOTES, CURVE)
_CURVE_POINTS = 60


def metric_of(key: str) -> MetricSpec | None:
    """Return the metric of a column; None if it shows something else."""
    is_metric = key.startswith((BEST, LAST))
    return MEASURED_METRICS.get(key[len(BEST) :]) if is_metric else None


def heading(key: str) -> str:
    """Return the heading of a column."""
    if key.startswith(SETTING):
        return translated(setting_label(key.removeprefix(SETTING)))
    metric = metric_of(key)
    if metric is not None:
        pattern = _tr("Best {metric}") if key.startswith(BEST) else _tr("Last {metric}")
        return pattern.format(metric=in_sentence(translated(metric.label)))
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
    """

    entry: RunDocument
    dataset: str
    _values: dict[str, object] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Id of the run."""
        return self.entry.key[1]

    @property
    def curve(self) -> list[float]:
        """Values of its curve, reduced to the pixels of a cell."""
        curve = self.value(CURVE)
        return curve if isinstance(curve, list) else []

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

    def text(self, key: str) -> str:
        """Return the formatted value of a column; empty for a curve."""
        value, metric = self.value(key), metric_of(key)
        if key == CURVE or sort_value(value) is None:
            return "" if key in _TEXTS else NO_VALUE
        if not isinstance(value, int | float):
            return str(value)
        if metric is not None:
            return metric_text(metric, value)
        return _FORMATS.get(key, number)(value)

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


def _setting(name: str, value: object) -> object:
    """Return numbers as they are, to be sorted, and other values as text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return "" if value is None else setting_words(name, value)


def _date(seconds: float) -> str:
    time = QDateTime.fromSecsSinceEpoch(int(seconds))
    return QLocale().toString(time, QLocale.FormatType.ShortFormat)


def _whole(value: float) -> str:
    return count(round(value))


_FORMATS: dict[str, Callable[[float], str]] = {
    EPOCHS: _whole,
    SPEED: _whole,
    PARAMETERS: _whole,
    TIME: duration,
    STARTED: _date,
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


Edit = Callable[[RunRow, str, str], None]
"""Takes a run, the key of a column and the text that was typed."""


def run_columns(
    theme: Theme, tasks: Iterable[Task], settings: Sequence[str], edit: Edit
) -> list[Column[RunRow]]:
    """Return the columns of the table of runs.

    Args:
        theme: Colors.
        tasks: Tasks of the runs; if there are none, the default task counts.
        settings: Names of the settings that differ between the runs.
        edit: Stores an edited text.
    """
    named = list(tasks) or [DEFAULT_TASK]
    metrics = dict.fromkeys(spec.name for task in named for spec in task.measured)
    shown = {f"{BEST}{spec.name}" for task in named for spec in (task.primary, task.loss)}
    keys = [
        *(NAME, STATE),
        *(f"{BEST}{name}" for name in MEASURED_METRICS if name in metrics),
        *(CURVE, NETWORK, DATASET, GROUP, TAGS, EPOCHS, TIME, STARTED),
        *(f"{LAST}{name}" for name in MEASURED_METRICS if name in metrics),
        *(SPEED, PARAMETERS, NOTES),
        *(f"{SETTING}{name}" for name in settings),
    ]
    columns = [_column(key, shown, edit) for key in keys]
    painted = {STATE: partial(_paint_state, theme), CURVE: partial(_paint_curve, theme)}
    return [replace(each, paint=painted.get(each.key)) for each in columns]


def _paint_state(
    theme: Theme, painter: QPainter, option: QStyleOptionViewItem, row: RunRow
) -> None:
    paint_state(theme, row.entry.state.value, painter, option)


def _paint_curve(
    theme: Theme, painter: QPainter, option: QStyleOptionViewItem, row: RunRow
) -> None:
    area = QRectF(option.rect).adjusted(SPACE.s, SPACE.s, -SPACE.s, -SPACE.s)
    paint_curve(theme, row.curve, painter, area)


def _column(key: str, shown: Collection[str], edit: Edit) -> Column[RunRow]:
    name, metric = heading(key), metric_of(key)
    tip = _tr("{heading}: click to sort, Shift+click to add a sort column")
    is_text = key in _TEXTS or key.startswith(SETTING)
    return Column(
        name,
        partial(_text_of, key),
        value=partial(_value_of, key),
        key=key,
        width=_WIDTHS.get(key, 100 if metric is None else 156 if metric.is_fraction else 104),
        tip=tip.format(heading=name),
        is_text=is_text,
        is_descending=not is_text,
        is_hidden=key in _HIDDEN if metric is None else key not in shown,
        spoken=_spoken_curve if key == CURVE else None,
        edit=partial(_edit, edit, key) if key in EDITABLE else None,
    )


def _text_of(key: str, row: RunRow) -> str:
    return row.text(key)


def _value_of(key: str, row: RunRow) -> object:
    return row.value(key)


def _edit(edit: Edit, key: str, row: RunRow, text: str) -> None:
    edit(row, key, text)


def _spoken_curve(row: RunRow) -> str:
    """Return the curve of a run for screen readers."""
    curve = progress_curve(row.entry.history)
    metric = row.entry.history.task.metrics[0]
    return _tr("{metric} {curve}").format(
        metric=in_sentence(translated(metric.label)),
        curve=curve_words(curve, len(curve), is_share=metric.is_fraction) or NO_VALUE,
    )
