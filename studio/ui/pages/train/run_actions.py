"""What can be done with a run: the buttons of its dashboard, and what they do."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.evaluation.plan import EvaluationPlan
from studio.engine.jobs.requests import request_evaluation
from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.train.state import can_restart, can_stop, has_model
from studio.ui.shared.trash import Trash
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button, push_button


class RunActions(QWidget):
    """Stop, train again, measure, predict, export, clone, delete.

    Signals:
        clone_wanted: The `TrainingPlan` to start from.
    """

    clone_wanted = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: JobEntry | None = None
        self._trash = Trash(context, self)
        theme = context.theme
        self.stop_button = push_button(self.tr("Stop"), theme, icon="stop")
        self.restart_button = push_button(self.tr("Train again"), theme, icon="refresh")
        self.test_button = push_button(self.tr("Measure on test"), theme, icon="evaluate")
        self.predict_button = push_button(self.tr("Predict"), theme, icon="predict")
        self.export_button = push_button(self.tr("Export"), theme, icon="export")
        self.clone_button = icon_button("copy", self.tr("New run with this plan"), theme)
        self.delete_button = icon_button("trash", self.tr("Move to the trash"), theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        for button, slot in (
            (self.stop_button, self._on_stop),
            (self.restart_button, self._on_restart),
            (self.test_button, self._on_test),
            (self.predict_button, self._on_predict),
            (self.export_button, self._on_export),
            (self.clone_button, self._on_clone),
            (self.delete_button, self._on_delete),
        ):
            row.addWidget(button)
            button.clicked.connect(slot)

    def show_run(self, entry: JobEntry) -> None:
        """Offer what this run allows in its state."""
        self._entry = entry
        going = entry.state.has_worker or entry.state == State.QUEUED
        ready = has_model(entry.history)
        self.stop_button.setVisible(going)
        self.stop_button.setEnabled(can_stop(entry.state))
        self.restart_button.setVisible(can_restart(entry.state))
        reason = "" if ready else self.tr("A model is there after the first epoch.")
        for button in (self.test_button, self.predict_button, self.export_button):
            button.setEnabled(ready)
            button.setToolTip(reason)
        self.delete_button.setEnabled(not going)

    def _on_stop(self) -> None:
        if self._entry is not None:
            self.stop_button.setEnabled(False)
            self._context.jobs.stop(self._entry)

    def _on_restart(self) -> None:
        if self._entry is not None:
            self._context.jobs.restart(self._entry)

    def _on_test(self) -> None:
        if self._entry is not None:
            plan = EvaluationPlan(run=self._entry.record.id)
            work = partial(request_evaluation, self._context.jobs.queue, plan)
            self._context.background.run(self, work, self._on_requested)

    def _on_requested(self, _result: object) -> None:
        self._context.jobs.wake()

    def _on_predict(self) -> None:
        if self._entry is not None:
            self._context.desk.go("predict", self._entry.record.id)

    def _on_export(self) -> None:
        if self._entry is not None:
            self._context.desk.go("export", self._entry.record.id)

    def _on_clone(self) -> None:
        if self._entry is not None:
            self.clone_wanted.emit(self._entry.plan)

    def _on_delete(self) -> None:
        if self._entry is not None:
            self._trash.throw(self._entry.record, self._entry.name)
