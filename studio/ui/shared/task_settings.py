"""Offers in a form of a training plan what means something for the task of the dataset."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from studio.engine.registry import Registry
from studio.engine.tasks.losses_and_metrics import LOSSES, METRICS, MetricSet, TrainingLoss
from studio.engine.tasks.task import AUTO, Task
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.settings_checks import accepted
from studio.ui.forms.editors import ChoiceEditor
from studio.ui.forms.field_row import FieldRow
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import sentence

_TABLES: Mapping[str, Registry[TrainingLoss] | Registry[MetricSet]] = {
    "loss": LOSSES,
    "metrics": METRICS,
}


class TaskSettings:
    """Switches fields of a form off, and choices, and says why.

    Args:
        form: Form of a training plan.
    """

    def __init__(self, form: PlanForm) -> None:
        self._form = form
        self._task: Task | None = None
        self._refused: dict[str, str] = {}
        form.each_row(self._fit_row)

    def accepted(self, plan: TrainingPlan) -> TrainingPlan:
        """Return a plan with defaults in place of what the task refuses."""
        return plan if self._task is None else accepted(plan, self._task)

    def fit(self, task: Task) -> None:
        """Show what another task takes; settings that it refuses become the defaults."""
        if self._task is not None and task.name == self._task.name:
            return
        self._task = task
        plan = self._form.plan()
        if isinstance(plan, TrainingPlan):
            fit = accepted(plan, task)
            names = self._form.names()
            changed = {name: getattr(fit, name) for name in names}
            self._form.set_values(
                {name: value for name, value in changed.items() if value != getattr(plan, name)}
            )
        for name in self._form.names():
            self._refuse(name, self._refusals(name).get("", ""))
        for row in self._form.made_rows():
            self._fit_row(row)

    def _refusals(self, name: str) -> dict[str, str]:
        """Return the reasons why the task refuses choices of a field; empty: the whole field."""
        if self._task is None:
            return {}
        return {
            setting.removeprefix(name).removeprefix("="): f"{sentence(reason)}."
            for setting, reason in self._task.refusals.items()
            if setting.partition("=")[0] == name
        }

    def _fit_row(self, row: FieldRow) -> None:
        """Offer the choices of a field that the task takes."""
        name, editor = row.flat.path, row.editor
        refusals = self._refusals(name)
        if refusals.pop("", ""):
            row.put_note_below()
        if self._task is not None and isinstance(editor, ChoiceEditor):
            editor.restrict(self._offered(name, editor.choices, self._task), refusals)

    @staticmethod
    def _offered(name: str, choices: Collection[str], task: Task) -> Collection[str]:
        """Return the choices of a field that mean something for a task."""
        if name == "monitor":
            return {AUTO, *(each.name for each in task.measured)}
        if name in _TABLES:
            suited = [each.name for each in _TABLES[name] if each.suits(task.target_kind)]
            return [each for each in choices if each in suited]
        return choices

    def _refuse(self, name: str, reason: str) -> None:
        """Switch a field off because of the task; an empty reason switches it on again."""
        if reason != self._refused.get(name, ""):
            self._form.set_field_enabled(name, enabled=not reason, reason=reason)
        self._refused[name] = reason
