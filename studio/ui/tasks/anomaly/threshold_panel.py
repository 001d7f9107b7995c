"""Choice of a threshold above the charts of an evaluation: by false alarms or by costs."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.tasks.threshold import ErrorCosts, ThresholdChoice, ThresholdRule
from studio.ui.bridge.request import Request
from studio.ui.language import translated
from studio.ui.tasks.targets import number_field
from studio.ui.tasks.view import ChartsHead
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, percent, significant
from studio.ui.widgets.inputs import ComboBox, DoubleSpinBox
from studio.ui.widgets.labels import HintLabel, Tone
from studio.ui.widgets.layout import Debounce, FlowLayout, hbox, text_label, vbox
from studio.ui.widgets.tips import allow

if TYPE_CHECKING:
    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
    from studio.ui.context import AppContext

_tr = partial(QCoreApplication.translate, "tasks")
_TYPING_MS: Final = 300
_FIELD: Final = 110
_HIGHEST_COST: Final = 1e6


class ThresholdPanel(ChartsHead):
    """Chooses a threshold, says what it means, and makes it that of the run.

    Args:
        context: Background, theme and workspace.
        parent: Parent widget.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choosing, self._using = (Request(context.background, self) for _ in range(2))
        self._evaluation: EvaluatedOutputs | None = None
        self._found: list[ThresholdChoice] = []
        self.rule = ComboBox(self, _tr("Choose the threshold by"))
        self.rule.addItem(_tr("False alarms"))
        self.rule.addItem(_tr("Costs"))
        self.allowed = _percent_field(
            self, 1.0, _tr("Allowed false alarms"), _tr("Good images that may be false alarms.")
        )
        self.miss = _cost_field(
            self, 100.0, _tr("Cost of a miss"), _tr("Cost of a defect that is not found.")
        )
        self.alarm = _cost_field(
            self, 1.0, _tr("Cost of a false alarm"), _tr("Cost of a good part that is rejected.")
        )
        self.defective = _percent_field(
            self,
            0.0,
            _tr("Defective parts"),
            _tr("Parts that have a defect in production. 0: as in the evaluated images."),
        )
        # Those of each rule; they wrap in a small window.
        self._fields = (
            [_named(_tr("Allowed"), self.allowed)],
            [
                _named(_tr("Miss"), self.miss),
                _named(_tr("False alarm"), self.alarm),
                _named(_tr("Defective"), self.defective),
            ],
        )
        self.use_button = push_button(
            _tr("Use this threshold"),
            context.theme,
            parent=self,
            tip=_tr("Predictions, exports and the live view of the run use it from now on."),
            on_click=self._on_use,
        )
        self.result = HintLabel(parent=self, keeps_room=True)
        top = FlowLayout(spacing=SPACE.m, is_centered=True)
        for part in (self.rule, *chain(*self._fields), self.use_button):
            top.addWidget(part)
        self._show_fields()
        vbox(top, self.result, owner=self, spacing=SPACE.xs)
        self._typing = Debounce(_TYPING_MS, self._choose, self)
        for field in (self.allowed, self.miss, self.alarm, self.defective):
            field.valueChanged.connect(self._on_changed)
        self.rule.activated.connect(self._on_rule)

    def show_evaluation(self, evaluation: EvaluatedOutputs) -> None:
        """Choose a threshold of an evaluation; see `ChartsHead.show_evaluation`."""
        self._evaluation = evaluation
        self._choose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the height for the lines into which the parts wrap at the new width."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Keep the height for the lines at the present width."""
        super().showEvent(event)
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the height back: a hidden panel does not follow the width."""
        super().hideEvent(event)
        self.setMinimumHeight(0)

    def _fit(self) -> None:
        # The pages of a report do not ask for the height at their width.
        layout = self.layout()
        if layout is not None and self.isVisible():
            self.setMinimumHeight(layout.heightForWidth(self.width()))

    def _show_result(self, text: str, tone: Tone = "help") -> None:
        self.result.show_text(text, tone)
        self._fit()

    def _rule(self) -> ThresholdRule:
        if not self.rule.currentIndex():
            return ThresholdRule(false_alarms=self.allowed.value() / 100)
        defective = self.defective.value() / 100 or None
        return ThresholdRule(costs=ErrorCosts(self.miss.value(), self.alarm.value(), defective))

    def _show_fields(self) -> None:
        for index, fields in enumerate(self._fields):
            for field in fields:
                field.setVisible(index == self.rule.currentIndex())
        self._fit()

    def _on_rule(self, _index: int) -> None:
        self._show_fields()
        self._choose()

    def _on_changed(self, _value: float) -> None:
        self._typing.start()

    def _choose(self) -> None:
        if self._evaluation is None:
            return
        from studio.engine.evaluation.threshold_use import chosen_thresholds  # noqa: PLC0415

        work = partial(chosen_thresholds, self._evaluation, self._rule())
        self._choosing.run(work, self._on_chosen, self._on_refused)

    def _on_chosen(self, found: list[ThresholdChoice]) -> None:
        from studio.engine.evaluation.threshold_use import why_not_used  # noqa: PLC0415

        self._found = found
        self._show_result("\n".join(map(sentence, found)))
        if self._evaluation is not None:
            allow(self.use_button, translated(why_not_used(self._evaluation.report)))

    def _on_refused(self, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self._context.background.failed.emit(error)
            return
        self._found = []
        self._show_result(translated(error.message), "problem")
        allow(self.use_button, translated(error.message))

    def _on_use(self) -> None:
        from studio.engine.evaluation.threshold_use import use_thresholds  # noqa: PLC0415

        if self._evaluation is None or not self._found:
            return
        chosen, report = self._found, self._evaluation.report
        work = partial(use_thresholds, self._context.workspace, report, chosen)
        self._using.run(work, partial(self._on_used, chosen))

    def _on_used(self, chosen: list[ThresholdChoice], _done: None) -> None:
        from studio.engine.evaluation.threshold_use import limits_text  # noqa: PLC0415

        self._show_result(translated(limits_text(chosen)))


def sentence(choice: ThresholdChoice) -> str:
    """Return what a threshold means."""
    text = (
        _tr(
            "Images: threshold {threshold}, {alarms} false alarms (95 % interval {low} to {high}: "
            "at most 1 in {good} good parts)"
        )
        if choice.unit == "image"
        else _tr(
            "Pixels: threshold {threshold}, {alarms} of good ones (95 % interval {low} to {high})"
        )
    )
    parts = [
        text.format(
            threshold=significant(choice.threshold, 3),
            alarms=percent(choice.false_alarms, 2),
            low=percent(choice.low, 2),
            high=percent(choice.high, 2),
            good=count(choice.one_in),
        )
    ]
    if choice.recall is not None:
        found = _tr("{recall} of the defects found")
        parts.append(found.format(recall=percent(choice.recall)))
    if choice.cost is not None:
        parts.append(_tr("expected cost {cost} per part").format(cost=significant(choice.cost, 3)))
    return " · ".join(parts)


def _percent_field(parent: QWidget, value: float, name: str, help_text: str) -> DoubleSpinBox:
    field = DoubleSpinBox(parent)
    field.setRange(0, 99)
    field.setSuffix(" %")
    return _with(field, value, name, help_text)


def _cost_field(parent: QWidget, value: float, name: str, help_text: str) -> DoubleSpinBox:
    field = DoubleSpinBox(parent)
    field.setRange(0.01, _HIGHEST_COST)
    return _with(field, value, name, help_text)


def _with(field: DoubleSpinBox, value: float, name: str, help_text: str) -> DoubleSpinBox:
    field.setDecimals(2)
    field.setValue(value)
    number_field(field, name, help_text, _FIELD)
    return field


def _named(name: str, field: QWidget) -> QWidget:
    both = QWidget()
    hbox(text_label(name, "muted", both), field, owner=both, spacing=SPACE.s)
    return both
