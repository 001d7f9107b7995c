"""The view: what is evaluated and what was, at the left; one evaluation at the right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.networks.library import MODEL_FILES
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.new_evaluation import EarlierList, OrderCard
from studio.ui.pages.evaluation.pictures import Opened, OpenedTargets, open_any
from studio.ui.pages.evaluation.report import ReportPanel, TargetPanel
from studio.ui.pages.evaluation.state import Evaluation, evaluation, rivals, to_show
from studio.ui.pages.page import Page
from studio.ui.shared.jobs import Ordering
from studio.ui.shared.records import Trash
from studio.ui.shared.training import train_first
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.job_rows import JobRow
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import explain

_LEFT: Final = 236
_LEFT_MOST: Final = 320
_LEFT_SHARE: Final = 5


class View(Page):
    """Measure a model, see where it fails, hold it against another."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._wanted = ""
        self._shown: Evaluation | None = None
        self._opened = ""
        theme = context.theme
        self._trash = Trash(context, self)
        self.order = OrderCard(context, self)
        self._ordering = Ordering(context, self.order, request_evaluation, self)
        self.earlier = EarlierList(self)
        self.going = JobRow(theme, "", self)
        self.going.open_button.hide()
        self.panel = ReportPanel(context, self)
        self.target_panel = TargetPanel(context, self)
        self._panel: QWidget = self.panel
        self.nothing = EmptyState(theme, "evaluate", "", "", self)
        self.empty = train_first(
            context,
            "evaluate",
            self.tr("Then see how good it is, and on which images it fails."),
            self,
        )
        self._unknown = QWidget(self)
        self._work = QWidget(self)
        self._reading = QWidget(self)
        self._right = PageStack(self)
        self._stack = PageStack(self)
        self._lay_out()
        self._connect()
        self._refresh()
        explain(
            self.earlier,
            self.tr("All evaluations, newest first. Choose one to read its report."),
        )

    @property
    def current_record(self) -> str:
        """Id of the evaluation that is shown, or empty."""
        return self._shown.id if self._shown is not None else ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A wide window has room for whole names at the left."""
        super().resizeEvent(event)
        width = max(_LEFT, min(_LEFT_MOST, self.width() // _LEFT_SHARE))
        for widget in (self.order, self.earlier):
            widget.setFixedWidth(width)

    def show_record(self, record_id: str) -> None:
        """Choose that run, or show that evaluation."""
        self._wanted = record_id
        self._refresh()

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """A model file can be evaluated."""
        if len(paths) == 1 and paths[0].suffix.lower() in MODEL_FILES:
            return self.tr("Evaluate {name}").format(name=paths[0].name)
        return ""

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Take the model file."""
        self.order.use_file(paths[0])

    def evaluations(self) -> list[Evaluation]:
        """All evaluations of the workspace, newest first."""
        jobs = self.context.jobs
        found = []
        for entry in jobs.entries(RecordKind.EVALUATION):
            plan = entry.plan
            run = plan.run if isinstance(plan, EvaluationPlan) else ""
            known = jobs.get(RecordKind.RUN, run) if run else None
            found.append(evaluation(entry, known))
        return [each for each in found if each is not None]

    def _refresh(self) -> None:
        jobs = self.context.jobs
        if self._wanted and jobs.get(RecordKind.RUN, self._wanted) is not None:
            wanted, self._wanted = self._wanted, ""
            self.order.chooser.select(wanted)
        found = self.evaluations()
        if not jobs.is_loaded:
            self._stack.setCurrentWidget(self._unknown)
        elif not found and self.order.chooser.choice() is None and not self._has_data():
            self._stack.setCurrentWidget(self.empty)
        else:
            self._stack.setCurrentWidget(self._work)
        self._shown = shown = to_show(found, self._wanted)
        self.earlier.show_evaluations(found, "" if shown is None else shown.id)
        self._show(shown, found)

    def _show(self, shown: Evaluation | None, found: Sequence[Evaluation]) -> None:
        is_going = shown is not None and shown.is_active
        self.going.setVisible(is_going)
        if shown is None:
            self._say_nothing_yet()
        elif is_going:
            self._show_progress(shown)
        elif not shown.has_report:
            self._say(shown.model, messages.what_happened(shown))
        else:
            others = rivals(found, shown)
            self.panel.compare.show_rivals(others)
            same = [each for each in others if each.dataset == shown.dataset]
            self.target_panel.compare.show_rivals(same)
            if shown.id == self._opened:
                self._right.setCurrentWidget(self._panel)
            else:
                self._open(shown)

    def _open(self, shown: Evaluation) -> None:
        self._opened = shown.id
        self._right.setCurrentWidget(self._reading)
        work = partial(open_any, self.context.workspace, shown.folder)
        done = partial(self._on_opened, shown.id)
        self.context.background.run(self, work, done, partial(self._on_unreadable, shown))

    def _on_opened(self, record_id: str, opened: Opened | OpenedTargets) -> None:
        if self._shown is None or not self._shown.id == record_id == self._opened:
            return
        if isinstance(opened, OpenedTargets):
            self._panel = self.target_panel
            self.target_panel.show_opened(opened)
        else:
            self._panel = self.panel
            self.panel.show_opened(opened)
        self._right.setCurrentWidget(self._panel)

    def _on_unreadable(self, shown: Evaluation, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self.context.navigator.show_failure(error)
        elif self._shown is not None and self._shown.id == shown.id:
            self._say(shown.model, str(error))

    def _show_progress(self, shown: Evaluation) -> None:
        self._opened = ""
        entry = self.context.jobs.get(RecordKind.EVALUATION, shown.id)
        if entry is None:
            return
        title = self.tr("{model} · {split}").format(
            model=shown.model, split=messages.split_name(shown.split)
        )
        self.going.set_title(title)
        self.going.set_state(shown.state.value)
        self.going.set_progress(entry.history.fraction, describe.detail(entry))
        self._right.setCurrentWidget(self._reading)

    def _say_nothing_yet(self) -> None:
        self._say(
            self.tr("Nothing evaluated yet"),
            self.tr(
                "How often the model is right, on which images it is wrong, and how sure that is. "
                "Choose a model and press Evaluate."
            ),
        )

    def _say(self, title: str, text: str) -> None:
        self._opened = ""
        self.nothing.set_texts(title, text)
        self._right.setCurrentWidget(self.nothing)

    def _has_data(self) -> bool:
        return bool(self.context.jobs.entries(RecordKind.DATASET))

    def _on_entry(self, entry: RecordDocument, _change: object) -> None:
        is_ours = entry.key[0] == RecordKind.EVALUATION
        if is_ours or entry.record.id == self._wanted:
            self._refresh()

    def _on_choice(self, _choice: object) -> None:
        if self._stack.currentWidget() is not self._work:
            self._refresh()

    def _on_picked(self, record_id: str) -> None:
        self._wanted = record_id
        self._refresh()

    def _on_cancel(self) -> None:
        if self._shown is None:
            return
        entry = self.context.jobs.get(RecordKind.EVALUATION, self._shown.id)
        if entry is not None:
            self.context.jobs.stop(entry)

    def _on_trash(self) -> None:
        if self._shown is None:
            return
        entry = self.context.jobs.get(RecordKind.EVALUATION, self._shown.id)
        if entry is not None:
            self._trash.throw(entry.record, entry.name)

    def _connect(self) -> None:
        jobs = self.context.jobs
        jobs.changed.connect(self._on_entry)
        jobs.loaded.connect(self._refresh)
        self.order.chooser.changed.connect(self._on_choice)
        self.order.ordered.connect(self._ordering.ask)
        self._ordering.accepted.connect(self._on_picked)
        self.earlier.picked.connect(self._on_picked)
        for panel in (self.panel, self.target_panel):
            panel.trash_button.clicked.connect(self._on_trash)
        self.going.cancel_requested.connect(self._on_cancel)

    def _lay_out(self) -> None:
        for widget in (self.nothing, self._reading, self.panel, self.target_panel):
            self._right.addWidget(widget)
        left = vbox(self.order, (self.earlier, 1), spacing=SPACE.m)
        for widget in (self.order, self.earlier):
            widget.setFixedWidth(_LEFT)
        right = vbox(self.going, (self._right, 1), spacing=SPACE.m)
        hbox(left, (right, 1), owner=self._work, spacing=SPACE.l)
        for widget in (self._unknown, self.empty, self._work):
            self._stack.addWidget(widget)
        vbox(self._stack, owner=self, margins=SPACE.l)
