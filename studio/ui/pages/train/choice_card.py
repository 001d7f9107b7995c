"""A card that chooses one thing of a registry, and edits the parameters of that thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.errors import Problem
from studio.engine.plans import Plan, fields_of
from studio.engine.registry import Registry
from studio.engine.training.plan import TrainingPlan
from studio.ui.engine_text import plan_text
from studio.ui.forms.plan_form import PlanForm
from studio.ui.theme.theme import Theme
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.spin_box import ComboBox


class Choice(Protocol):
    """What a registry holds that such a card chooses from."""

    @property
    def name(self) -> str:
        """The stable name."""

    @property
    def label(self) -> str:
        """The shown name."""

    @property
    def summary(self) -> str:
        """One line: what it is good for."""

    @property
    def parameters(self) -> type[Plan]:
        """Plan of its parameters."""


C = TypeVar("C", bound=Choice)


class ChoiceCard(Card, Generic[C]):
    """Edits two fields of a plan: a name, and the parameters of what has that name.

    Args:
        registry: What there is to choose from.
        field: The field with the name; the parameters are in the one called `<field>_options`.
        title: Title of the card, and name of its box.
        theme: For what is painted.

    Signals:
        changed: The user has changed something; not emitted by `show_choice`.
    """

    changed = Signal()

    def __init__(
        self,
        registry: Registry[C],
        field: str,
        title: str,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", parent)
        self.set_title(title)
        self._registry = registry
        self._field = field
        self._theme = theme
        self._form: PlanForm | None = None
        self.box = ComboBox(self)
        self.box.setAccessibleName(title)
        for choice in registry:
            self.box.addItem(plan_text(choice.label), choice.name)
        plan_field = next(each for each in fields_of(TrainingPlan) if each.name == field)
        explain(self.box, plan_text(plan_field.why or plan_field.help))
        self._summary = HintLabel(parent=self)
        self.body.addWidget(self.box)
        self.body.addWidget(self._summary)
        self.box.activated.connect(self._on_chosen)
        self._show_parameters()

    @property
    def choice(self) -> str:
        """The name of what is chosen."""
        return str(self.box.currentData())

    @property
    def form(self) -> PlanForm | None:
        """The parameters; None where there are none."""
        return self._form

    def values(self) -> dict[str, Any]:
        """What it says of a plan."""
        options = self._form.values() if self._form is not None else {}
        return {self._field: self.choice, f"{self._field}_options": options}

    def problems(self) -> list[Problem]:
        """What is wrong with the parameters."""
        return self._form.problems() if self._form is not None else []

    def show_choice(self, name: str, options: Mapping[str, object]) -> None:
        """Show what a plan says."""
        self.box.setCurrentIndex(self.box.findData(name))
        self._show_parameters()
        if self._form is not None:
            self._form.set_values(options)

    def _on_chosen(self, _index: int) -> None:
        self._show_parameters()
        self.changed.emit()

    def _show_parameters(self) -> None:
        choice = self._registry[self.choice]
        self._summary.show_text(plan_text(choice.summary))
        if self._form is not None:
            self._form.setParent(None)
            self._form.deleteLater()
            self._form = None
        if fields_of(choice.parameters):
            self._form = PlanForm(choice.parameters, theme=self._theme, parent=self)
            self._form.changed.connect(self.changed)
            self.body.insertWidget(self.body.indexOf(self._summary) + 1, self._form)
