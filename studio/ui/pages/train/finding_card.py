"""Something that is wrong with a run, what says so, and what would mend it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.training.doctor import Finding
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label
from studio.ui.engine_text import engine_text, plan_text
from studio.ui.forms.setting_words import setting_words
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE, Role
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.figures import count

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
