"""The tab with the findings of the doctor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event, StateChanged
from studio.engine.training.history import EpochDone, InsightStored, TrainingBegan, ValidationDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.forms.setting_words import setting_words
from studio.ui.language import translated
from studio.ui.pages.train.dashboard.section import RunSection
from studio.ui.pages.train.runs.actions import clone_plan
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE, Role
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import IconLabel
from studio.ui.widgets.layout import STRETCH, fill, hbox, remove_widget, text_label, vbox
from studio.ui.widgets.pages import ScrollColumn

if TYPE_CHECKING:
    from studio.engine.training.doctor import Finding

_ICONS: Mapping[str, tuple[str, Role]] = {"divergence": ("error", "bad")}
_WARNING: tuple[str, Role] = ("warning", "warn")


class FindingCard(Card):
    """A finding with a button for a new run that avoids it.

    Signals:
        clone_requested: The changed `TrainingPlan`.
    """

    clone_requested = Signal(object)

    def __init__(
        self, theme: Theme, finding: Finding, plan: TrainingPlan, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent=parent)
        self._finding = finding
        self._plan = _changed_plan(plan, finding)
        icon, role = _ICONS.get(finding.name, _WARNING)
        self._icon = IconLabel(theme, icon, role, ICON, self)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        opens = self.tr("Opens the form of a new run with these changes.")
        self.apply_button = push_button(
            self.tr("Apply as a new run"), theme, parent=self, tip=opens, on_click=self._on_apply
        )
        self.apply_button.setVisible(self._plan is not None)
        self.setAccessibleName(translated(finding.title))
        self.setAccessibleDescription(translated(finding.evidence))
        self._lay_out()

    def _lay_out(self) -> None:
        finding = self._finding
        head = hbox(
            (_label(translated(finding.title), "section", self), 1),
            _label(self._epochs(), "caption", self, wraps=False),
        )
        foot = hbox(
            (_label(changes_text(finding), "caption", self), 1),
            (self.apply_button, Qt.AlignmentFlag.AlignBottom),
            spacing=SPACE.m,
        )
        evidence = _label(translated(finding.evidence), "", self)
        advice = _label(translated(finding.advice), "muted", self)
        words = vbox(head, evidence, advice, foot, spacing=SPACE.xs)
        icon = (self._icon, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(hbox(icon, (words, 1), spacing=SPACE.m))

    def _epochs(self) -> str:
        first, last = max(1, round(self._finding.first)), max(1, round(self._finding.last))
        if first >= last:
            return self.tr("Epoch {epoch}").format(epoch=count(last))
        return self.tr("Epochs {first} to {last}").format(first=count(first), last=count(last))

    def _on_apply(self) -> None:
        if self._plan is not None:
            self.clone_requested.emit(self._plan)


def changes_text(finding: Finding) -> str:
    """Return the changed settings of a finding in one line."""
    shown = [(name, value) for name, value in finding.changes.items() if value != {}]
    return " · ".join(
        f"{translated(setting_label(name))}: {setting_words(name, value)}" for name, value in shown
    )


def _changed_plan(plan: TrainingPlan, finding: Finding) -> TrainingPlan | None:
    """Return the plan with the changes of a finding; None if it has none."""
    if not finding.changes:
        return None
    try:
        return plan.changed(**finding.changes)
    except StudioError:
        return None


def _label(text: str, role: str, parent: QWidget, *, wraps: bool = True) -> QLabel:
    label = text_label(text, role, parent, wraps=wraps)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setVisible(bool(text))
    return label


Examined = tuple["tuple[Finding, ...]", list[str]]
"""The findings, and the names of the classes."""

_NEW_FIGURES = (EpochDone, ValidationDone, InsightStored, StateChanged, TrainingBegan)
"""Events after which a run is examined again."""
_FEWEST_EPOCHS = 3


class Doctor(RunSection):
    """The findings, the worst first, or a line that says that there are none.

    Attributes:
        cards: One for each finding.
    """

    word = str(QT_TRANSLATE_NOOP("Doctor", "Doctor"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.cards: list[QWidget] = []
        self._findings: tuple[Finding, ...] = ()
        self._asked = 0
        self._classes: list[str] | None = None
        self.verdict = text_label("", "muted", self, wraps=True)
        self._scroll = ScrollColumn(SPACE.m, self)
        fill(self._scroll.column, self.verdict, STRETCH)
        self.column.addWidget(self._scroll)

    @property
    def stretches(self) -> list[tuple[float, float]]:
        """Epochs of the findings; a single epoch starts at the end of the previous one."""
        return [(min(each.first, each.last - 1), each.last) for each in self._findings]

    def show_run(self, entry: RunDocument) -> None:
        """Examine a run in the background."""
        if entry is not self.entry:
            self._show((), self.tr("Checking the run …"))
            self._classes = None
        self.entry = entry
        if not isinstance(entry.plan, TrainingPlan):
            return
        self._asked += 1
        work = _examination(self.context.workspace, entry, entry.plan, self._classes)
        self.context.background.run(self, work, partial(self._on_found, self._asked))

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:
        """Examine the run again after an epoch or a validation."""
        if entry is not self.entry or any(isinstance(event, _NEW_FIGURES) for event in events):
            self.show_run(entry)

    def _on_found(self, asked: int, found: Examined) -> None:
        if asked == self._asked and self.entry is not None:
            findings, self._classes = found
            self._show(findings, "" if findings else self._no_findings(self.entry))

    def _no_findings(self, entry: RunDocument) -> str:
        epochs = len(entry.history.epochs)
        if epochs < _FEWEST_EPOCHS and not entry.state.is_finished:
            return self.tr("Available after a few epochs.")
        if epochs == 1:
            return self.tr("No problems found after one epoch.")
        return self.tr("No problems found after {count} epochs.").format(count=count(epochs))

    def _show(self, findings: tuple[Finding, ...], verdict: str) -> None:
        self.verdict.setText(verdict)
        self.verdict.setVisible(bool(verdict))
        if findings == self._findings:
            return
        self._findings = findings
        for card in self.cards:
            remove_widget(self._scroll.column, card)
        self.cards = [self._card(finding) for finding in findings]
        for position, card in enumerate(self.cards, 1):
            self._scroll.column.insertWidget(position, card)
        self.stretches_changed.emit()

    def _card(self, finding: Finding) -> QWidget:
        entry = self.entry
        if entry is None:
            raise TypeError("a finding is about a run")
        plan = clone_plan(entry).changed(**entry.history.changes)
        card = FindingCard(self.context.theme, finding, plan, self)
        card.clone_requested.connect(self.clone_requested)
        return card


def _examination(
    workspace: Workspace, entry: RunDocument, plan: TrainingPlan, classes: list[str] | None
) -> Callable[[], Examined]:
    """Copy the figures of a run and return the examination for another thread.

    Args:
        workspace: The workspace of the run.
        entry: The run.
        plan: Its plan.
        classes: Names of the classes; None if they have not been read yet.
    """
    from studio.engine.training.doctor import TrainingHistory, class_names, diagnose  # noqa: PLC0415 - NumPy, not needed at the start

    history = TrainingHistory.of(entry.history, plan)
    folder = entry.record.folder

    def work() -> Examined:
        names = class_names(workspace, plan) if classes is None else classes
        return diagnose(history.with_answers(folder, names)), names

    return work
