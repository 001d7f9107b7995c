"""Display and editing of the targets of a dataset, by task."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import Task
from studio.ui.charts.figure import Figure, FigureLine
from studio.ui.language import translated
from studio.ui.tasks.output_table import OutputLine, OutputLines
from studio.ui.tasks.targets import (
    RecipePart,
    TargetEditor,
    TargetFilter,
    TargetTable,
    ValueDistribution,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPLIT_COLORS
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.figures import count, percent, significant
from studio.ui.widgets.labels import apart
from studio.ui.widgets.table_model import FigureCell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.survey import SurveyedOutput

_tr = partial(QCoreApplication.translate, "tasks")

Fact = tuple[str, str | tuple[str, ...]]
"""A heading, and a text or several separate words."""
TextRows = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""Headings and rows of texts."""


@dataclass(frozen=True, slots=True)
class DataWords:
    """Texts of the datasets page that differ between tasks.

    Attributes:
        output: Heading over the names of classes, labels or quantities.
        find: Placeholder of the field that finds one by its name.
        not_found: Shown if no name contains the typed text; `{all}` is the number of names.
        back: Tooltip of the button that goes back from the images.
        card: Accessible name of a card, with `{name}` and `{count}` images.
        card_help: Effect of a click on a card.
        distribution: Heading over the table of all of them.
        changed: Difference of two versions; `{images}` have other targets.
        added: Difference: `{name}` was added.
        removed: Difference: `{name}` was removed.
        renamed: Difference: an output was renamed to `{name}`.
        rename: Heading of the field for another name.
        choice: The task in an import, in plain words.
        choice_help: Explanation in a sentence.
    """

    output: str
    find: str
    not_found: str
    back: str
    card: str
    card_help: str
    distribution: str
    changed: str
    added: str
    removed: str
    renamed: str
    rename: str
    choice: str
    choice_help: str


@dataclass(frozen=True, slots=True)
class Distribution:
    """Content of the table of all classes, labels or quantities of a dataset.

    Attributes:
        summary: Summary of the dataset.
        figures: See `DataView.figures`.
        skipped: The files that the import left out.
    """

    summary: DatasetSummary
    figures: Sequence[ValueDistribution]
    skipped: Sequence[Skipped]


def class_words(
    *, card_help: str, distribution: str, changed: str, choice: str, choice_help: str
) -> DataWords:
    """Return the words for classes, with those that differ between tasks; see `DataWords`."""
    return DataWords(
        output=_tr("Class"),
        find=_tr("Find a class"),
        not_found=_tr("No name in {all} contains this text."),
        back=_tr("Back to the classes"),
        card=_tr("Class {name}, images: {count}"),
        card_help=card_help,
        distribution=distribution,
        changed=changed,
        added=_tr("New class “{name}”"),
        removed=_tr("The class “{name}” no longer exists"),
        renamed=_tr("A class was renamed to “{name}”"),
        rename=_tr("New name of the class “{name}”"),
        choice=choice,
        choice_help=choice_help,
    )


class DataView:
    """The view of targets of a task; by default any number of values per image.

    Attributes:
        filters_predictions: True if images are filtered by their predicted class.
        leaves_out_classes: True if an import can leave out classes.
    """

    filters_predictions = False
    leaves_out_classes = False

    def idle_fields(self, recipe: DatasetRecipe) -> dict[str, str]:
        """Return the fields of an import without an effect, each with the reason.

        Args:
            recipe: Settings of the import.
        """
        limits = [
            f"{split}{end}_per_class" for split in ("", "val_", "test_") for end in ("min", "max")
        ]
        source = TASKS[recipe.task].source
        fields = limits if source.reads("labels_file") else ["labels_file", *limits]
        return dict.fromkeys(fields, _tr("Images of this dataset have no single class"))

    def words(self, task: Task) -> DataWords:
        """Return the words of a task."""
        label = translated(task.label)
        return DataWords(
            output=_tr("Output"),
            find=_tr("Find an output"),
            not_found=_tr("No name in {all} contains this text."),
            back=_tr("Back to the overview"),
            card=_tr("{name}, images: {count}"),
            card_help=_tr("Shows its images."),
            distribution=_tr("Outputs"),
            changed=_tr("{images} with other targets"),
            added=_tr("New output “{name}”"),
            removed=_tr("The output “{name}” no longer exists"),
            renamed=_tr("An output was renamed to “{name}”"),
            rename=_tr("New name of “{name}”"),
            choice=label,
            choice_help="",
        )

    def proposal(self, columns: str) -> str:
        """Return why an import proposes the task, from the names of columns."""
        return _tr("Proposed because of these columns: {columns}.").format(columns=columns)

    def found(self, outputs: Sequence[SurveyedOutput], task: Task) -> TextRows:
        """Return the findings of an import: classes, labels or quantities with their numbers.

        Args:
            outputs: Found classes, labels or quantities.
            task: Task of the import.

        Returns:
            Headings, and a row for each of them.
        """
        headings = (self.words(task).output, _tr("Images"))
        return headings, [(each.name, count(each.count)) for each in outputs]

    def recipe_part(self, theme: Theme, parent: QWidget) -> RecipePart | None:
        """Create the part of the import form with the fields of this task; None if it has none.

        Args:
            theme: The theme.
            parent: Parent widget.
        """
        return None

    def heading(self) -> str:
        """Return the word for all outputs together."""
        return _tr("Outputs")

    def class_examples(self) -> str:
        """Return classes that a labeling may have, one per line; empty for usual ones."""
        return ""

    def outputs(self, number: int) -> str:
        """Return such as "10 classes"."""
        return _tr("1 output") if number == 1 else _tr("{n} outputs").format(n=count(number))

    def found_line(self, images: str, number: int) -> str:
        """Return such as "120 images with 3 labels".

        Args:
            images: Text such as "120 images".
            number: Number of classes, labels or quantities.
        """
        return _tr("{images} with {classes}").format(images=images, classes=self.outputs(number))

    def caption(self, targets: TargetTable, row: int) -> str:
        """Return the caption of a picture in a grid; empty for its file name.

        Args:
            targets: Targets of the dataset.
            row: Row of the picture.
        """
        return " · ".join(quantity(float(v), "") for v in targets.values[row])

    def groups(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Return the group of each image by an output, and the names of the groups.

        Args:
            targets: Targets of the whole dataset.
            rows: The images, N.
            output: Number of the label or quantity.
        """
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        return np.zeros(len(rows), np.int32), (self.heading(),)

    def facts(self, targets: TargetTable, row: int) -> list[Fact]:
        """Return the targets of an image, for its details.

        Args:
            targets: Targets of the dataset.
            row: Row of the image.
        """
        return [
            (name, quantity(float(targets.values[row, output]), targets.unit(output)))
            for output, name in enumerate(targets.names)
        ]

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return the orders by targets that a grid offers: a key and words for each."""
        return []

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Return all rows sorted by a key; None for the order of the dataset.

        Args:
            targets: Targets of the dataset.
            key: One of `orders`.
        """
        return None

    def opening_order(self, output: int) -> str:
        """Return the order in which the images of an output are shown first; empty for none."""
        return ""

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:
        """Create the widget that filters images by their targets.

        Args:
            theme: The theme.
            parent: Parent widget.
        """
        return TargetFilter(parent)

    def editor(self, theme: Theme, parent: QWidget) -> TargetEditor:
        """Create the widget that changes the targets of images.

        Args:
            theme: The theme.
            parent: Parent widget.
        """
        return TargetEditor(parent)

    def figures(
        self, targets: TargetTable, rows: NDArray[np.int64]
    ) -> tuple[ValueDistribution, ...]:
        """Return how the values of each quantity are distributed; empty where images count.

        Args:
            targets: Targets of the whole dataset.
            rows: The images that are not left out.
        """
        return ()

    def charts(self, targets: TargetTable, rows: NDArray[np.int64]) -> list[Figure]:
        """Return charts of the targets of all images; none by default.

        Args:
            targets: Targets of the whole dataset.
            rows: The images that are not left out.
        """
        return []

    def showcase(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> NDArray[np.int64]:
        """Return the images of an output in the order from which some are shown.

        Args:
            targets: Targets of the whole dataset.
            rows: The images of the output.
            output: Number of the class, label or quantity.
        """
        return rows

    def lines(self, distribution: Distribution) -> OutputLines:
        """Return the table of all classes, labels or quantities."""
        summary, lines = distribution.summary, []
        for output, name in enumerate(summary.classes):
            counts = {split: of[output] for split, of in summary.class_counts.items()}
            total = sum(counts.values())
            parts = (f"{split_word(split)} {count(number)}" for split, number in counts.items())
            lines.append(
                OutputLine(
                    name,
                    (FigureCell(count(total), total),),
                    f"{name}: {', '.join(parts)}",
                    parts=tuple((SPLIT_COLORS[split], n) for split, n in counts.items()),
                )
            )
        heading = self.words(TASKS[summary.task]).output
        headings = (heading, _tr("By split"), _tr("Images"))
        return OutputLines(headings, lines)

    def balance(self, targets: TargetTable, split: NDArray[np.int8]) -> TextRows:
        """Return the distribution of targets over training, validation and test.

        Args:
            targets: Targets of the whole dataset.
            split: Split of each row, shape N; negative for images that are left out.

        Returns:
            Headings, and a row for each class, label or quantity.
        """
        columns = (
            self.balance_column(targets, split == number) for number in range(len(SPLIT_COLORS))
        )
        headings = (
            self.balance_heading(targets.task),
            *(split_word(each) for each in SPLIT_COLORS),
        )
        return headings, list(zip(targets.names, *columns, strict=True))

    def balance_heading(self, task: Task) -> str:
        """Return the heading over the names in `balance`."""
        return self.words(task).output

    def balance_column(self, targets: TargetTable, chosen: NDArray[np.bool_]) -> list[str]:
        """Return what is said of the images of a split in `balance`.

        Args:
            targets: Targets of the whole dataset.
            chosen: True for the images of the split, shape N.

        Returns:
            A text for each class, label or quantity.
        """
        outputs = range(len(targets.names))
        if not chosen.any():
            return [""] * len(outputs)
        return [percent(float(targets.having(each)[chosen].mean())) for each in outputs]


class ClassData(DataView):
    """The view of targets of a task whose outputs are classes."""

    def heading(self) -> str:
        """Return the word for all outputs together."""
        return _tr("Classes")

    def outputs(self, number: int) -> str:
        """Return such as "10 classes"."""
        return _tr("1 class") if number == 1 else _tr("{n} classes").format(n=count(number))


def with_and_without(
    targets: TargetTable, rows: NDArray[np.int64], output: int
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Group images by whether they have an output; see `DataView.groups`."""
    name = apart(targets.names[output])
    names = _tr("with {name}").format(name=name), _tr("without {name}").format(name=name)
    return (~targets.having(output)[rows]).astype("int32"), names


def orders_of(names: Sequence[str], ways: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return orders by each output, for `DataView.orders`.

    Args:
        names: Names of the outputs.
        ways: Key and words of each order, with `{name}`.
    """
    return [
        (f"{output} {way}", words.format(name=apart(name)))
        for output, name in enumerate(names)
        for way, words in ways
    ]


def order_of(targets: TargetTable, key: str, ways: Collection[str]) -> tuple[int, str] | None:
    """Return the output and the way of an order of `orders_of`; None for another order.

    Args:
        targets: Targets of the dataset.
        key: The order.
        ways: Keys of the ways.
    """
    output, _, way = key.partition(" ")
    return (int(output), way) if way in ways and int(output) < len(targets.names) else None


def distribution_line(
    name: str,
    values: NDArray[np.number],
    edges: NDArray[np.number],
    places: NDArray[np.number],
    color: int,
) -> FigureLine:
    """Return a line with the share of values in each part of a range.

    Args:
        name: Name of the line.
        values: Shape (n,).
        edges: Edges of the parts, G + 1.
        places: Position of each part on the axis, G.
        color: Index of the color.
    """
    import numpy as np  # noqa: PLC0415 - kept out of the start of the window

    counts, _ = np.histogram(values, edges)
    fractions = (counts / max(1, len(values))).tolist()
    return FigureLine(name, list(zip(places.tolist(), fractions, strict=True)), color)


def quantity(value: float, unit: str) -> str:
    """Format a value with its unit, such as 12.5 g.

    Args:
        value: The value.
        unit: The unit; empty for none.
    """
    whole = value == int(value) if abs(value) < 1e6 else False
    text = count(int(value)) if whole else significant(value)
    return f"{text}\N{NO-BREAK SPACE}{unit}" if unit else text
