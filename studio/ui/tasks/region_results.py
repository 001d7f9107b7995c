"""Reports and validations of masks and boxes: metrics of each class, and pictures with errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.calibration import Calibration
from studio.ui.language import translated
from studio.ui.shared.dataset_pictures import Captioned
from studio.ui.shared.overlay import ColorKey
from studio.ui.tasks.view import (
    CellImages,
    InsightView,
    OutputData,
    ReportView,
    Together,
    ValidationInsight,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import NO_VALUE, percent
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.overlay import Overlay, swatch
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
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


def error_colors(*, shows_right: bool) -> dict[str, str]:
    """Return the words for right, missed and false regions with their colors.

    Args:
        shows_right: False to leave right regions without a color.
    """
    return {
        _tr("right"): RIGHT_COLOR if shows_right else "",
        _tr("missed"): MISSED_COLOR,
        _tr("false"): FALSE_COLOR,
    }


def error_key(*, shows_right: bool, parent: QWidget | None) -> ColorKey:
    """Make the key to `error_colors`.

    Args:
        shows_right: See `error_colors`.
        parent: Parent widget.
    """
    colors = error_colors(shows_right=shows_right)
    return ColorKey([(color, word) for word, color in colors.items() if color], parent)


@dataclass(frozen=True, slots=True)
class ResultWords:
    """Texts about the results of masks or boxes.

    Attributes:
        samples: The kind of pictures with what was predicted.
        samples_help: Explanation of the kinds of pictures.
        pictures: Name of the pictures for a screen reader.
        worst: Line above the worst images, with `{name}`.
        confusion: The word on the tab of the confusion of classes; see `Together`.
        confusion_hint: Explanation of the confusion in a sentence.
        confusion_cell: Text of a cell of the confusion.
    """

    samples: str
    samples_help: str
    pictures: str
    worst: str
    confusion: str
    confusion_hint: str
    confusion_cell: str


class RegionReport(ReportView):
    """Base of the reports on masks and boxes: images with errors, those with the most first.

    Attributes:
        measured: Names of the metrics of a validation.
        thumb: Side of the pictures of a validation in pixels.
        shows_right: False if right regions have no color among the errors.
    """

    shows_images = True
    measured: Sequence[str]
    thumb: int
    shows_right: bool

    @property
    def reporter(self) -> Reporter:
        """Measures predictions."""
        raise NotImplementedError

    def words(self) -> ResultWords:
        """Return the texts."""
        raise NotImplementedError

    def error_text(self, error: float) -> str:
        """Return the caption of an image by its error, 0 to 1; negative if it is unknown."""
        raise NotImplementedError

    def cell_images(self, evaluation: EvaluatedOutputs, truth: int, predicted: int) -> CellImages:
        """Return the images of a cell of the confusion, those with the most of it first.

        Args:
            evaluation: Evaluation of the images.
            truth: The true class.
            predicted: The predicted class.
        """
        raise NotImplementedError

    def samples(self, insight: ValidationInsight) -> Mapping[int, NDArray[Any]]:
        """Return the predictions for the pictures shown at each validation, by their rows."""
        raise NotImplementedError

    def sample_regions(
        self, insight: ValidationInsight, output: int | None, row: int
    ) -> Overlay | None:
        """Return the predicted regions over a picture of a validation; called in any thread.

        Args:
            insight: The validation.
            output: Index of the class; None for all.
            row: Row of the picture in its dataset.
        """
        raise NotImplementedError

    def sample_errors(
        self, insight: ValidationInsight, output: int | None, row: int
    ) -> Overlay | None:
        """Return missed and false regions over a picture of a validation; see `sample_regions`."""
        raise NotImplementedError

    def images_key(self, parent: QWidget) -> QWidget:
        """Make the key to the colors of errors."""
        return error_key(shows_right=self.shows_right, parent=parent)

    def data(self, evaluation: EvaluatedOutputs, output: int) -> OutputData | None:
        """Return None: masks and boxes have no number for each image."""
        return None

    def captions(
        self, evaluation: EvaluatedOutputs, output: int | None, indices: Sequence[int]
    ) -> list[tuple[str, bool]]:
        """Return the quality of each image; see `ReportView.captions`."""
        chosen = list(indices)
        errors = evaluation.reporter.errors(
            evaluation.evidence[chosen],
            evaluation.targets[chosen],
            output,
            evaluation.calibration,
        )
        return [(self.error_text(error), False) for error in errors.tolist()]

    def together(self, evaluation: EvaluatedOutputs) -> Together | None:
        """Return the pixels or objects by their true and their predicted class."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        confusion = evaluation.report.confusion
        if confusion is None:
            return None
        counts, words = np.array(confusion, np.int64), self.words()
        names = [*(each.name for each in evaluation.report.outputs), _tr("background")]
        return Together(
            words.confusion,
            words.confusion_hint,
            (_tr("True class"), _tr("Predicted class")),
            counts,
            counts.sum(axis=1),
            words.confusion_cell,
            partial(self.cell_images, evaluation),
            has_mistakes=True,
            names=names[: len(counts)],
        )


@dataclass(frozen=True, slots=True)
class ClassMetrics:
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


class RegionInsights(InsightView):
    """Metrics of each class at the left, pictures with predicted regions at the right.

    Args:
        theme: The theme.
        report: The report on the same task.
        parent: Parent widget.
    """

    def __init__(self, theme: Theme, report: RegionReport, parent: QWidget | None = None) -> None:
        super().__init__(theme, report.thumb, parent)
        self._report = report
        self._words = words = report.words()
        columns = _columns(report)
        self.table = Table(_tr("Metrics of each class"), columns, self, key=attrgetter("output"))
        self.table.setMinimumWidth(_LEAST)
        self.box = ComboBox(self)
        self.box.addItems([words.samples, _tr("Samples: errors"), _tr("Worst images")])
        self.box.setAccessibleName(_tr("Images"))
        self.box.setMinimumContentsLength(_LETTERS)
        explain(self.box, words.samples_help)
        self.line = ElidedLabel("", self, role="muted")
        self.key = error_key(shows_right=report.shows_right, parent=self)
        head = hbox(self.box, (self.line, 1), spacing=SPACE.m)
        self._lay_out(self.table, head, self.key)
        self.grid.setAccessibleName(words.pictures)
        self.table.row_chosen.connect(self._show_pictures)
        self.box.currentIndexChanged.connect(self._show_pictures)

    def show_insight(self, insight: ValidationInsight) -> None:
        """Show a validation; the chosen class and kind of pictures stay."""
        self._insight = insight
        self.table.show_rows(_figures(self._report, insight))
        if self.table.current is None:
            self.table.select(None)
        self._show_pictures()

    def _show_pictures(self) -> None:
        insight, report, chosen = self._insight, self._report, self.table.current
        if insight is None or chosen is None:
            return
        kind, output, name = self.box.currentIndex(), chosen.output, chosen.name
        self.key.setVisible(kind == _ERRORS)
        found = insight.found
        wrong = report.reporter.errors(found.outputs, found.truth, output)
        if kind == _WORST:
            self.line.setText(self._words.worst.format(name=name))
            order = (-wrong).argsort(kind="stable")[:MOST]
            pairs = zip(found.rows[order].tolist(), wrong[order].tolist(), strict=True)
            images = [self._captioned(row, error) for row, error in pairs if error >= 0]
            self.grid.show_images(images, insight.pictures)
            return
        self.line.setText(name if kind == _ERRORS else _tr("The same images in every epoch"))
        known = dict(zip(found.rows.tolist(), wrong.tolist(), strict=True))
        images = [self._captioned(row, known.get(row)) for row in report.samples(insight)]
        regions = report.sample_errors if kind == _ERRORS else report.sample_regions
        self.grid.show_images(images, insight.pictures, partial(regions, insight, output))

    def _captioned(self, row: int, error: float | None) -> Captioned:
        text = NO_VALUE if error is None else self._report.error_text(error)
        return Captioned(row, text, text)


def _columns(report: RegionReport) -> list[Column[ClassMetrics]]:
    specs = {spec.name: spec for spec in report.reporter.outputs}
    name: Column[ClassMetrics] = Column(
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
            for index, each in enumerate(report.measured)
        ),
    ]


def _value(index: int, row: ClassMetrics) -> float:
    return row.values[index]


def _text(index: int, row: ClassMetrics) -> str:
    value = row.values[index]
    return NO_VALUE if math.isnan(value) else percent(value)


def _figures(report: RegionReport, insight: ValidationInsight) -> list[ClassMetrics]:
    """Return the means over the classes, and the metrics of each class."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    found = report.reporter.measure(insight.found.outputs, insight.found.truth, Calibration())
    each: NDArray[np.float64] = np.stack([found.outputs[name] for name in report.measured], axis=1)
    known = np.isfinite(each)
    sums = np.where(known, each, 0).sum(axis=0)
    means = np.divide(sums, known.sum(axis=0), out=np.full(len(sums), np.nan), where=known.any(0))
    rows = [ClassMetrics(None, _tr("All classes"), "", tuple(means.tolist()))]
    colors = insight.colors or [""] * len(insight.names)
    classes = zip(insight.names, colors, each.tolist(), strict=True)
    for output, (name, color, values) in enumerate(classes):
        rows.append(ClassMetrics(output, name, color, tuple(values)))
    return rows
