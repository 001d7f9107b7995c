"""Charts of a label or quantity that have a tab to themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.ui.charts.figure import FigureChart
from studio.ui.tasks.report_view import Chart
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.tips import explain

MOST = 2
"""Charts side by side."""


class ChartRow(QWidget):
    """Charts side by side.

    Signals:
        images_wanted: Place of the image that a clicked point stands for.
        failed: A picture could not be written; carries the `StudioError`.
    """

    images_wanted = Signal(int)
    failed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._charts: Sequence[Chart] = ()
        self.widgets = tuple(FigureChart(theme, self) for _ in range(MOST))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, SPACE.s, 0, 0)
        row.setSpacing(SPACE.l)
        for place, widget in enumerate(self.widgets):
            row.addWidget(widget)
            widget.point_chosen.connect(partial(self._on_point, place))
            widget.failed.connect(self.failed)

    def show_charts(self, charts: Sequence[Chart]) -> None:
        """Show these, at most `MOST`."""
        self._charts = charts
        for place, widget in enumerate(self.widgets):
            widget.setVisible(place < len(charts))
            if place < len(charts):
                widget.show_figure(charts[place].figure)

    def _on_point(self, chart: int, line: int, point: int) -> None:
        images = self._charts[chart].images
        if line == 0 and point < len(images):
            self.images_wanted.emit(images[point])


class OutputCharts(QWidget):
    """Charts of one label or quantity at a time.

    Signals:
        output_chosen: Number of the label or quantity that is wanted.
    """

    output_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = ComboBox(self)
        self.hint = HintLabel(parent=self)
        self.charts = ChartRow(theme, self)
        top = hbox(self.box, (self.hint, 1), spacing=SPACE.m)
        vbox(top, (self.charts, 1), owner=self, spacing=SPACE.s, margins=(0, SPACE.s, 0, 0))
        self.box.activated.connect(self.output_chosen)
        explain(self.box, self.tr("Chooses what the charts are about."))

    def set_outputs(self, kind: str, names: Sequence[str], hint: str) -> None:
        """Offer these labels or quantities.

        Args:
            kind: What one of them is called.
            names: Of all of them.
            hint: What the charts show.
        """
        with QSignalBlocker(self.box):
            self.box.clear()
            self.box.addItems(list(names))
        self.box.setAccessibleName(kind)
        self.box.setVisible(len(names) > 1)
        self.hint.show_text(hint)

    def show_output(self, output: int, charts: Sequence[Chart]) -> None:
        """Show the charts of a label or quantity."""
        self.box.setCurrentIndex(output)
        self.charts.show_charts(charts)
