"""What the card of a preflight shows: its figures, and the search for a learning rate."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import LargestBatch, Memory, PreflightReport, RateCurve
from studio.ui.charts.figure import Figure, FigureChart, FigureLine, Scale
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.theme.tokens import SPACE, Role
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count, duration, significant, size
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.thin_bar import ThinBar

_CHART_HEIGHT = 176
_MOST_LOSS = 1.4
"""Highest loss that is shown, as a multiple of the first one."""
_TIGHT = 0.9
"""Share of the memory from which on it is shown as a warning."""


class PreflightFigures(QWidget):
    """Time, memory and largest batch."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("plain", "true")
        self.values: dict[str, QLabel] = {}
        self.notes = HintLabel("", "advice", self)
        self.memory_bar = ThinBar(context.theme, self)
        self.memory_bar.setAccessibleName(self.tr("Memory"))
        self.button = push_button(self.tr("Use it"), context.theme, parent=self)
        self.button.setAccessibleName(self.tr("Use the largest batch"))
        explain(self.button, self.tr("Fills in the largest batch that fits into memory."))
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(SPACE.m)
        form.setVerticalSpacing(SPACE.s)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for name, label in (
            ("run", self.tr("Whole run")),
            ("epoch", self.tr("An epoch")),
            ("pace", self.tr("Images per second")),
            ("memory", self.tr("Memory")),
        ):
            form.addRow(self._label(label), self._value(name))
        form.addRow(self.memory_bar)
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self._value("largest"), 1)
        row.addWidget(self.button)
        form.addRow(self._label(self.tr("Largest batch")), row)
        form.addRow(self.notes)

    def show_report(
        self, report: PreflightReport | None, plan: TrainingPlan | None, *, holds: bool
    ) -> None:
        """Show the figures, muted where they are of an earlier plan."""
        self.setVisible(report is not None)
        if report is None:
            return
        for value in self.values.values():
            value.setEnabled(holds)
        epochs = plan.epochs if plan is not None and holds else report.epochs
        self._show_pace(report, epochs)
        self._show_memory(report.memory, holds=holds)
        self._show_largest(report.largest, plan, holds=holds)
        problems = [] if report.fits else [self._too_large(report)]
        # What is unwise about the plan stands above, in the forecast, and follows the form.
        told = "\n".join([*problems, *report.notes])
        self.notes.show_text(told, "advice" if report.fits else "problem")

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setProperty("role", "muted")
        return label

    def _value(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setWordWrap(True)
        self.values[name] = label
        return label

    def _show_pace(self, report: PreflightReport, epochs: int) -> None:
        pace, whole = report.pace, report.run_seconds(epochs)
        none = self.tr("not known")
        self.values["run"].setText(none if whole is None else _time(whole))
        self.values["epoch"].setText(none if pace is None else _time(pace.epoch_seconds))
        self.values["pace"].setText(none if pace is None else count(round(pace.images_per_second)))
        if pace is None:
            return
        details = self.tr(
            "A step takes {step} ms, a validation {validation}. Before the first step: {start}, "
            "and {compiling} to compile."
        ).format(
            step=significant(pace.step_seconds * 1000, 3),
            validation=_time(pace.validation_seconds),
            start=_time(pace.startup_seconds + pace.features_seconds),
            compiling=_time(pace.compile_seconds),
        )
        for name in ("run", "epoch", "pace"):
            self.values[name].setToolTip(details)

    def _show_memory(self, memory: Memory | None, *, holds: bool) -> None:
        self.memory_bar.setVisible(memory is not None and memory.free_bytes is not None)
        if memory is None:
            self.values["memory"].setText(self.tr("The device does not tell."))
            return
        if memory.free_bytes is None:
            self.values["memory"].setText(size(memory.used_bytes))
            return
        pattern = self.tr("{used} of {free}")
        used, free = size(memory.used_bytes), size(memory.free_bytes)
        self.values["memory"].setText(pattern.format(used=used, free=free))
        share = memory.used_bytes / max(1, memory.free_bytes)
        role: Role = "warn" if share > _TIGHT else "accent"
        self.memory_bar.set_fraction(share, role if holds else "muted")

    def _show_largest(
        self, largest: LargestBatch | None, plan: TrainingPlan | None, *, holds: bool
    ) -> None:
        is_used = largest is not None and plan is not None and plan.batch_size == largest.size
        self.button.setVisible(largest is not None)
        self.button.setEnabled(holds and not is_used and plan is not None)
        self.button.setToolTip(self.tr("The plan has it already.") if is_used else "")
        none = self.tr("not known")
        self.values["largest"].setText(none if largest is None else count(largest.size))
        self.values["largest"].setToolTip("" if largest is None else engine_text(largest.told))

    def _too_large(self, report: PreflightReport) -> str:
        told = self.tr("Batches of {size} images do not fit into memory.")
        return told.format(size=count(report.batch_size))


class RateSearch(QWidget):
    """The search for a learning rate."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("plain", "true")
        self.chart = FigureChart(context.theme, self)
        self.chart.setMinimumSize(160, _CHART_HEIGHT)
        self.reason = HintLabel("", "help", self)
        self.button = push_button(self.tr("Use it"), context.theme, parent=self)
        self.button.setAccessibleName(self.tr("Use the suggested learning rate"))
        explain(self.button, self.tr("Fills in the learning rate at which the loss fell fastest."))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, 0)
        column.setSpacing(SPACE.xs)
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.reason, 1)
        row.addWidget(self.button)
        column.addWidget(self.chart)
        column.addLayout(row)

    def show_curve(
        self, curve: RateCurve | None, plan: TrainingPlan | None, *, holds: bool
    ) -> None:
        """Show a search, muted where it is of an earlier plan."""
        self.setVisible(curve is not None)
        if curve is None:
            return
        self.chart.show_figure(self._figure(curve))
        mark = self.tr("suggested") if curve.suggestion is not None else ""
        self.chart.set_mark(curve.suggestion, mark)
        self.chart.setEnabled(holds)
        self.reason.show_text(curve.reason, "help")
        is_used = plan is not None and plan.learning_rate == curve.suggestion
        self.button.setVisible(curve.suggestion is not None)
        self.button.setEnabled(holds and not is_used and plan is not None)
        self.button.setToolTip(self.tr("The plan has it already.") if is_used else "")

    def _figure(self, curve: RateCurve) -> Figure:
        """Return each loss faintly, and the smoothed loss."""
        low = min(curve.smoothed)
        first = max(curve.smoothed[: max(1, len(curve.smoothed) // 10)])
        points = zip(curve.rates, curve.losses, strict=True)
        smoothed = zip(curve.rates, curve.smoothed, strict=True)
        return Figure(
            self.tr("Loss by learning rate"),
            Scale("", curve.rates[0], curve.rates[-1], log=True),
            Scale(self.tr("Loss"), low, max(first * _MOST_LOSS, low)),
            [
                FigureLine("", list(points), 0, faint=True),
                FigureLine("", list(smoothed), 0),
            ],
        )


def _time(seconds: float) -> str:
    """As people read it; below ten seconds with the digits that matter."""
    return duration(seconds) if seconds >= 10 else f"{significant(seconds, 2)}\N{NO-BREAK SPACE}s"
