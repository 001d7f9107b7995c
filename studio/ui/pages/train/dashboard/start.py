"""The state of a run that has no figures to draw: its step, or the reason why it waits."""

from __future__ import annotations

import time

from PySide6.QtCore import QDateTime, QLocale
from PySide6.QtWidgets import QWidget

from studio.engine.jobs.states import State
from studio.engine.messages import joined
from studio.engine.training.history import RunHistory
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.language import translated
from studio.ui.widgets.figures import duration
from studio.ui.widgets.pages import EmptyState


def has_figures(history: RunHistory) -> bool:
    """Return True if there is something to draw in the charts of a run."""
    return bool(history.epochs or history.measured or history.steps is not None)


class StartView(EmptyState):
    """Takes the place of the charts until the first steps: what happens, and since when."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, "train", "", "", parent)
        self._context = context

    def show_run(self, entry: RunDocument) -> None:
        """Show what a run does now."""
        if entry.state.is_at_rest:
            reason = translated(joined((entry.history.reason, entry.history.hint)))
            self.set_texts(self.tr("This run ended before its first step"), reason)
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
        return self.tr("Waits for the first steps; preparing the network can take a minute.")
