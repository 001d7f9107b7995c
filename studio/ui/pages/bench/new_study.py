"""The form of a new study, made from its plan."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.benchmarks.plan import StudyPlan, spots_of
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.benchmarking import request_benchmark
from studio.engine.jobs.job import Job
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.shared.record_name import RecordName
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.page_header import PageHeader
from studio.ui.widgets.scroll_column import ScrollColumn


class NewStudy(QWidget):
    """What is to be measured.

    Signals:
        started: The id of the study that was asked for.
    """

    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.header = PageHeader(
            self.tr("New benchmark"),
            self.tr("Every cell trains a network for a while, in a process of its own."),
            self,
        )
        self.start_button = push_button(
            self.tr("Measure"), context.theme, kind="primary", icon="benchmarks", parent=self
        )
        self.name = RecordName(self.tr("Name of the benchmark"), self)
        self.form = PlanForm(StudyPlan, theme=context.theme, parent=self)
        self.header.add_action(self.start_button)
        scroll = ScrollColumn(SPACE.l, self)
        scroll.column.addWidget(self.name)
        scroll.column.addWidget(self.form)
        scroll.column.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.l)
        column.addWidget(self.header)
        column.addWidget(scroll, 1)
        self.start_button.clicked.connect(self._on_start)
        self.form.changed.connect(self._on_changed)
        self._show_devices()
        context.jobs.devices_known.connect(self._show_devices)
        self._on_changed()

    def suggest_name(self) -> None:
        """Put a name there that no benchmark has."""
        taken = [entry.name for entry in self._context.jobs.entries(RecordKind.BENCHMARK)]
        self.name.suggest("benchmark", taken)

    def _show_devices(self) -> None:
        names = [device.name for device in self._context.jobs.devices]
        if names:
            self.form.set_values({"devices": names})

    def _on_changed(self) -> None:
        plan = self.form.plan()
        self.start_button.setEnabled(plan is not None)
        if plan is None:
            self.start_button.setToolTip(self.tr("Put right what is marked."))
        elif isinstance(plan, StudyPlan):
            cells = count(len(spots_of(plan)))
            self.start_button.setToolTip(self.tr("{count} cells").format(count=cells))

    def _on_start(self) -> None:
        plan = self.form.plan()
        if not isinstance(plan, StudyPlan):
            return
        self.start_button.setEnabled(False)
        self.start_button.setToolTip(self.tr("It was asked for."))
        self.name.refuse("")
        work = partial(request_benchmark, self._context.jobs.queue, plan, self.name.text())
        self._context.background.run(self, work, self._on_accepted, self._on_refused)

    def _on_accepted(self, job: Job) -> None:
        self._on_changed()
        self.name.accept()
        self._context.jobs.wake()
        self.started.emit(job.record.id)

    def _on_refused(self, error: BaseException) -> None:
        self._on_changed()
        if isinstance(error, StudioError) and error.where == "name":
            self.name.refuse(str(error))
        elif isinstance(error, StudioError):
            self.form.show_problems([Problem(error.where, error.message, error.hint)])
        else:
            self._context.desk.show_failure(error)
