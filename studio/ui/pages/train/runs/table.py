"""The table of runs: their values, columns and filters, and the bar above them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QPoint, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from studio.engine.jobs.states import State
from studio.engine.messages import in_sentence
from studio.engine.sweeps.history import SweepHistory
from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.comparison import best_of, last_of, seconds_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label, setting_value
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RunDocument, SweepDocument
from studio.ui.forms.setting_words import setting_words
from studio.ui.language import translated
from studio.ui.pages.train.runs.actions import RunsActions, RunSettings, differing_settings
from studio.ui.pages.train.state import progress_curve
from studio.ui.shared.training import planned_network
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import (
    NO_VALUE,
    count,
    counted,
    date_text,
    duration,
    metric_text,
    number,
)
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import state_painter, state_word
from studio.ui.widgets.layout import Debounce, hbox, text_label, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, PageHeader
from studio.ui.widgets.small_charts import curve_painter, curve_words, thinned
from studio.ui.widgets.table import Table
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
        sweep: Id of its sweep; empty for a run of its own.
    """

    entry: RunDocument
    dataset: str
    sweep: str = ""
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
            parts.append(state_word(self.entry.shown_state))
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
    STATE: _text("State", 124, lambda row: state_word(row.entry.shown_state)),
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
    state: Paint[RunRow] = state_painter(theme, lambda row: row.entry.shown_state)
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


LAYOUT: Final = "train/runs-table"
GROUPED: Final = "train/runs-grouped"
FILL_MS = 1000
_BOX_WIDTH = 104
_ALL = None
Button = QPushButton | QToolButton


class RunsView(Table[RunRow]):
    """The rows, with the actions of runs in the context menu."""

    def __init__(self, acts: RunsActions, parent: QWidget | None = None) -> None:
        super().__init__("", (), parent, key=attrgetter("id"), selection="many")
        self._acts = acts
        self.setAccessibleName(self.tr("All runs"))
        self.content.set_usual_sort([(STARTED, True)])

    def context_menu(self) -> QMenu:
        """Return the context menu."""
        menu = self._acts.menu(self) if self.selected else QMenu(self)
        self.add_copying(menu)
        return menu


class RunsTable(QWidget):
    """The table with search, filters and actions on the selected runs.

    Signals:
        opened: Id of the run to open.
    """

    opened = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._is_stale = True
        self._rows: dict[str, RunRow] = {}
        self._sweep_names: dict[str, str] = {}
        self._tasks: dict[str, Task] = {}
        self._settings: list[RunSettings] = []
        self._differing: list[str] = []
        self.acts = RunsActions(context, self)
        self.view = RunsView(self.acts, self)
        self.view.show_rows((), self._columns())
        self.view.remember(context.settings, LAYOUT)
        self.search = QLineEdit(self, clearButtonEnabled=True)
        self.state_box = self._box(self.tr("State"))
        self.tag_box = self._box(self.tr("Tag"))
        self.group_box = self._box(self.tr("Group"))
        self.grouped = icon_button("folder", self.tr("Rows by group"), context.theme, parent=self)
        self.columns_button = icon_button("table", self.tr("Columns"), context.theme, parent=self)
        self.counted = text_label("", "muted", self)
        self._filling = Debounce(FILL_MS, self._fill_boxes, self)
        self._reading = Debounce(0, self._read, self)
        self._lay_out()
        self._connect()

    def showEvent(self, event: QShowEvent) -> None:
        """Show the changes since the table was hidden."""
        super().showEvent(event)
        if self._is_stale:
            self._read()

    @property
    def selected(self) -> list[RunDocument]:
        """The selected runs, from top to bottom."""
        return [row.entry for row in self.view.selected]

    def _box(self, name: str) -> ComboBox:
        box = ComboBox(self, name)
        box.setMinimumContentsLength(len(name))
        box.setToolTip(name)
        box.setMinimumWidth(_BOX_WIDTH)
        box.addItem(name, _ALL)
        return box

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(self.tr("Search…"))
        self.search.setToolTip(self.tr("Names, networks, datasets, groups, tags, notes"))
        self.search.setAccessibleName(self.tr("Search the runs"))
        self.grouped.setCheckable(True)
        self.grouped.setChecked(bool(self._context.settings.text(GROUPED)))
        self._fold_rows()
        boxes = (self.state_box, self.tag_box, self.group_box)
        buttons = (self.grouped, self.columns_button)
        filters = hbox((self.search, 1), *boxes, *buttons, spacing=SPACE.s)
        parts = (PageHeader(self.tr("Runs"), parent=self), filters, (self.view, 1))
        vbox(*parts, self._action_row(), owner=self, spacing=SPACE.m, margins=PAGE_MARGINS)

    def _action_row(self) -> QHBoxLayout:
        acts, theme = self.acts, self._context.theme
        row = hbox((self.counted, 1), spacing=SPACE.s)
        for action, icon in (
            (acts.compare, "chart"),
            (acts.stop, "stop"),
            (acts.tags.menuAction(), "tag"),
            (acts.groups.menuAction(), "folder"),
        ):
            button = push_button(action.text(), theme, icon=icon, parent=self)
            row.addWidget(self._bind(button, action))
        for action, icon in ((acts.clone, "copy"), (acts.delete, "trash")):
            row.addWidget(self._bind(icon_button(icon, action.text(), theme, parent=self), action))
        return row

    @staticmethod
    def _bind(button: Button, action: QAction) -> Button:
        """Let a button trigger an action, or open its menu, and follow its state."""
        menu = action.menu()
        if isinstance(menu, QMenu):
            button.setMenu(menu)
        else:
            button.clicked.connect(action.trigger)
        follow = partial(_follow, button, action)
        action.changed.connect(follow)
        follow()
        return button

    def _connect(self) -> None:
        jobs, acts = self._context.jobs, self.acts
        jobs.listed.connect(self._on_listed)
        jobs.changed.connect(self._on_changed)
        self.search.textChanged.connect(self._on_filter)
        for box in (self.state_box, self.tag_box, self.group_box):
            box.activated.connect(self._on_filter)
        self.grouped.toggled.connect(self._on_grouped)
        self.columns_button.clicked.connect(self._on_columns)
        self.view.selection_changed.connect(self._on_selection)
        self.view.opened.connect(self.opened.emit)
        acts.open_requested.connect(self.opened)
        acts.rename_requested.connect(self._on_rename)
        self.view.addActions([acts.rename, acts.delete])

    # Runs

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if kinds & {RecordKind.RUN, RecordKind.DATASET, RecordKind.SWEEP}:
            self._read_soon()

    def _read_soon(self) -> None:
        self._is_stale = True
        if self.isVisible() and not self._reading.isActive():
            self._reading.start()

    def _on_changed(self, entry: RunDocument | SweepDocument, change: RecordChange) -> None:
        row = self._rows.get(entry.record.id)
        if isinstance(entry.history, SweepHistory):
            trials = (self._rows.get(each) for each in entry.history.children)
            if any(trial is not None and not trial.sweep for trial in trials):
                self._read_soon()
            return
        if entry.key[0] != RecordKind.RUN or row is None:
            return
        row.forget()
        self.view.touch(row.id)
        if change.is_state:
            self._filling.start()
            self._on_selection()  # other actions may be possible now

    def _columns(self) -> list[Column[RunRow]]:
        theme, tasks = self._context.theme, self._tasks.values()
        return run_columns(theme, tasks, self._differing, self._on_edit)

    def _on_edit(self, row: RunRow, key: str, text: str) -> None:
        self.acts.save(row.entry, key, text)

    def _on_rename(self, record_id: str) -> None:
        self.view.edit_cell(record_id, NAME)

    def _read(self) -> None:
        self._is_stale = False
        jobs = self._context.jobs
        datasets = {each.record.id: each.name for each in jobs.entries(RecordKind.DATASET)}
        sweeps = jobs.entries(RecordKind.SWEEP)
        self._sweep_names = {each.record.id: each.name for each in sweeps}
        sweep_of = {run: each.record.id for each in sweeps for run in each.history.children}
        entries = jobs.entries(RecordKind.RUN)
        before, self._rows = self._rows, {}
        for entry in entries:
            row = before.get(entry.key[1])
            name = datasets.get(getattr(entry.plan, "dataset", ""), "")
            if row is None or row.entry is not entry or row.dataset != name:
                row = RunRow(entry, name)
            row.sweep = sweep_of.get(row.id, "")
            self._rows[row.id] = row
        self._tasks = {task.name: task for task in map(jobs.task_of, entries)}
        self.view.show_rows(self._rows.values(), self._columns())
        self._fold_rows()
        self._fill_boxes()
        self._on_selection()
        settings: list[RunSettings] = [
            (entry.plan, entry.history.changes)
            for entry in entries
            if isinstance(entry.plan, TrainingPlan)
        ]
        if not _same(settings, self._settings):
            self._settings = settings
            work = partial(differing_settings, settings)
            self._context.background.run(self, work, self._on_settings)

    def _on_settings(self, names: list[str]) -> None:
        # Network and dataset have separate columns.
        self._differing = [name for name in names if name not in ("network", "dataset")]
        self.view.show_rows(self._rows.values(), self._columns())

    # Filters and selection

    def _fill_boxes(self) -> None:
        rows = [row.entry for row in self._rows.values()]
        states = {entry.state for entry in rows}
        tags = {tag for entry in rows for tag in entry.info.tags}
        groups = {entry.info.group for entry in rows} - {""}
        named = [(group, group) for group in sorted(groups, key=str.casefold)]
        for box, entries in (
            (self.state_box, [(state_word(s), s.value) for s in State if s in states]),
            (self.tag_box, [(tag, tag) for tag in sorted(tags, key=str.casefold)]),
            (self.group_box, [*named, (self.tr("No group"), "")] if named else []),
        ):
            box.set_entries([(box.accessibleName(), _ALL), *entries])
        self._on_filter()

    def _on_filter(self, _what: object = None) -> None:
        found = Filter(
            self.search.text().strip(),
            self.state_box.currentData() or "",
            self.tag_box.currentData() or "",
            self.group_box.currentData(),
        )
        self.view.content.set_filter(None if found == Filter() else found.takes)
        self._show_count()

    def _on_grouped(self, grouped: bool) -> None:
        self._context.settings.set_text(GROUPED, "1" if grouped else "")
        self._fold_rows()

    def _fold_rows(self) -> None:
        """Show rows below their groups, or trials below their sweeps."""
        if self.grouped.isChecked():
            self.view.content.set_group(attrgetter("entry.info.group"))
        elif any(row.sweep for row in self._rows.values()):
            name_of = self._sweep_names.__getitem__
            self.view.content.set_group(attrgetter("sweep"), is_nested=True, title=name_of)
        else:
            self.view.content.set_group(None)

    def _on_columns(self) -> None:
        button = self.columns_button
        below = button.mapToGlobal(QPoint(0, button.height()))
        self.view.columns_menu().popup(below)

    def _on_selection(self) -> None:
        self.acts.set_entries(self.selected)
        self._show_count()

    def _show_count(self) -> None:
        selected = len(self.view.selected)
        shown, total = len(self.view.content.shown), len(self._rows)
        if selected:
            pattern = self.tr("{selected} of {shown} selected")
        elif shown < total:
            pattern = self.tr("{shown} of {total} runs")
        else:
            pattern = counted(total, self.tr("1 run"), self.tr("{n} runs"))
        text = pattern.format(selected=count(selected), shown=count(shown), total=count(total))
        self.counted.setText(text)


def _follow(button: Button, action: QAction) -> None:
    button.setEnabled(action.isEnabled())
    button.setToolTip(action.toolTip())
    button.setAccessibleName(action.text())


def _same(new: list[RunSettings], old: list[RunSettings]) -> bool:
    """Return True if all plans and changes are the same objects."""
    return len(new) == len(old) and all(
        one[0] is other[0] and one[1] is other[1] for one, other in zip(new, old, strict=True)
    )
