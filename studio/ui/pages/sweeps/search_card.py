"""How a sweep looks for the best: objectives, sampler, budget."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import Problem
from studio.engine.plans import fields_of
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS, TASKS
from studio.engine.tasks.task import Task
from studio.ui.engine_text import plan_text
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.sweeps.messages import objective_label, problem_text
from studio.ui.theme.theme import Theme
from studio.ui.widgets.card import Card
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.hint_label import HintLabel

OBJECTIVES_FIELD = "objectives"
_OBJECTIVES = next(field for field in fields_of(SweepPlan) if field.name == OBJECTIVES_FIELD)
_LOSS, _SECONDS = "val_loss", "seconds"


class SearchCard(Card):
    """The fields of a sweep other than its space and its training; the rarer ones for experts.

    Signals:
        changed: The user has changed something.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Search"))
        names = [field.name for field in fields_of(SweepPlan) if field.level != "hidden"]
        self.form = PlanForm(SweepPlan, names, theme=theme, compact=True, parent=self)
        self.hint = HintLabel(parent=self)
        self.boxes = {name: QCheckBox(objective_label(name), self) for name in OBJECTIVES}
        self._rarer = QWidget(self)
        self._lay_out()
        self.fit(DEFAULT_TASK)
        self.form.changed.connect(self.changed)
        self.form.more.toggled.connect(self._rarer.setVisible)
        self._rarer.setVisible(self.form.is_expert_shown())

    def fit(self, task: Task) -> None:
        """Offer the objectives that runs of a task measure."""
        measured = {each.name for each in task.measured}
        offered = [name for name in self.boxes if name in measured or name not in MEASURED_METRICS]
        for name, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(box.isChecked() and name in offered)
        if not any(box.isChecked() for box in self.boxes.values()):
            with QSignalBlocker(self.boxes[task.primary.name]):
                self.boxes[task.primary.name].setChecked(True)
        for name, box in self.boxes.items():
            box.setVisible(name in offered)

    def values(self) -> dict[str, object]:
        """What a plan says in these fields."""
        chosen = [name for name, box in self.boxes.items() if box.isChecked()]
        return {**self.form.values(), OBJECTIVES_FIELD: chosen}

    def show_problems(self, problems: Sequence[Problem]) -> list[Problem]:
        """Show what was found elsewhere beside the fields it is about; gives back the rest."""
        names = self.form.names()
        self.form.show_problems([each for each in problems if each.where in names])
        own = [problem_text(each) for each in problems if each.where == OBJECTIVES_FIELD]
        self.hint.show_text("\n".join(own), "problem")
        return [each for each in problems if each.where not in (*names, OBJECTIVES_FIELD)]

    def _lay_out(self) -> None:
        usual = FlowLayout()
        rarer = QVBoxLayout(self._rarer)
        rarer.setContentsMargins(0, 0, 0, 0)
        rarer.addWidget(QLabel(self.tr("Also as good as possible"), self._rarer))
        rare = FlowLayout()
        rarer.addLayout(rare)
        first = {_LOSS, _SECONDS, *(task.primary.name for task in TASKS.values())}
        for name, box in self.boxes.items():
            (usual if name in first else rare).addWidget(box)
            box.setToolTip(plan_text(_OBJECTIVES.help))
            box.toggled.connect(self._on_changed)
        self.body.addWidget(QLabel(self.tr("As good as possible"), self))
        self.body.addLayout(usual)
        self.body.addWidget(self.hint)
        self.body.addWidget(self.form)
        # Below all that beginners see, so that nothing moves when it opens.
        self.body.addWidget(self._rarer)

    def _on_changed(self, _on: bool) -> None:
        self.changed.emit()
