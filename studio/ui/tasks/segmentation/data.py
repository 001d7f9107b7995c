"""Datasets whose images have a class for each pixel, and the fields of their import."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSignalBlocker
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.tasks.annotations import default_colors
from studio.engine.tasks.task import Task
from studio.ui.tasks.data_view import DataWords, Fact, class_words, order_of, orders_of
from studio.ui.tasks.output_table import OutputLine, OutputLines
from studio.ui.tasks.region_fields import RegionData, RegionFields, RegionWords
from studio.ui.tasks.targets import (
    Condition,
    OutputFigures,
    RangeFilter,
    RecipePart,
    TargetFilter,
    TargetTable,
    number_field,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.inputs import DoubleSpinBox
from studio.ui.widgets.labels import apart
from studio.ui.widgets.overlay import CLEAR
from studio.ui.widgets.table_model import FigureCell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
_LARGEST, _SMALLEST, _CLASSES = "largest", "smallest", "classes"


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

    def recipe_part(self, theme: Theme, parent: QWidget) -> RecipePart:
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
        """Offer the images with the most classes, and each class by its area."""
        ways = (
            (_LARGEST, _tr("{name}, largest first")),
            (_SMALLEST, _tr("{name}, smallest first")),
        )
        return [(_CLASSES, _tr("Most classes first")), *orders_of(names, ways)]

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Sort by the number of classes, or by the area of one; see `DataView.order`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        if key == _CLASSES:
            numbers = np.count_nonzero(targets.values, axis=1)
            return np.argsort(-numbers, kind="stable").astype(np.int64)
        found = order_of(targets, key, (_LARGEST, _SMALLEST))
        if found is None:
            return None
        area = targets.values[:, found[0]].astype(np.int64)
        # Images without the class come last in both directions.
        values = (
            -area if found[1] == _LARGEST else np.where(area > 0, area, np.iinfo(np.int64).max)
        )
        return np.argsort(values, kind="stable").astype(np.int64)

    def opening_order(self, output: int) -> str:
        """Show the images of a class from its largest area."""
        return f"{output} {_LARGEST}"

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:
        """Create the filter for a class and its area; see `DataView.filter`."""
        return AreaFilter(parent)

    def figures(self, targets: TargetTable, rows: NDArray[np.int64]) -> tuple[OutputFigures, ...]:
        """Return each class's fraction of all pixels, and its range; see `DataView.figures`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        values = targets.values[rows].astype(np.float64)
        total = max(values.sum(), 1.0)
        fractions = values / np.maximum(values.sum(axis=1, keepdims=True), 1.0)
        found = []
        for pixels, each in zip(values.T, fractions.T, strict=True):
            there = each[each > 0]
            low, high = (float(there.min()), float(there.max())) if len(there) else (0.0, 0.0)
            deviation = float(there.std()) if len(there) else 0.0
            found.append(OutputFigures(low, float(pixels.sum() / total), high, deviation, ()))
        return tuple(found)

    def showcase(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> NDArray[np.int64]:
        """Sort images from the largest area of the class down; see `DataView.showcase`."""
        ordered: NDArray[np.int64] = rows[(-targets.values[rows, output]).argsort(kind="stable")]
        return ordered

    def lines(
        self,
        summary: DatasetSummary,
        figures: Sequence[OutputFigures],
        skipped: Sequence[Skipped],
        task: Task,
    ) -> OutputLines:
        """Return images and fraction of pixels of each class; see `DataView.lines`."""
        plain = super().lines(summary, figures, skipped, task)
        lines = []
        for line, figure in zip(plain.lines, figures, strict=False):
            area = FigureCell(percent(figure.mean, 2), figure.mean)
            text = _tr("{images}; {share} of all pixels")
            sentence = text.format(images=line.summary, share=area.text)
            lines.append(OutputLine(line.name, (*line.cells, area), sentence, parts=line.parts))
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
        for field, value in ((self.low, 0.0), (self.high, 100.0)):
            with QSignalBlocker(field):
                field.setValue(value)
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


def is_background(name: str) -> bool:
    """Return True if a class is the background."""
    return default_colors([name]) == (CLEAR,)


def _present(targets: TargetTable, row: int) -> list[tuple[str, int, float]]:
    """Return name, pixels and share of the classes in an image, the background last."""
    pixels = targets.values[row].tolist()
    total = max(1, sum(pixels))
    found = [
        (name, number, number / total)
        for name, number in zip(targets.names, pixels, strict=True)
        if number
    ]
    return sorted(found, key=lambda each: (is_background(each[0]), -each[1]))
