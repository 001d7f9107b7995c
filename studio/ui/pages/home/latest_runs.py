"""The latest runs, on the home page."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.home.run_card import RunCard
from studio.ui.pages.home.state import LATEST, run_facts
from studio.ui.theme.tokens import SPACE


class LatestRuns(QWidget):
    """A card for each of the newest runs; takes no room while there is none."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._cards: dict[str, RunCard] = {}
        title = QLabel(self.tr("Latest runs"), self)
        title.setProperty("role", "section")
        self._column = QVBoxLayout()
        self._column.setSpacing(SPACE.s)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(title)
        column.addLayout(self._column)
        jobs = context.jobs
        jobs.loaded.connect(self._fill)
        jobs.added.connect(self._on_list)
        jobs.removed.connect(self._on_list)
        jobs.moved.connect(self._on_run)
        jobs.info_changed.connect(self._on_run)
        self._fill()

    def cards(self) -> dict[str, RunCard]:
        """The cards shown, by the id of their run."""
        return dict(self._cards)

    def _on_list(self, entry: JobEntry) -> None:
        # At the start they come by thousands; they are looked at when that is over.
        if entry.key[0] == RecordKind.RUN and self._context.jobs.is_loaded:
            self._fill()

    def _on_run(self, entry: JobEntry, _events: object = None) -> None:
        if entry.record.id in self._cards and entry.key[0] == RecordKind.RUN:
            self._show(entry)

    def _fill(self) -> None:
        latest = self._context.jobs.entries(RecordKind.RUN)[:LATEST]
        present = {entry.record.id for entry in latest}
        for record_id in self._cards.keys() - present:
            card = self._cards.pop(record_id)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for place, entry in enumerate(latest):
            record_id = entry.record.id
            if record_id not in self._cards:
                card = RunCard(self._context.theme, self)
                card.activated.connect(partial(self._context.desk.go, "train", record_id))
                self._cards[record_id] = card
                self._column.insertWidget(place, card)
            self._show(entry)
        self.setVisible(bool(latest))

    def _show(self, entry: JobEntry) -> None:
        if isinstance(entry.plan, TrainingPlan):
            facts = run_facts(entry.plan, entry.history)
            self._cards[entry.record.id].show_run(entry.name, entry.state, facts)
