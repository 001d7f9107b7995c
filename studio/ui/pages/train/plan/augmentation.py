"""How images are varied: the card and the form of a plan's augmentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QRadioButton, QVBoxLayout, QWidget

from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan, check_augmentation
from studio.engine.errors import Problem
from studio.engine.plans import FieldKind
from studio.ui.documents.plan import PlanDocument
from studio.ui.engine_text import plan_text
from studio.ui.forms.more_line import MoreLine
from studio.ui.forms.plan_form import PlanForm
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout
from studio.ui.widgets.tips import explain

OFF = "off"
CUSTOM = "custom"

COLOR_FIELDS = ("hue", "saturation")
"""What gray images have nothing for."""

# These act inside the network, or on nothing by themselves: a picture looks as before.
_UNSEEN = ("fill", "subtract_mean", "whitening", "place")

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that stand together under a heading; the heading is a key of the form's words."""

    name: str
    fields: tuple[str, ...]


GROUPS: Sequence[Group] = (
    Group("turns", ("horizontal_flip", "vertical_flip", "quarter_turns", "rotation")),
    Group("place", ("shear", "rescale", "zoom", "translation", "fill", "crop")),
    Group("light", ("brightness", "contrast", "hue", "saturation", "value")),
    Group("damage", ("blur", "noise", "erasing")),
    Group("policies", ("rand_augment", "aug_mix")),
    Group("mixing", ("mix_up", "cut_mix")),
    Group("network", ("subtract_mean", "whitening")),
    Group("device", ("place",)),
)


def preset_of(plan: AugmentationPlan) -> str:
    """The name of the preset that a plan is, or `CUSTOM`."""
    return next((preset.name for preset in PRESETS if preset.plan == plan), CUSTOM)


def idle_fields(shape: Shape | None) -> tuple[str, ...]:
    """Fields that do nothing to images of that height, width and number of channels."""
    return COLOR_FIELDS if shape is not None and shape[2] == 1 else ()


def fitted(plan: AugmentationPlan, shape: Shape | None) -> AugmentationPlan:
    """The plan without what does nothing to such images."""
    new = AugmentationPlan()
    return plan.model_copy(update={name: getattr(new, name) for name in idle_fields(shape)})


def changes_pictures(plan: AugmentationPlan) -> bool:
    """Whether images look different under a plan, so that there is something to preview."""
    new = AugmentationPlan()
    return plan.model_copy(update={name: getattr(new, name) for name in _UNSEEN}) != new


def acts_in_network(plan: AugmentationPlan) -> bool:
    """Whether a part of the plan is done by the network, where no picture shows it."""
    return plan.subtract_mean != "none" or plan.whitening


def mixes_images(plan: AugmentationPlan) -> bool:
    """Whether images of a batch are mixed with each other."""
    return plan.mix_up > 0 or plan.cut_mix > 0


# Narrower than in a form with help under its fields: reasons stand beside these.
_NUMBER_WIDTH, _CHOICE_WIDTH = 104, 160


class AugmentationForm(QWidget):
    """One `PlanForm` per group, all of one document.

    Signals:
        changed: The user has changed something; not emitted by `set_plan`.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = PlanDocument(AugmentationPlan)
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
        return self._document.values()

    def set_plan(self, plan: AugmentationPlan) -> None:
        """Show a plan."""
        self._document.set_values(plan)

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
        form = PlanForm(self._document, group.fields, theme=theme, compact=True, parent=self)
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
