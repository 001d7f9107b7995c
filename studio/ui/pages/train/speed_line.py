"""One line on what a training would be faster with here, from measurements, and the way there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QDate, QLocale, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.benchmarks.advice import SpeedHint, speed_hint
from studio.engine.training.plan import TrainingPlan
from studio.ui.context import AppContext
from studio.ui.navigation import PlanBenchmark
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count, significant
from studio.ui.widgets.hint_label import HintLabel


class SpeedLine(QWidget):
    """Follows the form; says nothing where nothing was measured, or nothing would be faster.

    Signals:
        wanted: The settings are to be used: fields of a training plan by name.
    """

    wanted = Signal(dict)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._plan: TrainingPlan | None = None
        self._hint: SpeedHint | None = None
        self.text = HintLabel("", "help", self)
        self.button = push_button(self.tr("Use these"), context.theme, parent=self)
        self.measure_button = push_button(
            self.tr("Measure here…"),
            context.theme,
            kind="quiet",
            icon="benchmarks",
            parent=self,
        )
        explain(
            self.measure_button,
            self.tr("Plans a benchmark of this network; then the best settings stand here."),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, SPACE.s)
        column.setSpacing(SPACE.s)
        column.addWidget(self.text)
        column.addWidget(self.button)
        column.addWidget(self.measure_button)
        self.text.setToolTip(
            self.tr("With images of another size than those of the study, figures differ.")
        )
        self.button.clicked.connect(self._on_use)
        self.measure_button.clicked.connect(self._on_measure)
        self.measure_button.hide()
        self._show(None)
        explain(self.button, self.tr("Fills in what was fastest on this machine."))

    def show_plan(self, plan: TrainingPlan | None) -> None:
        """Look for something faster than a plan; None while it holds something wrong."""
        self._plan = plan
        # Drawn networks are measured by a preflight alone.
        self.measure_button.setVisible(plan is not None and plan.design is None)
        if plan is None:
            self._show(None)
            return
        work = partial(speed_hint, self._context.workspace, plan)
        self._context.background.run(self, work, partial(self._on_hint, plan))

    def _on_hint(self, plan: TrainingPlan, hint: SpeedHint | None) -> None:
        if plan == self._plan:
            self._show(hint)

    def _show(self, hint: SpeedHint | None) -> None:
        self._hint = hint
        for part in (self.text, self.button):
            part.setVisible(hint is not None)
        if hint is not None:
            self.text.show_text(self._words(hint))

    def _words(self, hint: SpeedHint) -> str:
        spot = hint.spot
        words = self.tr(
            "On this machine {network} trains fastest with batches of {batch}, {precision} and "
            "{backend} on {device} (measured {date}, “{study}”)"
        ).format(
            network=spot.network,
            batch=count(spot.batch),
            precision=spot.precision,
            backend=spot.backend,
            device=spot.device,
            date=QLocale().toString(_date(hint), QLocale.FormatType.ShortFormat),
            study=hint.study,
        )
        if hint.gain is None:
            return self.tr("{words}; your settings were not measured.").format(words=words)
        return self.tr("{words}: {gain} times as fast as your settings.").format(
            words=words, gain=significant(hint.gain, 2)
        )

    def _on_measure(self) -> None:
        if self._plan is not None:
            self._context.navigator.open(PlanBenchmark(self._plan.network, self._plan.dataset))

    def _on_use(self) -> None:
        if self._hint is not None:
            self.wanted.emit(self._hint.values())


def _date(hint: SpeedHint) -> QDate:
    day = hint.measured.date()
    return QDate(day.year, day.month, day.day)
