"""Values of a plan that differ from the recommendation, as chips that can be removed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from studio.engine.plans import without_effect
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import (
    differing,
    setting_label,
    setting_value,
    settings_of,
)
from studio.ui.context import AppContext
from studio.ui.forms.setting_words import setting_words
from studio.ui.language import translated
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout, remove_widget, vbox

_PARTS = ("optimizer_options", "schedule_options")
"""Fields whose parts are replaced together."""


def changed_names(plan: TrainingPlan, usual: TrainingPlan) -> list[str]:
    """Return the settings in which a plan differs from another, by dotted name.

    Args:
        plan: The plan.
        usual: The plan without changes of a person.
    """
    names = differing([settings_of(plan, {}), settings_of(usual, {})])
    idle = without_effect(TrainingPlan, plan.model_dump())
    return [name for name in names if name not in idle]


def restored(plan: TrainingPlan, usual: TrainingPlan, name: str) -> TrainingPlan:
    """Return a plan with one setting of another.

    Args:
        plan: The plan.
        usual: The plan with the value to restore.
        name: Dotted name of the setting.

    Raises:
        StudioError: The value does not fit the others.
    """
    part, _, inner = name.partition(".")
    if name == "network":
        return plan.model_copy(update={"network": usual.network, "design": usual.design})
    if not inner or part in _PARTS:
        return plan.changed(**{part: getattr(usual, part)})
    return plan.changed(**{name: getattr(getattr(usual, part), inner)})


class ChangeChips(QWidget):
    """A chip for each changed setting, such as "Batch size: 16 ×"; none takes no room.

    Signals:
        removed: Dotted name of the setting to restore.
    """

    removed = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: list[tuple[str, str, str]] = []
        self.buttons: list[QPushButton] = []
        self._row = FlowLayout(spacing=SPACE.s)
        self._title = HintLabel(self.tr("Your changes to the recommendation:"), parent=self)
        vbox(self._title, self._row, owner=self, spacing=SPACE.s)
        self.hide()

    def show_changes(self, plan: TrainingPlan, usual: TrainingPlan, names: Sequence[str]) -> None:
        """Show the changed settings of a plan.

        Args:
            plan: The plan.
            usual: The plan without the changes.
            names: The changed settings, by dotted name.
        """
        shown = [(name, _words(name, plan), _words(name, usual)) for name in names]
        if shown == self._shown:
            return
        self._shown = shown
        for button in self.buttons:
            remove_widget(self._row, button)
        self.buttons = [self._chip(*each) for each in shown]
        self.setVisible(bool(shown))

    def _chip(self, name: str, value: str, usual: str) -> QPushButton:
        label = translated(setting_label(name))
        text = self.tr("{setting}: {value}").format(setting=label, value=value)
        tip = self.tr("Restores the recommended value: {value}.").format(value=usual)
        remove = partial(self.removed.emit, name)
        button = push_button(
            f"{text}  \N{MULTIPLICATION SIGN}", self._context.theme, parent=self, tip=tip
        )
        button.clicked.connect(remove)
        button.setAccessibleName(text)
        self._row.addWidget(button)
        button.show()
        return button


def _words(name: str, plan: TrainingPlan) -> str:
    return setting_words(name, setting_value(plan, {}, name))
