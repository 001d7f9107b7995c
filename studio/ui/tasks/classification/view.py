"""The parts of pages for one class per image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.edits import AddClass, Edit, Relabel
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.tasks.task import Task
from studio.ui.tasks.data_view import DataView, DataWords
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.tasks.output_table import FAILED, OutputLine, OutputLines
from studio.ui.tasks.targets import (
    Condition,
    OutputFigures,
    TargetChange,
    TargetEditor,
    TargetFilter,
    TargetTable,
)
from studio.ui.tasks.view import AnswerView, TaskView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import apart
from studio.ui.widgets.table_model import FigureCell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_tr = partial(QCoreApplication.translate, "tasks")

_LETTERS = 6


class ClassificationData(DataView):
    """Shows the classes of a dataset."""

    has_classes = True

    def words(self, task: Task) -> DataWords:  # noqa: ARG002 - it is this one
        """Return the words for classes."""
        return DataWords(
            output=_tr("Class"),
            find=_tr("Find a class"),
            not_found=_tr("No class in {all} has this name."),
            back=_tr("Back to the classes"),
            card=_tr("Class {name}, {count} images"),
            card_help=_tr("Shows the images of this class."),
            distribution=_tr("Images per class"),
            changed=_tr("{images} with another class"),
            added=_tr("New class “{name}”"),
            removed=_tr("Class “{name}” no longer exists"),
            renamed=_tr("A class was renamed to “{name}”"),
            rename=_tr("New name of the class “{name}”"),
            choice=_tr("One class per image"),
            choice_help=_tr("Each image shows one thing, such as a cat or a dog."),
        )

    def heading(self) -> str:
        """Return the word for all outputs together."""
        return _tr("Classes")

    def outputs(self, number: int) -> str:
        """Return such as "10 classes"."""
        return _tr("1 class") if number == 1 else _tr("{n} classes").format(n=count(number))

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:  # noqa: ARG002 - one for all
        """Offer the order of the classes."""
        return [("class", _tr("By class"))]

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Return all rows sorted by class; see `DataView.order`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        if key != "class":
            return None
        return np.argsort(targets.values, kind="stable").astype(np.int64)

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:  # noqa: ARG002 - needs none
        """Create the class filter; see `DataView.filter`."""
        return ClassFilter(parent)

    def editor(self, theme: Theme, parent: QWidget) -> TargetEditor:
        """Create the button that changes the class; see `DataView.editor`."""
        return ClassEditor(theme, parent)

    def lines(
        self,
        summary: DatasetSummary,
        figures: Sequence[OutputFigures],
        skipped: Sequence[Skipped],
        task: Task,
    ) -> OutputLines:
        """Add a column of failed files, if there are any; see `DataView.lines`."""
        shown = super().lines(summary, figures, skipped, task)
        failed = failures(summary.classes, skipped)
        if not failed:
            return shown
        lines = []
        for line in shown.lines:
            number = failed[line.name]
            text = _tr("{n} left out by the import").format(n=count(number))
            lines.append(
                OutputLine(
                    line.name,
                    (*line.cells, FigureCell(count(number), number)),
                    f"{line.summary}, {text}" if number else line.summary,
                    (*line.parts, (FAILED, number)),
                )
            )
        return OutputLines((*shown.headings, _tr("Left out")), lines)


class ClassFilter(TargetFilter):
    """All classes, or one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = ComboBox(self)
        self.box.setAccessibleName(_tr("Class"))
        self.box.setToolTip(_tr("Class"))
        self.box.setMinimumContentsLength(_LETTERS)
        self.row.addWidget(self.box, 1)
        self.box.activated.connect(self.changed)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:  # noqa: ARG002
        """Set the classes; see `TargetFilter.set_outputs`."""
        chosen = self.box.currentIndex()
        self.box.clear()
        self.box.addItem(_tr("All classes"), None)
        for index, name in enumerate(names):
            self.box.addItem(name, index)
        self.box.setCurrentIndex(chosen if 0 <= chosen <= len(names) else 0)

    def reset(self, output: int) -> None:
        """Choose a class; -1 is all of them."""
        self.box.setCurrentIndex(output + 1)

    def condition(self) -> Condition | None:
        """Return which images are of the chosen class."""
        output = self.box.currentData()
        return None if output is None else partial(of_class, output)


class ClassEditor(TargetEditor):
    """A button that opens a list of classes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self.button = push_button(_tr("Relabel to…"), theme, parent=self)
        self.picker = OutputPicker(self)
        self.row.addWidget(self.button)
        self.button.clicked.connect(self._on_clicked)
        self.picker.chosen.connect(self._on_chosen)
        self.picker.created.connect(self._on_created)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:  # noqa: ARG002
        """Set the classes; see `TargetEditor.set_outputs`."""
        self._names = list(names)
        self.picker.set_names(names)

    def allow(self, *, allowed: bool, reason: str) -> None:
        """Enable or disable the button; see `TargetEditor.allow`."""
        self.button.setEnabled(allowed)
        self.button.setToolTip(_tr("Change their class") if allowed else reason)

    def _on_clicked(self) -> None:
        point = QPoint(0, self.button.height() + SPACE.xs)
        self.picker.open_at(self.button.mapToGlobal(point))

    def _on_chosen(self, label: int) -> None:
        self._relabel(label, self._names[label])

    def _on_created(self, name: str) -> None:
        self._relabel(len(self._names), name, AddClass(name=name))

    def _relabel(self, label: int, name: str, *first: Edit) -> None:
        def edits(rows: str) -> list[Edit]:
            return [*first, Relabel(rows=rows, label=label)]

        words = partial(_relabeled, apart(name))
        self.change_requested.emit(TargetChange(edits, words))


def of_class(output: int, targets: TargetTable) -> NDArray[np.bool_]:
    """Return which images are of a class, shape N.

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


class ClassAnswer(AnswerView):
    """Shows the most likely classes."""

    has_classes = True


class ClassificationView(ClassificationData, TaskView):
    """Shows one class per image."""

    answer = ClassAnswer()


VIEW = ClassificationView()
