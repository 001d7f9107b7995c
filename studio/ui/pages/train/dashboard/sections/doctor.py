"""Findings of the doctor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event, StateChanged
from studio.engine.training.doctor import Finding
from studio.engine.training.history import EpochDone, InsightKept, TrainingBegan, ValidationDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.engine_text import engine_text, plan_text
from studio.ui.forms.setting_words import setting_words
from studio.ui.pages.train.dashboard.sections.section import RunSection
from studio.ui.pages.train.runs.actions import clone_plan
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE, Role
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.pages import ScrollColumn

if TYPE_CHECKING:
    from studio.engine.training.doctor import Finding


_LOOKS: Mapping[str, tuple[str, Role]] = {"divergence": ("error", "bad")}
_USUAL: tuple[str, Role] = ("warning", "warn")
_BETWEEN = " · "


class FindingCard(Card):
    """A finding with a button that starts from the plan without it.

    Signals:
        wanted: The changed `TrainingPlan`.
    """

    wanted = Signal(object)

    def __init__(
        self, theme: Theme, finding: Finding, plan: TrainingPlan, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent=parent)
        self._theme, self._finding = theme, finding
        self._plan = _mended(plan, finding)
        self._icon = QLabel(self)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.apply_button = push_button(self.tr("Apply as a new run"), theme, parent=self)
        self.apply_button.setToolTip(self.tr("Opens the form of a new run, filled in."))
        self.apply_button.setVisible(self._plan is not None)
        self.apply_button.clicked.connect(self._on_apply)
        self.setAccessibleName(engine_text(finding.title))
        self.setAccessibleDescription(engine_text(finding.evidence))
        self._lay_out()
        theme.changed.connect(self._draw)
        self._draw()

    def _lay_out(self) -> None:
        finding = self._finding
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        head = QHBoxLayout()
        head.addWidget(_label(engine_text(finding.title), "section", self), 1)
        head.addWidget(_label(self._when(), "caption", self, wraps=False))
        words.addLayout(head)
        words.addWidget(_label(engine_text(finding.evidence), "", self))
        words.addWidget(_label(engine_text(finding.advice), "muted", self))
        foot = QHBoxLayout()
        foot.setSpacing(SPACE.m)
        foot.addWidget(_label(changes_text(finding), "caption", self), 1)
        foot.addWidget(self.apply_button, 0, Qt.AlignmentFlag.AlignBottom)
        words.addLayout(foot)
        row = QHBoxLayout()
        row.setSpacing(SPACE.m)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.body.addLayout(row)

    def _when(self) -> str:
        first, last = max(1, round(self._finding.first)), max(1, round(self._finding.last))
        if first >= last:
            return self.tr("Epoch {epoch}").format(epoch=count(last))
        return self.tr("Epochs {first} to {last}").format(first=count(first), last=count(last))

    def _draw(self) -> None:
        icon, role = _LOOKS.get(self._finding.name, _USUAL)
        self._icon.setPixmap(pixmap(icon, self._theme, role, ICON))

    def _on_apply(self) -> None:
        if self._plan is not None:
            self.wanted.emit(self._plan)


def changes_text(finding: Finding) -> str:
    """What the new run would have otherwise, in a line."""
    shown = [(name, value) for name, value in finding.changes.items() if value != {}]
    return _BETWEEN.join(
        f"{plan_text(setting_label(name))}: {setting_words(name, value)}" for name, value in shown
    )


def _mended(plan: TrainingPlan, finding: Finding) -> TrainingPlan | None:
    """The plan for the next run; None where nothing is to be changed in it."""
    if not finding.changes:
        return None
    try:
        return plan.changed(**finding.changes)
    except StudioError:
        return None


def _label(text: str, role: str, parent: QWidget, *, wraps: bool = True) -> QLabel:
    label = QLabel(text, parent)
    label.setWordWrap(wraps)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setVisible(bool(text))
    if role:
        label.setProperty("role", role)
    return label


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
        self._entry: RunDocument | None = None
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

    def show_run(self, entry: RunDocument) -> None:
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

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:
        """Look again when an epoch or a validation is done."""
        if entry is not self._entry or any(isinstance(event, _NEWS) for event in events):
            self.show_run(entry)

    def _on_found(self, asked: int, found: Examined) -> None:
        if asked == self._asked and self._entry is not None:
            findings, self._classes = found
            self._show(findings, "" if findings else self._healthy(self._entry))

    def _healthy(self, entry: RunDocument) -> str:
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
        from studio.ui.pages.train.dashboard.sections.doctor import FindingCard  # noqa: PLC0415 - NumPy

        entry = self._entry
        if entry is None:
            raise TypeError("a finding is about a run")
        plan = clone_plan(entry).changed(**entry.history.changes)
        card = FindingCard(self.context.theme, finding, plan, self)
        card.wanted.connect(self.clone_wanted)
        return card


def _examination(
    workspace: Workspace, entry: RunDocument, plan: TrainingPlan, classes: list[str] | None
) -> Callable[[], Examined]:
    """What is to be done in another thread: the figures of the run are copied here and now.

    Args:
        workspace: Where it is.
        entry: The run.
        plan: What was asked of it.
        classes: Their names, where they were read before.
    """
    from studio.engine.training.doctor import (  # noqa: PLC0415 - NumPy, not needed at the start
        TrainingHistory,
        class_names,
        diagnose,
    )

    history = TrainingHistory.of(entry.history, plan)
    folder = entry.record.folder

    def work() -> Examined:
        names = class_names(workspace, plan) if classes is None else classes
        return diagnose(history.with_answers(folder, names)), names

    return work
