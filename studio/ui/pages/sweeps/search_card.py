"""How a sweep looks for the best: objectives, sampler, budget."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from studio.engine.errors import Problem
from studio.engine.plans import fields_of
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.plan import SweepPlan
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.sweeps.messages import objective_label, problem_text
from studio.ui.theme.theme import Theme
from studio.ui.widgets.card import Card
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.hint_label import HintLabel

OBJECTIVES_FIELD = "objectives"


class SearchCard(Card):
    """The fields of a sweep other than its space and its training.

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
        self.boxes["val_accuracy"].setChecked(True)
        label = QLabel(self.tr("As good as possible"), self)
        flow = FlowLayout()
        for box in self.boxes.values():
            flow.addWidget(box)
            box.toggled.connect(self._on_changed)
        self.body.addWidget(label)
        self.body.addLayout(flow)
        self.body.addWidget(self.hint)
        self.body.addWidget(self.form)
        self.form.changed.connect(self.changed)

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

    def _on_changed(self, _on: bool) -> None:
        self.changed.emit()
