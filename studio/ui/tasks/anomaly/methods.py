"""The methods that a fit to good images compared, and the scores of the chosen one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.anomaly.task import AUROC
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureChart
from studio.ui.language import translated
from studio.ui.shared.dataset_pictures import Captioned, DatasetPictures, PictureGrid
from studio.ui.tasks.data_view import distribution_line
from studio.ui.tasks.view import FitView, threshold_lines
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count, metric_text, significant
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.training.history import MethodsCompared

    Scores = NDArray[np.floating]

_BINS: Final = 30
_THUMB: Final = 72
_LEAST: Final = 240
"""Pixels of the table."""
_FIGURE: Final = 88
_tr = partial(QCoreApplication.translate, "tasks")


def score_histogram(good: Scores, defects: Scores, threshold: float | None, name: str) -> Figure:
    """Return how many images have which score.

    Args:
        good: Scores of good images, shape (n,).
        defects: Scores of images with defects, shape (m,).
        threshold: From which score on an image has a defect.
        name: Name of the images with defects in the legend.
    """
    import numpy as np  # noqa: PLC0415 - not when the window starts

    highest = max(float(np.concatenate([good, defects, [1e-6]]).max()), 1.05 * (threshold or 0.0))
    edges = np.linspace(0, highest, _BINS + 1)
    places = (edges[1:] + edges[:-1]) / 2
    sides = ((_tr("good"), good), (name, defects))
    lines = [
        distribution_line(name, scores, edges, places, color)
        for color, (name, scores) in enumerate(sides)
        if len(scores)
    ]
    across = AxisScale(_tr("Score"), 0.0, highest)
    up = AxisScale(_tr("Share of the images"), 0.0, 1.0, percent=True)
    return Figure(_tr("Scores"), across, up, (*lines, *threshold_lines(threshold)))


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A row of the table of methods.

    Attributes:
        name: The method.
        maps: Maps of features that it uses.
        score: AUROC on drawn defects.
        is_chosen: True for the method of the model.
    """

    name: str
    maps: str
    score: float
    is_chosen: bool


class MethodsView(FitView):
    """All methods at the left, the scores of the chosen one and good images at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = Table(_tr("Methods"), _columns(), self)
        self.table.setMinimumWidth(_LEAST)
        self.hint = text_label("", "muted", self, wraps=True)
        self.chart = FigureChart(theme, self)
        self.heading = text_label(_tr("Nearest to the threshold"), "section", self, wraps=True)
        self.heading.setToolTip(
            _tr(
                "The held-out good images with the highest scores set the threshold. If one of "
                "them has a defect, remove it and train again."
            )
        )
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(self.heading.text())
        left = vbox(self.hint, (self.table, 1), spacing=SPACE.xs)
        right = vbox(self.heading, (self.grid, 1), spacing=SPACE.xs)
        hbox((left, 6), (self.chart, 3), (right, 3), owner=self, spacing=SPACE.l)

    def show_fit(self, found: MethodsCompared, pictures: DatasetPictures) -> None:
        """Show the methods of a run, the best one first; see `FitView.show_fit`."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        self.found = found
        self.hint.setText(
            _tr(
                "Compared on {good} held-out good images and {drawn} copies with drawn defects. "
                "Real defects may be easier or harder."
            ).format(good=count(len(found.good)), drawn=count(len(found.drawn)))
        )
        rows = [
            MethodRow(translated(each.name), each.maps, each.score, index == found.chosen)
            for index, each in enumerate(found.methods)
        ]
        self.table.show_rows(sorted(rows, key=lambda each: (not each.is_chosen, -each.score)))
        good, drawn = np.array(found.good), np.array(found.drawn)
        self.chart.show_figure(score_histogram(good, drawn, 1.0, _tr("drawn defects")))
        pairs = sorted(zip(found.good, found.rows, strict=True), reverse=True)
        texts = [(row, significant(score, 3)) for score, row in pairs]
        self.grid.show_images([Captioned(row, text, text) for row, text in texts], pictures)


def _columns() -> tuple[Column[MethodRow], ...]:
    return (
        Column(
            _tr("Method"),
            attrgetter("name"),
            value=attrgetter("name"),
            width=FILL,
            tip=_tr("Way of comparing with good images."),
            is_text=True,
        ),
        Column(
            _tr("AUROC"),
            _score_text,
            value=attrgetter("score"),
            width=_FIGURE,
            tip=_tr(
                "Probability that a drawn defect has a higher score than a good image. The star "
                "marks the method of the model."
            ),
            is_descending=True,
        ),
        Column(
            _tr("Maps"),
            attrgetter("maps"),
            value=attrgetter("maps"),
            tip=_tr("Maps of features that the method uses."),
            is_text=True,
        ),
    )


def _score_text(row: MethodRow) -> str:
    text = metric_text(AUROC, row.score)
    return f"{text} ★" if row.is_chosen else text
