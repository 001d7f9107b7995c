"""Datasets whose images have boxes of objects, and the fields of their import."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QSignalBlocker
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.annotations import default_colors
from studio.engine.tasks.task import Task
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureLine
from studio.ui.tasks.data_view import DataWords, Distribution, Fact, class_words, distribution_line
from studio.ui.tasks.output_table import OutputLines
from studio.ui.tasks.region_fields import RegionData, RegionFields, RegionWords, present
from studio.ui.tasks.targets import (
    Condition,
    RangeFilter,
    RecipePart,
    TargetFilter,
    TargetTable,
    ValueDistribution,
    choice_box,
    number_field,
    without_outputs,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count, number
from studio.ui.widgets.inputs import SpinBox
from studio.ui.widgets.labels import apart
from studio.ui.widgets.table_model import FigureCell
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.box_table import BoxTable

_tr = partial(QCoreApplication.translate, "tasks")

_FIELD: Final = 76
_MOST: Final = 2000
_NONE, _ANY = -2, -1
"""Choices in place of a class: images without objects, objects of any class."""
_MOST_OBJECTS, _FEWEST_OBJECTS = "objects", "few"
_MOST_CURVES: Final = 6
"""Maximum number of classes with a separate line: the number of colors."""
_CHART_COLORS: Final = {
    "#0072b2": 0,
    "#e69f00": 1,
    "#009e73": 2,
    "#d55e00": 3,
    "#cc79a7": 4,
    "#56b4e9": 5,
}
"""Indices of the colors of charts by the colors of classes."""
_BINS: Final = 24
_LONGEST: Final = 8.0
"""Largest ratio of the sides in the chart; more extreme ones are in the last bars."""


class BoxFields(RegionFields):
    """The place of the annotation files, and the table of the classes."""

    def words(self) -> RegionWords:
        """Return the texts about boxes."""
        return RegionWords(
            regions=_tr("Boxes"),
            elsewhere=_tr("Boxes elsewhere…"),
            elsewhere_help=_tr(
                "Chooses the folder or file of the boxes (VOC, COCO, YOLO, KITTI or CSV) if they "
                "are not in the image folder."
            ),
            folder=_tr("Annotation folder…"),
            choose_folder=_tr("Choose the annotation folder"),
            classes=_tr("Classes of the boxes"),
            fixed_color=_tr("The annotation files give the color of the class."),
        )


class DetectionData(RegionData):
    """Shows the boxes of a dataset."""

    def words(self, task: Task) -> DataWords:
        """Return the words for classes of objects."""
        return class_words(
            card_help=_tr("Shows the images that contain this class."),
            distribution=_tr("Objects per class"),
            changed=_tr("{images} with changed boxes"),
            choice=_tr("Boxes around objects (detection)"),
            choice_help=_tr("Each image has any number of boxes, each with a class."),
        )

    def proposal(self, columns: str) -> str:
        """Return why an import proposes detection."""
        return _tr("Proposed because annotation files with boxes were found.")

    def recipe_part(self, theme: Theme, parent: QWidget) -> RecipePart:
        """Create the fields for annotations and classes; see `DataView.recipe_part`."""
        return BoxFields(theme, parent)

    def caption(self, targets: TargetTable, row: int) -> str:
        """Return the numbers of objects, the most frequent first; see `DataView.caption`."""
        found = present(targets, row)
        if not found:
            return _tr("No objects")
        return " · ".join(f"{apart(name)} {count(boxes)}" for name, boxes in found)

    def facts(self, targets: TargetTable, row: int) -> list[Fact]:
        """Return the objects of each class in an image; see `DataView.facts`."""
        found: list[Fact] = [(name, objects(boxes)) for name, boxes in present(targets, row)]
        return found or [(_tr("Classes"), _tr("No objects"))]

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Offer also the images with the most or the fewest objects."""
        return [
            (_MOST_OBJECTS, _tr("Most objects first")),
            (_FEWEST_OBJECTS, _tr("Fewest objects first")),
            *super().orders(names),
        ]

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Sort by number of objects, or size of those of a class; see `DataView.order`."""
        if key in (_MOST_OBJECTS, _FEWEST_OBJECTS):
            numbers: NDArray[np.int64] = targets.values.sum(axis=1, dtype="int64")
            return (-numbers if key == _MOST_OBJECTS else numbers).argsort(kind="stable")
        return super().order(targets, key)

    def largest(self, targets: TargetTable, output: int) -> NDArray[np.float64]:
        """Return the area of the largest box of a class; see `RegionData.largest`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        return _extreme(targets, output, np.maximum, 0.0)

    def smallest(self, targets: TargetTable, output: int) -> NDArray[np.float64]:
        """Return the area of the smallest box of a class; see `RegionData.smallest`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        return _extreme(targets, output, np.minimum, math.inf)

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:
        """Create the filter for class, number and size of objects; see `DataView.filter`."""
        return ObjectFilter(parent)

    def figures(
        self, targets: TargetTable, rows: NDArray[np.int64]
    ) -> tuple[ValueDistribution, ...]:
        """Return the objects of each class per image that has any; see `DataView.figures`."""
        return tuple(ValueDistribution.of(each[each > 0]) for each in targets.values[rows].T)

    def charts(self, targets: TargetTable, rows: NDArray[np.int64]) -> list[Figure]:
        """Return sizes and shapes of boxes, and objects per image; see `DataView.charts`."""
        if targets.boxes is None or not len(targets.boxes.label):
            return []
        return box_charts(targets.boxes, targets.values, rows, targets.names)

    def lines(self, distribution: Distribution) -> OutputLines:
        """Return images and objects of each class; see `DataView.lines`."""
        plain = super().lines(distribution)
        lines = []
        for line, figure in zip(plain.lines, distribution.figures, strict=False):
            total = int(figure.total)
            cells = (
                FigureCell(count(total), total),
                FigureCell(number(round(figure.mean, 1)), figure.mean),
            )
            sentence = _tr("{images}; {objects}").format(
                images=line.summary, objects=objects(total)
            )
            lines.append(replace(line, cells=(*line.cells, *cells), summary=sentence))
        headings = (*plain.headings, _tr("Objects"), _tr("Per image"))
        return OutputLines(headings, lines, sorted_by=3)

    def balance_heading(self, task: Task) -> str:
        """Return what `balance` compares."""
        return _tr("Objects")

    def balance_column(self, targets: TargetTable, chosen: NDArray[np.bool_]) -> list[str]:
        """Return the objects of each class; see `DataView.balance_column`."""
        return [count(each) for each in targets.values[chosen].sum(axis=0).tolist()]


class ObjectFilter(RangeFilter):
    """All images, those with objects of a class, a number and a size, or those without any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        first = (
            (_tr("All images"), None),
            (_tr("Any object"), _ANY),
            (_tr("Without objects"), _NONE),
        )
        super().__init__(_tr("Class"), first, parent)
        self.low = self._field(_tr("Fewest objects"), _tr("Hides images with fewer objects."), 1)
        self.high = self._field(_tr("Most objects"), _tr("Hides images with more objects."), _MOST)
        self.sizes = choice_box(_tr("Size of the objects"), self.below)
        for size, text in (
            ("", _tr("of any size")),
            ("small", _tr("small (under 32 px)")),
            ("medium", _tr("medium (32 to 96 px)")),
            ("large", _tr("large (over 96 px)")),
        ):
            self.sizes.addItem(text, size)
        explain(
            self.sizes,
            _tr(
                "Counts only objects of this size: the square root of their area in the images "
                "of the dataset."
            ),
        )
        self.sizes.activated.connect(self.changed)
        self._add_range(self.low, self.high, self.sizes)

    def show_targets(self, targets: TargetTable) -> None:
        """Take the most objects of an image as the limit; see `TargetFilter.show_targets`."""
        is_open = self.high.value() == self.high.maximum()
        most = max(1, int(targets.values.sum(axis=1).max(initial=0)))
        for field in (self.low, self.high):
            with QSignalBlocker(field):
                field.setMaximum(most)
        if is_open:
            with QSignalBlocker(self.high):
                self.high.setValue(most)

    def condition(self) -> Condition | None:
        """Return the images with the chosen number of objects of the class and the size."""
        output = self.box.currentData()
        if output is None:
            return None
        if output == _NONE:
            return without_outputs
        label = None if output == _ANY else int(output)
        high = self.high.value()
        most = None if high == self.high.maximum() else high
        return partial(with_objects, label, self.low.value(), most, self.sizes.currentData())

    def _field(self, name: str, help_text: str, value: int) -> SpinBox:
        field = SpinBox(self.below)
        field.setRange(0, _MOST)
        field.setValue(value)
        number_field(field, name, help_text, _FIELD)
        return field

    def _clear(self) -> None:
        self.low.setValue(1)
        self.high.setValue(self.high.maximum())
        self.sizes.setCurrentIndex(0)
        super()._clear()

    def _show_choice(self) -> None:
        output = self.box.currentData()
        has_number = output not in (None, _NONE)
        self.below.setVisible(has_number)
        if has_number:
            name = _tr("Objects") if output == _ANY else apart(self._names[output])
            self._name.setText(_tr("{name} per image:").format(name=name))


def with_objects(
    output: int | None, low: int, high: int | None, size: str, targets: TargetTable
) -> NDArray[np.bool_]:
    """Return a mask of the images with a number of objects of a class and a size, (N,).

    Args:
        output: Number of the class; None for any.
        low: Smallest number.
        high: Largest number; None for any.
        size: `small`, `medium` or `large`; empty for any.
        targets: Targets of the dataset.
    """
    values, boxes = targets.values, targets.boxes
    if size and boxes is not None:
        numbers = boxes.numbers(len(values), output, size)
    else:
        numbers = values.sum(axis=1) if output is None else values[:, output]
    found: NDArray[np.bool_] = numbers >= low
    return found if high is None else found & (numbers <= high)


def objects(number: int) -> str:
    """Return such as "3 objects"."""
    return _tr("1 object") if number == 1 else _tr("{n} objects").format(n=count(number))


def box_charts(
    boxes: BoxTable,
    values: NDArray[np.int32],
    rows: NDArray[np.int64],
    names: Sequence[str],
) -> list[Figure]:
    """Return the distributions of sizes and aspect ratios of boxes, and of objects per image.

    Args:
        boxes: Boxes of the whole dataset.
        values: Boxes of each class in each image, shape (N, K).
        rows: The images that count.
        names: Names of the classes, K.
    """
    import numpy as np  # noqa: PLC0415 - kept out of the start of the window

    counts = np.zeros(len(values), np.bool_)
    counts[rows] = True
    chosen = counts[boxes.image]
    label, width, height = boxes.label[chosen], boxes.width[chosen], boxes.height[chosen]
    if not len(label):
        return []
    sides = np.sqrt(width * height)
    low, high = max(1.0, float(sides.min())), max(2.0, float(sides.max()))
    edges = np.geomspace(low, max(high, 1.01 * low), _BINS + 1)
    ratios = np.clip(width / np.maximum(height, 1e-6), 1 / _LONGEST, _LONGEST)
    ratio_edges = np.geomspace(1 / _LONGEST, _LONGEST, _BINS + 1)
    share = _tr("Share of the boxes")
    numbers = values[rows].sum(axis=1)
    most = max(1, int(np.percentile(numbers, 99.5)))
    step = max(1, -(-most // _BINS))
    parts = np.arange(0, most + 2 * step, step)
    per_image = distribution_line("", np.minimum(numbers, most), parts, parts[:-1], 0)
    sizes = _by_class(np.maximum(sides, low), label, edges, names)
    shapes = _by_class(ratios, label, ratio_edges, names)
    return [
        Figure(
            _tr("Box size"),
            AxisScale(_tr("Square root of the area [px]"), low, float(edges[-1]), log=True),
            _share_scale(share, sizes),
            sizes,
        ),
        Figure(
            _tr("Aspect ratio"),
            AxisScale(_tr("Width / height"), 1 / _LONGEST, _LONGEST, log=True),
            _share_scale(share, shapes),
            shapes,
        ),
        Figure(
            _tr("Objects per image"),
            AxisScale(_tr("Objects"), 0, max(1, int(parts[-2])), whole=True),
            _share_scale(_tr("Share of the images"), [per_image]),
            [per_image],
        ),
    ]


def _share_scale(label: str, lines: Sequence[FigureLine]) -> AxisScale:
    highest = max((y for line in lines for _, y in line.points), default=1.0)
    # A quarter of it, where the lines of the chart are, is a whole percentage.
    return AxisScale(label, 0.0, max(1, math.ceil(highest * 25)) / 25, percent=True)


def _by_class(
    values: NDArray[np.floating],
    label: NDArray[np.int32],
    edges: NDArray[np.float64],
    names: Sequence[str],
) -> list[FigureLine]:
    """Return a line for each of a few classes, or one for all boxes together."""
    import numpy as np  # noqa: PLC0415 - kept out of the start of the window

    middles = np.sqrt(edges[1:] * edges[:-1])
    groups = [(name, label == output) for output, name in enumerate(names)]
    if len(names) > _MOST_CURVES or len(names) == 1:
        groups = [("", np.ones(len(label), np.bool_))]
    # Where the chart has the color of a class, its line has it.
    own = [_CHART_COLORS.get(color, 0) for color in default_colors(names)]
    indices = own if len(set(own)) == len(own) == len(groups) else range(len(groups))
    return [
        distribution_line(name, values[chosen], edges, middles, index)
        for index, (name, chosen) in zip(indices, groups, strict=True)
    ]


def _extreme(
    targets: TargetTable, output: int, reduce: np.ufunc, start: float
) -> NDArray[np.float64]:
    """Return the largest or smallest area of a class in each image.

    Args:
        targets: Targets of the dataset.
        output: Number of the class.
        reduce: The larger or the smaller of two numbers.
        start: Value of images without the class.

    Returns:
        In square pixels, shape (N,).
    """
    import numpy as np  # noqa: PLC0415 - kept out of the start of the window

    found, boxes = np.full(len(targets.values), start), targets.boxes
    if boxes is not None:
        chosen = boxes.label == output
        areas = (boxes.width[chosen] * boxes.height[chosen]).astype(np.float64)
        reduce.at(found, boxes.image[chosen], areas)
    return found
