"""Counts of objects in an evaluation: how predicted and true numbers per image agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from studio.ui.bridge.request import Request
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.confusion import ConfusionChart
from studio.ui.charts.figure import Figure, FigureChart, FigureLine
from studio.ui.charts.heat_map import Cell
from studio.ui.context import AppContext
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count, number
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.counting import CountedImages
    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs

_MOST_BINS: Final = 12
"""Rows of the confusion of counts; larger counts share them."""
_AIR: Final = 1.05
"""Largest value of an axis by the largest value of the data."""


@dataclass(frozen=True, slots=True)
class CountedClass:
    """Counts of a class on the images of an evaluation.

    Attributes:
        predicted: Predicted objects of each image, n.
        objects: True objects of each image, n.
        bias: Mean of predicted minus true counts; None if the agreement cannot be measured.
        low: Lower end of the range with 95 % of the differences.
        high: Upper end.
        bins: Names of the rows and columns of `confusion`, B.
        confusion: Images by true and predicted count, shape (B, B).
        bin_of: Row and column of each image in it, shape (n, 2).
    """

    predicted: Sequence[int]
    objects: Sequence[int]
    bias: float | None
    low: float
    high: float
    bins: Sequence[str]
    confusion: NDArray[np.int64]
    bin_of: NDArray[np.int64]


def class_counts(counted: CountedImages, output: int) -> CountedClass:
    """Return the counts of a class; called in background threads.

    Args:
        counted: Counts of all classes.
        output: Index of the class.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    from studio.engine.evaluation.counting import corrections  # noqa: PLC0415 - NumPy

    predicted, objects = counted.predicted[:, output], counted.objects[:, output]
    width = int(max(predicted.max(initial=0), objects.max(initial=0))) // _MOST_BINS + 1
    places = np.stack([objects, predicted], axis=1) // width
    size = int(places.max(initial=0)) + 1
    confusion = np.zeros((size, size), np.int64)
    np.add.at(confusion, (places[:, 0], places[:, 1]), 1)
    found = corrections(counted).get(counted.names[output])
    agreement = None if found is None else found.agreement
    return CountedClass(
        predicted.tolist(),
        objects.tolist(),
        None if agreement is None else agreement.bias,
        0.0 if agreement is None else agreement.low,
        0.0 if agreement is None else agreement.high,
        [_bin_name(at * width, width) for at in range(size)],
        confusion,
        places,
    )


def _bin_name(first: int, width: int) -> str:
    return str(first) if width == 1 else f"{first}\N{EN DASH}{first + width - 1}"


class CountConfusion(ConfusionChart):
    """Images by their true and predicted number of objects."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.set_title(self.tr("Confusion of counts"))

    def show_counts(self, found: CountedClass) -> None:
        """Show the counts of a class."""
        self.set_matrix(found.confusion, found.bins)
        axes = self.tr("True objects"), self.tr("Predicted objects")
        self.plot.set_cells(found.bins, found.bins, axes)

    def describe(self, cell: Cell) -> str:
        """Describe a cell in a sentence."""
        matrix, names = self.counts(), self.plot.rows
        if matrix is None or max(cell) >= len(names):
            return ""
        pattern = self.tr("Objects: {objects}, predicted: {predicted}, images: {images}")
        return pattern.format(
            images=count(int(matrix[cell])), objects=names[cell[0]], predicted=names[cell[1]]
        )


class CountsTab(QWidget):
    """Agreement of predicted and true counts of a class: differences by size, and a confusion.

    Signals:
        images_requested: Title, and the positions of images in the evaluation.
        measured: True if the task counts objects.
    """

    images_requested = Signal(str, object)
    measured = Signal(bool)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reading = Request(context.background, self)
        self._drawing = Request(context.background, self)
        self._counted: CountedImages | None = None
        self.found: CountedClass | None = None
        self.box = ComboBox(self, self.tr("Class"))
        self.line = text_label("", "body", self, wraps=True)
        self.hint = HintLabel(
            self.tr(
                "Left: difference of predicted and true count of each image, by their mean (Bland "
                "and Altman 1986). Click a point or a cell to see its images."
            ),
            parent=self,
        )
        self.differences = FigureChart(context.theme, self)
        self.confusion = CountConfusion(context.theme, self)
        charts = QWidget(self)
        hbox((self.differences, 1), (self.confusion, 1), owner=charts, spacing=SPACE.l)
        top = hbox(self.box, (self.line, 1), spacing=SPACE.m)
        margins = (0, SPACE.s, 0, 0)
        vbox(top, self.hint, (charts, 1), owner=self, spacing=SPACE.s, margins=margins)
        explain(self.box, self.tr("Class whose objects are counted."))
        self.box.activated.connect(self.show_output)
        self.differences.point_chosen.connect(self._on_point)
        self.confusion.chosen.connect(self._on_cell)
        for chart in (self.differences, self.confusion):
            chart.failed.connect(context.navigator.show_failure)

    def show_evaluation(self, evaluation: EvaluatedOutputs) -> None:
        """Show the counts of another evaluation; `measured` says whether there are any."""
        from studio.engine.evaluation.counting import counted_evaluation  # noqa: PLC0415 - NumPy

        self._counted = self.found = None
        self._drawing.drop()
        if not evaluation.reporter.counts_objects or evaluation.store is None:
            self._reading.drop()
            self.measured.emit(False)
            return
        self._reading.run(partial(counted_evaluation, evaluation), self._on_counted)

    def show_output(self, output: int) -> None:
        """Show the counts of a class."""
        if self._counted is not None:
            self.box.setCurrentIndex(output)
            self._drawing.run(partial(class_counts, self._counted, output), self._on_drawn)

    def _on_counted(self, counted: CountedImages | None) -> None:
        self._counted = counted
        self.measured.emit(counted is not None)
        if counted is None:
            return
        with QSignalBlocker(self.box):
            self.box.clear()
            self.box.addItems(list(counted.names))
        self.box.setVisible(len(counted.names) > 1)
        self.show_output(int(counted.objects.sum(axis=0).argmax()))

    def _on_drawn(self, found: CountedClass) -> None:
        self.found = found
        self.line.setText(self._sentence(found))
        self.differences.show_figure(self._figure(found))
        self.confusion.show_counts(found)

    def _sentence(self, found: CountedClass) -> str:
        if found.bias is None:
            return self.tr("The agreement needs predicted objects on images of two origins.")
        pattern = self.tr(
            "On {images} images, predicted counts differ from true ones by {bias} per image; 95 % "
            "of them by {low} to {high}."
        )
        values = (f"{value:+.2f}" for value in (found.bias, found.low, found.high))
        bias, low, high = (_with_sign(value) for value in values)
        return pattern.format(images=count(len(found.objects)), bias=bias, low=low, high=high)

    def _figure(self, found: CountedClass) -> Figure:
        pairs = list(zip(found.predicted, found.objects, strict=True))
        points = [((one + other) / 2, float(one - other)) for one, other in pairs]
        right = max((x for x, _ in points), default=1.0) or 1.0
        reach = max([abs(y) for _, y in points] + [abs(found.low), abs(found.high), 1.0])
        reach, right = _AIR * reach, _AIR * right
        lines = [FigureLine(self.tr("Images"), points, 0, dots=True, joined=False)]
        if found.bias is not None:
            level = ((0.0, found.bias), (right, found.bias))
            lines.append(FigureLine(self.tr("mean difference"), level, 1))
            for name, end in ((self.tr("95 % of the images"), found.low), ("", found.high)):
                ends = ((0.0, end), (right, end))
                lines.append(FigureLine(name, ends, None, dashed=True))
        return Figure(
            self.tr("Predicted minus true count"),
            AxisScale(self.tr("Mean of both counts"), 0.0, right),
            AxisScale("", -reach, reach),
            lines,
        )

    def _on_point(self, line: int, point: int) -> None:
        if line == 0:
            self.images_requested.emit(self.tr("Image of this point"), [point])

    def _on_cell(self, cell: Cell) -> None:
        if self.found is None:
            return
        inside = (self.found.bin_of == cell).all(axis=1)
        self.images_requested.emit(self.confusion.describe(cell), inside.nonzero()[0].tolist())


def _with_sign(text: str) -> str:
    """Return a number with its sign in the language of the window."""
    sign = "+" if text[0] == "+" else "\N{MINUS SIGN}"
    return sign + number(float(text[1:]))
