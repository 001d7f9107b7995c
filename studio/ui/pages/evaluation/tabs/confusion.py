"""Which class is taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPointF
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from studio.ui.charts.confusion import ConfusionChart, Margins, MarginShare
from studio.ui.charts.heat_map import Cell
from studio.ui.context import AppContext
from studio.ui.pages.evaluation.tabs.tab import ReportTab
from studio.ui.pages.evaluation.work import Opened
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import STRETCH, hbox, vbox

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST = 8
"""Classes that stay in view at the closest."""
ALL = -1
"""In place of a class: all of its row, or of its column."""


class ZoomedMatrix(ConfusionChart):
    """A confusion matrix that shows some of the classes: the wheel goes nearer and back."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Go nearer to the cell under the pointer, or back."""
        parent = self.parent()
        if isinstance(parent, ConfusionTab) and event.angleDelta().y():
            parent.zoom(
                self.plot.mapFrom(self, event.position()), nearer=event.angleDelta().y() > 0
            )
            event.accept()


class ConfusionTab(ReportTab):
    """The matrix, sorted as wanted, with counts or shares."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self._shown: NDArray[np.int64] | None = None
        self._chosen: tuple[int, int] | None = None
        self.view = ZoomedMatrix(theme, self)
        self.read_out = ElidedLabel("", self)
        self.in_percent = QCheckBox(self.tr("Percent"), self)
        self.in_percent.setToolTip(self.tr("Shares of the images of each class"))
        self.sorted = QCheckBox(self.tr("Sorted by confusion"), self)
        self.sorted.setToolTip(self.tr("Classes that are taken for each other stand together"))
        self.near_button = icon_button("zoom-in", self.tr("Go nearer"), theme, parent=self)
        self.far_button = icon_button(
            "reset-view", self.tr("Show all classes"), theme, parent=self
        )
        row = hbox(
            self.in_percent,
            self.sorted,
            STRETCH,
            self.near_button,
            self.far_button,
            spacing=SPACE.s,
        )
        vbox(
            row,
            (self.view, 1),
            self.read_out,
            owner=self,
            spacing=SPACE.s,
            margins=(0, SPACE.s, 0, 0),
        )
        self.view.hovered.connect(self._on_hovered)
        self.view.chosen.connect(self._on_chosen)
        self.in_percent.toggled.connect(self._on_percent)
        self.sorted.toggled.connect(self._on_sorted)
        self.near_button.clicked.connect(self._on_near)
        self.far_button.clicked.connect(self._on_far)
        self.view.failed.connect(self.failed)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("evaluation", "Confusion")

    def show_opened(self, opened: Opened) -> None:
        """Show another report, all of its classes, with the commonest mistake chosen."""
        self._shown = self._chosen = None
        super().show_opened(opened)
        if opened.most_confused is not None:
            self._choose(opened.most_confused)

    def refresh(self) -> None:
        """Show the classes that are wanted, in the order that is wanted."""
        opened = self.opened
        if opened is None:
            return
        shown = self.shown()
        report, counts = opened.evaluated.report, opened.evaluated.confusion
        names = [report.classes[label] for label in shown.tolist()]
        totals = counts.sum(axis=1, dtype="int64")[shown]
        self.view.set_matrix(counts[shown][:, shown], names, totals, margins_of(opened, shown))
        is_part = len(shown) < len(report.classes)
        self.far_button.setEnabled(is_part)
        self.far_button.setToolTip(
            self.tr("Show all classes") if is_part else self.tr("All classes are in view.")
        )
        can_near = len(shown) > FEWEST
        self.near_button.setEnabled(can_near)
        self.near_button.setToolTip(
            self.tr("Go nearer to the chosen cell (turn the wheel)")
            if can_near
            else self.tr("These are few enough.")
        )

    def shown(self) -> NDArray[np.int64]:
        """The classes in view, in their order."""
        order = self._order()
        return order if self._shown is None else self._shown

    def zoom(self, point: QPointF, *, nearer: bool) -> None:
        """Show half as many classes around those at a point, or twice as many."""
        cell = self.view.plot.cell_at(point)
        labels = self._chosen if cell is None else self._labels(cell)
        if labels is not None:
            self._zoom(labels, nearer=nearer)

    def _zoom(self, labels: tuple[int, int], *, nearer: bool) -> None:
        if self.opened is None:
            return
        import numpy as np  # noqa: PLC0415 - not when the window starts

        order, shown = self._order(), self.shown()
        wanted = max(FEWEST, len(shown) // 2) if nearer else len(shown) * 2
        if wanted >= len(order):
            self._shown = None
        else:
            # Half of them around the true class, half around the predicted one.
            places = np.flatnonzero(np.isin(order, labels))
            away = np.abs(np.arange(len(order))[:, np.newaxis] - places).min(axis=1)
            nearest = np.sort(np.argsort(away, kind="stable")[:wanted])
            self._shown = order[nearest]
        self.refresh()
        self._mark()

    def _order(self) -> NDArray[np.int64]:
        import numpy as np  # noqa: PLC0415 - not when the window starts

        if self.opened is None:
            return np.empty(0, np.int64)
        if self.sorted.isChecked():
            return self.opened.order
        return np.arange(len(self.opened.evaluated.report.classes))

    def _mark(self) -> None:
        """Mark the chosen cell where it is in view."""
        shown = self.shown().tolist()
        places = {label: place for place, label in enumerate(shown)}
        places[ALL] = len(shown)  # the bar
        truth, predicted = self._chosen or (ALL, ALL)
        cell = None
        if self._chosen is not None and truth in places and predicted in places:
            cell = (places[truth], places[predicted])
        self.view.set_current(cell)
        self.read_out.setText("" if cell is None else self.view.describe(cell))

    def _choose(self, labels: tuple[int, int]) -> None:
        self._chosen = labels
        self._mark()
        current = self.view.current()
        if current is not None and self.opened is not None:
            self.images_wanted.emit(self.view.describe(current), self._images(*labels))

    def _images(self, truth: int, predicted: int) -> NDArray[np.int64]:
        """Places in the answers, the surest first; of all of a row or column the wrong first."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        if self.opened is None:
            return np.empty(0, np.int64)
        answers = self.opened.evaluated.answers
        if ALL not in (truth, predicted):
            return answers.cell(truth, predicted)
        of_class = answers.truth == truth if predicted == ALL else answers.predicted == predicted
        places = np.flatnonzero(of_class)
        is_right = answers.truth[places] == answers.predicted[places]
        return places[np.lexsort((-answers.scores[places], is_right))]

    def _labels(self, cell: Cell) -> tuple[int, int]:
        """The classes of a cell or bar in view."""
        labels = [*self.shown().tolist(), ALL]
        return labels[cell[0]], labels[cell[1]]

    def _on_hovered(self, cell: Cell | None) -> None:
        shown = cell or self.view.current()
        self.read_out.setText("" if shown is None else self.view.describe(shown))

    def _on_chosen(self, cell: Cell) -> None:
        self._choose(self._labels(cell))

    def _on_percent(self, checked: bool) -> None:
        self.view.set_numbers(percent=checked)

    def _on_sorted(self, _checked: bool) -> None:
        self._on_far()

    def _on_near(self) -> None:
        shown = self.shown()
        self._zoom(self._chosen or (int(shown[0]), int(shown[0])), nearer=True)

    def _on_far(self) -> None:
        self._shown = None
        self.refresh()
        self._mark()


def margins_of(opened: Opened, labels: NDArray[np.int64]) -> Margins:
    """Recall and precision of some classes, with their intervals, over all classes."""
    figures = opened.evaluated.report.per_class
    called = opened.evaluated.confusion.sum(axis=0).tolist()
    recall, precision = [], []
    for label in labels.tolist():
        each = figures[label]
        recall.append(MarginShare(each.recall, each.support, each.intervals.get("recall")))
        interval = each.intervals.get("precision")
        precision.append(MarginShare(each.precision, called[label], interval))
    return Margins(recall, precision)
