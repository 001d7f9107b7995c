"""Training page: the runs at the left; a new run, or the dashboard of one, at the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtWidgets import QWidget

from studio.engine.sweeps.history import SweepHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument, SweepDocument
from studio.ui.language import translated
from studio.ui.navigation import ListRuns, OpenPage, PlanRun
from studio.ui.pages.record_page import RecordList, RecordPage, RecordRow
from studio.ui.pages.train.dashboard.dashboard import Dashboard
from studio.ui.pages.train.plan.new_run import NewRun
from studio.ui.pages.train.runs.actions import RunsActions, clone_plan
from studio.ui.pages.train.runs.compare import CompareView
from studio.ui.pages.train.runs.table import RunsTable
from studio.ui.pages.train.state import best_metric, progress_curve
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import count, metric_text
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.pages import EmptyState
from studio.ui.widgets.small_charts import curve_words
from studio.ui.widgets.tips import allow, explain


class View(RecordPage):
    """Plans runs, follows them live and shows finished ones."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        kinds = (RecordKind.RUN,)
        super().__init__(context, kinds, parent)
        self.list = RecordList(
            context, kinds, self.tr("Runs"), _describe, self.left, groups_trials=True
        )
        self.list.setSelectionMode(RecordList.SelectionMode.ExtendedSelection)
        self.list.setEditTriggers(RecordList.EditTrigger.EditKeyPressed)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        explain(self.list, self.tr("All runs, newest first. Choose one to see its curves."))
        text = self.tr("New run")
        tip = self.tr("Opens a new run: images, network and training settings.")
        self.new_button = push_button(
            text, context.theme, icon="plus", parent=self, tip=tip, on_click=self._show_new
        )
        self.all_button = icon_button(
            "table", self.tr("All runs"), context.theme, parent=self, on_click=self.show_table
        )
        how = self.tr("Import a folder of images first, or try the handwritten digits.")
        self.empty = EmptyState(
            context.theme, "train", self.tr("Nothing to train on yet"), how, self
        )
        go = self.empty.add_action(self.tr("Go to the data"), kind="primary", icon="datasets")
        go.clicked.connect(self._on_go_to_data)
        tour = self.empty.add_action(self.tr("Try the handwritten digits"))
        tour.clicked.connect(context.navigator.start_tour)
        self.acts = RunsActions(context, self)
        self._connect()
        buttons = hbox((self.new_button, 1), self.all_button, spacing=SPACE.s)
        self.lay_out("train", self.list, self.empty, buttons, (self.list, 1))

    def open(self, intent: OpenPage) -> None:
        """Fill in the form of a new run, or show all runs in a table."""
        if isinstance(intent, ListRuns):
            self.show_table()
        elif isinstance(intent, PlanRun):
            self._fill_in(intent)
            self._show_new()
        else:
            super().open(intent)

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return that a run would start from a file of weights, or from the preset in a folder."""
        weights = _weights_in(paths)
        if weights is None:
            return ""
        return self.tr("Start from the weights in “{name}”").format(name=paths[0].name)

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Choose the weights in the form of a new run."""
        weights = _weights_in(paths)
        if weights is not None:
            self._show_new()
            self.new_run.cards.pretrained.weights.take(str(weights))

    # Each view is made when it is first used: all at once would block the window.

    @cached_property
    def new_run(self) -> NewRun:
        """The form of a new run."""
        form = self.add_view(NewRun(self.context, self.stack))
        form.started.connect(self.show_record)
        return form

    @cached_property
    def dashboard(self) -> Dashboard:
        """One run, live."""
        dashboard = self.add_view(Dashboard(self.context, self.stack))
        dashboard.clone_requested.connect(self._on_clone)
        return dashboard

    @cached_property
    def table(self) -> RunsTable:
        """The table of all runs."""
        table = self.add_view(RunsTable(self.context, self.stack))
        table.opened.connect(self.show_record)
        self._connect_actions(table.acts)
        return table

    @cached_property
    def compare_view(self) -> CompareView:
        """Several runs over each other."""
        view = self.add_view(CompareView(self.context, self.stack))
        view.opened.connect(self.show_record)
        view.back_requested.connect(self.show_table)
        return view

    def show_table(self) -> None:
        """Show all runs in a table."""
        self.show_view(self.table)

    def compare(self, ids: list[str]) -> None:
        """Show several runs over each other."""
        self.compare_view.show_runs(ids)
        self.stack.setCurrentWidget(self.compare_view)

    def _fill_in(self, intent: PlanRun) -> None:
        original = self.context.jobs.get(RecordKind.RUN, intent.copy_of)
        if original is not None and isinstance(original.plan, TrainingPlan):
            changed = {"epochs": intent.epochs, "weights": intent.weights or None}
            more = {name: value for name, value in changed.items() if value is not None}
            self.new_run.clone(clone_plan(original).changed(**more))
        if intent.dataset:
            self.new_run.choose_dataset(intent.dataset)
        if intent.network:
            self.new_run.choose_network(intent.network, intent.weights)

    def _connect_actions(self, acts: RunsActions) -> None:
        acts.compare_requested.connect(self.compare)
        acts.clone_requested.connect(self._on_clone)

    def _on_renamed(self, entry: RunDocument, name: str) -> None:
        self.acts.save(entry, "name", name)

    def _on_menu(self, entries: list[RunDocument], point: QPoint) -> None:
        self.acts.set_entries(entries)
        menu = self.acts.menu(self.list)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def show_detail(self, entry: RunDocument) -> Dashboard:
        """Show a run in the dashboard."""
        self.dashboard.show_run(entry)
        return self.dashboard

    def show_nothing(self) -> None:
        """Show the form of a new run, or how to get a dataset."""
        if self.has_data:
            self._show_new()
        else:
            super().show_nothing()

    def refresh(self) -> None:
        """Offer a new run if there is a dataset."""
        allow(self.new_button, "" if self.has_data else self.tr("Import images first."))

    def _connect(self) -> None:
        self.list.chosen.connect(self.show_record)
        self.list.several_chosen.connect(self.compare)
        self.list.records.renamed.connect(self._on_renamed)
        self.list.menu_requested.connect(self._on_menu)
        self.acts.open_requested.connect(self.show_record)
        self.acts.rename_requested.connect(self.list.edit_name)
        self._connect_actions(self.acts)

    def _show_new(self) -> None:
        if not self.has_data:
            self.show_start()
            return
        self.new_run.networks.read()
        self.show_view(self.new_run)

    def _on_clone(self, plan: TrainingPlan) -> None:
        self.new_run.clone(plan)
        self._show_new()

    def _on_go_to_data(self) -> None:
        self.context.navigator.open(OpenPage("datasets"))


def _describe(entry: RunDocument | SweepDocument) -> RecordRow:
    if isinstance(entry.history, SweepHistory):
        number = len(entry.history.children)
        one = QCoreApplication.translate("train", "1 run")
        many = QCoreApplication.translate("train", "{count} runs").format(count=count(number))
        tip = QCoreApplication.translate("train", "A sweep. Click it to show or hide its runs.")
        return RecordRow(detail=one if number == 1 else many, tip=tip)
    history = entry.history
    metric, value = best_metric(history)
    result = metric_text(metric, value)
    detail = ""
    if history.epochs and history.training is not None:
        detail = f"{history.epochs[-1].epoch}/{history.training.epochs}"
    curve = progress_curve(history)
    curve_text = curve_words(curve, len(curve), is_share=metric.is_fraction)
    tip = f"{translated(metric.label)} {result}" if math.isfinite(value) else ""
    return RecordRow(result, detail, curve, curve_text, tip)


_PRESET_WEIGHTS: Final = "model.weights.h5"


def _weights_in(paths: Sequence[Path]) -> Path | None:
    """Return the weights that a single path is, or holds as the folder of a preset."""
    if len(paths) != 1:
        return None
    inside = paths[0] / _PRESET_WEIGHTS
    found = inside if inside.is_file() else paths[0]
    return found.absolute() if found.name.endswith(".weights.h5") else None
