"""Whether the model is as sure as it is right, and what a threshold would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QLabel, QSlider, QVBoxLayout, QWidget

from studio.engine.evaluation.report import CalibrationBin, CoveragePoint
from studio.ui.charts.figure import DIAGONAL, Figure, FigureChart, FigureLine, Scale
from studio.ui.context import AppContext
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.tabs.tab import ReportTab
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, percent, significant
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout, hbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEPS = 1000


class CertaintyTab(ReportTab):
    """Accuracy by confidence at the left; answers above a threshold at the right."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self.calibration = FigureChart(theme, self)
        self.coverage = FigureChart(theme, self)
        self.note = HintLabel(parent=self)
        self.threshold = QSlider(Qt.Orientation.Horizontal, self)
        self.threshold.setRange(0, _STEPS)
        self.threshold.setPageStep(_STEPS // 20)
        self.threshold.setAccessibleName(self.tr("Threshold"))
        self.threshold.setToolTip(self.tr("Below this probability the model answers “unknown”."))
        self.verdict = QLabel(self)
        self.verdict.setWordWrap(True)
        self.unknown_button = push_button(self.tr("Show the unknown"), theme, parent=self)
        self.wrong_button = push_button(self.tr("Show the wrong"), theme, parent=self)
        buttons = QWidget(self)
        flow = FlowLayout(buttons)
        flow.addWidget(self.unknown_button)
        flow.addWidget(self.wrong_button)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.addWidget(self.calibration, 1)
        left.addWidget(self.note)
        right.addWidget(self.coverage, 1)
        for widget in (self.threshold, self.verdict, buttons):
            right.addWidget(widget)
        hbox((left, 1), (right, 1), owner=self, spacing=SPACE.xl, margins=(0, SPACE.m, 0, 0))
        for chart in (self.calibration, self.coverage):
            chart.failed.connect(self.failed)
            chart.setMinimumWidth(160)
        self.calibration.point_chosen.connect(self._on_bin)
        self.coverage.place_chosen.connect(self._on_place)
        self.threshold.valueChanged.connect(self._show_threshold)
        self.unknown_button.clicked.connect(self._on_unknown)
        self.wrong_button.clicked.connect(self._on_wrong)
        explain(
            self.unknown_button,
            self.tr("Shows the images that would be called unknown at this threshold."),
        )
        explain(
            self.wrong_button,
            self.tr("Shows the images that are answered wrongly at this threshold."),
        )

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("evaluation", "Certainty")

    def refresh(self) -> None:
        """Show both charts, with a threshold of nothing."""
        if self.opened is None:
            return
        report = self.opened.evaluated.report
        lines = [DIAGONAL, FigureLine(self.tr("As it is"), _points(report.bins), 0, dots=True)]
        if report.temperature is not None:
            points = _points(report.temperature.bins)
            name = self.tr("With temperature {value}").format(
                value=significant(report.temperature.value, 3)
            )
            lines.append(FigureLine(name, points, 1, dashed=True))
        share = (0.0, 1.0, True)
        up = Scale(self.tr("Accuracy"), *share)
        title = self.tr("Accuracy by confidence")
        figure = Figure(title, Scale(self.tr("Confidence"), *share), up, lines)
        self.calibration.show_figure(figure)
        self.note.show_text(self._about_temperature())
        points = [(each.coverage, each.accuracy) for each in report.coverage]
        lowest = min((accuracy for _, accuracy in points), default=0.0)
        up = Scale(self.tr("Accuracy"), max(0.0, int(lowest * 5 - 0.01) / 5), 1.0, percent=True)
        across = Scale(self.tr("Images that are answered"), *share)
        title = self.tr("Accuracy of the answered")
        self.coverage.show_figure(Figure(title, across, up, [FigureLine("", points, 0)]))
        self.threshold.setValue(0)
        self._show_threshold()

    def _about_temperature(self) -> str:
        if self.opened is None:
            return ""
        report = self.opened.evaluated.report
        if report.temperature is None:
            return report.temperature_missing
        return self.tr(
            "Fitted on {count} {split} images, it makes the calibration error {error} and the "
            "loss {loss}; the answers stay the same."
        ).format(
            count=count(report.temperature.images),
            split=messages.split_name(report.temperature.fitted_on).lower(),
            error=percent(report.temperature.calibration_error),
            loss=significant(report.temperature.loss),
        )

    def _show_threshold(self, _value: int = 0) -> None:
        if self.opened is None:
            return
        answers, limit = self.opened.evaluated.answers, self.threshold.value() / _STEPS
        answered = answers.scores >= limit
        number = int(answered.sum())
        right = int((answers.truth == answers.predicted)[answered].sum())
        whole = max(1, len(answered))
        self.coverage.set_mark(number / whole)
        text = self.tr(
            "Above {limit}: {share} of the images are answered, {right} of them right. The other "
            "{left} are “unknown”."
        )
        self.verdict.setText(
            text.format(
                limit=percent(limit),
                share=percent(number / whole),
                right=percent(right / number) if number else percent(float("nan")),
                left=count(len(answered) - number),
            )
        )

    def _on_place(self, coverage: float) -> None:
        """Take the threshold that answers so many images."""
        if self.opened is None:
            return
        points: tuple[CoveragePoint, ...] = self.opened.evaluated.report.coverage
        nearest = min(points, key=lambda point: abs(point.coverage - coverage))
        self.threshold.setValue(int(nearest.threshold * _STEPS))

    def _on_bin(self, line: int, place: int) -> None:
        opened = self.opened
        if opened is None or line != 1:
            return
        chosen = opened.evaluated.report.bins[place]
        scores = opened.evaluated.answers.scores
        text = self.tr("Answers that are {low} to {high} sure, the surest mistakes first").format(
            low=percent(chosen.low, 0), high=percent(chosen.high, 0)
        )
        inside = (scores > chosen.low) & (scores <= chosen.high)
        self.images_wanted.emit(text, self._wrong_first(inside))

    def _on_unknown(self) -> None:
        if self.opened is not None:
            below = self.opened.evaluated.answers.scores < self.threshold.value() / _STEPS
            self.images_wanted.emit(self.tr("Not answered"), self._wrong_first(below))

    def _on_wrong(self) -> None:
        if self.opened is None:
            return
        answers = self.opened.evaluated.answers
        wrong = (answers.scores >= self.threshold.value() / _STEPS) & (
            answers.truth != answers.predicted
        )
        text = self.tr("Answered and wrong, the surest mistakes first")
        self.images_wanted.emit(text, self._wrong_first(wrong))

    def _wrong_first(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        import numpy as np  # noqa: PLC0415 - not when the window starts

        if self.opened is None:
            return np.empty(0, np.int64)
        answers = self.opened.evaluated.answers
        places = np.flatnonzero(which)
        right = answers.truth[places] == answers.predicted[places]
        return places[np.lexsort((-answers.scores[places], right))]


def _points(bins: tuple[CalibrationBin, ...]) -> list[tuple[float, float]]:
    return [(each.confidence, each.accuracy) for each in bins]
