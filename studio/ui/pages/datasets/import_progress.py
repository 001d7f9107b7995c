"""An import that waits or runs: how far, how fast, how long still, and the button that ends it."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.jobs.events import Event, ProgressMade, StateChanged
from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.state import RateMeter
from studio.ui.shared.job_buttons import show_stop
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.state_badge import StateBadge
from studio.ui.widgets.thin_bar import ThinBar


class ImportProgress(QWidget):
    """The face of a dataset while it is being made.

    Signals:
        cancel_requested: End the import.
    """

    cancel_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._meter = RateMeter()
        self.badge = StateBadge(theme, "queued", self)
        self.bar = ThinBar(theme, self)
        self.line = QLabel(self)
        self.line.setProperty("role", "muted")
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", parent=self)
        self.cancel_button.clicked.connect(self._on_cancel)
        self.card = card = Card(self.tr("Importing"), self)
        top = QHBoxLayout()
        top.addWidget(self.badge)
        top.addStretch(1)
        top.addWidget(self.cancel_button)
        card.body.addLayout(top)
        card.body.addWidget(self.bar)
        card.body.addWidget(self.line)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.m)
        column.addWidget(card)
        column.addStretch(1)
        explain(
            self.cancel_button,
            self.tr("Ends the import; what was read can be gone on with later."),
        )

    def begin(self, entry: JobEntry) -> None:
        """Show another import."""
        self._meter.reset()
        self.refresh(entry)

    def take(self, entry: JobEntry, events: list[Event]) -> None:
        """Follow the import that is shown."""
        for event in events:
            if isinstance(event, StateChanged):
                self._meter.reset()
            elif isinstance(event, ProgressMade) and event.total:
                self._meter.add(event.t, event.done)
        self.refresh(entry)

    def refresh(self, entry: JobEntry) -> None:
        """Show the import as it is now."""
        state = entry.state
        self.badge.set_state(state.value)
        # The import tells its figures when the images are there; what is left is their audit.
        auditing = bool(entry.history.result)
        self.card.set_title(self.tr("Auditing the images") if auditing else self.tr("Importing"))
        show_stop(self.cancel_button, entry, self.tr("Skip") if auditing else self.tr("Cancel"))
        tip = self.tr("What is done is kept, and can be continued later")
        if auditing:
            tip = self.tr("The images are imported; audit them later")
        if state == State.STOPPING:
            tip = self.tr("It is being cancelled")
        self.cancel_button.setToolTip(tip)
        if state == State.QUEUED:
            self.bar.set_fraction(0.0)
            self.line.setText(self.tr("Waits for its turn"))
            return
        progress = entry.history.progress
        self.bar.set_fraction(entry.history.fraction)
        left = entry.history.seconds_left(time.time())
        self.line.setText(messages.progress_line(progress, self._meter.rate, left))

    def _on_cancel(self) -> None:
        self.cancel_requested.emit()
