"""The parts of pages for one class per image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.edits import AddClass, Edit, Relabel
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Skipped
from studio.engine.tasks.task import Task
from studio.ui.tasks.data_view import ClassData, DataWords, Distribution, Fact, class_words
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.tasks.output_table import FAILED, OutputLines
from studio.ui.tasks.targets import (
    Condition,
    ImageChange,
    NameEditor,
    OutputFilter,
    TargetEditor,
    TargetFilter,
    TargetTable,
)
from studio.ui.tasks.view import ReportView, TaskView
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import apart
from studio.ui.widgets.table_model import FigureCell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_tr = partial(QCoreApplication.translate, "tasks")


class ClassificationData(ClassData):
    """Shows the classes of a dataset."""

    filters_predictions = True
    leaves_out_classes = True

    def idle_fields(self, recipe: DatasetRecipe) -> dict[str, str]:
        """Return none: all fields have an effect; see `DataView.idle_fields`."""
        return {}

    def words(self, task: Task) -> DataWords:
        """Return the words for classes."""
        return class_words(
            card_help=_tr("Shows the images of this class."),
            distribution=_tr("Images per class"),
            changed=_tr("{images} with another class"),
            choice=_tr("One class per image"),
            choice_help=_tr("Each image shows one thing, such as a cat or a dog."),
        )

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Offer the order of the classes."""
        return [("class", _tr("By class"))]

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Return all rows sorted by class; see `DataView.order`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        if key != "class":
            return None
        return np.argsort(targets.values[:, 0], kind="stable").astype(np.int64)

    def proposal(self, columns: str) -> str:
        """Return nothing: this is what an import proposes by default; see `DataView.proposal`."""
        return ""

    def found_line(self, images: str, number: int) -> str:
        """Return such as "120 images in 3 classes"; see `DataView.found_line`."""
        return _tr("{images} in {classes}").format(images=images, classes=self.outputs(number))

    def caption(self, targets: TargetTable, row: int) -> str:
        """Return nothing: pictures have the name of their class; see `DataView.caption`."""
        return ""

    def groups(
        self,
        targets: TargetTable,
        rows: NDArray[np.int64],
        output: int,
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Return the class of each image; see `DataView.groups`."""
        return targets.values[rows, 0].astype("int32"), tuple(targets.names)

    def facts(self, targets: TargetTable, row: int) -> list[Fact]:
        """Return the class of an image; see `DataView.facts`."""
        return [(self.words(targets.task).output, targets.names[int(targets.values[row, 0])])]

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:
        """Create the class filter; see `DataView.filter`."""
        return ClassFilter(parent)

    def editor(self, theme: Theme, parent: QWidget) -> TargetEditor:
        """Create the button that changes the class; see `DataView.editor`."""
        return ClassNameEditor(theme, parent)

    def lines(self, distribution: Distribution) -> OutputLines:
        """Add a column of failed files, if there are any; see `DataView.lines`."""
        shown = super().lines(distribution)
        failed = failures(distribution.summary.classes, distribution.skipped)
        if not failed:
            return shown
        lines = []
        for line in shown.lines:
            number = failed[line.name]
            text = _tr("{n} left out by the import").format(n=count(number))
            lines.append(
                replace(
                    line,
                    cells=(*line.cells, FigureCell(count(number), number)),
                    summary=f"{line.summary}, {text}" if number else line.summary,
                    parts=(*line.parts, (FAILED, number)),
                )
            )
        return OutputLines((*shown.headings, _tr("Left out")), lines)


class ClassFilter(OutputFilter):
    """All classes, or one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_tr("Class"), ((_tr("All classes"), None),), parent)

    def condition(self) -> Condition | None:
        """Return a mask of the images of the chosen class."""
        output = self.box.currentData()
        return None if output is None else partial(of_class, output)


class ClassNameEditor(NameEditor[OutputPicker]):
    """A button that opens a list of classes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        tip = _tr("Change their class")
        super().__init__(theme, _tr("Relabel to…"), tip, OutputPicker(), parent)

    def _on_chosen(self, label: int) -> None:
        self._relabel(label, self._names[label])

    def _on_created(self, name: str) -> None:
        self._relabel(len(self._names), name, AddClass(name=name))

    def _relabel(self, label: int, name: str, *first: Edit) -> None:
        def edits(rows: str) -> list[Edit]:
            return [*first, Relabel(rows=rows, label=label)]

        words = partial(_relabeled, apart(name))
        self.change_requested.emit(ImageChange(edits, words))


def of_class(output: int, targets: TargetTable) -> NDArray[np.bool_]:
    """Return a mask of the images of a class, shape (N,).

    Args:
        output: Number of the class.
        targets: Targets of the dataset.
    """
    return targets.having(output)


def failures(classes: Sequence[str], skipped: Sequence[Skipped]) -> Counter[str]:
    """Count the files of each class that were left out; those outside class folders don't count.

    Args:
        classes: Names of the classes.
        skipped: Items skipped by the import.
    """
    known = set(classes)
    found: Counter[str] = Counter()
    for entry in skipped:
        folders = PurePosixPath(entry.path.replace("\\", "/")).parts[:-1]
        # The innermost first: a class may be called like a folder around it.
        name = next((part for part in reversed(folders) if part in known), None)
        if name is not None:
            found[name] += 1
    return found


def _relabeled(name: str, images: str) -> str:
    return _tr("Relabeled {images} to “{name}”").format(images=images, name=name)


class ClassReport(ReportView):
    """Shows evaluations of classes in a panel of their own."""

    panel = "studio.ui.pages.evaluation.report:ClassesPanel"


class ClassificationView(ClassificationData, TaskView):
    """Shows one class per image."""

    report = ClassReport()
    class_insights = True


VIEW = ClassificationView()
