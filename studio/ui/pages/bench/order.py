"""The form that asks for one kind of benchmark, made from its plan."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.plans import Plan
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.shared.job_buttons import show_start
from studio.ui.shared.record_name import RecordName
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.scroll_column import ScrollColumn
from studio.ui.widgets.spin_box import ComboBox

_WIDEST = 640


class Order(QWidget):
    """A name, a choice of what is measured where a form cannot offer it, and the plan.

    Args:
        context: Of the window.
        plan_class: What is asked for.
        kind: Of its records.
        request: Asks for it: queue, plan, name.
        wish: What a benchmark is called where nobody says.

    Signals:
        started: The id of the benchmark that was asked for.
    """

    started = Signal(str)

    def __init__(
        self,
        context: AppContext,
        plan_class: type[Plan],
        kind: RecordKind,
        request: Callable[[JobQueue, Plan, str], Job],
        wish: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.context = context
        self._kind = kind
        self._request = request
        self._wish = wish
        self.name = RecordName(self.tr("Name of the benchmark"), self)
        self.name.setMaximumWidth(_WIDEST)
        self.form = PlanForm(plan_class, theme=context.theme, parent=self)
        self.start_button = push_button(
            self.tr("Measure"), context.theme, kind="primary", icon="benchmarks", parent=self
        )
        self.hint = HintLabel("", "help", self)
        top = QHBoxLayout()
        top.setSpacing(SPACE.l)
        top.addWidget(self.hint, 1)
        top.addWidget(self.start_button)
        scroll = ScrollColumn(SPACE.l, self)
        self.column = scroll.column
        self.column.addWidget(self.name)
        self.column.addWidget(self.form)
        self.column.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, SPACE.m, 0, 0)
        whole.setSpacing(SPACE.m)
        whole.addLayout(top)
        whole.addWidget(scroll, 1)
        self.start_button.clicked.connect(self._on_start)
        self.form.changed.connect(self.show_ready)
        self.show_ready()

    def suggest_name(self) -> None:
        """Put a name there that no benchmark of its kind has."""
        taken = [entry.name for entry in self.context.jobs.entries(self._kind)]
        self.name.suggest(self._wish, taken)

    def add_choice(self, word: str, box: ComboBox) -> None:
        """Put a list with a label between the name and the form."""
        box.setAccessibleName(word)
        box.setMaximumWidth(_WIDEST)
        label = QLabel(word, self)
        label.setBuddy(box)
        self.column.insertWidget(1, label)
        self.column.insertWidget(2, box)

    def why_not(self) -> str:
        """Why nothing can be asked for now; empty where it can."""
        return "" if self.form.plan() is not None else self.tr("Put right what is marked.")

    def promise(self, plan: Plan) -> str:  # noqa: ARG002 - for those who know more
        """What is said of a plan that can be asked for."""
        return ""

    def show_ready(self) -> None:
        """Let it be asked for, or say why not."""
        why_not, plan = self.why_not(), self.form.plan()
        self.start_button.setEnabled(not why_not)
        show_start(self.start_button, self.tr("Measure"), is_asked=False)
        self.start_button.setToolTip(why_not or ("" if plan is None else self.promise(plan)))

    def _on_start(self) -> None:
        plan = self.form.plan()
        if plan is None:
            return
        show_start(self.start_button, "", is_asked=True)
        self.start_button.setToolTip(self.tr("It was asked for."))
        self.name.refuse("")
        work = partial(self._request, self.context.jobs.queue, plan, self.name.text())
        self.context.background.run(self, work, self._on_accepted, self._on_refused)

    def _on_accepted(self, job: Job) -> None:
        self.show_ready()
        self.name.accept()
        self.context.jobs.wake()
        self.started.emit(job.record.id)

    def _on_refused(self, error: BaseException) -> None:
        self.show_ready()
        if isinstance(error, StudioError) and error.where == "name":
            self.name.refuse(str(error))
        elif isinstance(error, StudioError):
            self.form.show_problems([Problem(error.where, error.message, error.hint)])
        else:
            self.context.navigator.show_failure(error)
