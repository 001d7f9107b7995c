"""Actions on a run, and the settings that can be changed while it trains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QLocale, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QToolButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.jobs.control import can_pause, can_resume
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training.control import can_extend, change_rate, extend, save_now
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.navigation import OpenRecord, PlanSweep
from studio.ui.pages.train.runs.actions import clone_plan
from studio.ui.pages.train.state import has_model
from studio.ui.shared.jobs import show_stop
from studio.ui.shared.records import Trash
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.tips import explain, wrapped_tip


class Steering(QWidget):
    """A button with a menu; what a run does not allow in its state is grey and says why."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: RunDocument | None = None
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

    def show_run(self, entry: RunDocument) -> None:
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


class RunActions(QWidget):
    """Pause, stop, resume, extend, evaluate, predict, export, clone, delete.

    Signals:
        clone_wanted: The `TrainingPlan` to start from.
    """

    clone_wanted = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: RunDocument | None = None
        self._trash = Trash(context, self)
        theme = context.theme
        self.pause_button = push_button(self.tr("Pause"), theme, icon="pause")
        self.pause_button.setToolTip(
            self.tr("Saves everything and frees the device; it goes on exactly from there.")
        )
        self.stop_button = push_button(self.tr("Stop"), theme, icon="stop")
        self.resume_button = push_button(self.tr("Resume"), theme, kind="primary", icon="resume")
        self.steering = Steering(context, self)
        self.test_button = push_button(self.tr("Evaluate"), theme, icon="evaluate")
        self.predict_button = push_button(self.tr("Predict"), theme, icon="predict")
        self.export_button = push_button(self.tr("Export"), theme, icon="export")
        self.clone_button = icon_button("copy", self.tr("New run with this plan"), theme)
        self.delete_button = icon_button("trash", self.tr("Move to the trash"), theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        for button, slot in (
            (self.pause_button, self._on_pause),
            (self.stop_button, self._on_stop),
            (self.resume_button, self._on_resume),
            (self.test_button, self._on_test),
            (self.predict_button, self._on_predict),
            (self.export_button, self._on_export),
            (self.clone_button, self._on_clone),
            (self.delete_button, self._on_delete),
        ):
            row.addWidget(button)
            button.clicked.connect(slot)
        row.insertWidget(row.indexOf(self.clone_button), self.steering)
        for button in (self.pause_button, self.stop_button, self.resume_button):
            button.hide()  # never all at once: a small window has no room for that
        self._words = {
            button: button.text()
            for button in (self.test_button, self.predict_button, self.export_button)
        }
        for button, word in self._words.items():
            button.setAccessibleName(word)  # also while only the icon is seen
        self._reason = ""
        self._explain()

    def fit(self, room: int) -> None:
        """Use words for what is done with the model if the buttons fit, otherwise icons alone.

        Args:
            room: Pixels for all buttons.
        """
        is_short = not self.test_button.text()
        if self._whole_width() > room:
            if not is_short:
                self._set_words(dict.fromkeys(self._words, ""))
        elif is_short:
            self._set_words(self._words)

    def _whole_width(self) -> int:
        """The width of all buttons with their words."""
        shown = {button: button.text() for button in self._words}
        self._set_words(self._words)
        width = self.sizeHint().width()
        self._set_words(shown)
        return width

    def _set_words(self, words: Mapping[QPushButton, str]) -> None:
        for button, word in words.items():
            button.setText(word)
            name = "" if word else self._words[button]
            button.setToolTip(wrapped_tip(name, self._reason or button.whatsThis()))

    def _explain(self) -> None:
        explain(
            self.export_button,
            self.tr("Takes the model away as files that work without Studio."),
        )
        explain(self.predict_button, self.tr("Asks the model about pictures of yours."))
        explain(self.resume_button, self.tr("Goes on exactly where it was."))
        explain(
            self.stop_button,
            self.tr("Ends the run after this step; the model so far is kept."),
        )
        explain(
            self.test_button,
            self.tr("Measures the model on images that it never learned from."),
        )

    def show_run(self, entry: RunDocument) -> None:
        """Offer what this run allows in its state."""
        self._entry = entry
        going = entry.state.has_worker or entry.state == State.QUEUED
        ready = has_model(entry.history)
        self.stop_button.setVisible(going)
        show_stop(self.stop_button, entry, self.tr("Stop"))
        self.pause_button.setVisible(entry.state.has_worker)
        show_stop(self.pause_button, entry, self.tr("Pause"), "pause")
        self.resume_button.setVisible(can_resume(entry.history))
        is_begun = entry.history.saved is not None
        self.resume_button.setText(self.tr("Resume") if is_begun else self.tr("Train again"))
        self.steering.show_run(entry)
        self._reason = "" if ready else self.tr("A model is there after the first epoch.")
        for button in self._words:
            button.setEnabled(ready)
        self._set_words({button: button.text() for button in self._words})
        self.delete_button.setEnabled(not going)

    def _on_stop(self) -> None:
        if self._entry is not None:
            self._context.jobs.stop(self._entry)

    def _on_pause(self) -> None:
        if self._entry is not None:
            self._context.jobs.pause(self._entry)

    def _on_resume(self) -> None:
        if self._entry is not None:
            self._context.jobs.resume(self._entry)

    def _on_test(self) -> None:
        if self._entry is not None:
            plan = EvaluationPlan(run=self._entry.record.id)
            work = partial(request_evaluation, self._context.jobs.queue, plan)
            self._context.background.run(self, work, self._on_requested)

    def _on_requested(self, job: Job) -> None:
        self._context.jobs.wake()
        self._context.navigator.open(OpenRecord("evaluation", job.record.id))

    def _on_predict(self) -> None:
        if self._entry is not None:
            self._context.navigator.open(OpenRecord("predict", self._entry.record.id))

    def _on_export(self) -> None:
        if self._entry is not None:
            self._context.navigator.open(OpenRecord("export", self._entry.record.id))

    def _on_clone(self) -> None:
        if self._entry is not None:
            self.clone_wanted.emit(clone_plan(self._entry))

    def _on_delete(self) -> None:
        if self._entry is not None:
            self._trash.throw(self._entry.record, self._entry.name)
