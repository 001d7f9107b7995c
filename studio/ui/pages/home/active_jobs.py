"""What waits and runs, on the home page."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.navigation import job_intent
from studio.ui.shared.queue_rows import QueueRows
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.cards import Card
from studio.ui.widgets.job_rows import QueueRow


class ActiveJobs(QWidget):
    """A row for each job that waits or runs; takes no room while there is none."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._title = QLabel(self)
        self._title.setProperty("role", "section")
        card = Card("", self)
        card.body.setContentsMargins(SPACE.xs, SPACE.xs, SPACE.xs, SPACE.xs)
        card.body.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(self._title)
        column.addWidget(card)
        self._rows = QueueRows(context, card.body, card)
        self._rows.changed.connect(self._on_changed)
        self._rows.open_wanted.connect(self._open)
        self._rows.refresh()

    def rows(self) -> list[QueueRow]:
        """The rows shown: what is at work, then what waits, in the order of the queue."""
        return list(self._rows.rows().values())

    def _on_changed(self, active: list[JobEntry]) -> None:
        runs = any(entry.state.has_worker for entry in active)
        self._title.setText(self.tr("Running now") if runs else self.tr("Waiting"))
        self.setVisible(bool(active))

    def _open(self, entry: JobEntry) -> None:
        self._context.navigator.open(job_intent(*entry.key))
