"""A run or a sweep in one line: name, state, network, best metric and the way there."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.jobs.states import State
from studio.engine.tasks.metric import in_sentence
from studio.ui.engine_text import engine_text, plan_text
from studio.ui.pages.home.state import RunFacts
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.cards import PressableCard
from studio.ui.widgets.figures import NO_VALUE, metric_text
from studio.ui.widgets.labels import ElidedLabel, StateBadge, state_word
from studio.ui.widgets.small_charts import Sparkline

_BADGE_ROOM, _FIGURE_ROOM = 112, 88


class RunCard(PressableCard):
    """One run as a button."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ElidedLabel("", self)
        font = self._name.font()
        font.setWeight(font.Weight.DemiBold)
        self._name.setFont(font)
        self._network = ElidedLabel("", self)
        self._network.setProperty("role", "caption")
        self.badge = StateBadge(theme, "queued", self)
        self.curve = Sparkline(theme, self)
        self.curve.setFixedSize(QSize(128, 28))
        self.best = QLabel(self)
        self.best.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._of = QLabel(self)
        self._of.setProperty("role", "caption")
        self._of.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._lay_out()

    def show_run(self, name: str, state: State, facts: RunFacts) -> None:
        """Show a run as it is now."""
        self._show(self.tr("Run {name}").format(name=name), name, state, facts)

    def show_sweep(self, name: str, state: State, facts: RunFacts) -> None:
        """Show a sweep as it is now."""
        self._show(self.tr("Sweep {name}").format(name=name), name, state, facts)

    def _show(self, spoken: str, name: str, state: State, facts: RunFacts) -> None:
        self._name.setText(name)
        self._network.setText(engine_text(facts.network))
        self.badge.set_state(state.value)
        self.curve.set_values(facts.curve)
        self.curve.setVisible(len(facts.curve) > 1)
        self.setAccessibleName(spoken)
        words = [state_word(state.value), engine_text(facts.network)]
        best, which, tip = NO_VALUE, "", ""
        if facts.best is not None and facts.metric is not None:
            best = metric_text(facts.metric, facts.best)
            which = in_sentence(plan_text(facts.metric.label))
            tip = self.tr("Best {metric}: {value}").format(metric=which, value=best)
            words.append(tip)
        self.best.setText(best)
        self._of.setText(which)
        self.setToolTip(tip)
        self.setAccessibleDescription(", ".join(words))

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._name)
        words.addWidget(self._network)
        figures = QVBoxLayout()
        figures.setSpacing(2)
        figures.addWidget(self.best)
        figures.addWidget(self._of)
        self.best.setFixedWidth(_FIGURE_ROOM)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.s, SPACE.l, SPACE.s)
        row.setSpacing(SPACE.l)
        row.addLayout(words, 1)
        row.addWidget(_room(_BADGE_ROOM, self.badge, self))
        row.addWidget(_room(self.curve.width(), self.curve, self))
        row.addLayout(figures)


def _room(width: int, content: QWidget, parent: QWidget) -> QWidget:
    """A column of a fixed width, whether what stands in it is shown or not."""
    holder = QWidget(parent)
    holder.setFixedWidth(width)
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(content)
    row.addStretch(1)
    return holder
