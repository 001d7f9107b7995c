"""What can be done with a sweep: pause, resume, stop, move to the trash."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.jobs.control import can_pause, can_resume
from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.shared.job_buttons import show_stop
from studio.ui.shared.trash import Trash
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button, push_button
from studio.ui.widgets.explain import explain


class SweepActions(QWidget):
    """A row of buttons; those that would do nothing in the sweep's state are not there.

    Signals:
        add_wanted: Values, trials or hours are to be added.
    """

    add_wanted = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: JobEntry | None = None
        self._trash = Trash(context, self)
        theme = context.theme
        self.pause_button = push_button(self.tr("Pause"), theme, icon="pause", parent=self)
        self.stop_button = push_button(self.tr("Stop"), theme, icon="stop", parent=self)
        self.resume_button = push_button(self.tr("Resume"), theme, icon="resume", parent=self)
        self.add_button = icon_button(
            "plus", self.tr("Add values, trials or hours"), theme, parent=self
        )
        self.delete_button = icon_button("trash", self.tr("Move to the trash"), theme, parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        for button, slot in (
            (self.pause_button, self._on_pause),
            (self.stop_button, self._on_stop),
            (self.resume_button, self._on_resume),
            (self.add_button, self.add_wanted),
            (self.delete_button, self._on_delete),
        ):
            row.addWidget(button)
            button.clicked.connect(slot)
        for button in (self.pause_button, self.stop_button, self.resume_button):
            button.hide()  # never all at once: a small window has no room for that
        self._explain()

    def _explain(self) -> None:
        explain(self.pause_button, self.tr("No other trial begins until you resume it."))
        explain(self.resume_button, self.tr("Goes on with the trials that are left."))
        explain(self.stop_button, self.tr("Ends the sweep here; trials so far are kept."))

    def show_sweep(self, entry: JobEntry) -> None:
        """Offer what this sweep allows in its state."""
        self._entry = entry
        state = entry.state
        goes = state.has_worker or state == State.QUEUED
        ends = self.tr("It ends already.")
        self.pause_button.setVisible(state.has_worker)
        show_stop(self.pause_button, entry, self.tr("Pause"), "pause")
        self.pause_button.setToolTip("" if can_pause(state) else ends)
        self.stop_button.setVisible(goes)
        show_stop(self.stop_button, entry, self.tr("Stop"))
        self.stop_button.setToolTip(
            self.tr("End it and its runs; what they have is kept.")
            if state != State.STOPPING
            else ends
        )
        self.resume_button.setVisible(can_resume(entry.history))
        self.resume_button.setToolTip(self.tr("Go on with the trials that are left."))
        can_add = state in (State.STARTING, State.RUNNING) or state.is_at_rest
        self.add_button.setEnabled(can_add)
        self.add_button.setToolTip(
            self.tr("Add values, trials or hours")
            if can_add
            else self.tr("While it goes, or when it is over.")
        )
        self.delete_button.setEnabled(not goes)
        self.delete_button.setToolTip(
            self.tr("Stop it first.") if goes else self.tr("Move to the trash")
        )

    def _on_pause(self) -> None:
        if self._entry is not None:
            self._context.jobs.pause(self._entry)
            self.pause_button.setToolTip(self.tr("Its runs are being saved."))

    def _on_stop(self) -> None:
        if self._entry is not None:
            self._context.jobs.stop(self._entry)
            self.stop_button.setToolTip(self.tr("Its runs are being ended."))

    def _on_resume(self) -> None:
        if self._entry is not None:
            self._context.jobs.resume(self._entry)

    def _on_delete(self) -> None:
        if self._entry is not None:
            self._trash.throw(self._entry.record, self._entry.name)
