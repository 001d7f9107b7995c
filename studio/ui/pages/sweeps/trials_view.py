"""Table of trials with states as pills and sparklines, and the actions on a trial."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.sweeps.requests import rerun
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.commands import Command
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.navigation import OpenRecord, PlanRun
from studio.ui.pages.commands import EARLIER, LATER
from studio.ui.pages.sweeps.messages import values_text
from studio.ui.pages.sweeps.trial_row import (
    CURVE,
    FIELD,
    INTERVAL,
    NUMBER,
    STATE,
    TIME,
    TrialRow,
    can_rerun,
    moved_before,
)
from studio.ui.pages.sweeps.trials_model import VALUE_ROLE, TrialsModel
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE, STATE_ROLES, chart_color, mix
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidedLabel, ElidingDelegate, state_word
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.small_charts import sparkline_path
from studio.ui.widgets.tables import dress_table


class TrialActions(QWidget):
    """Buttons below the table for the selected trial, or for the best one."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._sweep: RecordDocument | None = None
        self._row: TrialRow | None = None
        theme = context.theme
        self.about = ElidedLabel("", self)
        self.about.setProperty("role", "muted")
        self.open_button = push_button(
            self.tr("Open run"),
            theme,
            icon="train",
            parent=self,
            tip=self.tr("Opens the run of the trial with its curves."),
            on_click=self.open_run,
        )
        self.again_button = push_button(
            self.tr("Rerun"),
            theme,
            icon="refresh",
            parent=self,
            tip=self.tr("Trains the trial again, for example after it failed."),
            on_click=self._on_again,
        )
        self.longer_button = push_button(
            self.tr("Train longer"),
            theme,
            icon="plus",
            parent=self,
            tip=self.tr("Plans a run like that of the trial with twice the epochs."),
            on_click=self._on_longer,
        )
        self.export_button = push_button(
            self.tr("Export"),
            theme,
            icon="export",
            parent=self,
            tip=self.tr("Exports the model of the trial as files."),
            on_click=self._on_export,
        )
        buttons = self.open_button, self.again_button, self.longer_button, self.export_button
        hbox((self.about, 1), *buttons, owner=self, spacing=SPACE.s)

    def show_trial(self, sweep: RecordDocument, row: TrialRow | None, *, is_best: bool) -> None:
        """Show the actions that a trial allows; without one, ask to select one."""
        self._sweep, self._row = sweep, row
        run = self._run()
        if row is None:
            self.about.setText(self.tr("Select a trial."))
        else:
            pattern = self.tr("Best trial {number}") if is_best else self.tr("Trial {number}")
            words = [pattern.format(number=count(row.number)), values_text(row)]
            self.about.setText(" · ".join(words))
        waits = row is not None and row.state == State.QUEUED
        gone = (
            self.tr("The trial has not started.")
            if waits
            else self.tr("The trial has no run, or its run was deleted.")
        )
        none = self.tr("Select a trial first.") if row is None else gone
        has_model = run is not None and MODEL_ARTIFACT in run.history.artifacts
        self._allow(self.open_button, run is not None, none)
        self._allow(self.longer_button, run is not None, none)
        early = self.tr("The first epoch has not finished yet.")
        self._allow(self.export_button, has_model, none if run is None else early)
        again = row is not None and can_rerun(sweep.state, row.event)
        only = self.tr("Only trials that failed or ended early can be rerun.")
        self._allow(self.again_button, again, none if row is None else only)

    def open_run(self) -> None:
        """Show the run of the trial on the training page."""
        run = self._run()
        if run is not None:
            self._context.navigator.open(OpenRecord("train", run.record.id))

    @staticmethod
    def _allow(button: QWidget, may: bool, why_not: str) -> None:
        button.setEnabled(may)
        button.setToolTip(button.whatsThis() if may else why_not)

    def _run(self) -> RecordDocument | None:
        record_id = "" if self._row is None else self._row.first_run
        return self._context.jobs.get(RecordKind.RUN, record_id) if record_id else None

    def _on_again(self) -> None:
        if self._sweep is not None and self._row is not None:
            queue = self._context.jobs.queue
            work = partial(rerun, queue, Job(self._sweep.record), self._row.number)
            self._context.background.run(self, work, self._on_asked)
            self._allow(self.again_button, False, self.tr("Requested"))

    def _on_asked(self, _nothing: object) -> None:
        self._context.jobs.wake()

    def _on_longer(self) -> None:
        run = self._run()
        if run is not None and isinstance(run.plan, TrainingPlan):
            self._context.navigator.open(
                PlanRun(copy_of=run.record.id, epochs=2 * run.plan.epochs)
            )

    def _on_export(self) -> None:
        run = self._run()
        if run is not None:
            self._context.navigator.open(OpenRecord("export", run.record.id))


Index = QModelIndex | QPersistentModelIndex
WIDTHS = {NUMBER: 76, STATE: 120, INTERVAL: 188, TIME: 88, CURVE: 88}
_FIELD_WIDTH, _OTHER_WIDTH = 116, 116
_PILL = 22


_PAINTED = (STATE, CURVE)


class _Cells(ElidingDelegate):
    """Paints states and curves; Qt paints all other cells, which is faster."""

    def __init__(self, theme: Theme, model: TrialsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Leave out the text of a state, which is painted."""
        super().initStyleOption(option, index)
        if self._model.columns[index.column()] == STATE:
            option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the cell, then the pill or the curve."""
        super().paint(painter, option, index)
        key = self._model.columns[index.column()]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if key == STATE:
            self._draw_state(painter, option, str(index.data(VALUE_ROLE)))
        else:
            area = QRectF(option.rect).adjusted(SPACE.s, SPACE.s, -SPACE.s, -SPACE.s)
            area.setWidth(min(area.width(), WIDTHS[CURVE]))
            painter.setPen(QPen(QColor(chart_color(0, dark=self._theme.is_dark)), 1.5))
            painter.drawPath(sparkline_path(index.data(VALUE_ROLE), area))
        painter.restore()

    def _draw_state(self, painter: QPainter, option: QStyleOptionViewItem, state: str) -> None:
        palette, role = self._theme.palette, STATE_ROLES[state]
        color = palette.color(role)
        word = state_word(state)
        width = option.fontMetrics.horizontalAdvance(word) + ICON_SMALL + 3 * SPACE.s
        middle = option.rect.center().y() + 1
        box = QRectF(option.rect.left() + SPACE.xs, middle - _PILL / 2, width, _PILL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(palette.surface, color, 0.1)))
        painter.drawRoundedRect(box, _PILL / 2, _PILL / 2)
        picture = pixmap(state, self._theme, role, ICON_SMALL)
        painter.drawPixmap(
            int(box.left()) + SPACE.s, int(box.center().y()) - ICON_SMALL // 2, picture
        )
        painter.setPen(QColor(color))
        painter.setFont(option.font)
        text = box.adjusted(ICON_SMALL + SPACE.s + SPACE.xs, 0, 0, 0)
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, word)


class TrialsView(QTableView):
    """Table of trials, sorted by a click on a heading.

    Signals:
        chosen: The selection changed.
        opened: Number of a trial that was double-clicked or opened with Enter.
        move_wanted: Number of a waiting trial, and -1 for up or 1 for down.
    """

    chosen = Signal()
    opened = Signal(int)
    move_wanted = Signal(int, int)

    def __init__(
        self,
        model: TrialsModel,
        theme: Theme,
        shortcuts: Shortcuts,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._shortcuts = shortcuts
        self.setModel(model)
        self._cells = _Cells(theme, model, self)
        dress_table(self)
        self.setAccessibleName(self.tr("Trials"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setCornerButtonEnabled(False)
        header = self.horizontalHeader()
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)  # it would lie over the word; the model writes one
        self.up_action = self._action(self.tr("Move up"), EARLIER, self._on_up)
        self.down_action = self._action(self.tr("Move down"), LATER, self._on_down)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.chosen.connect(self._allow_moves)
        model.rowsInserted.connect(self._allow_moves)
        model.rowsRemoved.connect(self._allow_moves)
        self._allow_moves()
        model.modelReset.connect(self._on_reset)
        self.selectionModel().selectionChanged.connect(self.chosen)
        self.doubleClicked.connect(self._on_double_click)
        theme.changed.connect(self.viewport().update)

    def selected(self) -> TrialRow | None:
        """Return the selected trial."""
        rows = self.selectionModel().selectedRows()
        return self._model.row(rows[0]) if rows else None

    def select(self, number: int) -> None:
        """Select a trial and scroll to it; an unknown one clears the selection."""
        index = self._model.index_of(number)
        if not index.isValid():
            self.clearSelection()
            return
        how = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, how.ClearAndSelect | how.Rows)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the trial with Enter."""
        row = self.selected()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.opened.emit(row.number)
        else:
            super().keyPressEvent(event)

    def _action(self, text: str, command: Command, slot: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        self._shortcuts.bind(action, command)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _allow_moves(self, *_: object) -> None:
        """Enable moving for waiting trials only."""
        row, waiting = self.selected(), self._model.waiting
        for action, step in ((self.up_action, -1), (self.down_action, 1)):
            action.setEnabled(row is not None and moved_before(waiting, row.number, step)[0])

    def _on_up(self) -> None:
        self._move(-1)

    def _on_down(self) -> None:
        self._move(1)

    def _move(self, step: int) -> None:
        row = self.selected()
        if row is not None:
            self.move_wanted.emit(row.number, step)

    def _on_double_click(self, index: QModelIndex) -> None:
        row = self._model.row(index)
        if row is not None:
            self.opened.emit(row.number)

    def _on_reset(self) -> None:
        for place, key in enumerate(self._model.columns):
            usual = _FIELD_WIDTH if key.startswith(FIELD) else _OTHER_WIDTH
            width = max(WIDTHS.get(key, usual), self.horizontalHeader().sectionSizeHint(place))
            self.setColumnWidth(place, width)
            painted = self._cells if key in _PAINTED else self.itemDelegate()
            self.setItemDelegateForColumn(place, painted)
        header = self.horizontalHeader()
        blocker = QSignalBlocker(header)  # the model is sorted already
        header.setSortIndicator(*self._model.sorted_by)
        blocker.unblock()
        self.chosen.emit()
