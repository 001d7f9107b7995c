"""How much training images are varied: a preset, or every field of the plan."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QWidget

from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan, check_augmentation
from studio.engine.errors import Problem
from studio.ui.engine_text import plan_text
from studio.ui.forms.more_line import MoreLine
from studio.ui.pages.train.augmentation_form import AugmentationForm
from studio.ui.pages.train.augmentation_state import (
    COLOR_FIELDS,
    CUSTOM,
    OFF,
    Shape,
    fitted,
    idle_fields,
    preset_of,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.hint_label import HintLabel


class AugmentationCard(Card):
    """Edits an `AugmentationPlan`.

    What does nothing to the images at hand is switched off, and out of the plan; it comes back
    with images that it acts on.

    Signals:
        changed: The user has changed something; not emitted by `set_plan` and `fit_to`.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Augmentation"))
        self._theme = theme
        self._shape: Shape | None = None
        self._batch_size: int | None = None
        self._wanted = AugmentationPlan()
        self._problems: list[Problem] = []
        self._buttons: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self._summary = HintLabel(parent=self)
        self.more = MoreLine(theme, with_switch=False, parent=self)
        self.form = AugmentationForm(theme, self)
        self._lay_out()
        self.form.changed.connect(self._on_field)
        self.more.toggled.connect(self.form.setVisible)
        self.form.setVisible(self.more.is_open)
        self._show_preset(OFF)

    def plan(self) -> AugmentationPlan | None:
        """The plan for the images at hand, or None while a field holds something wrong."""
        return None if self._problems else fitted(self._wanted, self._shape)

    def problems(self) -> list[Problem]:
        """What is wrong with the fields, also with the images at hand."""
        return [*self._problems, *(each for each in self._advice() if each.serious)]

    def set_plan(self, plan: AugmentationPlan) -> None:
        """Show a plan, with the preset that it is."""
        self._wanted, self._problems = plan, []
        self._show_preset(preset_of(plan))
        self._show_fields()

    def fit_to(self, shape: Shape | None, batch_size: int | None) -> None:
        """Say which images and batches the plan is for; None where that is not known yet."""
        if (shape, batch_size) == (self._shape, self._batch_size):
            return
        anew = shape != self._shape
        self._shape, self._batch_size = shape, batch_size
        if anew:
            self._show_idle()
        if anew and not self._problems:
            self._show_fields()
        self.form.show_problems(self._advice())

    @property
    def preset(self) -> str:
        """The name of the preset that is chosen; `custom` for none."""
        return next(name for name, button in self._buttons.items() if button.isChecked())

    def preset_button(self, name: str) -> QRadioButton:
        """The button of a preset, or of `custom`."""
        return self._buttons[name]

    def set_more_shown(self, *, shown: bool) -> None:
        """Open or close the fields."""
        self.more.set_open(shown=shown)

    def _lay_out(self) -> None:
        row = FlowLayout(spacing=SPACE.l)
        for preset in PRESETS:
            row.addWidget(self._add_button(preset.name, plan_text(preset.label)))
        row.addWidget(self._add_button(CUSTOM, self.tr("Custom")))
        self.body.addLayout(row)
        for widget in (self._summary, self.more, self.form):
            self.body.addWidget(widget)

    def _add_button(self, name: str, text: str) -> QRadioButton:
        button = QRadioButton(text, self)
        explain(
            button, self.tr("How much images are changed in each epoch, so that few go further.")
        )
        button.clicked.connect(partial(self._on_preset, name))
        self._group.addButton(button)
        self._buttons[name] = button
        return button

    def _on_preset(self, name: str, _checked: bool = True) -> None:
        if name == CUSTOM:
            self.set_more_shown(shown=True)
        else:
            self.set_plan(PRESETS[name].plan)
        self._show_preset(name)
        self.changed.emit()

    def _on_field(self) -> None:
        values = self.form.values()
        # A field that is switched off shows its rest position; what was wanted of it stays.
        for name in idle_fields(self._shape):
            values[name] = getattr(self._wanted, name)
        wanted, self._problems = AugmentationPlan.check(values)
        self._wanted = wanted or self._wanted
        self.form.show_problems(self._advice())
        self._show_preset(CUSTOM)
        self.changed.emit()

    def _advice(self) -> list[Problem]:
        plan = self.plan()
        if plan is None or self._shape is None or self._batch_size is None:
            return []
        return check_augmentation(plan, self._shape, self._batch_size)

    def _show_fields(self) -> None:
        self.form.set_plan(fitted(self._wanted, self._shape))
        self.form.show_problems(self._advice())

    def _show_idle(self) -> None:
        idle = idle_fields(self._shape)
        for name in COLOR_FIELDS:
            self.form.set_field_enabled(
                name, enabled=name not in idle, reason=self.tr("gray images")
            )

    def _show_preset(self, name: str) -> None:
        self._buttons[name].setChecked(True)
        text = self.tr("What you set.") if name == CUSTOM else plan_text(PRESETS[name].summary)
        self._summary.show_text(text)
