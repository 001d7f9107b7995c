"""The validations of a run with masks or boxes: metrics of each class, and pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.answer import Calibration
from studio.ui.language import translated
from studio.ui.shared.dataset_pictures import Captioned, OverlayOf, PictureGrid
from studio.ui.shared.overlay import ColorKey
from studio.ui.tasks.view import InsightView, ValidationInsight
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import NO_VALUE, percent
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.overlay import swatch
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.tasks.prediction import Reporter

_tr = partial(QCoreApplication.translate, "tasks")

RIGHT_COLOR: Final = "#009e73"
MISSED_COLOR: Final = "#d55e00"
FALSE_COLOR: Final = "#56b4e9"
"""Green, orange and sky blue of Okabe and Ito: distinct for any color vision."""
MOST: Final = 100
"""Worst images that are shown."""
_LEAST: Final = 300
_LETTERS: Final = 20
_FIGURE: Final = 88
_PREDICTED, _ERRORS, _WORST = range(3)


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """Metrics of a class; NaN where it does not occur.

    Attributes:
        output: Index of the class; None for all of them.
        name: The class, or a word for all of them.
        color: Color of the class as "#rrggbb"; empty for all.
        values: In the order of the metrics that are shown.
    """

    output: int | None
    name: str
    color: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class InsightWords:
    """Texts about masks or boxes.

    Attributes:
        samples: The kind of pictures with what was predicted.
        help: Explanation of the kinds of pictures.
        pictures: Name of the pictures for a screen reader.
        worst: Line above the worst images, with `{name}`.
    """

    samples: str
    help: str
    pictures: str
    worst: str


class RegionInsights(InsightView):
    """Metrics of each class at the left, pictures with predicted regions at the right.

    Args:
        theme: The theme.
        reporter: Measures the predictions.
        measured: Names of the metrics in the table.
        words: Its texts.
        key: The key to the colors of errors.
        thumb: Side of a picture in pixels.
        parent: Parent widget.
    """

    def __init__(
        self,
        theme: Theme,
        reporter: Reporter,
        measured: Sequence[str],
        words: InsightWords,
        key: ColorKey,
        thumb: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._insight: ValidationInsight | None = None
        self.reporter = reporter
        self._measured = measured
        self._words = words
        columns = _columns(reporter, measured)
        self.table = Table(_tr("Metrics of each class"), columns, self, key=attrgetter("output"))
        self.table.setMinimumWidth(_LEAST)
        self.box = ComboBox(self)
        self.box.addItems([words.samples, _tr("Samples: errors"), _tr("Worst images")])
        self.box.setAccessibleName(_tr("Pictures"))
        self.box.setMinimumContentsLength(_LETTERS)
        explain(self.box, words.help)
        self.line = ElidedLabel("", self, role="muted")
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(thumb)
        self.grid.setAccessibleName(words.pictures)
        self.key = key
        head = hbox(self.box, (self.line, 1), spacing=SPACE.m)
        right = vbox(head, key, (self.grid, 1), spacing=SPACE.xs)
        hbox((self.table, 1), (right, 1), owner=self, spacing=SPACE.l)
        self.table.row_chosen.connect(self._show_pictures)
        self.box.currentIndexChanged.connect(self._show_pictures)

    def sample_rows(self, insight: ValidationInsight) -> Sequence[int]:
        """Return the rows of the pictures that are shown at each validation."""
        raise NotImplementedError

    def predicted(self, insight: ValidationInsight, output: int | None) -> OverlayOf:
        """Return what maps rows to the predicted regions over their pictures.

        Args:
            insight: The validation.
            output: Index of the class; None for all.
        """
        raise NotImplementedError

    def errors(self, insight: ValidationInsight, output: int | None) -> OverlayOf:
        """Return what maps rows to missed and false regions; see `predicted`."""
        raise NotImplementedError

    def caption(self, error: float) -> str:
        """Return the caption of a picture by its error, 0 to 1; negative if it is unknown."""
        raise NotImplementedError

    def show_insight(self, insight: ValidationInsight) -> None:
        """Show a validation; the chosen class and kind of pictures stay."""
        self._insight = insight
        self.table.show_rows(_figures(self.reporter, self._measured, insight))
        if self.table.current is None:
            self.table.select(None)
        self._show_pictures()

    def repaint_pictures(self) -> None:
        """Show pictures in another style of their regions."""
        self.grid.reload()

    def _show_pictures(self) -> None:
        insight, chosen = self._insight, self.table.current
        if insight is None or chosen is None:
            return
        kind, output, name = self.box.currentIndex(), chosen.output, chosen.name
        self.key.setVisible(kind == _ERRORS)
        found = insight.found
        wrong = self.reporter.errors(found.outputs, found.truth, output)
        if kind == _WORST:
            self.line.setText(self._words.worst.format(name=name))
            order = (-wrong).argsort(kind="stable")[:MOST]
            pairs = zip(found.rows[order].tolist(), wrong[order].tolist(), strict=True)
            images = [self._captioned(row, error) for row, error in pairs if error >= 0]
            self.grid.show_images(images, insight.pictures)
            return
        self.line.setText(name if kind == _ERRORS else _tr("The same images in every epoch"))
        known = dict(zip(found.rows.tolist(), wrong.tolist(), strict=True))
        images = [self._captioned(row, known.get(row)) for row in self.sample_rows(insight)]
        regions = self.errors if kind == _ERRORS else self.predicted
        self.grid.show_images(images, insight.pictures, regions(insight, output))

    def _captioned(self, row: int, error: float | None) -> Captioned:
        text = NO_VALUE if error is None else self.caption(error)
        return Captioned(row, text, text)


def _columns(reporter: Reporter, measured: Sequence[str]) -> list[Column[ClassFigures]]:
    specs = {spec.name: spec for spec in reporter.outputs}
    name: Column[ClassFigures] = Column(
        _tr("Class"),
        attrgetter("name"),
        value=attrgetter("name"),
        key="class",
        width=FILL,
        is_text=True,
        picture=lambda row: swatch(row.color) if row.color else None,
    )
    return [
        name,
        *(
            Column(
                translated(specs[each].label),
                partial(_text, index),
                value=partial(_value, index),
                key=each,
                width=_FIGURE,
                tip=translated(specs[each].summary),
            )
            for index, each in enumerate(measured)
        ),
    ]


def _value(index: int, row: ClassFigures) -> float:
    return row.values[index]


def _text(index: int, row: ClassFigures) -> str:
    value = row.values[index]
    return NO_VALUE if math.isnan(value) else percent(value)


def _figures(
    reporter: Reporter, measured: Sequence[str], insight: ValidationInsight
) -> list[ClassFigures]:
    """Return the means over the classes, and the metrics of each class."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    found = reporter.measure(insight.found.outputs, insight.found.truth, Calibration())
    each: NDArray[np.float64] = np.stack([found.outputs[name] for name in measured], axis=1)
    known = np.isfinite(each)
    sums = np.where(known, each, 0).sum(axis=0)
    means = np.divide(sums, known.sum(axis=0), out=np.full(len(sums), np.nan), where=known.any(0))
    rows = [ClassFigures(None, _tr("All classes"), "", tuple(means.tolist()))]
    colors = insight.colors or [""] * len(insight.names)
    classes = zip(insight.names, colors, each.tolist(), strict=True)
    for output, (name, color, values) in enumerate(classes):
        rows.append(ClassFigures(output, name, color, tuple(values)))
    return rows
