"""The state of a run that has no figures to draw: its step, or the reason why it waits."""

from __future__ import annotations

import time

from PySide6.QtCore import QDateTime, QLocale
from PySide6.QtWidgets import QWidget

from studio.engine.jobs.states import State
from studio.engine.networks.backbones import IMAGENET
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trainers import trainer_of
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.navigation import PlanRun
from studio.ui.shared.training import ask_weights_file
from studio.ui.widgets.figures import duration
from studio.ui.widgets.pages import EmptyState
from studio.ui.widgets.tips import explain


def has_figures(history: RunHistory) -> bool:
    """Return True if there is something to draw in the charts of a run."""
    return bool(history.epochs or history.measured or history.steps is not None)


class StartView(EmptyState):
    """Takes the place of the charts until the first steps: what happens, and since when."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, "train", "", "", parent)
        self._context = context
        self._run = ""
        self.file_button = self.add_action(self.tr("Use a file…"), icon="folder")
        tip = self.tr("Fills in the form of a new run that starts from weights in a file.")
        explain(self.file_button, tip)
        self.file_button.clicked.connect(self._on_file)

    def show_run(self, entry: RunDocument) -> None:
        """Show what a run does now, or why it has no figures."""
        self._run = entry.record.id
        lacks_weights = _lacks_weights(entry)
        self.file_button.setVisible(lacks_weights)
        if entry.state.is_at_rest:  # its reason is at the top of the page
            text = self.tr("Train again once its weights can be downloaded, or use a file.")
            title = self.tr("This run ended before its first step")
            self.set_texts(title, text if lacks_weights else "")
            return
        words = (self._since(entry), self._next(entry))
        self.set_texts(self._headline(entry), " ".join(filter(None, words)))

    def _headline(self, entry: RunDocument) -> str:
        if entry.state != State.QUEUED:
            return describe.detail(entry)
        jobs = self._context.jobs
        names = {each.record.id: each.name for each in jobs.active()}
        return describe.waiting(jobs.waits().get(entry.key), names)

    def _since(self, entry: RunDocument) -> str:
        history = entry.history
        began = history.running_since or history.updated_at or entry.info.created.timestamp()
        clock = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(began)).time(), "HH:mm")
        spent = duration(max(0.0, time.time() - began))
        return self.tr("Since {clock} ({time}).").format(clock=clock, time=spent)

    def _next(self, entry: RunDocument) -> str:
        if not entry.state.has_worker or entry.state == State.STOPPING:
            return ""
        if entry.history.training is None:
            return self.tr("Next, the images are loaded and the network is built.")
        if isinstance(entry.plan, TrainingPlan) and not trainer_of(entry.plan).steps(
            entry.plan, 1
        ):
            return ""
        return self.tr("Waits for the first steps; preparing the network can take a minute.")

    def _on_file(self) -> None:
        path = ask_weights_file(self)
        if path is not None:
            self._context.navigator.open(PlanRun(copy_of=self._run, weights=str(path)))


def _lacks_weights(entry: RunDocument) -> bool:
    """Return True if a run ended before its published weights were loaded."""
    history, plan = entry.history, entry.plan
    has_failed = entry.state.is_at_rest and history.category == "user"
    needs_them = isinstance(plan, TrainingPlan) and plan.weights == IMAGENET
    return has_failed and needs_them and history.weights is None
