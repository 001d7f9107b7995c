"""Every field of an augmentation plan, in groups with a heading each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.errors import Problem
from studio.engine.plans import FieldKind
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.train.augmentation_state import GROUPS, Group
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE

# Narrower than in a form with help under its fields: reasons stand beside these.
_NUMBER_WIDTH, _CHOICE_WIDTH = 104, 160


class AugmentationForm(QWidget):
    """One `PlanForm` per group; together they hold the whole plan.

    Signals:
        changed: The user has changed something; not emitted by `set_plan`.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._forms: dict[str, PlanForm] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        headings = self._headings()
        for place, group in enumerate(GROUPS):
            heading = QLabel(headings[group.name], self)
            heading.setProperty("role", "section")
            form = self._make_form(group, theme)
            form.setAccessibleName(headings[group.name])
            if place:
                column.addSpacing(SPACE.s)
            column.addWidget(heading)
            column.addWidget(form)
            self._forms |= dict.fromkeys(group.fields, form)

    def values(self) -> dict[str, object]:
        """What the fields hold, whether it fits or not."""
        return {name: form.editor(name).value() for name, form in self._forms.items()}

    def set_plan(self, plan: AugmentationPlan) -> None:
        """Show a plan."""
        for form in self._each():
            form.set_values(plan)

    def form(self, name: str) -> PlanForm:
        """The form that a field stands in.

        Raises:
            KeyError: The plan has no such field.
        """
        return self._forms[name]

    def set_field_enabled(self, name: str, *, enabled: bool, reason: str = "") -> None:
        """Switch a field off and say why, or on again."""
        self._forms[name].set_field_enabled(name, enabled=enabled, reason=reason)
        self._forms[name].editor(name).control.setAccessibleDescription(reason)
        if enabled:
            self._forms[name].row(name).retranslate()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show problems found elsewhere beside their fields, until the next edit."""
        for form in self._each():
            names = form.names()
            form.show_problems([problem for problem in problems if problem.where in names])

    def _each(self) -> list[PlanForm]:
        return list(dict.fromkeys(self._forms.values()))

    def _make_form(self, group: Group, theme: Theme) -> PlanForm:
        form = PlanForm(AugmentationPlan, group.fields, theme=theme, compact=True, parent=self)
        for name in group.fields:
            kind, control = form.row(name).flat.field.kind, form.editor(name).control
            if kind in (FieldKind.NUMBER, FieldKind.INTEGER):
                control.setFixedWidth(_NUMBER_WIDTH)
            elif kind == FieldKind.CHOICE:
                control.setMinimumWidth(_CHOICE_WIDTH)
        form.changed.connect(self.changed)
        return form

    def _headings(self) -> dict[str, str]:
        return {
            "turns": self.tr("Flips and turns"),
            "place": self.tr("Size and place"),
            "light": self.tr("Light and color"),
            "damage": self.tr("Blur, noise, gaps"),
            "policies": self.tr("Many changes at once"),
            "mixing": self.tr("Mixed images"),
            "network": self.tr("Inside the network"),
            "device": self.tr("Device"),
        }
