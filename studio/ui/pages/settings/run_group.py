"""What new runs begin with: the user's own values in place of the usual ones."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from studio.engine.jobs.device_request import AUTO
from studio.engine.plans import Plan
from studio.engine.training.plan import TrainingPlan
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.settings.rows import SettingGroup, SettingRow, changed_fields
from studio.ui.shared.training import own_defaults
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox

FIELDS: Final = ("epochs", "batch_size", "learning_rate", "optimizer", "precision", "seed")
"""Of the many fields of a plan those that are much the same from run to run."""
_DEVICE_LETTERS: Final = 24


class RunGroup(SettingGroup):
    """Device and further values; the form of a new run takes them when it is opened or reset."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("runs", "", parent)
        self.title = self.tr("New runs")
        self.set_title(self.title)
        self._context = context
        self.device = ComboBox(self)
        self.device.setMinimumContentsLength(_DEVICE_LETTERS)
        self.reset_button = push_button(
            self.tr("Back to the usual"), context.theme, icon="undo", parent=self
        )
        self.form = PlanForm(TrainingPlan, FIELDS, theme=context.theme, parent=self)
        self.add_rows(
            [
                SettingRow(
                    self.tr("Device"),
                    self.tr("What new runs train on; a run can say otherwise."),
                    self.device,
                    words="gpu cpu cuda",
                ),
                SettingRow(
                    self.tr("Own defaults"),
                    self.tr("The values below are those that the form of a new run begins with."),
                    self.reset_button,
                    words=self.tr("epochs batch size learning rate optimizer precision seed"),
                ),
            ]
        )
        self.body.addWidget(self.form)
        self._refresh()
        self._fill_devices()
        self.device.activated.connect(self._on_device)
        self.reset_button.clicked.connect(self._on_reset)
        self.form.changed.connect(self._on_form)
        context.jobs.devices_known.connect(self._fill_devices)
        context.settings.run_defaults_changed.connect(self._refresh)

    def search(self, typed: str) -> bool:
        """The form belongs to the row above it."""
        shown = super().search(typed)
        self.form.setVisible(not self.rows()[1].isHidden())
        return shown

    def _fill_devices(self) -> None:
        names = [AUTO, *(device.name for device in self._context.jobs.devices)]
        chosen = str(own_defaults(self._context.settings).device)
        self.device.clear()
        for name in dict.fromkeys([*names, chosen]):
            label = next(
                (
                    engine_text(each.label)
                    for each in self._context.jobs.devices
                    if each.name == name
                ),
                "",
            )
            text = (
                self.tr("A free GPU, else the CPU")
                if name == AUTO
                else describe.on_devices([name])
            )
            self.device.addItem(f"{text or name} · {label}" if label else text or name, name)
        self.device.setCurrentIndex(self.device.findData(chosen))

    def _refresh(self) -> None:
        plan = own_defaults(self._context.settings)
        if plan != self.form.plan():
            self.form.set_values(plan)
        self.device.setCurrentIndex(self.device.findData(plan.device))
        is_usual = not self._context.settings.run_defaults
        self.reset_button.setEnabled(not is_usual)
        self.reset_button.setToolTip(self.tr("All are the usual ones.") if is_usual else "")

    def _on_device(self) -> None:
        self._keep({"device": self.device.currentData()})

    def _on_form(self) -> None:
        plan = self.form.plan()
        if isinstance(plan, TrainingPlan):
            self._keep({name: getattr(plan, name) for name in FIELDS})

    def _keep(self, values: dict[str, object]) -> None:
        settings = self._context.settings
        usual = usual_values(TrainingPlan(dataset=""))
        settings.run_defaults = changed_fields({**settings.run_defaults, **values}, usual)

    def _on_reset(self) -> None:
        self._context.settings.run_defaults = {}
        self.form.set_values(own_defaults(self._context.settings))


def usual_values(plan: Plan) -> dict[str, object]:
    """The values of a plan as they are kept in a file."""
    return plan.model_dump(mode="json")
