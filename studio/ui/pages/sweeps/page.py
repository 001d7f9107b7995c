"""Page of sweeps: the list at the left, one sweep with its trials at the right."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtWidgets import QWidget

from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument, SweepDocument
from studio.ui.navigation import OpenPage, PlanSweep
from studio.ui.pages.record_page import RecordList, RecordPage, RecordRow
from studio.ui.pages.sweeps.facts import SweepMonitor
from studio.ui.pages.sweeps.messages import best_text, done_text
from studio.ui.pages.sweeps.new_sweep import NewSweep
from studio.ui.pages.sweeps.sweep_panel import SweepPanel
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import state_word
from studio.ui.widgets.pages import EmptyState
from studio.ui.widgets.tips import explain


class View(RecordPage):
    """Plans sweeps, follows them live and shows finished ones."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        kinds = (RecordKind.SWEEP,)
        super().__init__(context, kinds, parent)
        self.monitor = SweepMonitor(context, self)
        self.list = RecordList(context, kinds, self.tr("Sweeps"), self._describe, self)
        self.monitor.changed.connect(self.list.records.refresh)
        self.panel = self.add_view(SweepPanel(context, self.monitor, self))
        trains = self.tr("Trains many networks with different settings and shows the best.")
        self.new_button = push_button(
            self.tr("New sweep"),
            context.theme,
            icon="plus",
            parent=self,
            tip=trains,
            on_click=self._show_new,
        )
        self.empty = EmptyState(context.theme, "sweeps", "", "", self)
        self.empty_button = self.empty.add_action(
            self.tr("New sweep"), kind="primary", icon="plus"
        )
        self.data_button = self.empty.add_action(self.tr("Go to the data"), icon="datasets")
        self.empty_button.clicked.connect(self._show_new)
        self.data_button.clicked.connect(self._on_go_to_data)
        self.list.chosen.connect(self.show_record)
        explain(self.empty_button, trains)
        explain(self.data_button, self.tr("A sweep needs a dataset. Import images there."))
        explain(self.list, self.tr("All sweeps, newest first. Choose one to see its trials."))
        self.lay_out("sweeps", self.list, self.empty, self.new_button, (self.list, 1))

    def open(self, intent: OpenPage) -> None:
        """Fill in the form of a new sweep."""
        if not isinstance(intent, PlanSweep):
            super().open(intent)
            return
        self._show_new()
        if self.has_data:
            self.new_sweep.choose_run(intent.base)

    @cached_property
    def new_sweep(self) -> NewSweep:
        """The form of a new sweep, made when it is first used."""
        form = self.add_view(NewSweep(self.context, self))
        form.started.connect(self.show_record)
        return form

    def show_detail(self, entry: SweepDocument) -> SweepPanel:
        """Show a sweep in its panel."""
        self.panel.show_sweep(entry)
        return self.panel

    def refresh(self) -> None:
        """Offer a new sweep if there is a dataset."""
        ready = self.has_data
        for button in (self.new_button, self.empty_button):
            button.setEnabled(ready)
            button.setToolTip(button.whatsThis() if ready else self.tr("Import images first."))
        self.data_button.setVisible(not ready)
        what = self.tr(
            "A sweep trains a network many times with different settings and finds the best."
        )
        first = "" if ready else self.tr("Import a folder of images first.")
        self.empty.set_texts(self.tr("No sweeps yet"), f"{what} {first}".strip())

    def _describe(self, entry: RecordDocument) -> RecordRow:
        facts = self.monitor.facts(entry.record.id)
        done = done_text(facts) if facts else ""
        tip = "\n".join(filter(None, [state_word(entry.state.value), done]))
        return RecordRow(best_text(facts) if facts else "", done, tip=tip)

    def _show_new(self) -> None:
        if self.has_data:
            self.show_view(self.new_sweep)

    def _on_go_to_data(self) -> None:
        self.context.navigator.open(OpenPage("datasets"))
