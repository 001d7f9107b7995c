"""What is done with a run besides its large buttons: save, another rate, more epochs, a sweep."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.control import can_pause
from studio.engine.training.control import can_extend, change_rate, extend, save_now
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.ui.bridge.jobs import RunEntry
from studio.ui.context import AppContext
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.navigation import PlanSweep
from studio.ui.widgets.ask_value import AskValue
from studio.ui.widgets.button import icon_button


class Steering(QWidget):
    """A button with a menu; what a run does not allow in its state is grey and says why."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: RunEntry | None = None
        theme = context.theme
        self.button = icon_button("more", self.tr("Steer the run"), theme, parent=self)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.button)
        menu.setToolTipsVisible(True)
        self.save_action = menu.addAction(self.tr("Save everything now"))
        self.rate_action = menu.addAction(self.tr("Change the learning rate …"))
        self.extend_action = menu.addAction(self.tr("Train for more epochs …"))
        self.sweep_action = menu.addAction(self.tr("Sweep other settings …"))
        self.button.setMenu(menu)
        self.ask_rate = AskValue(
            theme,
            self.tr("Learning rate"),
            self.tr("From the next step on; the schedule goes on from there."),
            self.tr("Change"),
            self,
        )
        self.ask_epochs = AskValue(
            theme,
            self.tr("More epochs"),
            self.tr("It goes on with all its state; the schedule then runs over all epochs."),
            self.tr("Train"),
            self,
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.button)
        self.save_action.triggered.connect(self._on_save)
        self.rate_action.triggered.connect(self._on_ask_rate)
        self.extend_action.triggered.connect(self._on_ask_epochs)
        self.sweep_action.triggered.connect(self._on_sweep)
        self.ask_rate.given.connect(self._on_rate)
        self.ask_epochs.given.connect(self._on_epochs)

    def show_run(self, entry: RunEntry) -> None:
        """Offer what this run allows in its state."""
        self._entry = entry
        trains, may_go_on = can_pause(entry.state), can_extend(entry.history)
        why_not = self.tr("Only while it trains.")
        for action in (self.save_action, self.rate_action):
            action.setEnabled(trains)
            action.setToolTip("" if trains else why_not)
        self.extend_action.setEnabled(may_go_on)
        reason = self.tr("When it is over or paused, and something of it was saved.")
        self.extend_action.setToolTip("" if may_go_on else reason)

    def _on_save(self) -> None:
        if self._entry is not None:
            self._do(partial(save_now, RunJob(self._entry.record)))

    def _on_ask_rate(self) -> None:
        if self._entry is not None:
            steps = self._entry.history.steps
            rate = steps.learning_rate if steps else self._plan().learning_rate
            self.ask_rate.ask(self.button, format_number(rate, QLocale()))

    def _on_ask_epochs(self) -> None:
        if self._entry is not None:
            self.ask_epochs.ask(self.button, str(self._plan().epochs))

    def _on_sweep(self) -> None:
        if self._entry is not None:
            self._context.navigator.open(PlanSweep(self._entry.record.id))

    def _on_rate(self, text: str) -> None:
        number = parse_number(text, QLocale())
        if self._entry is None:
            return
        if number is None:
            self._refuse(self.tr("A learning rate is a number; received “{text}”."), text)
            return
        self._do(partial(change_rate, RunJob(self._entry.record), number))

    def _on_epochs(self, text: str) -> None:
        number = parse_number(text, QLocale())
        if self._entry is None:
            return
        if number is None or number != int(number):
            self._refuse(self.tr("Epochs are a whole number; received “{text}”."), text)
            return
        queue = self._context.jobs.queue
        self._do(partial(extend, queue, RunJob(self._entry.record), int(number)))

    def _refuse(self, message: str, text: str) -> None:
        self._context.navigator.show_failure(StudioError(message.format(text=text)))

    def _do(self, work: Callable[[], None]) -> None:
        self._context.background.run(self, work, self._on_done)

    def _on_done(self, _nothing: object) -> None:
        self._context.jobs.wake()

    def _plan(self) -> TrainingPlan:
        if self._entry is None or not isinstance(self._entry.plan, TrainingPlan):
            raise TypeError("no training run is shown")
        return self._entry.plan
