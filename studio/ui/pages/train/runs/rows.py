"""Runs as rows of a table: their values, columns and filters."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

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
from studio.ui.widgets.figures import NO_VALUE, count, date_text, duration, metric_text, number
from studio.ui.widgets.labels import state_painter, state_word
from studio.ui.widgets.small_charts import curve_painter, curve_words, thinned
from studio.ui.widgets.table_model import Column, Paint, sort_value

_tr = partial(QCoreApplication.translate, "runs")

NAME, STATE, NETWORK, DATASET = "name", "state", "network", "dataset"
GROUP, TAGS, NOTES, CURVE = "group", "tags", "notes", "curve"
EPOCHS, TIME, STARTED, SPEED, PARAMETERS = "epochs", "time", "started", "speed", "parameters"
SETTING = "setting:"
"""Prefix of the keys of settings, before their dotted names."""
BEST, LAST = "best_", "last_"
"""Prefixes of the keys of metrics: the value of the best or the last epoch."""

EDITABLE = (NAME, GROUP, TAGS, NOTES)


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
    return _tr(_SPECS[key].heading)


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
            return "" if _is_text(key) else NO_VALUE
        if not isinstance(value, int | float):
            return str(value)
        if metric is not None:
            return metric_text(metric, value)
        return _SPECS[key].format(value) if key in _SPECS else number(value)

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
        if key in _SPECS:
            return _SPECS[key].read(self)
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


def _setting(name: str, value: object) -> object:
    """Return numbers as they are, to be sorted, and other values as text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return "" if value is None else setting_words(name, value)


def _whole(value: float) -> str:
    return count(round(value))


class _Spec(NamedTuple):
    """A column of a property: heading, width in pixels, value and text of a number."""

    heading: str
    width: int
    read: Callable[[RunRow], object]
    format: Callable[[float], str] = number
    is_text: bool = False
    is_hidden: bool = False


def _text(heading: str, width: int, read: Callable[[RunRow], object]) -> _Spec:
    return _Spec(str(QT_TRANSLATE_NOOP("runs", heading)), width, read, is_text=True)


def _number(
    heading: str,
    width: int,
    read: Callable[[RunRow], object],
    text: Callable[[float], str],
    *,
    is_hidden: bool = False,
) -> _Spec:
    marked = str(QT_TRANSLATE_NOOP("runs", heading))
    return _Spec(marked, width, read, text, is_hidden=is_hidden)


_SPECS: dict[str, _Spec] = {
    NAME: _text("Name", 180, lambda row: row.entry.info.name),
    STATE: _text("State", 124, lambda row: state_word(row.entry.state.value)),
    CURVE: _text("Curve", 84, lambda row: thinned(progress_curve(row.entry.history))),
    NETWORK: _text("Network", 110, _network),
    DATASET: _text("Dataset", 110, lambda row: row.dataset),
    GROUP: _text("Group", 130, lambda row: row.entry.info.group),
    TAGS: _text("Tags", 120, lambda row: ", ".join(row.entry.info.tags)),
    EPOCHS: _number("Epochs", 72, lambda row: len(row.entry.history.epochs), _whole),
    TIME: _number("Time", 104, lambda row: seconds_of(row.entry.history), duration),
    STARTED: _number("Started", 140, _started, date_text),
    SPEED: _number("Images/s", 90, _speed, _whole, is_hidden=True),
    PARAMETERS: _number("Parameters", 100, _parameters, _whole, is_hidden=True),
    NOTES: _text("Notes", 200, lambda row: row.entry.info.notes)._replace(is_hidden=True),
}


def _is_text(key: str) -> bool:
    return key in _SPECS and _SPECS[key].is_text


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
    state: Paint[RunRow] = state_painter(theme, lambda row: row.entry.state.value)
    painted = {STATE: state, CURVE: curve_painter(theme, attrgetter("curve"))}
    return [replace(each, paint=painted.get(each.key)) for each in columns]


def _column(key: str, shown: Collection[str], edit: Edit) -> Column[RunRow]:
    name, metric = heading(key), metric_of(key)
    tip = _tr("{heading}: click to sort, Shift+click to add a sort column")
    is_text = _is_text(key) or key.startswith(SETTING)
    usual = 100 if metric is None else 156 if metric.is_fraction else 104
    return Column(
        name,
        lambda row: row.text(key),
        value=lambda row: row.value(key),
        key=key,
        width=_SPECS[key].width if key in _SPECS else usual,
        tip=tip.format(heading=name),
        is_text=is_text,
        is_descending=not is_text,
        is_hidden=key in _SPECS and _SPECS[key].is_hidden if metric is None else key not in shown,
        spoken=_spoken_curve if key == CURVE else None,
        edit=(lambda row, text: edit(row, key, text)) if key in EDITABLE else None,
    )


def _spoken_curve(row: RunRow) -> str:
    """Return the curve of a run for screen readers."""
    curve = progress_curve(row.entry.history)
    metric = row.entry.history.task.metrics[0]
    return _tr("{metric} {curve}").format(
        metric=in_sentence(translated(metric.label)),
        curve=curve_words(curve, len(curve), is_share=metric.is_fraction) or NO_VALUE,
    )
