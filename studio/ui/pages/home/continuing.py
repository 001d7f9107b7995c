"""Work that was begun and not finished, on the home page: a labeling, a dataset without a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QWidget

from studio.engine.workspace import Record, RecordInfo, RecordKind
from studio.ui.bridge.jobs import Jobs
from studio.ui.bridge.run_choices import runs_on
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.navigation import OpenPage, OpenRecord, PlanRun
from studio.ui.pages.home.starting import ActionCard
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import hbox, remove_widget

Labelings = Sequence[tuple[Record, RecordInfo]]


@dataclass(frozen=True, slots=True)
class Begun:
    """Work that can be continued.

    Attributes:
        labeling: Name and id of the newest labeling; empty without one.
        dataset: The newest dataset; None if it has a run already.
    """

    labeling: tuple[str, str]
    dataset: RecordDocument | None

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to continue."""
        return not self.labeling[1] and self.dataset is None


def begun_work(jobs: Jobs, labelings: Labelings) -> Begun:
    """Return what can be continued: the newest labeling, the newest dataset without a run.

    Runs are left out: they have a list of their own.

    Args:
        jobs: The jobs of the workspace.
        labelings: The labelings, oldest first.
    """
    record, info = labelings[-1] if labelings else (None, None)
    labeling = ("", "") if record is None or info is None else (info.name, record.id)
    datasets = jobs.completed(RecordKind.DATASET)
    newest = datasets[0] if datasets else None
    if newest is not None and runs_on(jobs, newest.record.id):
        newest = None
    return Begun(labeling, newest)


class ContinueCards(QWidget):
    """A card for each work that can be continued; hidden without any."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.cards: list[ActionCard] = []
        self._row = hbox(owner=self, spacing=SPACE.m)
        self.hide()

    def show_begun(self, begun: Begun) -> None:
        """Show a card for each of them."""
        for card in self.cards:
            remove_widget(self._row, card)
        self.cards = []
        name, record_id = begun.labeling
        if record_id:
            title = self.tr("Continue labeling “{name}”")
            text = self.tr("Opens the labeling where you left it.")
            self._add(
                "label", title.format(name=apart(name)), text, OpenRecord("label", record_id)
            )
        if begun.dataset is not None:
            title = self.tr("Train a network on “{name}”")
            text = self.tr("This dataset has no run yet.")
            intent = PlanRun(dataset=begun.dataset.record.id)
            self._add("train", title.format(name=apart(begun.dataset.name)), text, intent)
        self.setVisible(not begun.is_empty)

    def _add(self, icon: str, title: str, text: str, intent: OpenPage) -> None:
        card = ActionCard(self._context.theme, icon, title, text, self)
        card.activated.connect(partial(self._context.navigator.open, intent))
        self.cards.append(card)
        self._row.addWidget(card, 1)
