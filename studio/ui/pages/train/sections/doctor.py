"""What is wrong with a run, each with its evidence and a way to try again without it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.engine.jobs.events import Event, StateChanged
from studio.engine.training.history import EpochDone, InsightKept, TrainingBegan, ValidationDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace
from studio.ui.bridge.jobs import RunEntry
from studio.ui.context import AppContext
from studio.ui.pages.train.cloning import clone_plan
from studio.ui.pages.train.section import RunSection
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count
from studio.ui.widgets.scroll_column import ScrollColumn

if TYPE_CHECKING:
    from studio.engine.training.doctor import Finding

Examined = tuple["tuple[Finding, ...]", list[str]]
"""What was found, and the names of the classes."""

_NEWS = (EpochDone, ValidationDone, InsightKept, StateChanged, TrainingBegan)
"""Steps alone change nothing that is not looked at again at the end of the epoch."""
_YOUNG = 3
"""Epochs."""


class Doctor(RunSection):
    """The findings, the worst first; a healthy run says so in one line.

    Attributes:
        cards: One for each finding.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.cards: list[QWidget] = []
        self._entry: RunEntry | None = None
        self._findings: tuple[Finding, ...] = ()
        self._asked = 0
        self._classes: list[str] | None = None
        self.verdict = QLabel(self)
        self.verdict.setProperty("role", "muted")
        self.verdict.setWordWrap(True)
        self._scroll = ScrollColumn(SPACE.m, self)
        self._scroll.column.addWidget(self.verdict)
        self._scroll.column.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, 0)
        column.addWidget(self._scroll)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Doctor", "Doctor")

    @property
    def stretches(self) -> list[tuple[float, float]]:
        """The epochs of the findings; one epoch alone reaches back to the end of that before."""
        return [(min(each.first, each.last - 1), each.last) for each in self._findings]

    def show_run(self, entry: RunEntry) -> None:
        """Look at a run; what was found comes a moment later."""
        if entry is not self._entry:
            self._show((), self.tr("Looking at the run …"))
            self._classes = None
        self._entry = entry
        if not isinstance(entry.plan, TrainingPlan):
            return
        self._asked += 1
        work = _examination(self.context.workspace, entry, entry.plan, self._classes)
        self.context.background.run(self, work, partial(self._on_found, self._asked))

    def add(self, entry: RunEntry, events: list[Event]) -> None:
        """Look again when an epoch or a validation is done."""
        if entry is not self._entry or any(isinstance(event, _NEWS) for event in events):
            self.show_run(entry)

    def _on_found(self, asked: int, found: Examined) -> None:
        if asked == self._asked and self._entry is not None:
            findings, self._classes = found
            self._show(findings, "" if findings else self._healthy(self._entry))

    def _healthy(self, entry: RunEntry) -> str:
        epochs = len(entry.history.epochs)
        if epochs < _YOUNG and not entry.state.is_finished:
            return self.tr("Too early to tell. A few epochs are needed first.")
        return self.tr("Nothing stands out after {count} epochs.").format(count=count(epochs))

    def _show(self, findings: tuple[Finding, ...], verdict: str) -> None:
        self.verdict.setText(verdict)
        self.verdict.setVisible(bool(verdict))
        if findings == self._findings:
            return
        self._findings = findings
        for card in self.cards:
            self._scroll.column.removeWidget(card)
            card.deleteLater()
        self.cards = [self._card(finding) for finding in findings]
        for place, card in enumerate(self.cards):
            self._scroll.column.insertWidget(1 + place, card)
        self.stretches_changed.emit()

    def _card(self, finding: Finding) -> QWidget:
        from studio.ui.pages.train.finding_card import FindingCard  # noqa: PLC0415 - NumPy

        entry = self._entry
        if entry is None:
            raise TypeError("a finding is about a run")
        plan = clone_plan(entry).changed(**entry.history.changes)
        card = FindingCard(self.context.theme, finding, plan, self)
        card.wanted.connect(self.clone_wanted)
        return card


def _examination(
    workspace: Workspace, entry: RunEntry, plan: TrainingPlan, classes: list[str] | None
) -> Callable[[], Examined]:
    """What is to be done in another thread: the figures of the run are copied here and now.

    Args:
        workspace: Where it is.
        entry: The run.
        plan: What was asked of it.
        classes: Their names, where they were read before.
    """
    from studio.engine.training.doctor import diagnose  # noqa: PLC0415
    from studio.engine.training.run_signs import class_names, late_steps, signs_of, with_answers  # noqa: PLC0415 - the window starts without NumPy

    signs, steps = signs_of(entry.history, plan), late_steps(entry.history)
    folder = entry.record.folder

    def work() -> Examined:
        names = class_names(workspace, plan) if classes is None else classes
        return diagnose(with_answers(signs, folder, steps, names)), names

    return work
