"""Predicted and true values of the validation images of a run, and the largest residuals."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.shared.dataset_pictures import Captioned, PictureGrid
from studio.ui.tasks.data_view import quantity
from studio.ui.tasks.insight_view import InsightView, Moment
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_tr = partial(QCoreApplication.translate, "residuals")

MOST = 200
"""Pictures that are shown, the largest residuals first."""
_LEAST = (280, 220)
_THUMB = 72


class Residuals(InsightView):
    """A point for each image at the left, the pictures of the largest residuals at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        from studio.ui.charts.scatter import ScatterChart  # noqa: PLC0415 - pyqtgraph and NumPy

        self._moment: Moment | None = None
        self._order: NDArray[np.int64] | None = None
        self.box = ComboBox(self)
        self.box.setAccessibleName(_tr("Quantity"))
        self.box.setToolTip(_tr("The quantity that is shown."))
        self.plot = ScatterChart(theme, _tr("Predicted and true values"), self)
        self.plot.setMinimumSize(*_LEAST)
        self.read_out = ElidedLabel(parent=self)
        self.read_out.setProperty("role", "muted")
        self.heading = QLabel(_tr("Largest residuals"), self)
        self.heading.setProperty("role", "section")
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.heading.text())
        left = QVBoxLayout()
        left.setSpacing(SPACE.xs)
        left.addWidget(self.plot, 1)
        left.addWidget(self.read_out)
        head = QHBoxLayout()
        head.addWidget(self.heading, 1)
        head.addWidget(self.box)
        right = QVBoxLayout()
        right.setSpacing(SPACE.xs)
        right.addLayout(head)
        right.addWidget(self.grid, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addLayout(left, 1)
        row.addLayout(right, 1)
        self.box.currentIndexChanged.connect(self._show)
        self.plot.pointed.connect(self._on_pointed)
        self.plot.chosen.connect(self._on_chosen)

    def show_moment(self, moment: Moment) -> None:
        """Show a validation; the chosen quantity stays."""
        is_other = self._moment is None or self._moment.pictures is not moment.pictures
        self._moment = moment
        names = [_with_unit(*each) for each in zip(moment.names, moment.units, strict=True)]
        if is_other or self.box.count() != len(names):
            self.plot.mark(None)
            self.box.blockSignals(True)
            self.box.clear()
            self.box.addItems(names)
            self.box.blockSignals(False)
        self.box.setVisible(len(names) > 1)
        self._show()

    def _show(self, _index: int = 0) -> None:
        moment, at = self._moment, self.box.currentIndex()
        if moment is None or at < 0:
            return
        import numpy as np  # noqa: PLC0415 - the window starts without it

        true = moment.found.truth[:, at].astype(np.float64)
        predicted = moment.found.outputs[:, at].astype(np.float64)
        name = self.box.itemText(at)
        labels = (_tr("True {name}").format(name=name), _tr("Predicted {name}").format(name=name))
        self.plot.show_values(true, predicted, labels)
        self.read_out.setText("")
        self._order = np.argsort(-np.abs(np.nan_to_num(predicted - true)), kind="stable")[:MOST]
        images = [self._captioned(int(place)) for place in self._order]
        self.grid.show_images(images, moment.pictures)

    def _captioned(self, place: int) -> Captioned:
        moment = self._moment
        if moment is None:
            raise ValueError("nothing is shown")
        at = self.box.currentIndex()
        true = float(moment.found.truth[place, at])
        predicted = float(moment.found.outputs[place, at])
        row = int(moment.found.rows[place])
        return Captioned(row, _difference(predicted - true), self._words(true, predicted, at))

    def _words(self, true: float, predicted: float, at: int) -> str:
        unit = "" if self._moment is None else self._moment.units[at]
        return _tr("predicted {predicted}, true {true} ({difference})").format(
            predicted=quantity(predicted, unit),
            true=quantity(true, unit),
            difference=_difference(predicted - true),
        )

    def _on_pointed(self, index: int) -> None:
        self.read_out.setText("" if index < 0 else self._captioned(index).whole)

    def _on_chosen(self, index: int) -> None:
        """Mark the point, and show its picture before the others."""
        moment = self._moment
        if moment is None or self._order is None:
            return
        self.plot.mark(index)
        places = [index, *(int(place) for place in self._order if place != index)]
        self.grid.show_images([self._captioned(place) for place in places], moment.pictures)
        self.grid.scrollToTop()


def _with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def _difference(value: float) -> str:
    return f"+{significant(value, 3)}" if value > 0 else significant(value, 3)
