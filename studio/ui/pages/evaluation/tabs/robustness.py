"""How accuracy falls when images get worse."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QGridLayout, QWidget

from studio.engine.evaluation.report import RobustnessCurve
from studio.ui.charts.figure import Figure, FigureChart, FigureLine, Scale
from studio.ui.context import AppContext
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.tabs.tab import ReportTab
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count
from studio.ui.widgets.layout import text_label, vbox

_COLUMNS = 3


class RobustnessTab(ReportTab):
    """A small chart for each way of spoiling images."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.note = text_label("", "muted", self, wraps=True)
        self.charts: list[FigureChart] = []
        self._grid = QGridLayout()
        self._grid.setSpacing(SPACE.l)
        vbox(self.note, (self._grid, 1), owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("evaluation", "Robustness")

    def refresh(self) -> None:
        """Show the curves, or how to have them."""
        if self.opened is None:
            return
        found = self.opened.evaluated.report.robustness
        curves = () if found is None else found.curves
        self.note.setText(
            self.tr("Was not measured. Tick “Robustness” and evaluate again.")
            if found is None
            else self.tr("Accuracy on {count} of the images, spoiled by rising strength.").format(
                count=count(found.images)
            )
        )
        while len(self.charts) < len(curves):
            chart = FigureChart(self.context.theme, self)
            chart.setMinimumSize(130, 120)
            chart.failed.connect(self.failed)
            place = divmod(len(self.charts), _COLUMNS)
            self._grid.addWidget(chart, *place)
            self.charts.append(chart)
        for chart, curve in zip(self.charts, curves, strict=False):
            chart.show_figure(_figure(curve))
        for number, chart in enumerate(self.charts):
            chart.setVisible(number < len(curves))


def _figure(curve: RobustnessCurve) -> Figure:
    intervals = [point.interval for point in curve.points]
    band = [each for each in intervals if each is not None]
    line = FigureLine(
        "",
        [(point.strength, point.accuracy) for point in curve.points],
        0,
        band=band if len(band) == len(intervals) else (),
    )
    across = Scale(
        messages.strength_name(curve.unit), curve.points[0].strength, curve.points[-1].strength
    )
    name = messages.corruption_names()[curve.corruption]
    return Figure(name, across, Scale("", 0.0, 1.0, percent=True), [line])
