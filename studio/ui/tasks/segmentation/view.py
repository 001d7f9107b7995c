"""The parts of pages for a class per pixel: datasets, reports, and the task view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.annotations import IGNORE, is_background
from studio.engine.tasks.prediction import IGNORED
from studio.engine.tasks.task import Task
from studio.ui.shared.dataset_pictures import OverlayOf
from studio.ui.tasks.data_view import DataWords, Distribution, Fact, class_words
from studio.ui.tasks.output_table import OutputLines
from studio.ui.tasks.region_fields import RegionData, RegionFields, RegionWords, present
from studio.ui.tasks.region_results import (
    MISSED_COLOR,
    RegionInsights,
    RegionReport,
    ResultWords,
    error_colors,
)
from studio.ui.tasks.targets import (
    Condition,
    RangeFilter,
    RecipePart,
    TargetFilter,
    TargetTable,
    ValueDistribution,
    number_field,
)
from studio.ui.tasks.view import (
    CellImages,
    InsightView,
    TaskView,
    ValidationInsight,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import NO_VALUE, count, percent
from studio.ui.widgets.inputs import DoubleSpinBox
from studio.ui.widgets.labels import apart
from studio.ui.widgets.overlay import MaskOverlay
from studio.ui.widgets.table_model import FigureCell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
    from studio.engine.tasks.segmentation.report import ReportsMasks

_tr = partial(QCoreApplication.translate, "tasks")


class MaskFields(RegionFields):
    """The place of the masks, and the table of their classes."""

    def words(self) -> RegionWords:
        """Return the texts about masks."""
        return RegionWords(
            regions=_tr("Masks"),
            elsewhere=_tr("Masks elsewhere…"),
            elsewhere_help=_tr(
                "Chooses the folder or file of the masks if they are not in the image folder."
            ),
            folder=_tr("Mask folder…"),
            choose_folder=_tr("Choose the mask folder"),
            classes=_tr("Classes of the masks"),
            fixed_color=_tr("The mask files use this color for the class."),
        )


_FIELD = 96
_NONE = -1
_CLASSES = "classes"


class SegmentationData(RegionData):
    """Shows the classes of pixels of a dataset."""

    def words(self, task: Task) -> DataWords:
        """Return the words for classes of pixels."""
        return class_words(
            card_help=_tr("Shows the images that contain this class."),
            distribution=_tr("Pixels per class"),
            changed=_tr("{images} with changed masks"),
            choice=_tr("A class per pixel (segmentation)"),
            choice_help=_tr("Each image has a mask that assigns a class to each pixel."),
        )

    def proposal(self, columns: str) -> str:
        """Return why an import proposes segmentation."""
        return _tr("Proposed because masks were found next to the images.")

    def recipe_part(self, theme: Theme, parent: QWidget) -> RecipePart | None:
        """Create the fields for masks and classes; see `DataView.recipe_part`."""
        return MaskFields(theme, parent)

    def caption(self, targets: TargetTable, row: int) -> str:
        """Return the largest class, preferably not the background; see `DataView.caption`."""
        found = _present(targets, row)
        return f"{apart(found[0][0])} {percent(found[0][2], 0)}" if found else _tr("No mask")

    def facts(self, targets: TargetTable, row: int) -> list[Fact]:
        """Return share and pixels of each class in an image; see `DataView.facts`."""
        return [
            (name, _tr("{share} · {n} px").format(share=percent(share), n=count(pixels)))
            for name, pixels, share in _present(targets, row)
        ] or [(_tr("Classes"), _tr("No mask"))]

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Offer also the images with the most classes."""
        return [(_CLASSES, _tr("Most classes first")), *super().orders(names)]

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Sort by the number of classes, or by the area of one; see `DataView.order`."""
        if key == _CLASSES:
            numbers: NDArray[np.int64] = (targets.values > 0).sum(axis=1)
            return (-numbers).argsort(kind="stable")
        return super().order(targets, key)

    def largest(self, targets: TargetTable, output: int) -> NDArray[np.float64]:
        """Return the pixels of a class in each image; see `RegionData.largest`."""
        return targets.values[:, output].astype("float64")

    def smallest(self, targets: TargetTable, output: int) -> NDArray[np.float64]:
        """Return the pixels of a class in each image; see `RegionData.smallest`."""
        found = self.largest(targets, output)
        found[found == 0] = math.inf
        return found

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:
        """Create the filter for a class and its area; see `DataView.filter`."""
        return AreaFilter(parent)

    def figures(
        self, targets: TargetTable, rows: NDArray[np.int64]
    ) -> tuple[ValueDistribution, ...]:
        """Return each class's fraction of all pixels, and its range; see `DataView.figures`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        values = targets.values[rows].astype(np.float64)
        total = max(values.sum(), 1.0)
        fractions = values / np.maximum(values.sum(axis=1, keepdims=True), 1.0)
        return tuple(
            replace(ValueDistribution.of(each[each > 0]), mean=float(pixels.sum() / total))
            for pixels, each in zip(values.T, fractions.T, strict=True)
        )

    def lines(self, distribution: Distribution) -> OutputLines:
        """Return images and fraction of pixels of each class; see `DataView.lines`."""
        plain = super().lines(distribution)
        lines = []
        for line, figure in zip(plain.lines, distribution.figures, strict=False):
            area = FigureCell(percent(figure.mean, 2), figure.mean)
            text = _tr("{images}; {share} of all pixels")
            sentence = text.format(images=line.summary, share=area.text)
            lines.append(replace(line, cells=(*line.cells, area), summary=sentence))
        return OutputLines((*plain.headings, _tr("Pixels")), lines, sorted_by=3)

    def balance_heading(self, task: Task) -> str:
        """Return what `balance` compares."""
        return _tr("Share of pixels")

    def balance_column(self, targets: TargetTable, chosen: NDArray[np.bool_]) -> list[str]:
        """Return the fraction of each class; see `DataView.balance_column`."""
        sums = targets.values[chosen].sum(axis=0, dtype="float64")
        return [percent(each / sums.sum(), 2) if sums.any() else "" for each in sums]


class AreaFilter(RangeFilter):
    """All images, those with a class in a range of areas, or those without any class."""

    def __init__(self, parent: QWidget | None = None) -> None:
        first = ((_tr("All classes"), None), (_tr("Only background"), _NONE))
        super().__init__(_tr("Class"), first, parent)
        self.low = self._field(
            _tr("Smallest area"), _tr("Hides images where the class covers less."), 0
        )
        self.high = self._field(
            _tr("Largest area"), _tr("Hides images where the class covers more."), 100
        )
        self._add_range(self.low, self.high)

    def condition(self) -> Condition | None:
        """Return a mask of the images whose area of the class is in the range."""
        output = self.box.currentData()
        if output is None:
            return None
        if output == _NONE:
            return without_objects
        return partial(with_area, output, self.low.value() / 100, self.high.value() / 100)

    def _field(self, name: str, help_text: str, value: float) -> DoubleSpinBox:
        field = DoubleSpinBox(self.below)
        field.setDecimals(1)
        field.setRange(0, 100)
        field.setSuffix("\N{NO-BREAK SPACE}%")
        field.setValue(value)
        number_field(field, name, help_text, _FIELD)
        return field

    def _clear(self) -> None:
        self.low.setValue(0)
        self.high.setValue(100)
        super()._clear()

    def _show_choice(self) -> None:
        output = self.box.currentData()
        is_class = output not in (None, _NONE)
        self.below.setVisible(is_class)
        if is_class:
            name = apart(self._names[output])
            self._name.setText(_tr("{name} covers").format(name=name))


def with_area(output: int, low: float, high: float, targets: TargetTable) -> NDArray[np.bool_]:
    """Return a mask of the images in which a class has a share of the pixels in a range, (N,).

    Args:
        output: Number of the class.
        low: The smallest share.
        high: The largest share.
        targets: Targets of the dataset.
    """
    import numpy as np  # noqa: PLC0415 - kept out of the start of the window

    totals = np.maximum(targets.values.sum(axis=1, dtype=np.float64), 1.0)
    fractions = targets.values[:, output] / totals
    found: NDArray[np.bool_] = targets.having(output) & (fractions >= low) & (fractions <= high)
    return found


def without_objects(targets: TargetTable) -> NDArray[np.bool_]:
    """Return a mask of the images with background only, shape (N,)."""
    objects = [not is_background(name) for name in targets.names]
    found: NDArray[np.bool_] = targets.values[:, objects].max(axis=1, initial=0) == 0
    return found


def _present(targets: TargetTable, row: int) -> list[tuple[str, int, float]]:
    """Return name, pixels and share of the classes in an image, the background last."""
    found = sorted(present(targets, row), key=lambda each: is_background(each[0]))
    total = sum(pixels for _, pixels in found)
    return [(name, pixels, pixels / total) for name, pixels in found]


class MaskReport(RegionReport):
    """Shows the pixels that are wrong."""

    # Counts of pixels are enough for these; boundaries are compared by an evaluation.
    measured = ("iou", "dice", "precision", "recall")
    thumb = 112
    shows_right = False

    @property
    def reporter(self) -> ReportsMasks:
        """Measures masks."""
        from studio.engine.tasks.segmentation.report import REPORTER  # noqa: PLC0415 - NumPy

        return REPORTER

    def words(self) -> ResultWords:
        """Return the texts about masks."""
        return ResultWords(
            samples=_tr("Samples: predicted masks"),
            samples_help=_tr(
                "Samples are the same images in every epoch. Worst images have the lowest IoU."
            ),
            pictures=_tr("Images with masks"),
            worst=_tr("{name}: lowest IoU first, true masks"),
            confusion=_tr("Pixel confusion"),
            confusion_hint=_tr(
                "Rows: true classes. Columns: predicted ones. Click a cell to see its images."
            ),
            confusion_cell=_tr(
                "{number} of {whole} pixels of “{row}” are predicted as “{column}” ({share})"
            ),
        )

    def images_title(self) -> str:
        """Return the title about the order of the images."""
        return _tr("{name}: lowest IoU first")

    def error_text(self, error: float) -> str:
        """Return the IoU of an image; see `RegionReport.error_text`."""
        return _tr("IoU {value}").format(value=percent(1 - error)) if error >= 0 else NO_VALUE

    def overlay_of(self, evaluation: EvaluatedOutputs, output: int | None) -> OverlayOf | None:
        """Return the marks of missed and false pixels; see `ReportView.overlay_of`."""
        return partial(self._errors, evaluation, output)

    def cell_images(self, evaluation: EvaluatedOutputs, truth: int, predicted: int) -> CellImages:
        """Return the images with pixels of a cell; see `RegionReport.cell_images`."""
        found, pixels = evaluation.cell(truth, predicted)
        texts = [_tr("{n} px").format(n=count(number)) for number in pixels.tolist()]
        mark = partial(_pixels_of_cell, evaluation, truth, predicted)
        return CellImages(found.tolist(), texts, mark)

    def samples(self, insight: ValidationInsight) -> dict[int, NDArray[np.uint8]]:
        """Return the predicted masks; see `RegionReport.samples`."""
        masks = insight.masks
        return {} if masks is None else dict(zip(masks.rows.tolist(), masks.labels, strict=True))

    def sample_regions(
        self, insight: ValidationInsight, output: int | None, row: int
    ) -> MaskOverlay | None:
        """Return the predicted mask of a picture; see `RegionReport.sample_regions`."""
        found = self.samples(insight).get(row)
        return None if found is None else MaskOverlay(found, insight.names, insight.colors)

    def sample_errors(
        self, insight: ValidationInsight, output: int | None, row: int
    ) -> MaskOverlay | None:
        """Return missed and false pixels; see `RegionReport.sample_errors`."""
        found, truth = self.samples(insight).get(row), insight.pictures.overlay(row)
        if found is None or not isinstance(truth, MaskOverlay):
            return None
        return self.error_overlay(found, truth.labels, output)

    def error_overlay(
        self, predicted: NDArray[np.uint8], truth: NDArray[np.uint8], output: int | None
    ) -> MaskOverlay:
        """Return the missed and false pixels of a picture.

        Args:
            predicted: Class of each pixel, shape (H, W).
            truth: Class of each pixel, or `IGNORE`, shape (H, W).
            output: The class; None for all.
        """
        errors = self.reporter.error_map(predicted, truth, output).copy()
        errors[errors == IGNORED] = IGNORE
        colors = error_colors(shows_right=self.shows_right)
        return MaskOverlay(errors, list(colors), list(colors.values()))

    def _errors(
        self, evaluation: EvaluatedOutputs, output: int | None, row: int
    ) -> MaskOverlay | None:
        found = evaluation.pair(row)
        return None if found is None else self.error_overlay(*found, output)


def _pixels_of_cell(
    evaluation: EvaluatedOutputs, truth: int, predicted: int, row: int
) -> MaskOverlay | None:
    """Return the pixels of a class that were predicted as another one."""
    found = evaluation.pair(row)
    if found is None:
        return None
    given, true = found
    labels = (true == truth) & (given == predicted)
    names = ["", _tr("pixels of the cell")]
    return MaskOverlay(labels.astype("uint8"), names, ["", MISSED_COLOR])


class SegmentationView(SegmentationData, TaskView):
    """Shows a class for each pixel."""

    report = MaskReport()

    def insights_title(self) -> str:
        """Return the title of the tab of a run."""
        return _tr("Masks")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the tab of a run; see `TaskView.insights`."""
        return RegionInsights(theme, self.report, parent)


VIEW = SegmentationView()
