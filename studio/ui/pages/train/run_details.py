"""The tabs under the charts: epochs as a table, what the run said, what was asked of it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QHeaderView,
    QPlainTextEdit,
    QTableView,
    QTabWidget,
    QWidget,
)

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.jobs.events import AnyEvent, EpochDone, TrainingBegan
from studio.engine.jobs.replay import JobHistory
from studio.engine.plans import fields_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_label
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.train.augmentation_state import preset_of
from studio.ui.pages.train.section import RunSection
from studio.ui.pages.train.sections import SECTIONS
from studio.ui.pages.train.state import epoch_row, recipe_fields
from studio.ui.widgets.figures import count, percent, significant

Section = TypeVar("Section", bound=RunSection)

_LEAST_COLUMN = 112
"""Pixels: the longest heading, and the widest figure."""

Index = QModelIndex | QPersistentModelIndex


class EpochModel(QAbstractTableModel):
    """The epochs of a run, one row each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._epochs: list[EpochDone] = []
        self._best = 0
        self._headers = (
            self.tr("Epoch"),
            self.tr("Loss"),
            self.tr("Accuracy"),
            self.tr("Val loss"),
            self.tr("Val accuracy"),
            self.tr("Rate"),
            self.tr("Images/s"),
            self.tr("Seconds"),
            self.tr("Top-5"),
            self.tr("Val top-5"),
        )

    def show_history(self, history: JobHistory) -> None:
        """Show its epochs; new ones at the end keep the place in the table."""
        epochs, known = history.epochs, len(self._epochs)
        self._best = history.best_epoch.epoch if history.best_epoch else 0
        if epochs[:known] == self._epochs and len(epochs) > known:
            self.beginInsertRows(QModelIndex(), known, len(epochs) - 1)
            self._epochs = list(epochs)
            self.endInsertRows()
        elif epochs != self._epochs:
            self.beginResetModel()
            self._epochs = list(epochs)
            self.endResetModel()
        if known:
            self.dataChanged.emit(self.index(0, 0), self.index(known - 1, 0))

    def rowCount(self, parent: Index | None = None) -> int:
        """Number of epochs."""
        return 0 if parent is not None and parent.isValid() else len(self._epochs)

    def columnCount(self, parent: Index | None = None) -> int:
        """Number of figures."""
        return 0 if parent is not None and parent.isValid() else len(self._headers)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The names of the figures."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._headers[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A figure as text."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        epoch = self._epochs[index.row()]
        value = epoch_row(epoch)[index.column()]
        text = _figure(index.column(), value)
        return f"{text} ★" if index.column() == 0 and epoch.epoch == self._best else text


TOP_5 = (8, 9)
"""Columns that are there only where there are more than five classes."""


def _figure(column: int, value: float) -> str:
    if column == 0:
        return count(int(value))
    if column in (2, 4, *TOP_5):
        return percent(value)
    if column == 6 and math.isfinite(value):
        return count(round(value))
    return significant(value)


class RunDetails(QTabWidget):
    """The tabs under the charts: those of `SECTIONS`, and everything that is text.

    Signals:
        clone_wanted: The `TrainingPlan` that a new run is to start from.
        stretches_changed: What the open tab points at in the charts: from where to where, in
            epochs, each.
    """

    clone_wanted = Signal(object)
    stretches_changed = Signal(list)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: JobEntry | None = None
        self._places: dict[type[RunSection], QWidget] = {}
        self._sections: dict[type[RunSection], RunSection] = {}
        self.setDocumentMode(True)
        self.setAccessibleName(self.tr("Details of the run"))
        self.tabBar().setAccessibleName(self.accessibleName())
        self._model = EpochModel(self)
        self.table = QTableView(self)
        self.table.setModel(self._model)
        self.table.setAccessibleName(self.tr("Epochs"))
        # Tab leaves the table; the arrow keys move inside it.
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        # In a small window figures are scrolled, not cut.
        header.setMinimumSectionSize(_LEAST_COLUMN)
        self.log = self._text(self.tr("Log"))
        self.plan = self._text(self.tr("Plan"))
        self.addTab(self.table, self.tr("Epochs"))
        for kind in SECTIONS:
            self._places[kind] = QWidget(self)
            self.addTab(self._places[kind], kind.title())
        self.addTab(self.log, self.tr("Log"))
        self.addTab(self.plan, self.tr("Plan"))
        self.currentChanged.connect(self._on_tab)

    def open(self, kind: type[Section]) -> Section:
        """Open a tab of `SECTIONS`."""
        section = self._section(kind)
        self.setCurrentWidget(section)
        return section

    def show_run(
        self, entry: JobEntry, dataset: str, events: list[AnyEvent] | None = None
    ) -> None:
        """Show another run, or what is new of the same."""
        section = self.currentWidget()
        if isinstance(section, RunSection):
            if events is None or entry is not self._entry:
                section.show_run(entry)
            else:
                section.add(entry, events)
        self._entry = entry
        self._model.show_history(entry.history)
        has_top_5 = any(math.isfinite(epoch.top_5) for epoch in entry.history.epochs[-1:])
        for column in TOP_5:
            self.table.setColumnHidden(column, not has_top_5)
        _replace(self.log, log_text(entry.history))
        if isinstance(entry.plan, TrainingPlan):
            _replace(self.plan, plan_text(entry.plan, dataset, entry.history.changes))

    def _on_tab(self, _index: int) -> None:
        place = self.currentWidget()
        kind = next((kind for kind, each in self._places.items() if each is place), None)
        section = place if kind is None else self._section(kind)
        if isinstance(section, RunSection) and self._entry is not None:
            section.show_run(self._entry)
        self._on_stretches()

    def _on_stretches(self) -> None:
        section = self.currentWidget()
        self.stretches_changed.emit(section.stretches if isinstance(section, RunSection) else [])

    def _section(self, kind: type[Section]) -> Section:
        """A tab, made when it is first wanted: all at once would hold the window up."""
        made = self._sections.get(kind)
        if not isinstance(made, kind):
            made = self._sections[kind] = kind(self._context, self)
            made.clone_wanted.connect(self.clone_wanted)
            made.stretches_changed.connect(self._on_stretches)
            self._put_in_place(made, self._places.pop(kind))
        return made

    def _put_in_place(self, section: RunSection, place: QWidget) -> None:
        index, is_open = self.indexOf(place), self.currentWidget() is place
        with QSignalBlocker(self):
            self.removeTab(index)
            self.insertTab(index, section, section.title())
            if is_open:
                self.setCurrentIndex(index)
        place.deleteLater()

    def _text(self, name: str) -> QPlainTextEdit:
        text = QPlainTextEdit(self)
        text.setTabChangesFocus(True)
        text.setReadOnly(True)
        text.setAccessibleName(name)
        return text


def log_text(history: JobHistory) -> str:
    """What the run said, oldest first, with the time of day."""
    lines: list[tuple[float, str]] = []
    if history.started is not None:
        who = history.started
        lines.append((who.t, f"Studio {who.studio} on {who.host}, process {who.pid}"))
    if history.training is not None:
        lines.append((history.training.t, _frame(history.training)))
    lines += [(note.t, note.message) for note in history.notes]
    if history.ended_at is not None:
        end = f"{history.state.value}. {history.reason} {history.hint}".strip()
        lines.append((history.ended_at, end))
    text = "\n".join(f"{_clock(at)}  {what}" for at, what in lines)
    return f"{text}\n\n{history.detail}".strip()


def _frame(began: TrainingBegan) -> str:
    return (
        f"{began.backend} on {began.device}: {began.train_images:,} training and "
        f"{began.val_images:,} validation images, {began.parameters:,} parameters, "
        f"{began.trainable_parameters:,} of them trained"
    )


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def plan_text(
    plan: TrainingPlan, dataset: str, changes: Mapping[str, object] | None = None
) -> str:
    """What was asked, one field per line, and what became of it since."""
    rows = [("Dataset", dataset), ("Network", network_label(plan))]
    if changes:
        since = ", ".join(f"{name} {value}" for name, value in changes.items())
        rows.append(("Changed since", since))
    rows += [
        (field.label, f"{getattr(plan, field.name)} {field.unit}".strip())
        for field in fields_of(TrainingPlan)
        if field.name in recipe_fields()
    ]
    rows.append(("Augmentation", preset_of(plan.augmentation)))
    new = AugmentationPlan()
    rows += [
        (f"  {field.label}", f"{getattr(plan.augmentation, field.name)} {field.unit}".strip())
        for field in fields_of(AugmentationPlan)
        if getattr(plan.augmentation, field.name) != getattr(new, field.name)
    ]
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"{label:<{width}}  {value}" for label, value in rows)


def _replace(view: QPlainTextEdit, text: str) -> None:
    if view.toPlainText() != text:
        view.setPlainText(text)
