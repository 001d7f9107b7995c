"""Faster settings of a plan, as benchmarks on this machine measured them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QDate, QLocale, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.benchmarks.advice import SpeedHint, speed_hint
from studio.engine.training.plan import TrainingPlan
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.navigation import PlanBenchmark
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, significant
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import vbox


class SpeedLine(QWidget):
    """Follows the form; says nothing where nothing was measured, or nothing would be faster.

    Signals:
        requested: Settings to apply: fields of a training plan by name.
    """

    requested = Signal(dict)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._plan: TrainingPlan | None = None
        self._hint: SpeedHint | None = None
        self._looking = Request(context.background, self)
        self.text = HintLabel("", "help", self)
        button = partial(push_button, theme=context.theme, parent=self)
        tip = self.tr("Uses the fastest settings on this machine.")
        self.button = button(self.tr("Use these"), tip=tip, on_click=self._on_use)
        text = self.tr("Measure here…")
        tip = self.tr("Opens a new benchmark of this network. The best settings then appear here.")
        self.measure_button = button(
            text, kind="quiet", icon="benchmarks", tip=tip, on_click=self._on_measure
        )
        parts = (self.text, self.button, self.measure_button)
        vbox(*parts, owner=self, spacing=SPACE.s, margins=(0, 0, 0, SPACE.s))
        self.text.setToolTip(self.tr("Measured with another image size; results may differ."))
        self.measure_button.hide()
        self._show(None)

    def show_plan(self, plan: TrainingPlan | None) -> None:
        """Look for something faster than a plan; None while it holds something wrong."""
        self._plan = plan
        # Drawn networks are measured by a preflight alone.
        self.measure_button.setVisible(plan is not None and plan.design is None)
        if plan is None:
            self._looking.drop()
            self._show(None)
        else:
            self._looking.run(partial(speed_hint, self._context.workspace, plan), self._show)

    def _show(self, hint: SpeedHint | None) -> None:
        self._hint = hint
        for part in (self.text, self.button):
            part.setVisible(hint is not None)
        if hint is not None:
            self.text.show_text(self._words(hint))

    def _words(self, hint: SpeedHint) -> str:
        key, day, short = hint.key, hint.measured.date(), QLocale.FormatType.ShortFormat
        words = self.tr(
            "On this machine {network} trains fastest with batches of {batch}, {precision} and "
            "{backend} on {device} (measured {date}, “{study}”)"
        ).format(
            network=key.network,
            batch=count(key.batch),
            precision=key.precision,
            backend=key.backend,
            device=key.device,
            date=QLocale().toString(QDate(day.year, day.month, day.day), short),
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
            self.requested.emit(self._hint.values())
