"""The dashboard of a run: its actions, its state, its charts and its details."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QToolButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import on_available_split, request_evaluation
from studio.engine.jobs.control import can_pause
from studio.engine.jobs.events import Event
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import in_sentence, joined
from studio.engine.training.control import can_extend, change_rate, extend, save_now
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trainers import trainer_of
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.jobs import Following
from studio.ui.bridge.run_choices import is_fallback
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RunDocument
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.language import translated
from studio.ui.navigation import OpenRecord, PlanSweep
from studio.ui.pages.train.dashboard.charts import RunCharts
from studio.ui.pages.train.dashboard.dataset_line import DatasetLine
from studio.ui.pages.train.dashboard.details import RunDetails
from studio.ui.pages.train.dashboard.start import StartView, has_figures
from studio.ui.pages.train.runs.actions import clone_plan
from studio.ui.pages.train.state import best_metric
from studio.ui.shared.jobs import JobActions, JobWidget, left_text
from studio.ui.shared.records import Trash
from studio.ui.theme.icons import set_icon
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import count, counted, duration, metric_text
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.labels import ElidedLabel, HintLabel, StateBadge
from studio.ui.widgets.layout import Debounce, FlowLayout, Splitter, hbox, vbox, with_wrapped_lines
from studio.ui.widgets.pages import PAGE_MARGINS, PageHeader, PageStack
from studio.ui.widgets.tips import wrapped_tip


class Steering(JobWidget):
    """A menu to change a run; actions that its state does not allow are disabled with a reason."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self.button = icon_button("more", self.tr("Change the run"), theme, parent=self)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.button)
        menu.setToolTipsVisible(True)
        add = menu.addAction
        self.save_action = add(self.tr("Save a checkpoint now"), self._on_save)
        self.rate_action = add(self.tr("Change the learning rate…"), self._on_ask_rate)
        self.extend_action = add(self.tr("Train for more epochs…"), self._on_ask_epochs)
        self.sweep_action = add(self.tr("Sweep over other settings…"), self._on_sweep)
        self.button.setMenu(menu)
        rate = self.tr("Applies from the next step; the schedule continues from this rate.")
        epochs = self.tr("Training resumes from its checkpoint; the schedule spans all epochs.")
        ask = partial(AskValue, theme, parent=self)
        self.ask_rate = ask(self.tr("Learning rate"), rate, self.tr("Change"))
        self.ask_epochs = ask(self.tr("More epochs"), epochs, self.tr("Train"))
        hbox(self.button, owner=self)
        self.ask_rate.given.connect(self._on_rate)
        self.ask_epochs.given.connect(self._on_epochs)

    def show_run(self, entry: RunDocument) -> None:
        """Enable the actions that the state of a run allows."""
        self._shown = entry
        trains, is_extendable = can_pause(entry.state), can_extend(entry.history)
        for action in (self.save_action, self.rate_action):
            action.setEnabled(trains)
            action.setToolTip("" if trains else self.tr("Only while the run is training."))
        self.extend_action.setEnabled(is_extendable)
        reason = self.tr("Only for a finished or paused run with a checkpoint.")
        self.extend_action.setToolTip("" if is_extendable else reason)

    def _on_save(self) -> None:
        self._start(partial(save_now, RunJob(self._entry.record), self._context.jobs.queue.send))

    def _on_ask_rate(self) -> None:
        steps = self._entry.history.steps
        rate = steps.learning_rate if steps else self._plan().learning_rate
        self.ask_rate.ask(self.button, format_number(rate, QLocale()))

    def _on_ask_epochs(self) -> None:
        self.ask_epochs.ask(self.button, str(self._plan().epochs))

    def _on_sweep(self) -> None:
        self._context.navigator.open(PlanSweep(self._entry.record.id))

    def _on_rate(self, text: str) -> None:
        number = parse_number(text, QLocale())
        if number is None:
            self._refuse(self.tr("A learning rate is a number; received “{text}”."), text)
        else:
            job, send = RunJob(self._entry.record), self._context.jobs.queue.send
            self._start(partial(change_rate, job, number, send))

    def _on_epochs(self, text: str) -> None:
        number = parse_number(text, QLocale())
        if number is None or number != int(number):
            self._refuse(self.tr("Epochs are a whole number; received “{text}”."), text)
        else:
            queue, job = self._context.jobs.queue, RunJob(self._entry.record)
            self._start(partial(extend, queue, job, int(number)))

    def _refuse(self, message: str, text: str) -> None:
        self._context.navigator.show_failure(StudioError(message.format(text=text)))

    def _start(self, work: Callable[[], None]) -> None:
        self._context.background.run(self, work, self._context.jobs.wake)

    def _plan(self) -> TrainingPlan:
        if not isinstance(self._entry.plan, TrainingPlan):
            raise TypeError("a training run is needed")
        return self._entry.plan


class RunActions(JobActions):
    """Buttons to pause, stop, resume, extend, evaluate, predict, export, clone and delete.

    Signals:
        clone_requested: The `TrainingPlan` from which to start a new run.
    """

    clone_requested = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent, resume="primary")
        self._trash = Trash(context, self)
        button = partial(push_button, theme=context.theme, parent=self)
        text, tip = self.tr("Evaluate"), self.tr("Evaluates the model on the test split.")
        self.test_button = button(text, icon="evaluate", tip=tip, on_click=self._on_test)
        tip = self.tr("Runs the model on your own images.")
        self.predict_button = button(self.tr("Try it"), icon="predict", tip=tip)
        self.predict_button.clicked.connect(partial(self._on_use, "predict"))
        tip = self.tr("Exports the model as files that work without Studio.")
        self.export_button = button(self.tr("Export"), icon="export", tip=tip)
        self.export_button.clicked.connect(partial(self._on_use, "export"))
        self.steering = Steering(context, self)
        icon = partial(icon_button, theme=context.theme, parent=self)
        clone, trash = self.tr("New run with this plan"), self.tr("Move to the trash")
        self.clone_button = icon("copy", clone, on_click=self._on_clone)
        self.delete_button = icon("trash", trash, on_click=self._on_delete)
        states = (self.pause_button, self.stop_button, self.resume_button)
        uses = (self.test_button, self.predict_button, self.export_button)
        others = (self.steering, self.clone_button, self.delete_button)
        hbox(*states, *uses, *others, owner=self, spacing=SPACE.s)
        self._texts = {each: each.text() for each in uses}
        for each, text in self._texts.items():
            each.setAccessibleName(text)  # also while only the icon is visible
        self._reason = ""

    def fit(self, room: int) -> None:
        """Show texts on the buttons that use the model if there is room, otherwise only icons.

        Args:
            room: Pixels for all buttons.
        """
        self._set_texts(self._texts)
        if self.sizeHint().width() > room:
            words = dict.fromkeys(self._texts, "")
            if self.predict_button.property("kind") == "primary":
                del words[self.predict_button]  # the next step is never an icon alone
            self._set_texts(words)

    def _set_texts(self, texts: Mapping[QPushButton, str]) -> None:
        for button, text in texts.items():
            button.setText(text)
            name = "" if text else self._texts[button]
            button.setToolTip(wrapped_tip(name, self._reason or button.whatsThis()))

    def show_run(self, entry: RunDocument) -> None:
        """Enable the actions that the state of a run allows."""
        self._explain_states(entry)
        self.show_job(entry)
        has_model = "model" in entry.history.artifacts
        is_usable = has_model and not self._lacks_dataset(entry)
        is_begun = entry.history.saved is not None
        self.resume_button.setText(self.tr("Resume") if is_begun else self.tr("Train again"))
        self.steering.show_run(entry)
        self._reason = ""
        if not has_model:
            self._reason = self.tr("Available after the first epoch.")
        elif not is_usable:
            self._reason = self.tr(
                "Its dataset was deleted. Restore it from the trash to use this run."
            )
        for button in self._texts:
            button.setEnabled(is_usable)
        self._set_next_step(is_use=is_usable and entry.state == State.COMPLETED)
        self._set_texts({button: button.text() for button in self._texts})
        self.delete_button.setEnabled(entry.state.is_at_rest)

    def _lacks_dataset(self, entry: RunDocument) -> bool:
        """Return True if the workspace has no longer the dataset, which names the classes."""
        jobs = self._context.jobs
        if not (jobs.is_loaded and isinstance(entry.plan, TrainingPlan)):
            return False
        return jobs.get(RecordKind.DATASET, entry.plan.dataset) is None

    def _explain_states(self, entry: RunDocument) -> None:
        """Explain pausing, stopping and resuming; some trainers can only begin again."""
        trainer = trainer_of(entry.plan) if isinstance(entry.plan, TrainingPlan) else None
        if trainer is None or trainer.resumes:
            pause = self.tr(
                "Saves a checkpoint and frees the device. Resume continues from it exactly."
            )
            stop = (
                self.tr("Ends the run after this step and keeps the model.")
                if trainer is None or trainer.stops_with_model
                else self.tr("Ends the run without a model. Resume continues it.")
            )
            resume = self.tr("Resumes exactly where it stopped.")
        else:
            pause = self.tr("Frees the device. The run has no checkpoints: it begins again later.")
            stop = self.tr("Ends the run without a model: this training has no checkpoints.")
            resume = self.tr("Begins again: this training has no checkpoints.")
        buttons = (self.pause_button, self.stop_button, self.resume_button)
        for button, text in zip(buttons, (pause, stop, resume), strict=True):
            button.setWhatsThis(text)
            button.setToolTip(text)
            button.setAccessibleDescription(text)

    def _set_next_step(self, *, is_use: bool) -> None:
        """Make trying the model the primary button, or an ordinary one."""
        button, kind = self.predict_button, "primary" if is_use else "normal"
        if button.property("kind") != kind:
            restyle(button, "kind", kind)
            set_icon(button, "predict", self._context.theme, "on_accent" if is_use else "text")

    def _on_test(self) -> None:
        plan = EvaluationPlan(run=self._entry.record.id)
        work = partial(_request_evaluation, self._context.jobs.queue, plan)
        self._context.background.run(self, work, self._on_requested)

    def _on_requested(self, job: Job) -> None:
        self._context.jobs.wake()
        self._context.navigator.open(OpenRecord("evaluation", job.record.id))

    def _on_use(self, page: str, _checked: bool = False) -> None:
        self._context.navigator.open(OpenRecord(page, self._entry.record.id))

    def _on_clone(self) -> None:
        self.clone_requested.emit(clone_plan(self._entry))

    def _on_delete(self) -> None:
        self._trash.throw(self._entry.record, self._entry.name)


SPLITTER = "train/halves"
"""Key of the position of the splitter in the settings."""
_TITLE = 240
"""Pixels of the name of the run that stay visible; the buttons become icons if need be."""
_CHARTS_SHARE = 0.45
"""Fraction of the height of the page that the charts have at least."""


class Dashboard(QWidget):
    """A run with its actions, charts and details, live while it trains.

    Attributes:
        entry: The run that is shown.

    Signals:
        clone_requested: The `TrainingPlan` from which to start a new run.
    """

    clone_requested = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.entry: RunDocument | None = None
        self._following = Following(self, self._on_changed)
        theme = context.theme
        self.header = PageHeader("", parent=self)
        self.subtitle = DatasetLine(context, self)
        self.badge = StateBadge(theme, "queued", self)
        self.run_actions = RunActions(context, self)
        self.bar = ThinBar(theme, self)
        self._line = ElidedLabel(parent=self, role="muted")
        self._test = QLabel(self)
        self._reason = HintLabel(parent=self)
        self._reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._splitter = Splitter(context.settings, SPLITTER, Qt.Orientation.Vertical, self)
        self._stack = PageStack(self._splitter)
        self.charts = RunCharts(context, self._stack)
        self.start = StartView(context, self._stack)
        self.details = RunDetails(context, self._splitter)
        self._balancing = Debounce(0, self._balance, self)
        # True while the tabs have nothing to show and the charts have their room.
        self._is_folded = False
        self._charts_height: int | None = None
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._lay_out()
        context.jobs.listed.connect(self._on_listed)
        self._clock.timeout.connect(self._refresh_line)
        self._splitter.splitterMoved.connect(self._on_splitter)
        self.details.currentChanged.connect(self._on_tab)
        self.run_actions.clone_requested.connect(self.clone_requested)
        self.subtitle.dataset_found.connect(self._on_dataset)
        self.details.clone_requested.connect(self.clone_requested)
        self.details.stretches_changed.connect(self.charts.show_intervals)

    def show_run(self, entry: RunDocument) -> None:
        """Show a run from its beginning and follow it."""
        self.entry = entry
        self._following.show(entry)
        self.charts.show_run(entry, self._context.jobs.task_of(entry))
        self._refresh(entry)

    def _lay_out(self) -> None:
        self.header.add_action(self.run_actions)
        # In a small window the test result takes a separate line, so that no figure is cut.
        status = FlowLayout(spacing=SPACE.m)
        for part in (self.badge, self._line, self._test):
            part.setFixedHeight(self.badge.sizeHint().height())
            status.addWidget(part)
        self._is_arranged = self._context.settings.bytes(SPLITTER) is not None
        for page in (self.charts, self.start):
            self._stack.addWidget(page)
        self._splitter.split((self._stack, 0, 300), (self.details, 1, 300))
        self._splitter.setHandleWidth(SPACE.s)
        self._splitter.setProperty("grip", True)
        policy = self.bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing below it moves when the run ends
        self.bar.setSizePolicy(policy)
        head = (self.header, self.subtitle, status, self.bar, self._reason)
        vbox(*head, (self._splitter, 1), owner=self, spacing=SPACE.s, margins=PAGE_MARGINS)

    def minimumSizeHint(self) -> QSize:
        """Return the least size, with the lines into which the figures wrap at this width."""
        return with_wrapped_lines(self, super().minimumSizeHint())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the height between charts and tabs, unless the user moved the splitter."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
        self._balancing.start()  # once the splitter has its new height

    def _balance(self) -> None:
        self._fit_actions()
        total = sum(self._splitter.sizes())
        if not self.details.needs_room:
            self._splitter.setSizes([total - 1, 1])  # not below the least height of the tabs
        elif self._is_arranged:
            self._restore_arranged(total)
        else:
            charts = max(total // 2, math.ceil(_CHARTS_SHARE * self.height()))
            self._splitter.setSizes([charts, total - charts])
        self._is_folded = not self.details.needs_room

    def _restore_arranged(self, total: int) -> None:
        # What the open list of jobs took from the charts comes back.
        if self._charts_height is not None:
            self._splitter.setSizes([self._charts_height, total - self._charts_height])
        elif self._is_folded:
            self._splitter.restore()

    def _fit_actions(self) -> None:
        self.run_actions.fit(self.header.room_for_actions(_TITLE))

    def _on_changed(self, entry: RunDocument, change: RecordChange) -> None:
        if not change.is_removed:
            self._refresh(entry, None if change.is_info else change.events)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.EVALUATION in kinds and self.entry is not None:
            self._show_test(self.entry)

    def _on_dataset(self) -> None:
        """Name the dataset in the details as in the line below the title; use needs it."""
        if self.entry is not None:
            self.details.show_plan(self.entry, self.subtitle.dataset)
            self.run_actions.show_run(self.entry)

    def _refresh(self, entry: RunDocument, events: Sequence[Event] | None = None) -> None:
        state = entry.state
        self.header.set_title(entry.name)
        self.subtitle.show_run(entry)
        self.badge.set_state(entry.shown_state)
        self.bar.setVisible(state.has_worker)
        self.bar.set_fraction(entry.history.fraction)
        reason = joined((entry.history.reason, entry.history.hint))
        if _has_failed(entry.history):
            self._reason.show_text(reason, "problem")
        else:
            self._reason.show_text(
                describe.fallback_note() if is_fallback(entry) else "", "advice"
            )
        self.details.show_run(entry, self.subtitle.dataset, events)
        self._fold()
        self.run_actions.show_run(entry)
        self._fit_actions()
        if state.is_at_rest:
            self._clock.stop()
        else:
            self._clock.start()
        self._refresh_line()
        self._show_test(entry)

    def _refresh_line(self) -> None:
        if self.entry is None:
            return
        history = self.entry.history
        self._show_start(self.entry)
        is_over, is_ending = history.state.is_at_rest, self.entry.state == State.STOPPING
        # The badge says so already.
        words = ["" if is_over or is_ending else describe.detail(self.entry)]
        metric, value = best_metric(history)
        if history.best_epoch is not None:
            pattern = self.tr("Validation {metric} {value}")
            if history.methods is None:  # a fit of the whole network has no epochs
                pattern = (
                    self.tr("Best validation {metric} {value} in epoch {epoch}")
                    if metric.is_validation
                    else self.tr("Best training {metric} {value} in epoch {epoch}")
                )
            label = in_sentence(translated(history.task.metrics[0].label))
            best, epoch = metric_text(metric, value), count(history.best_epoch.epoch)
            words.append(pattern.format(metric=label, value=best, epoch=epoch))
        now = time.time()
        left, spent = left_text(self.entry), history.seconds_spent(now)
        if left:
            words.append(left)
        elif spent is not None and round(spent) > 0:
            pattern = self.tr("took {time}") if is_over else self.tr("{time} so far")
            words.append(pattern.format(time=duration(spent)))
        speed = math.nan if history.steps is None else history.steps.images_per_second
        if math.isfinite(speed) and history.state.has_worker and not is_ending:
            pattern = self.tr("1 image/s") if round(speed) == 1 else self.tr("{count} images/s")
            words.append(pattern.format(count=count(round(speed))))
        if is_over and not _has_failed(history):
            # In this line, since a label of its own would shift the page.
            words.append(translated(joined((history.reason, history.hint))))
        self._line.setText(" · ".join(filter(None, words)))

    def _show_start(self, entry: RunDocument) -> None:
        """Show what happens in place of charts without curves; a fit has no curves at all."""
        is_drawn = has_figures(entry.history)
        self._stack.setHidden(is_drawn and entry.history.methods is not None)
        self._stack.setCurrentWidget(self.charts if is_drawn else self.start)
        if not is_drawn:
            self.start.show_run(entry)

    def _show_test(self, entry: RunDocument) -> None:
        """Show the newest evaluation of the run on the test split, or that it is running."""
        requested = EvaluationPlan(run=entry.record.id, split="test")
        same = attrgetter("run", "checkpoint", "dataset", "split")
        entries = self._context.jobs.entries(RecordKind.EVALUATION)
        ours = (each for each in entries if isinstance(each.plan, EvaluationPlan))
        evaluation = next((each for each in ours if same(each.plan) == same(requested)), None)
        text = ""
        if evaluation is not None and (result := evaluation.history.result):
            metric = self._context.jobs.task_of(entry).metrics[0]
            value = result.get("metrics", result).get(metric.name, math.nan)
            one = self.tr("Test {metric} {value} on 1 image")
            many = self.tr("Test {metric} {value} on {n} images")
            text = counted(result["count"], one, many).format(
                metric=in_sentence(translated(metric.label)), value=metric_text(metric, value)
            )
        elif evaluation is not None and not evaluation.state.is_finished:
            text = self.tr("Evaluating…")
        self._test.setText(text)
        self._test.setVisible(bool(text))

    def _on_splitter(self, _position: int, _index: int) -> None:
        self._is_arranged = True
        self._is_folded = False
        self._charts_height = self._splitter.sizes()[0]

    def _on_tab(self, _index: int) -> None:
        self._fold()

    def _fold(self) -> None:
        """Give the room of tabs without content to the charts, or take it back."""
        if self._is_folded == self.details.needs_room:
            self._balancing.start()


def _has_failed(history: RunHistory) -> bool:
    """Return True if a run ended with an error."""
    is_bad = history.state in (State.FAILED, State.LOST) or history.category is not None
    return history.state.is_at_rest and is_bad


def _request_evaluation(queue: JobQueue, plan: EvaluationPlan) -> Job:
    return request_evaluation(queue, on_available_split(queue.workspace, plan))
